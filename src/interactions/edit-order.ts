import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../storage/store.ts';
import type { MessageKey } from './deliver.ts';
import type { Interaction } from './interaction.ts';

const MAX_CHECKS_FOR_EARLIER_EDIT = 20;
const CHECK_FOR_EARLIER_EDIT_EVERY_MS = 100;

export interface EditOrderDeps {
  readonly store: Pick<Store, 'tables' | 'unsynced'>;
  readonly processId: string;
  readonly pause?: ((ms: number) => Promise<unknown>) | undefined;
}

export type EditOrder = ReturnType<typeof createEditOrder>;

/**
 * Prevents an older reply from overwriting a newer reply. For example, the bot may still be retrying the reply to button A
 * after the member has pressed button B. Once the reply to B is ready, it claims the message, and the reply to A is
 * dropped. If an edit for A is still in progress, the reply to B waits for it. Ignores buttons on messages posted for
 * everyone.
 */
export function createEditOrder({ store: { tables, unsynced }, processId, pause = sleep }: EditOrderDeps) {
  async function claimed(interactionId: string, message: MessageKey): Promise<boolean> {
    const { numUpdatedRows } = await unsynced('edit claim', () =>
      tables()
        .updateTable('interactions')
        .set({ message_key: message })
        .where('id', '=', interactionId)
        .where('process_id', '=', processId)
        .executeTakeFirst(),
    );
    return numUpdatedRows === 1n;
  }

  async function latest(interactionId: string, message: MessageKey): Promise<boolean> {
    for (let pauses = 0; ; pauses += 1) {
      const others = await tables()
        .selectFrom('interactions')
        .select('id')
        .where('message_key', '=', message)
        .where('id', '<>', interactionId)
        .where(({ or, eb }) => or([eb('id', '>', interactionId), eb('encrypted', 'is not', null)]))
        .execute();
      if (others.some(({ id }) => id > interactionId)) return false;
      if (others.length === 0 || pauses === MAX_CHECKS_FOR_EARLIER_EDIT) return true;
      await pause(CHECK_FOR_EARLIER_EDIT_EVERY_MS);
    }
  }

  return {
    /**
     * Records that this interaction now writes to the message.
     * @returns false if the interaction was taken over or deleted with its guild's data, or if the store fails
     */
    claim: (interactionId: string, message: MessageKey): Promise<boolean> =>
      claimed(interactionId, message).catch(() => false),

    /** Like `claim`, for an unrecorded interaction that writes to the message with its first response. Never throws. */
    async claimImmediately({ id, guildId, receivedAt }: Interaction, message: MessageKey): Promise<void> {
      const row = {
        id,
        guild_id: guildId,
        process_id: processId,
        taken_at: receivedAt,
        encrypted: null,
        message_key: message,
      };
      await unsynced('edit claim', () =>
        tables()
          .insertInto('interactions')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute(),
      ).catch(() => undefined);
    },

    /**
     * Whether an interaction wrote to this message or might soon. An interaction with a reply is only remembered for an
     * hour after its arrival.
     */
    async wrote(interactionId: string, message: MessageKey): Promise<boolean> {
      const row = await tables()
        .selectFrom('interactions')
        .select(['message_key', 'encrypted'])
        .where('id', '=', interactionId)
        .executeTakeFirst();
      if (row === undefined) return false;
      return row.message_key === null ? row.encrypted !== null : row.message_key === message;
    },

    /**
     * Whether no later interaction has started writing to the message; true if the store fails. Waits up to two seconds for
     * an earlier interaction's edit to end, because Discord might otherwise apply the earlier edit last.
     */
    isLatest: (interactionId: string, message: MessageKey): Promise<boolean> =>
      latest(interactionId, message).catch(() => true),
  };
}
