import type { AddOutcome, GamesOutcome } from '../listing/contract.ts';
import type { Logger } from '../observability/logger.ts';
import type { Secret } from '../secret.ts';
import type { DeskStep } from '../submissions/desk.ts';
import type { ApiKeys, KeyVerdict } from './api-keys.ts';

export interface KeyWatchDeps {
  readonly keys: Pick<ApiKeys, 'note' | 'isRefused' | 'guildOf'>;
  /** The service has refused the guild's key for the first time. Told once, over restarts too. */
  readonly onRefused: (guildId: string) => Promise<void>;
  readonly logger: Logger;
}

/** Takes note of what the service says of the guilds' keys, and holds back what would go out with a refused one. */
export interface KeyWatch {
  readonly step: DeskStep;
  /** An answer to a request with a guild's key that was not a submission. It never throws. */
  heard(key: Secret, outcome: GamesOutcome): Promise<void>;
  /** An admin had the guild's key tried: that it was accepted lifts the mark of an earlier refusal. */
  checked(guildId: string, key: Secret, outcome: GamesOutcome): Promise<void>;
}

export function createKeyWatch({ keys, onRefused, logger }: KeyWatchDeps): KeyWatch {
  async function note(
    guildId: string,
    key: Secret,
    outcome: AddOutcome | GamesOutcome,
    renews = false,
  ): Promise<void> {
    const verdict = verdictOf(outcome);
    if (verdict === undefined || !(await keys.note(guildId, key, { ...verdict, renews }))) return;
    logger.info({ guildId }, "the listing service refuses a guild's API key; nothing more is sent with it");
    await onRefused(guildId);
  }

  return {
    step: {
      name: 'key',
      admit: async ({ guildId }) =>
        (await keys.isRefused(guildId)) ? { code: 'key-invalid' as const } : undefined,
      settled: ({ guildId, key }, outcome) => note(guildId, key, outcome),
    },
    checked: (guildId, key, outcome) => note(guildId, key, outcome, true),
    async heard(key, outcome) {
      const guildId = keys.guildOf(key);
      if (guildId === undefined) return;
      await note(guildId, key, outcome).catch((error: unknown) => {
        logger.error({ err: error, guildId }, "what the service said of a guild's API key was not noted");
      });
    },
  };
}

/** What an answer says of the key it was given; `undefined` when it says nothing of it. */
function verdictOf(outcome: AddOutcome | GamesOutcome): KeyVerdict | undefined {
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
