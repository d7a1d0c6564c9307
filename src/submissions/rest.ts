import type { Database } from '../storage/database.ts';

/** The id of the draft of what did not go when an interaction submitted one; that one's own id is taken. */
export const restIdOf = (interactionId: string): string => `${interactionId}${REST}`;
const REST = '-rest';

const interactionOfRest = (id: string): string | undefined =>
  id.endsWith(REST) ? id.slice(0, -REST.length) : undefined;

/** What a draft has to do with the submission that it corrects. */
export function createReplacing(tables: Database['tables']) {
  return {
    /** The submission of which this draft is the rest, and so corrects it, unless that was a correction itself. */
    async replacedBy(guildId: string, draftId: string): Promise<string | undefined> {
      const interactionId = interactionOfRest(draftId);
      if (interactionId === undefined) return undefined;
      const row = await tables
        .selectFrom('submissions')
        .select('id')
        .where('interaction_id', '=', interactionId)
        .where('guild_id', '=', guildId)
        .executeTakeFirst();
      return row && interactionOfRest(row.id) === undefined ? row.id : undefined;
    },
    /** What the service refused of a submission counts no more, since a correction is sent in its place. */
    async giveBack(guildId: string, id: string): Promise<void> {
      await tables
        .updateTable('servers')
        .set({ reserved_at: null })
        .where('submission_id', '=', id)
        .where('guild_id', '=', guildId)
        .where('outcome', '=', 'rejected')
        .execute();
    },
  };
}
