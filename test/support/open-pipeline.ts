import { createLeftInteractions } from '../../src/discord/resume.ts';
import { createTakenInteractions } from '../../src/discord/taken.ts';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { createKeyWatch } from '../../src/guilds/key-watch.ts';
import { createGuildSettings } from '../../src/guilds/settings.ts';
import type { Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import { createScheduler } from '../../src/listing/scheduler.ts';
import type { Encryption } from '../../src/storage/collection.ts';
import type { Commit } from '../../src/storage/statements.ts';
import { createChecks } from '../../src/submissions/checks.ts';
import { createHistory } from '../../src/submissions/history.ts';
import { createPipeline } from '../../src/submissions/pipeline.ts';
import { createTidying } from '../../src/submissions/pruning.ts';
import { createRecords } from '../../src/submissions/record.ts';
import { openStore, recorder } from '../storage/temporary.ts';

export interface PipelineOptions {
  /** The file of the store. */
  readonly path: string;
  readonly encryption: Encryption;
  readonly now: () => number;
  readonly add: (servers: readonly ServerSubmission[]) => Promise<Outcome> | Outcome;
  readonly onCommit?: (commit: Commit) => void;
  readonly onRefused?: (guildId: string) => void;
}

/** Everything that a submission passes between the dispatcher and the service's HTTP client, over a store of its own. */
export async function openPipeline({ path, encryption, now, add, onCommit, onRefused }: PipelineOptions) {
  const logger = recorder();
  const database = await openStore(path, logger, onCommit);
  const keys = createApiKeys({ store: database, encryption, now });
  const keyWatch = createKeyWatch({ keys, onRefused: async (guildId) => onRefused?.(guildId), logger });
  const settings = createGuildSettings({ store: database });
  const records = createRecords({ database, now });
  const history = createHistory({ database });
  const taken = createTakenInteractions({ database, encryption, logger, now });
  const left = createLeftInteractions({ database, encryption, logger, now });
  const checks = createChecks({
    database,
    encryption,
    listing: { isDown: () => false },
    member: { servers: 3_000, seconds: 600 },
    guild: { servers: 10_000, seconds: 600 },
    now,
  });
  const pipeline = createPipeline({
    ...{ database, records, checks, settings, logger, now },
    keys,
    onKeyRefused: keyWatch.tellRefused,
    listing: { add: async (servers) => add(servers) },
    scheduler: createScheduler({ atOnce: 8, now }),
    observers: [],
    longestRequestMs: 60_000,
  });
  const tidying = createTidying({ database, logger, now });
  return { database, keys, settings, records, history, taken, left, checks, pipeline, tidying };
}
