import { createBoundedMap } from '../bounded-map.ts';
import type { Secret } from '../secret.ts';
import type { GamesOutcome } from './contract.ts';
import type { Requester } from './guard.ts';

interface KeyTrialsDeps {
  /** One reading of the games list with the key. */
  readonly games: (requester: Requester, key: Secret) => Promise<GamesOutcome>;
  readonly now?: () => number;
}

/** Not tried, since the guild had its share. `at`: when the next trial is possible, in milliseconds since 1970. */
export interface TooSoon {
  readonly kind: 'too-soon';
  readonly at: number;
}

export type KeyTrials = ReturnType<typeof createKeyTrials>;

const MOST_TRIALS = 5;
const WINDOW_MS = 60_000;
/** Guilds that are remembered; then the guild goes whose last trial is longest ago. */
const MOST_GUILDS = 10_000;

/**
 * The only way to try a key at the service: whoever can try without end can guess, from the operator's address. Trials are
 * kept in memory: a restart, which nobody can cause from outside, begins anew.
 */
export function createKeyTrials({ games, now = () => Date.now() }: KeyTrialsDeps) {
  /** When the latest trials of each guild began, oldest first. */
  const trialsOf = createBoundedMap<readonly number[]>(MOST_GUILDS);

  return {
    /** Tries a key, unless the guild has had five tried in the last 60 seconds. */
    async run(requester: Requester, key: Secret): Promise<GamesOutcome | TooSoon> {
      const { guildId } = requester;
      // A time in the future means that the clock was set back.
      const recent = (trialsOf.get(guildId) ?? []).filter((at) => now() - at < WINDOW_MS && at <= now());
      const [first] = recent;
      if (first !== undefined && recent.length >= MOST_TRIALS) {
        return { kind: 'too-soon', at: first + WINDOW_MS };
      }
      trialsOf.set(guildId, [...recent, now()]);
      return games(requester, key);
    },
  };
}
