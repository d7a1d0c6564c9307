import { AFTER_START_MS, createJob, type Part } from '../lifecycle.ts';
import type { GamesOutcome } from '../listing/contract.ts';
import type { Asker } from '../listing/guard.ts';
import type { Logger } from '../logger.ts';
import { DAY_MS, HOUR_MS } from '../numbers.ts';
import type { Secret } from '../secret.ts';
import type { OnlyOne } from '../storage/only-one.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Refusals } from './refusals.ts';

const EVERY_MS = 60_000;

export interface KeyCareDeps {
  readonly keys: Pick<ApiKeys, 'get' | 'status' | 'noteOutcome' | 'lift' | 'guilds'>;
  readonly refusals: Pick<Refusals, 'takeDoubted'>;
  readonly readGames: (asker: Asker, key: Secret) => Promise<GamesOutcome>;
  readonly onlyOne: OnlyOne;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Tries refused keys again, since the refusal may have been an error of the service. */
export function createKeyCare(deps: KeyCareDeps): Part & { run(): Promise<void> } {
  const { keys, refusals, readGames, onlyOne, logger, now = Date.now } = deps;
  const job = createJob({ firstMs: AFTER_START_MS, everyMs: EVERY_MS, run });
  /** The guilds whose keys are not to be marked as refused any more. */
  const toLift = new Set<string>();

  async function run(): Promise<void> {
    try {
      for (const guildId of refusals.takeDoubted()) toLift.add(guildId);
      for (const guildId of toLift) {
        await keys.lift(guildId);
        toLift.delete(guildId);
      }
      await onlyOne('refused keys', HOUR_MS, tryRefused);
    } catch (error) {
      if (!job.stopping.aborted) logger.warn({ err: error }, 'refused keys could not be tried again');
    }
  }

  /** Tries each refused key once a day, by a request that changes nothing. */
  async function tryRefused(): Promise<void> {
    for (const guildId of await keys.guilds()) {
      job.stopping.throwIfAborted();
      const status = await keys.status(guildId);
      const at = status?.answer?.at;
      if (status?.invalidSince === undefined || at === undefined || now() - Date.parse(at) < DAY_MS) continue;
      const stored = await keys.get(guildId);
      if (!stored) continue;
      const outcome = await readGames({ guildId }, stored.key);
      await keys.noteOutcome(guildId, stored.setAt, outcome, { renews: true });
    }
  }

  return { name: 'key-care', ...job };
}
