import { sql } from 'kysely';
import { TOKEN_LIVES_MS } from '../numbers.ts';
import type { Store } from '../storage/store.ts';
import { type Draft, draftFromStore, draftToStore, isDone } from './draft.ts';
import type { RecordsBase } from './records.ts';

/** How long a document is kept after its last change, in milliseconds. */
export const DRAFT_LIVES_MS = TOKEN_LIVES_MS;
/** How many documents a member may have at a time; the oldest is deleted first. */
const MOST_DRAFTS = 10;
/** Bytes that the documents of a guild may take on the disk; the oldest is deleted first. One takes 400 KB at most. */
const MOST_BYTES = 8 * 1024 * 1024;

export interface Submitter {
  readonly guildId: string;
  readonly user: { readonly id: string; readonly name: string };
  /** Whether the member may manage the guild, and so waits for no moderator. */
  readonly isAdmin?: boolean;
  /** The member's roles, one of which may be trusted. */
  readonly roleIds?: readonly string[];
}

/**
 * Why nothing can be done with a document, or with a run of it.
 * - `gone`: it is too old.
 * - `being-sent`: a run of it is.
 * - `submitted`: a run of it waits for a moderator, or everything in it was accepted.
 * - `decided`: the run no longer waits for a moderator.
 */
export type Unavailable = 'gone' | 'being-sent' | 'submitted' | 'decided' | 'cancelled' | 'of-another-member';

export type Drafts = ReturnType<typeof createDrafts>;

/** Changes documents of a guild in a transaction. They may be lost in a power cut, since nothing of them was sent. */
export const inDrafts = <Result>(
  store: Pick<Store, 'inGuild'>,
  { guildId }: Submitter,
  change: () => Promise<Result>,
): Promise<Result> => store.inGuild(guildId, change, { synced: false });

/** Reads, saves and deletes documents in the store. Every method throws a StoreError when the store fails. */
export function createDrafts({ store, now }: RecordsBase) {
  const { tables } = store;

  /** The documents of a guild of which no run waits or runs. */
  const idle = (guildId: string) =>
    tables()
      .selectFrom('documents')
      .where('guild_id', '=', guildId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('submissions')
              .select('submissions.id')
              .whereRef('document_id', '=', 'documents.id')
              .where('state', 'in', ['waiting', 'running']),
          ),
        ),
      );

  /**
   * Deletes the member's oldest documents, and the guild's, until both are within their limits. The one that was just saved
   * stays, even if its time is earlier because the clock was set back.
   */
  async function dropExcess({ guildId, user }: Submitter, saved: string): Promise<void> {
    const drafts = await idle(guildId)
      .select(['id', 'user_id', sql<number>`octet_length(lines)`.as('bytes')])
      .where('lines', 'is not', null)
      .orderBy(sql`id = ${saved}`, 'desc')
      .orderBy('changed_at', 'desc')
      .execute();
    let ofMember = 0;
    let bytes = 0;
    const excess = drafts.filter((draft) => {
      if (draft.user_id === user.id) ofMember += 1;
      bytes += draft.bytes;
      return bytes > MOST_BYTES || (draft.user_id === user.id && ofMember > MOST_DRAFTS);
    });
    const ids = excess.map(({ id }) => id);
    if (ids.length > 0) await tables().deleteFrom('documents').where('id', 'in', ids).execute();
  }

  const rowOf = (id: string) =>
    tables().selectFrom('documents').selectAll().where('id', '=', id).executeTakeFirst();

  /** The row of a document, if there is one, and whether it was ever submitted; or why the member cannot change it. */
  async function look({ guildId, user }: Submitter, id: string) {
    const row = await rowOf(id);
    const runs = await tables()
      .selectFrom('submissions')
      .select(['state', 'guild_id', 'user_id'])
      .where('document_id', '=', id)
      .execute();
    // Of a document that is deleted its runs say whose it was.
    const owner = row ?? runs[0];
    const isOthers = owner && (owner.guild_id !== guildId || owner.user_id !== user.id);
    if (isOthers) return 'of-another-member';
    if (runs.some(({ state }) => state === 'running')) return 'being-sent';
    if (runs.some(({ state }) => state === 'waiting')) return 'submitted';
    return { row, wasSubmitted: runs.length > 0 };
  }

  async function find(by: Submitter, id: string): Promise<Draft | Unavailable> {
    const found = await look(by, id);
    if (typeof found === 'string') return found;
    const { row, wasSubmitted } = found;
    if (row?.lines === null) return wasSubmitted ? 'submitted' : 'cancelled';
    if (row === undefined || row.changed_at <= now() - DRAFT_LIVES_MS) return 'gone';
    return draftFromStore(row) ?? 'gone';
  }

  /** Writes a document as a run of it has begun or ended. */
  async function keep(id: string, draft: Draft): Promise<void> {
    const { source, lines } = draftToStore(draft);
    await tables()
      .updateTable('documents')
      .set({ source, lines: isDone(draft) ? null : lines, changed_at: now() })
      .where('id', '=', id)
      .execute();
  }

  return {
    find,
    keep,
    /** A document whose run waits or runs; `undefined` if it was deleted meanwhile. */
    async read(id: string): Promise<Draft | undefined> {
      const row = await rowOf(id);
      return row && draftFromStore(row);
    },
    /**
     * Keeps a document for 15 minutes from now.
     * @returns why nothing was written: it is another member's, or a run of it waits or runs
     */
    async save(by: Submitter, id: string, draft: Draft): Promise<Unavailable | undefined> {
      const { guildId, user } = by;
      const content = { ...draftToStore(draft), changed_at: now() };
      return inDrafts(store, by, async () => {
        const found = await look(by, id);
        if (typeof found === 'string') return found;
        const { numInsertedOrUpdatedRows } = await tables()
          .insertInto('documents')
          .values({ id, guild_id: guildId, user_id: user.id, user_name: user.name, ...content })
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet(content)
              // Another guild's transaction may have inserted it meanwhile.
              .where('documents.guild_id', '=', guildId)
              .where('documents.user_id', '=', user.id),
          )
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows !== 1n) return 'of-another-member';
        await dropExcess(by, id);
        return undefined;
      });
    },
    /**
     * Cancels a document, or says why there is none. Its row stays for the rest of the 15 minutes, to say that it was
     * cancelled.
     */
    drop: (by: Submitter, id: string): Promise<Unavailable | undefined> =>
      inDrafts(store, by, async () => {
        const found = await find(by, id);
        if (typeof found === 'string') return found;
        await tables().updateTable('documents').set({ lines: null }).where('id', '=', id).execute();
        return undefined;
      }),
    /** Deletes the documents of a guild that are past their time. Called inside the guild's transaction. */
    async deleteOld(guildId: string): Promise<void> {
      const old = idle(guildId).where('changed_at', '<=', now() - DRAFT_LIVES_MS);
      await tables().deleteFrom('documents').where('id', 'in', old.select('id')).execute();
    },
    /** Deletes a document of which nothing is left to submit. */
    async delete(id: string): Promise<void> {
      await tables().deleteFrom('documents').where('id', '=', id).execute();
    },
  };
}
