import { sql } from 'kysely';
import { DAY_MS, TOKEN_LIVES_MS } from '../pacing/durations.ts';
import { countOf } from '../storage/count.ts';
import { PIECE } from '../storage/pieces.ts';
import type { DraftsTable, SubmissionsTable } from '../storage/tables.ts';
import type { ChoicesStore } from './choices.ts';
import { type Draft, draftFromStore, draftToStore, isDone, lastingPart, whenDone } from './draft.ts';
import type { SubmissionStoreBase } from './store-deps.ts';

/** How long a draft's lines are kept after its last change. */
export const DRAFT_LIVES_MS = DAY_MS;
/**
 * How long everything else is kept after the last change: refused text, addresses to choose from (see choices.ts), and a
 * cancelled draft.
 */
export const TEXT_LIVES_MS = TOKEN_LIVES_MS;
/** Applies per member, to lists and to other drafts separately. Beyond that, the oldest is deleted. */
const MAX_DRAFTS = 10;
/**
 * Applies to all drafts of a guild and their choices. Beyond that, drafts of the member with the largest total are deleted,
 * the oldest first. A draft takes up at most 400 KB.
 */
const MAX_BYTES_PER_GUILD = 8 * 1024 * 1024;

export interface Submitter {
  readonly guildId: string;
  readonly user: { readonly id: string; readonly name: string };
  /** Whether the member can manage the guild. Submissions from such members don't need approval. */
  readonly isAdmin?: boolean;
  /** May include the trusted role. */
  readonly roleIds?: readonly string[];
}

/**
 * The reason why a draft, or one of its submissions, isn't available.
 * - `gone`: the draft has expired or no longer exists, or its member had their name deleted.
 * - `being-sent`: a submission of the draft is currently being sent.
 * - `submitted`: a submission of the draft is waiting for a moderator, or everything in the draft was accepted.
 * - `decided`: the submission is no longer waiting for a moderator, even if its draft was deleted after the approval.
 */
export type Unavailable = 'gone' | 'being-sent' | 'submitted' | 'decided' | 'cancelled' | 'of-another-member';

export interface NoDraft {
  readonly kind: 'no-draft';
  readonly why: Unavailable;
}

const noDraft = (why: Unavailable): NoDraft => ({ kind: 'no-draft', why });

export interface DraftToSubmit {
  readonly kind: 'draft';
  readonly draft: Draft;
  readonly isRetry: boolean;
}

/** Columns of a draft joined with its latest submission. They are null where the draft or the submission doesn't exist. */
type DraftColumns = Nullable<
  Pick<DraftsTable, 'changed_at' | 'source' | 'lines'> &
    Pick<SubmissionsTable, 'created_at' | 'state' | 'expires_at'>
>;
type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

export type Drafts = ReturnType<typeof createDrafts>;

