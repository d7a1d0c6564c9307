import { sql } from 'kysely';
import { TOKEN_LIVES_MS } from '../numbers.ts';
import type { Store } from '../storage/store.ts';
import type { DraftsTable, SubmissionsTable } from '../storage/tables.ts';
import { type Draft, draftFromStore, draftToStore, isDone } from './draft.ts';
import type { SubmissionStoreBase } from './submission-store.ts';

/** How long a draft is kept after its last change, in milliseconds. */
export const DRAFT_LIVES_MS = TOKEN_LIVES_MS;
/** How many drafts a member may have at a time; the oldest is deleted first. */
const MOST_DRAFTS = 10;
/** Bytes that the drafts of a guild may take on the disk; the oldest is deleted first. One takes 400 KB at most. */
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
 * Why nothing can be done with a draft, or with a submission of it.
 * - `gone`: it is too old.
 * - `being-sent`: a submission of it is.
 * - `submitted`: a submission of it waits for a moderator, or everything in it was accepted.
 * - `decided`: the submission no longer waits for a moderator.
 */
export type Unavailable = 'gone' | 'being-sent' | 'submitted' | 'decided' | 'cancelled' | 'of-another-member';

/** A draft that its member can change. */
export interface OpenDraft {
  readonly draft: Draft;
  /** The `created_at` of its latest submission, if it has one. */
  readonly latestAt: number | undefined;
}

/** The columns of a draft and of its latest submission; each is null where there is none. */
type Found = Nullable<
  Pick<DraftsTable, 'changed_at' | 'source' | 'lines'> & Pick<SubmissionsTable, 'created_at'>
>;
type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

export type Drafts = ReturnType<typeof createDrafts>;

/** Changes drafts of a guild in a transaction. They may be lost in a power cut, since nothing of them was sent. */
export const inDrafts = <Result>(
  store: Pick<Store, 'inGuild'>,
  { guildId }: Submitter,
  change: () => Promise<Result>,
): Promise<Result> => store.inGuild(guildId, change, { synced: false });

