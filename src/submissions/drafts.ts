import { sql } from 'kysely';
import { TOKEN_LIVES_MS } from '../numbers.ts';
import type { Store } from '../storage/store.ts';
import { type Draft, draftFromStore } from './draft.ts';

/** How long a draft is kept, in milliseconds. */
export const DRAFT_LIVES_MS = TOKEN_LIVES_MS;
/** How many drafts a member may have at a time; the oldest is deleted first. */
const MOST_DRAFTS = 10;
/** Bytes that the drafts of a guild may take on the disk; the oldest draft is deleted first. One takes 400 KB at most. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Whose submission it is. */
export interface Submitter {
  readonly guildId: string;
  readonly user: { readonly id: string; readonly name: string };
  /** Whether the member may manage the guild, and so waits for no moderator. */
  readonly isAdmin?: boolean;
}

/**
 * `gone`: the draft is too old. `submitted`: another interaction has submitted it. `decided`: it no longer waits for a
 * moderator. `empty`: it has no server to submit.
 */
export type NoDraft = 'gone' | 'submitted' | 'decided' | 'cancelled' | 'of-another-member' | 'empty';

export type Drafts = ReturnType<typeof createDrafts>;

export interface DraftsDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Changes drafts of a guild in a transaction. They may be lost in a power cut, since nothing of them was sent. */
export const inDrafts = <Result>(
  store: Pick<Store, 'inGuild'>,
  { guildId }: Submitter,
  change: () => Promise<Result>,
): Promise<Result> => store.inGuild(guildId, change, { synced: false });

/** Reads, saves and deletes drafts in the store. Every method throws a StoreError when the store fails. */
export function createDrafts({ store, now }: DraftsDeps) {
  const { tables } = store;

  /**
   * Deletes the member's oldest drafts, and the guild's, until both are within their limits. The draft that was just saved
   * stays, even if its time is earlier because the clock was set back.
   */
  async function dropExcess({ guildId, user }: Submitter, saved: string): Promise<void> {
    const drafts = await tables()
      .selectFrom('submissions')
      .select(['id', 'user_id', 'message_due_at', sql<number>`octet_length(draft)`.as('bytes')])
      .where('guild_id', '=', guildId)
      .where('state', '=', 'draft')
      .where('draft', 'is not', null)
      .orderBy(sql`id = ${saved}`, 'desc')
      .orderBy('created_at', 'desc')
      .execute();
    let ofMember = 0;
    let bytes = 0;
    const excess = drafts.filter((draft) => {
      if (draft.user_id === user.id) ofMember += 1;
      bytes += draft.bytes;
      return bytes > MOST_BYTES || (draft.user_id === user.id && ofMember > MOST_DRAFTS);
    });
    // The message of a submission that was taken back does not say so yet.
    const ids = excess.filter(({ message_due_at }) => message_due_at === null).map(({ id }) => id);
    if (ids.length > 0) await tables().deleteFrom('submissions').where('id', 'in', ids).execute();
  }

  async function find({ guildId, user }: Submitter, id: string): Promise<Draft | NoDraft> {
    const row = await tables()
      .selectFrom('submissions')
      .select(['state', 'guild_id', 'user_id', 'created_at', 'draft'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return 'gone';
    if (row.guild_id !== guildId || row.user_id !== user.id) return 'of-another-member';
    if (row.state !== 'draft') return 'submitted';
    if (row.draft === null) return 'cancelled';
    if (row.created_at <= now() - DRAFT_LIVES_MS) return 'gone';
    return draftFromStore(row.draft) ?? 'gone';
  }

  return {
    find,
    /**
     * Keeps a draft for 15 minutes from now.
     * @returns why it was not kept: another member has that id, or it is carried out
     */
    async save(by: Submitter, id: string, draft: Draft): Promise<NoDraft | undefined> {
      const { guildId, user } = by;
      const created_at = now();
      const json = JSON.stringify(draft);
      const row = {
        id,
        guild_id: guildId,
        user_id: user.id,
        user_name: user.name,
        state: 'draft',
        draft: json,
        created_at,
      } as const;
      return inDrafts(store, by, async () => {
        const { numInsertedOrUpdatedRows } = await tables()
          .insertInto('submissions')
          .values(row)
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet({ draft: json, created_at })
              .where('submissions.state', '=', 'draft')
              .where('submissions.guild_id', '=', guildId)
              .where('submissions.user_id', '=', user.id),
          )
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows !== 1n) {
          return (await find(by, id)) === 'submitted' ? 'submitted' : 'of-another-member';
        }
        await dropExcess(by, id);
        return undefined;
      });
    },
    /**
     * Deletes a draft, or says why there is none. Its row stays for the rest of the 15 minutes, to say that it was
     * cancelled.
     */
    drop: (by: Submitter, id: string): Promise<NoDraft | undefined> =>
      inDrafts(store, by, async () => {
        const found = await find(by, id);
        if (typeof found === 'string') return found;
        await tables().updateTable('submissions').set({ draft: null }).where('id', '=', id).execute();
        return undefined;
      }),
  };
}