/** Every method throws a StoreError when the store fails. */
export function createDrafts({
  store,
  choices,
  now,
}: SubmissionStoreBase & { readonly choices: Pick<ChoicesStore, 'drop'> }) {
  const { tables } = store;

  /** Selects the guild's drafts without a waiting or running submission. */
  const idle = (guildId: string) =>
    tables()
      .selectFrom('drafts')
      .where('drafts.guild_id', '=', guildId)
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
   * Deletes drafts until both the member and the guild are within their limits. Never deletes the draft that was just saved,
   * even if it seems to be the oldest because the clock was set back.
   */
  async function dropExcess({ guildId, user }: Submitter, saved: string): Promise<void> {
    const drafts = await idle(guildId)
      .leftJoin('choices', 'draft_id', 'id')
      .select([
        'id',
        'drafts.user_id',
        'source',
        sql<number>`octet_length(lines) + coalesce(octet_length(candidates), 0)`.as('bytes'),
      ])
      .where('lines', 'is not', null)
      .where('lines', 'not like', OVER)
      .orderBy(sql`id = ${saved}`, 'desc')
      .orderBy('changed_at', 'desc')
      .execute();
    const ofMember = drafts.filter((draft) => draft.user_id === user.id);
    const isList = ({ source }: (typeof ofMember)[number]) => source !== 'options';
    const own = [...Map.groupBy(ofMember, isList).values()].flatMap((some) => some.slice(MAX_DRAFTS));
    const ids = [...own, ...beyondShare(drafts.filter((draft) => !own.includes(draft)))].map(({ id }) => id);
    if (ids.length === 0) return;
    await choices.drop(ids);
    await tables().deleteFrom('drafts').where('id', 'in', ids).execute();
  }

  /** Reads a draft and its latest submission, if they exist, or returns why the member can't change the draft. */
  async function readRow(
    { guildId, user }: Submitter,
    id: string,
  ): Promise<({ readonly kind: 'row' } & DraftColumns) | NoDraft> {
    // Finds the owner of a deleted draft through its submissions.
    const row = await tables()
      .selectFrom(sql<Pick<DraftsTable, 'id'>>`(select cast(${id} as text) as id)`.as('wanted'))
      .leftJoin('drafts', 'drafts.id', 'wanted.id')
      .leftJoin('submissions', 'submissions.draft_id', 'wanted.id')
      .select(['drafts.changed_at', 'source', 'lines', 'state', 'created_at', 'expires_at'])
      .select(({ fn }) => [
        fn.coalesce('drafts.guild_id', 'submissions.guild_id').as('guild_id'),
        fn.coalesce('drafts.user_id', 'submissions.user_id').as('user_id'),
      ])
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    const isOthers = row.guild_id !== guildId || row.user_id !== user.id;
    // A member who had their name deleted may be the one who asks.
    if (row.guild_id !== null && row.user_id === null) return noDraft('gone');
    if (row.guild_id !== null && isOthers) return noDraft('of-another-member');
    if (row.state === 'running') return noDraft('being-sent');
    if (row.state === 'waiting') return noDraft('submitted');
    return { kind: 'row', ...row };
  }

  /** @param undoes whether to find a draft that the member has just cancelled */
  async function find(by: Submitter, id: string, undoes = false): Promise<Draft | NoDraft> {
    const found = await readRow(by, id);
    return found.kind === 'no-draft' ? found : draftIn(id, found, undoes);
  }

  function draftIn(id: string, row: DraftColumns, undoes = false): Draft | NoDraft {
    const { changed_at, source, lines, created_at, state, expires_at } = row;
    const isApproved = state === 'done' && expires_at !== null;
    if (changed_at === null || source === null) return noDraft(isApproved ? 'decided' : 'gone');
    if (lines === null) return noDraft(created_at === null ? 'gone' : 'submitted');
    const draft = draftFromStore({ id, source, lines });
    if (draft === undefined || changed_at <= now() - DRAFT_LIVES_MS) return noDraft('gone');
    if (draft.isOver) return noDraft('submitted');
    const isRecent = changed_at > now() - TEXT_LIVES_MS;
    const { isCancelled, ...open } = draft;
    if (isCancelled && !(undoes && isRecent)) return noDraft('cancelled');
    return (isRecent ? open : lastingPart(open)) ?? noDraft('gone');
  }

  /**
   * Writes a draft that the member can change, and keeps it for another day.
   * @returns the reason if the draft belongs to another member
   */
  async function write({ guildId, user }: Submitter, draft: Draft): Promise<NoDraft | undefined> {
    const { id, ...lines } = draftToStore(draft);
    const content = { ...lines, changed_at: now() };
    const { numInsertedOrUpdatedRows } = await tables()
      .insertInto('drafts')
      .values({ id, guild_id: guildId, user_id: user.id, user_name: user.name, ...content })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(content)
          // Another guild's transaction may have inserted a draft with the same id.
          .where('drafts.guild_id', '=', guildId)
          .where('drafts.user_id', '=', user.id),
      )
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n ? undefined : noDraft('of-another-member');
  }

  async function writeAndDropExcess(by: Submitter, draft: Draft): Promise<NoDraft | undefined> {
    const unavailable = await write(by, draft);
    if (unavailable === undefined) await dropExcess(by, draft.id);
    return unavailable;
  }

  async function keep(draft: Draft): Promise<void> {
    const kept = isDone(draft) ? whenDone(draft) : draft;
    const lines = kept ? draftToStore(kept).lines : null;
    await tables()
      .updateTable('drafts')
      .set({ source: draft.source, lines, changed_at: now() })
      .where('id', '=', draft.id)
      .execute();
  }

  return {
    find,
    keep,
    write,
    writeAndDropExcess,
    dropExcess,
    /** Reads a draft that has a waiting or running submission. Returns `undefined` if the draft has been deleted. */
    async read(id: string): Promise<Draft | undefined> {
      const row = await tables().selectFrom('drafts').selectAll().where('id', '=', id).executeTakeFirst();
      return row && draftFromStore(row);
    },
    /**
     * Saves a draft and keeps it for another day.
     * @returns why the draft couldn't be saved: it belongs to another member, or has a waiting or running submission
     */
    save: (by: Submitter, draft: Draft): Promise<NoDraft | undefined> =>
      store.inGuild(by.guildId, async () => {
        const found = await readRow(by, draft.id);
        return found.kind === 'no-draft' ? found : writeAndDropExcess(by, draft);
      }),
    /** Returns the draft to submit: `entered`, unless everything stored under its id was accepted, or the stored draft. */
    async toSubmit(by: Submitter, id: string, entered?: Draft): Promise<DraftToSubmit | NoDraft> {
      const row = await readRow(by, id);
      if (row.kind === 'no-draft') return row;
      const stored = draftIn(id, row);
      const isAccepted = stored.kind === 'no-draft' && stored.why === 'submitted';
      const draft = entered && !isAccepted ? entered : stored;
      return draft.kind === 'no-draft' ? draft : { kind: 'draft', draft, isRetry: row.created_at !== null };
    },
    /** Cancels a draft, or returns why it isn't available. The member can undo this for 15 minutes. */
    drop: (by: Submitter, id: string): Promise<NoDraft | undefined> =>
      store.inGuild(by.guildId, async () => {
        const found = await find(by, id);
        return found.kind === 'no-draft' ? found : write(by, { ...found, isCancelled: true });
      }),
    /**
     * Returns the member's newest list with lines to fix, or with ready lines that were never submitted, and the number of
     * such lists. The remaining lines of a submitted list follow the other lists. Text of which no address was chosen
     * counts while its addresses are kept. A single server that was held back counts as a list until the member submits its
     * address again. Leaves out lists that the member can open from their waiting, withdrawn or declined submission.
     * @param without ids of lists to leave out
     */
    async unfinished(
      { guildId, user }: Pick<Submitter, 'guildId' | 'user'>,
      without: readonly string[] = [],
    ): Promise<{ readonly newest: Draft; readonly count: number } | undefined> {
      const lists = tables()
        .selectFrom('drafts')
        .where('guild_id', '=', guildId)
        .where('user_id', '=', user.id)
        .where(({ or, and, eb }) =>
          or([
            eb('source', '<>', 'options'),
            and([eb('lines', 'like', HELD_BACK), sql<boolean>`not ${isRetyped()}`]),
          ]),
        )
        .where('changed_at', '>', now() - DRAFT_LIVES_MS)
        .where('lines', 'not like', CANCELLED)
        .$if(without.length > 0, (some) => some.where('id', 'not in', [...without]))
        .where(({ or, and, eb }) =>
          or([
            eb('lines', 'not like', NO_ROWS),
            and([eb('lines', 'like', WITH_CHOICES), eb('changed_at', '>', now() - TEXT_LIVES_MS)]),
          ]),
        )
        .where(({ or, eb }) =>
          or([eb('lines', 'not like', TRIED), eb('lines', 'like', '%"kind":"invalid"%')]),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('submissions')
                .select('id')
                .whereRef('draft_id', '=', 'drafts.id')
                .where('state', 'in', ['waiting', 'running', 'withdrawn', 'declined']),
            ),
          ),
        );
      const row = await lists
        .selectAll()
        .orderBy(sql`lines like ${TRIED}`)
        .orderBy('changed_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      const newest = row && draftIn(row.id, { ...row, created_at: null, state: null, expires_at: null });
      return newest && newest.kind !== 'no-draft' ? { newest, count: await countOf(lists) } : undefined;
    },
    /**
     * Deletes some of a guild's expired drafts, and everything except the lines of some others. Must be called inside the guild's
     * transaction.
     * @returns whether there may be more
     */
    async deleteOld(guildId: string): Promise<boolean> {
      const left = now() - TEXT_LIVES_MS;
      const old = idle(guildId).where(({ or, and, eb }) =>
        or([
          eb('changed_at', '<=', now() - DRAFT_LIVES_MS),
          and([eb('changed_at', '<=', left), eb('lines', 'like', CANCELLED)]),
        ]),
      );
      const some = old.select('id').limit(PIECE);
      const deleted = await tables().deleteFrom('drafts').where('id', 'in', some).executeTakeFirst();
      const withText = await idle(guildId)
        .where('changed_at', '<=', left)
        .where('lines', 'like', '%"modal":"%')
        .select(['id', 'source', 'lines'])
        .limit(PIECE)
        .execute();
      for (const row of withText) {
        const draft = draftFromStore(row);
        const lasting = draft && lastingPart(draft);
        const lines = lasting ? draftToStore(lasting).lines : null;
        await tables().updateTable('drafts').set({ lines }).where('id', '=', row.id).execute();
      }
      return Number(deleted.numDeletedRows) === PIECE || withText.length === PIECE;
    },
    async delete(id: string): Promise<void> {
      await tables().deleteFrom('drafts').where('id', '=', id).execute();
    },
  };
}

