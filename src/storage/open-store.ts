import { randomUUID } from 'node:crypto';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { createClaimJob } from './claim-job.ts';
import { createStoreEncryption, type StoreEncryptionDeps } from './encryption-key.ts';
import { createLeases, type ExpiredLeaseError, type LeasesDeps } from './leases.ts';
import { createStoreLock } from './lock.ts';
import { createStore, type StoreDeps, type StuckTransactionError } from './store.ts';

export interface OpenStoreDeps extends Pick<StoreDeps, 'url' | 'onTransaction'> {
  readonly configured: StoreEncryptionDeps['configured'];
  readonly mayBeShared: boolean;
  /** The process has to exit immediately. */
  readonly onOver: (error: ExpiredLeaseError | StuckTransactionError) => void;
  readonly renewedEveryMs?: LeasesDeps['renewedEveryMs'];
  readonly logger: Logger;
}

export function openStore(deps: OpenStoreDeps) {
  const { url, configured, mayBeShared, onTransaction, onOver, renewedEveryMs, logger } = deps;
  const isShared = mayBeShared && url.kind === 'postgres';
  const store = createStore({ url, onTransaction, onStuck: onOver, logger });
  const encryption = createStoreEncryption({ configured, store, logger });
  const processId = randomUUID();

  return {
    store,
    encryption,
    processId,
    isShared,
    claimJob: createClaimJob({ store, processId }),
    parts: (takeOver: LeasesDeps['takeOver']): readonly Part[] => [
      createStoreLock({ url, isShared, logger }),
      store,
      encryption,
      createLeases({
        store,
        processId,
        isShared,
        takeOver,
        onOver,
        encryptionKeyId: encryption.encryptionKeyId,
        renewedEveryMs,
        logger,
      }),
    ],
  };
}
