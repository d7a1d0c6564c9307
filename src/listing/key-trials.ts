import { createRecent } from '../recent.ts';
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
const WITHIN_MS = 60_000;

/**
 * The only way to try a key at the service: whoever can try without end can guess, from the operator's address.
 */
export function createKeyTrials({ games, now = () => Date.now() }: KeyTrialsDeps) {
  const count = createRecent({ most: MOST_TRIALS, withinMs: WITHIN_MS, now });

  return {
    /** Tries a key, unless the guild has had five tried in the last 60 seconds. */
    async run(requester: Requester, key: Secret): Promise<GamesOutcome | TooSoon> {
      const at = count(requester.guildId);
      return at === undefined ? games(requester, key) : { kind: 'too-soon', at };
    },
  };
}
