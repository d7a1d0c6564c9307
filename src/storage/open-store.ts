import { randomUUID } from 'node:crypto';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { createClaimJob } from './claim-job.ts';
import { createStoreEncryption, type StoreEncryptionDeps } from './encryption-key.ts';
import { createLeases, type LeaseOver, type LeasesDeps } from './leases.ts';
import { createStoreLock } from './lock.ts';
import { createStore, type StoreDeps, type StuckTransaction } from './store.ts';

export interface OpenStoreDeps extends Pick<StoreDeps, 'url' | 'onTransaction'> {
  /** `ENCRYPTION_KEY`. */
  readonly configured: StoreEncryptionDeps['configured'];
  /** Whether other processes of the same bot may use the database too, if it is one of PostgreSQL. */
  readonly mayBeShared: boolean;
  /** Called when the process has to end at once. */
  readonly onOver: (error: LeaseOver | StuckTransaction) => void;
  /** How often the process says that it is alive, in milliseconds. */
  readonly renewedEveryMs?: LeasesDeps['renewedEveryMs'];
  readonly logger: Logger;
}

/** What is kept, with the keys that seal what is secret in it, and what several processes of the bot agree on by it. */
export function openStore(deps: OpenStoreDeps) {
  const { url, configured, mayBeShared, onTransaction, onOver, renewedEveryMs, logger } = deps;
  const isShared = mayBeShared && url.kind === 'postgres';
  const store = createStore({ url, onTransaction, onStuck: onOver, logger });
  const encryption = createStoreEncryption({ configured, store, logger });
  /** The id of this process. What it takes bears it. */
  const owner = randomUUID();

  return {
    store,
    encryption,
    owner,
    isShared,
    claimJob: createClaimJob({ store, owner }),
    /** What is to be started before everything that reads or writes. */
    parts: (takeOver: LeasesDeps['takeOver']): readonly Part[] => [
      createStoreLock({ url, isShared, logger }),
      store,
      encryption,
      createLeases({
        store,
        owner,
        isShared,
        takeOver,
        onOver,
        sealingKeyId: encryption.sealingKeyId,
        renewedEveryMs,
        logger,
      }),
    ],
  };
}