/* Patterns for a draft's JSON. They can't match a member's text, because JSON escapes its quotes. */
const OVER = '%"isOver":true%';
const CANCELLED = '%"isCancelled":true%';
const TRIED = '%"isTried":true%';
const HELD_BACK = '%"isHeldBack":true%';
const NO_ROWS = '%"rows":[]%';
export const WITH_CHOICES = '%"hasChoices":true%';

/** SQL condition for drafts with a server that their member submitted elsewhere after the draft's last change. */
const isRetyped = () => sql<boolean>`exists (select 1 from submissions as later
  join servers on submission_id = later.id
  where later.guild_id = drafts.guild_id and later.user_id = drafts.user_id and created_at > changed_at
  and lines like '%"server":"' || host || '","port":' || port || ',%')`;

interface StoredSize extends Pick<DraftsTable, 'user_id'> {
  readonly bytes: number;
}

/**
 * Chooses the drafts to delete so that the others fit into {@link MAX_BYTES_PER_GUILD}: repeatedly, the oldest draft of the
 * member whose remaining drafts take up most. One member's large drafts therefore don't displace another member's.
 * @param drafts newest first; the first one is kept
 */
function beyondShare<Size extends StoredSize>(drafts: readonly Size[]): readonly Size[] {
  const heldBy = new Map<string, number>();
  let total = 0;
  for (const { user_id, bytes } of drafts) {
    heldBy.set(user_id, (heldBy.get(user_id) ?? 0) + bytes);
    total += bytes;
  }
  const held = ({ user_id }: Size) => heldBy.get(user_id) ?? 0;
  const left = new Set(drafts.slice(1).toReversed());
  const chosen: Size[] = [];
  while (total > MAX_BYTES_PER_GUILD && left.size > 0) {
    const next = [...left].reduce((one, other) => (held(other) > held(one) ? other : one));
    left.delete(next);
    chosen.push(next);
    heldBy.set(next.user_id, held(next) - next.bytes);
    total -= next.bytes;
  }
  return chosen;
}
