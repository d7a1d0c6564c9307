import { randomBytes } from 'node:crypto';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { createGuildSettings } from '../../src/guilds/settings.ts';
import { createBreaker } from '../../src/listing/breaker.ts';
import type { Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import { createGuard } from '../../src/listing/guard.ts';
import { createTurns } from '../../src/listing/turns.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { createPipeline, type Observer } from '../../src/submissions/pipeline.ts';
import { openStore, recorder } from '../storage/temporary.ts';
import { type PartsOptions, partsOver } from './submissions.ts';

export interface PipelineOptions extends PartsOptions {
  /** The listing service's answer to a request. */
  readonly add: (servers: readonly ServerSubmission[], key: string) => Promise<Outcome> | Outcome;
  readonly observers?: readonly Observer[];
  /** Told of each guild whose key was refused for the first time. */
  readonly onKeyRefused?: (guildId: string) => void;
  /** Whether the interaction is still for this process to answer. */
  readonly isOurs?: () => boolean;
}

/** Everything that a submission passes between the dispatcher and the service's HTTP client, over a store of its own. */
export async function openPipeline(options: PipelineOptions) {
  const { add, now = Date.now, observers = [], onKeyRefused, isOurs = () => true } = options;
  const logger = recorder();
  const store = await openStore();
  const parts = partsOver(store, options);
  const encryption = createEncryption([randomBytes(32)]);
  const keys = createApiKeys({ store, encryption, logger, now });
  const settings = createGuildSettings({ store, logger });
  const guard = createGuard({
    turns: createTurns({ atOnce: 8, now }),
    breaker: createBreaker(),
    firstWaitMs: 1,
  });
  const pipeline = createPipeline({
    ...parts,
    store,
    keys,
    settings,
    listing: { add: async (servers, key) => add(servers, key.reveal()) },
    guard,
    isOurs: async () => isOurs(),
    observers,
    onKeyRefused: async (guildId) => onKeyRefused?.(guildId),
    longestRequestMs: 60_000,
    recordPauses: [1, 1],
    logger,
    now,
  });
  return { ...parts, store, keys, settings, pipeline, logger };
}
