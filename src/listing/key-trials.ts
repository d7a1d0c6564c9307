import { MINUTE_MS } from '../pacing/durations.ts';
import type { Store } from '../storage/store.ts';
import type { Secret } from '../text/secret.ts';
import type { GamesOutcome } from './contract.ts';
import type { Requester } from './guard.ts';

interface KeyTrialsDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  readonly games: (requester: Requester, key: Secret) => Promise<GamesOutcome>;
  readonly now?: () => number;
}

/** `at` is when a key can be tested again, in milliseconds since 1970. */
export interface TooSoonOutcome {
  readonly kind: 'too-soon';
  readonly at: number;
}

/** Limits for each period of {@link WITHIN_MS}. A single admin can't use up the guild's tests. */
const MAX_PER_MEMBER = 5;
const MAX_PER_GUILD = 10;
const WITHIN_MS = MINUTE_MS;
/** The lock for counting. Each member is counted in all guilds, so a guild's own lock isn't enough. */
const LOCK = 'key tests';

/**
 * Creates the only function that tests keys. Tests are limited to keep people from guessing keys with the bot. All
 * processes count together. Each process queues tests that it can't run yet.
 */
export function createKeyTrials({ store, games, now = () => Date.now() }: KeyTrialsDeps) {
  const { tables } = store;

  /** Counts a test. Returns `undefined` or, if a limit has been reached, when the next test is allowed. */
  const count = ({ guildId, memberId }: Required<Pick<Requester, 'guildId' | 'memberId'>>) =>
    store.inGuild(LOCK, async () => {
      const tests = await tables()
        .selectFrom('key_trials')
        .selectAll()
        .where('at', '>', now() - WITHIN_MS)
        // Ignores times in the far future, which can only have been written while a clock was ahead.
        .where('at', '<', now() + WITHIN_MS)
        .where(({ or, eb }) => or([eb('guild_id', '=', guildId), eb('user_id', '=', memberId)]))
        .orderBy('at', 'desc')
        .execute();
      const ofMember = tests.filter(({ user_id }) => user_id === memberId);
      const ofGuild = tests.filter(({ guild_id }) => guild_id === guildId);
      const freeing = [ofMember[MAX_PER_MEMBER - 1], ofGuild[MAX_PER_GUILD - 1]];
      const ends = freeing.flatMap((test) => (test ? test.at + WITHIN_MS : []));
      if (ends.length > 0) return Math.max(...ends);
      await tables()
        .insertInto('key_trials')
        .values({ guild_id: guildId, user_id: memberId, at: now() })
        .execute();
      return undefined;
    });

  return {
    /** @throws StoreError if the test can't be counted; the key isn't tested */
    async run(
      requester: Requester & { readonly memberId: string },
      key: Secret,
    ): Promise<GamesOutcome | TooSoonOutcome> {
      const at = await count(requester);
      return at === undefined ? games(requester, key) : { kind: 'too-soon', at };
    },
    prune: async (): Promise<void> => void (await deleteEndedKeyTrials(store, now()).execute()),
  };
}

/** @param now milliseconds since 1970 */
export const deleteEndedKeyTrials = ({ tables }: Pick<Store, 'tables'>, now: number) =>
  tables()
    .deleteFrom('key_trials')
    .where(({ or, eb }) => or([eb('at', '<=', now - WITHIN_MS), eb('at', '>=', now + WITHIN_MS)]));
