import { createRecent } from '../recent.ts';
import type { Secret } from '../secret.ts';
import type { GamesOutcome } from './contract.ts';
import type { Requester } from './guard.ts';

interface KeyTrialsDeps {
  /** Reads the games list once with the given key. */
  readonly games: (requester: Requester, key: Secret) => Promise<GamesOutcome>;
  readonly now?: () => number;
}

/** The guild has reached its limit of key tests. `at` is when it can test a key again, in milliseconds since 1970. */
export interface TooSoonOutcome {
  readonly kind: 'too-soon';
  readonly at: number;
}

const MOST_TRIALS = 5;
const WITHIN_MS = 60_000;

/** Creates the only function that tests keys. Tests are limited to keep people from guessing keys with the bot. */
export function createKeyTrials({ games, now = () => Date.now() }: KeyTrialsDeps) {
  const count = createRecent({ most: MOST_TRIALS, withinMs: WITHIN_MS, now });

  return {
    /** Tests a key, unless the guild has already tested five keys in the last 60 seconds. */
    async run(requester: Requester, key: Secret): Promise<GamesOutcome | TooSoonOutcome> {
      const at = count(requester.guildId);
      return at === undefined ? games(requester, key) : { kind: 'too-soon', at };
    },
  };
}