/** Reads, saves and deletes drafts in the store. Every method throws a StoreError when the store fails. */
export function createDrafts({ store, now }: SubmissionStoreBase) {
  const { tables } = store;

  /** The drafts of a guild of which no submission waits or runs. */
  const idle = (guildId: string) =>
    tables()
      .selectFrom('drafts')
      .where('guild_id', '=', guildId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('submissions')
              .select('submissions.id')
              .whereRef('draft_id', '=', 'drafts.id')
              .where('state', 'in', ['waiting', 'running']),
          ),
        ),
      );

  /**
   * Deletes the member's oldest drafts, and the guild's, until both are within their limits. The one that was just saved
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
    if (ids.length > 0) await tables().deleteFrom('drafts').where('id', 'in', ids).execute();
  }

  const rowOf = (id: string) =>
    tables().selectFrom('drafts').selectAll().where('id', '=', id).executeTakeFirst();

  /** A draft and its latest submission, as far as there are any; or why the member cannot change it. */
  async function look({ guildId, user }: Submitter, id: string): Promise<Found | Unavailable> {
    // Of a draft that is deleted its submissions say whose it was.
    const row = await tables()
      .selectFrom(sql<Pick<DraftsTable, 'id'>>`(select cast(${id} as text) as id)`.as('wanted'))
      .leftJoin('drafts', 'drafts.id', 'wanted.id')
      .leftJoin('submissions', 'submissions.draft_id', 'wanted.id')
      .select(['drafts.changed_at', 'source', 'lines', 'state', 'created_at'])
      .select(({ fn }) => [
        fn.coalesce('drafts.guild_id', 'submissions.guild_id').as('guild_id'),
        fn.coalesce('drafts.user_id', 'submissions.user_id').as('user_id'),
      ])
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    const isOthers = row.guild_id !== guildId || row.user_id !== user.id;
    if (row.guild_id !== null && isOthers) return 'of-another-member';
    if (row.state === 'running') return 'being-sent';
    if (row.state === 'waiting') return 'submitted';
    return row;
  }

  async function open(by: Submitter, id: string): Promise<OpenDraft | Unavailable> {
    const found = await look(by, id);
    if (typeof found === 'string') return found;
    const { changed_at, source, lines, created_at } = found;
    if (changed_at === null || source === null) return 'gone';
    if (lines === null) return created_at === null ? 'cancelled' : 'submitted';
    if (changed_at <= now() - DRAFT_LIVES_MS) return 'gone';
    const draft = draftFromStore({ source, lines });
    return draft ? { draft, latestAt: created_at ?? undefined } : 'gone';
  }

  async function find(by: Submitter, id: string): Promise<Draft | Unavailable> {
    const found = await open(by, id);
    return typeof found === 'string' ? found : found.draft;
  }

  /** Writes a draft for 15 minutes from now. @returns why it could not */
  async function write(by: Submitter, id: string, draft: Draft): Promise<Unavailable | undefined> {
    const { guildId, user } = by;
    const content = { ...draftToStore(draft), changed_at: now() };
    const { numInsertedOrUpdatedRows } = await tables()
      .insertInto('drafts')
      .values({ id, guild_id: guildId, user_id: user.id, user_name: user.name, ...content })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(content)
          // Another guild's transaction may have inserted it meanwhile.
          .where('drafts.guild_id', '=', guildId)
          .where('drafts.user_id', '=', user.id),
      )
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n) return 'of-another-member';
    await dropExcess(by, id);
    return undefined;
  }

  /** Writes a draft as a submission of it has begun or ended. */
  async function keep(id: string, draft: Draft): Promise<void> {
    const { source, lines } = draftToStore(draft);
    await tables()
      .updateTable('drafts')
      .set({ source, lines: isDone(draft) ? null : lines, changed_at: now() })
      .where('id', '=', id)
      .execute();
  }

  return {
    open,
    find,
    keep,
    /** A draft whose submission waits or runs; `undefined` if it was deleted meanwhile. */
    async read(id: string): Promise<Draft | undefined> {
      const row = await rowOf(id);
      return row && draftFromStore(row);
    },
    /**
     * Keeps a draft for 15 minutes from now.
     * @returns why nothing was written: it is another member's, or a submission of it waits or runs
     */
    save: (by: Submitter, id: string, draft: Draft): Promise<Unavailable | undefined> =>
      inDrafts(store, by, async () => {
        const found = await look(by, id);
        return typeof found === 'string' ? found : write(by, id, draft);
      }),
    /**
     * The same of what is about to be submitted, in place of what another modal of the draft has not submitted before.
     * Called inside the guild's transaction.
     */
    async replace(by: Submitter, id: string, draft: Draft): Promise<OpenDraft | Unavailable> {
      const found = await look(by, id);
      if (typeof found === 'string') return found;
      const { lines, changed_at, created_at } = found;
      const isAccepted = changed_at !== null && lines === null && created_at !== null;
      if (isAccepted) return 'submitted';
      return (await write(by, id, draft)) ?? { draft, latestAt: created_at ?? undefined };
    },
    /**
     * Cancels a draft, or says why there is none. Its row stays for the rest of the 15 minutes, to say that it was
     * cancelled.
     */
    drop: (by: Submitter, id: string): Promise<Unavailable | undefined> =>
      inDrafts(store, by, async () => {
        const found = await find(by, id);
        if (typeof found === 'string') return found;
        await tables().updateTable('drafts').set({ lines: null }).where('id', '=', id).execute();
        return undefined;
      }),
    /** Deletes the drafts of a guild that are past their time. Called inside the guild's transaction. */
    async deleteOld(guildId: string): Promise<void> {
      const old = idle(guildId).where('changed_at', '<=', now() - DRAFT_LIVES_MS);
      await tables().deleteFrom('drafts').where('id', 'in', old.select('id')).execute();
    },
    /** Deletes a draft of which nothing is left to submit. */
    async delete(id: string): Promise<void> {
      await tables().deleteFrom('drafts').where('id', '=', id).execute();
    },
  };
}
