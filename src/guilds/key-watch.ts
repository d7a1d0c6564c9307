import type { GamesOutcome, Outcome } from '../listing/contract.ts';
import type { Logger } from '../logger.ts';
import type { Secret } from '../secret.ts';
import type { ApiKeys, KeyVerdict } from './api-keys.ts';

interface KeyWatchDeps {
  readonly keys: Pick<ApiKeys, 'hear' | 'guildOf'>;
  /** The service has refused the guild's key for the first time. Told once, over restarts too. */
  readonly onRefused: (guildId: string) => Promise<void>;
  readonly logger: Logger;
}

/** Keeps what the service says of the guilds' keys, and holds back what would go out with a refused one. */
export interface KeyWatch {
  /**
   * Notes what an answer to a submission says of the guild's key.
   * @returns whether it is refused for the first time: then {@link KeyWatch.tellRefused} has to follow
   */
  hear(guildId: string, key: Secret, outcome: Outcome): Promise<boolean>;
  /** Tells the admins; never throws. */
  tellRefused(guildId: string): Promise<void>;
  /** An answer to a request with a guild's key that was not a submission. It never throws. */
  heard(key: Secret, outcome: GamesOutcome): Promise<void>;
  /** An admin had the guild's key tried: that it was accepted lifts the mark of an earlier refusal. */
  checked(guildId: string, key: Secret, outcome: GamesOutcome): Promise<void>;
}

export function createKeyWatch({ keys, onRefused, logger }: KeyWatchDeps): KeyWatch {
  async function keep(
    guildId: string,
    key: Secret,
    outcome: Outcome | GamesOutcome,
    renews = false,
  ): Promise<boolean> {
    const verdict = verdictOf(outcome);
    return verdict !== undefined && keys.hear(guildId, key, { ...verdict, renews });
  }

  async function tellRefused(guildId: string): Promise<void> {
    logger.info({ guildId }, "the listing service refuses a guild's API key; nothing more is sent with it");
    await onRefused(guildId);
  }

  return {
    hear: keep,
    tellRefused,
    async checked(guildId, key, outcome) {
      if (await keep(guildId, key, outcome, true)) await tellRefused(guildId);
    },
    async heard(key, outcome) {
      const guildId = keys.guildOf(key);
      if (guildId === undefined) return;
      try {
        if (await keep(guildId, key, outcome)) await tellRefused(guildId);
      } catch (error) {
        logger.error({ err: error, guildId }, "what the service said of a guild's API key was not noted");
      }
    },
  };
}

/** What an answer says of the key it was given; `undefined` when it says nothing of it. */
function verdictOf(outcome: Outcome | GamesOutcome): KeyVerdict | undefined {
  switch (outcome.kind) {
    case 'games':
      return { key: 'accepted' };
    case 'accepted':
      return { key: 'accepted', message: outcome.message };
    case 'rejected':
      if (outcome.known === 'invalidKey') return { key: 'refused', message: outcome.message };
      // The other known errors are about the servers; words we do not know may be about the account.
      return outcome.known === undefined ? { key: 'unclear', message: outcome.message } : undefined;
    default:
      return undefined;
  }
}
