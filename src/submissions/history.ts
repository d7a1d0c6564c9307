import { type RawBuilder, sql } from 'kysely';
import type { ServerSubmission } from '../listing/contract.ts';
import { DAY_MS, MINUTE_MS } from '../pacing/durations.ts';
import { countOf } from '../storage/count.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';
import type { ServerOutcome } from './outcome.ts';
import {
  INTERRUPTED,
  type OutcomeColumns,
  type People,
  type PeopleColumns,
  type ServerColumns,
  storedOutcome,
  storedPeople,
  storedServer,
} from './server-columns.ts';
import type { SubmissionStoreBase } from './store-deps.ts';
import type { ServerResult, Submission } from './submission.ts';

/** The outcome of one server that a member submitted. */
export interface HistoryEntry
  extends ServerSubmission,
    Pick<Submission, 'userId' | 'userName'>,
    Partial<Pick<Submission, 'decidedBy' | 'decidedByName' | 'declineReason' | 'correctedFrom'>> {
  /** Time of the outcome, or when the server was sent if its outcome couldn't be saved, in milliseconds since 1970. */
  readonly at: number;
  readonly outcome: ServerOutcome;
}

export interface SubmissionEntry
  extends Pick<HistoryEntry, 'at'>,
    Pick<Submission, 'id' | 'draftId' | 'state' | 'correctedBy' | 'correctedByName' | keyof People> {
  readonly counts: Readonly<Record<ServerOutcome['kind'], number>>;
  /** The submission's server, if there is exactly one. */
  readonly only: HistoryEntry | undefined;
  /** The submission's first server, or the first that a search found. */
  readonly first: HistoryEntry | undefined;
}

/** The outcome of a server or, before the outcome and after a decline, the state of its submission. */
export type FoundOutcome = ServerOutcome['kind'] | 'waiting' | 'declined' | 'withdrawn';

/** Selects entries from a guild's history. Omitted fields match everything except waiting and withdrawn submissions. */
export interface HistoryFilter {
  readonly userId?: string;
  /** The game's alias. */
  readonly game?: string;
  readonly outcome?: FoundOutcome;
  /** Substrings of the address, separated by spaces and in lower case. */
  readonly address?: string;
  /** The member who reads the history. Only they find their withdrawn submissions. */
  readonly readerId?: string;
  /** Whether other members' submissions are only found if a moderator decided on them or still has to. */
  readonly isDecided?: boolean;
}

type ServerFilter = Pick<HistoryFilter, 'game' | 'outcome' | 'address'>;

/** How long a member can see and resubmit a withdrawn submission. */
export const WITHDRAWN_KEPT_MS = DAY_MS;

export const hasLaterSubmission = () => sql<boolean>`exists (select 1 from submissions as later
  where later.draft_id = submissions.draft_id and later.created_at > submissions.created_at)`;

export type History = ReturnType<typeof createHistory>;

export const MAX_ENTRIES = 20_000;
export const MAX_SUBMISSIONS_FOUND = 1_000;
/** As many servers as a list can have. */
const MAX_UNSENT = 1_000;
const ENTRIES_PER_QUERY = 2_000;
const LATEST_SERVERS = 1_000;

/** Reads each guild's submission history, newest first. Every method throws a StoreError when the store fails. */
export function createHistory({ store, myTurn, now }: SubmissionStoreBase) {
  const { tables } = store;

  const serversIn = (guildId: string) =>
    tables().selectFrom('servers').where('servers.guild_id', '=', guildId);

  const endedServersOf = (guildId: string) => serversIn(guildId).where('servers.ended_at', 'is not', null);

  const serversMatching = (guildId: string, { game, outcome, address }: ServerFilter) =>
    serversIn(guildId)
      .$if(game !== undefined, (rows) => rows.where('servers.game', '=', game ?? ''))
      .$if(outcome !== undefined && isServerOutcome(outcome), (rows) => rows.where(hasOutcome(outcome)))
      .$if(address !== undefined, (rows) => rows.where(addressContainsAll(address)));

  /** SQL condition for submissions that this member withdrew within a day, and didn't replace or delete. */
  const withdrawnBy = (userId: string) => sql<boolean>`(state = 'withdrawn' and user_id = ${userId}
    and ended_at > ${now() - WITHDRAWN_KEPT_MS} and not ${hasLaterSubmission()}
    and exists (select 1 from servers where submission_id = submissions.id))`;

  return {
    /**
     * Finds the ids of submissions with a matching server, newest first. Consecutive submissions of a member that a moderator
     * declined within a minute for the same reason are in one group. Returns at most {@link MAX_SUBMISSIONS_FOUND} + 1 ids.
     */
    async find(
      guildId: string,
      { userId, readerId = '', isDecided, ...filter }: HistoryFilter,
    ): Promise<readonly (readonly string[])[]> {
      await myTurn(guildId);
      const rows = await tables()
        .selectFrom('submissions')
        .where('guild_id', '=', guildId)
        .where(canHaveOutcome(filter.outcome, withdrawnBy(readerId)))
        .$if(userId !== undefined, (some) => some.where('user_id', '=', userId ?? ''))
        .$if(isDecided === true, (some) =>
          some.where(({ or, and, eb }) =>
            or([
              eb('user_id', '=', readerId),
              and([eb('expires_at', 'is not', null), eb('state', 'in', ['waiting', 'declined', 'done'])]),
            ]),
          ),
        )
        .$if(isOfServers(filter), (some) =>
          some.where('id', 'in', serversMatching(guildId, filter).select('servers.submission_id').distinct()),
        )
        .orderBy(filter.outcome === 'waiting' ? 'created_at' : 'ended_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MAX_SUBMISSIONS_FOUND + 1)
        .select(['id', 'state', 'user_id', 'ended_at', 'decided_by', 'decline_reason', 'decline_reason_key'])
        .execute();
      return groupsOf(rows).map((group) => group.map(({ id }) => id));
    },
    /**
     * Reads the submissions with these ids, in the given order.
     * @param address the search in which the submissions were found (see {@link HistoryFilter})
     */
    async entries(
      guildId: string,
      ids: readonly string[],
      address?: string,
    ): Promise<readonly SubmissionEntry[]> {
      // PostgreSQL rejects an empty list.
      if (ids.length === 0) return [];
      await myTurn(guildId);
      const ofThese = () =>
        serversIn(guildId)
          .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
          .where('submissions.id', 'in', [...ids]);
      const rows = await ofThese()
        .groupBy(['submissions.id', 'servers.outcome'])
        .selectAll('submissions')
        .select('servers.outcome')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .select(
          sql<number | null>`min(case when ${addressContainsAll(address)} then servers.position end)`.as(
            'position',
          ),
        )
        .execute();
      const byId = Map.groupBy(rows, ({ id }) => id);
      const positions = new Map(
        byId.entries().map(([id, some]) => [id, Math.min(...some.flatMap(({ position }) => position ?? []))]),
      );
      const wanted = [...new Set(positions.values())].filter(Number.isFinite);
      // PostgreSQL rejects an empty list.
      const servers =
        wanted.length === 0
          ? []
          : await ofThese()
              .where('servers.position', 'in', wanted)
              .select(ENTRY_COLUMNS)
              .select(['servers.submission_id', 'servers.position'])
              .execute();
      const first = new Map(
        servers
          .filter(({ submission_id, position }) => positions.get(submission_id) === position)
          .map((row) => [row.submission_id, entryOf(row)]),
      );
      return ids.flatMap((id) => submissionOf(byId.get(id) ?? [], first.get(id)) ?? []);
    },
    async *all(guildId: string, filter: HistoryFilter): AsyncGenerator<readonly HistoryEntry[]> {
      const { userId } = filter;
      let some = serversMatching(guildId, filter)
        .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
        .$if(userId !== undefined, (rows) => rows.where('submissions.user_id', '=', userId ?? ''))
        .where('servers.ended_at', 'is not', null);
      for (;;) {
        await myTurn(guildId);
        const rows = await some
          .orderBy('servers.ended_at', 'desc')
          .orderBy('servers.submission_id', 'desc')
          .orderBy('servers.position', 'desc')
          .limit(ENTRIES_PER_QUERY)
          .select(ENTRY_COLUMNS)
          .select(['servers.submission_id', 'servers.position'])
          .execute();
        yield rows.map(entryOf);
        const last = rows.at(-1);
        if (last === undefined || rows.length < ENTRIES_PER_QUERY) return;
        const { ended_at, submission_id, position } = last;
        some = some.where(
          sql<boolean>`(servers.ended_at, servers.submission_id, servers.position) < (${ended_at}, ${submission_id}, ${position})`,
        );
      }
    },
    /**
     * Returns the servers of a member that the bot couldn't send and the guild hasn't sent since, newest first and each
     * address once. Leaves out servers that a moderator declined or didn't approve.
     * @param ids limits the result to these submissions
     */
    async unsent(
      guildId: string,
      userId: string,
      ids?: readonly string[],
    ): Promise<readonly ServerSubmission[]> {
      await myTurn(guildId);
      const rows = await tables()
        .selectFrom('servers')
        .where('servers.guild_id', '=', guildId)
        .where('servers.user_id', '=', userId)
        .where('servers.outcome', '=', 'not-sent')
        .where(sql<boolean>`coalesce(servers.reason, '') not in ('declined', 'expired')`)
        .$if(ids !== undefined, (some) => some.where('servers.submission_id', 'in', [...(ids ?? [])]))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('servers as later')
                .select('later.position')
                .where('later.guild_id', '=', guildId)
                .whereRef('later.address', '=', 'servers.address')
                .where('later.outcome', 'in', ['accepted', 'unknown']),
            ),
          ),
        )
        .orderBy('servers.ended_at', 'desc')
        .orderBy('servers.position')
        .limit(MAX_UNSENT)
        .select(['host', 'port', 'query_port', 'game', 'address'])
        .execute();
      const byAddress = Map.groupBy(rows, ({ address }) => address);
      return [...byAddress.values()].flatMap(([newest]) => (newest ? [storedServer(newest)] : []));
    },
    async gameAliases(guildId: string): Promise<ReadonlySet<string>> {
      const rows = await endedServersOf(guildId).select('game').distinct().execute();
      return new Set(rows.map(({ game }) => game));
    },
    /** Returns the game of each server, among the guild's latest 1,000, that the service may have accepted. */
    async latestGames(guildId: string): Promise<readonly string[]> {
      const rows = await endedServersOf(guildId)
        .orderBy('ended_at', 'desc')
        .limit(LATEST_SERVERS)
        .select(['game', 'outcome'])
        .execute();
      return rows
        .filter(({ outcome }) => outcome === 'accepted' || outcome === 'unknown')
        .map(({ game }) => game);
    },
    async includesFirstAccepted(
      guildId: string,
      userId: string,
      servers: readonly ServerResult[],
    ): Promise<boolean> {
      const count = servers.filter(({ outcome }) => outcome.kind === 'accepted').length;
      if (count === 0) return false;
      const found = await tables()
        .selectFrom('servers')
        .where('guild_id', '=', guildId)
        .where('user_id', '=', userId)
        .where('outcome', '=', 'accepted')
        .limit(count + 1)
        .select('outcome')
        .execute();
      return found.length === count;
    },
    /** Counts the guild's servers that have an outcome. Servers beyond {@link MAX_ENTRIES} are deleted later. */
    async size(guildId: string): Promise<number> {
      await myTurn(guildId);
      return countOf(endedServersOf(guildId));
    },
  };
}

const isServerOutcome = (outcome: FoundOutcome | undefined): boolean =>
  outcome !== 'waiting' && outcome !== 'withdrawn';

function canHaveOutcome(outcome: FoundOutcome | undefined, isWithdrawn: RawBuilder<boolean>) {
  if (outcome === 'withdrawn') return isWithdrawn;
  if (outcome === 'waiting' || outcome === 'declined') return sql<boolean>`state = ${outcome}`;
  return sql<boolean>`ended_at is not null and (state <> 'withdrawn' or ${isWithdrawn})`;
}

/** Matches servers that a moderator declined only as declined. */
function hasOutcome(outcome: FoundOutcome | undefined) {
  if (outcome === 'declined') return sql<boolean>`servers.reason = 'declined'`;
  // The `coalesce` keeps SQLite from choosing a query plan that scans every guild's outcomes (measured at 50 ms).
  return sql<boolean>`coalesce(servers.outcome, '') = ${outcome} and coalesce(servers.reason, '') <> 'declined'`;
}

type FoundRow = Pick<SubmissionsTable, 'id' | 'state' | 'user_id' | 'ended_at' | 'decided_by'> &
  Pick<SubmissionsTable, 'decline_reason' | 'decline_reason_key'>;

function groupsOf(rows: readonly FoundRow[]): readonly (readonly FoundRow[])[] {
  const groups: FoundRow[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last?.[0] && isSameDecision(last[0], row)) last.push(row);
    else groups.push([row]);
  }
  return groups;
}

const isSameDecision = (one: FoundRow, other: FoundRow): boolean =>
  one.state === 'declined' &&
  other.state === 'declined' &&
  one.user_id === other.user_id &&
  one.decided_by === other.decided_by &&
  one.decline_reason === other.decline_reason &&
  one.decline_reason_key === other.decline_reason_key &&
  Math.abs((one.ended_at ?? 0) - (other.ended_at ?? 0)) < MINUTE_MS;

const isOfServers = ({ game, outcome, address }: ServerFilter): boolean =>
  game !== undefined || outcome !== undefined || address !== undefined;

const NONE: SubmissionEntry['counts'] = { accepted: 0, rejected: 0, 'not-sent': 0, unknown: 0 };

/** Matches every server if there are no words. */
function addressContainsAll(words = '') {
  const all = words
    .split(/\s+/u)
    .map((word) => sql`servers.address like ${`%${escapedForLike(word)}%`} escape '!'`);
  return sql<boolean>`(${sql.join(all, sql` and `)})`;
}

const escapedForLike = (part: string): string => part.replace(/[!%_]/g, '!$&');

export const ENTRY_COLUMNS = [
  'servers.host',
  'servers.port',
  'servers.query_port',
  'servers.game',
  'servers.sent_at',
  'servers.ended_at',
  'servers.outcome',
  'servers.message',
  'servers.reason',
  'submissions.user_id',
  'submissions.user_name',
  'submissions.decided_by',
  'submissions.decided_by_name',
  'submissions.decline_reason',
  'submissions.decline_reason_key',
  'submissions.corrected_from',
] as const;

type EntryRow = PeopleColumns & ServerColumns & OutcomeColumns & Pick<ServersTable, 'sent_at' | 'ended_at'>;

type OutcomeRow = SubmissionsTable & Pick<ServersTable, 'outcome'> & { readonly count: number };

/**
 * @param rows one row per outcome
 * @param server the submission's first server, or in a search the first that matches
 */
function submissionOf(
  rows: readonly OutcomeRow[],
  server: HistoryEntry | undefined,
): SubmissionEntry | undefined {
  const [first, ...others] = rows;
  // The submission has been deleted in the meantime.
  if (first === undefined) return undefined;
  const counts = { ...NONE };
  for (const { outcome, count } of rows) counts[outcome ?? 'unknown'] += count;
  return {
    id: first.id,
    draftId: first.draft_id,
    at: first.ended_at ?? first.created_at,
    counts,
    state: first.state,
    ...storedPeople(first),
    correctedBy: first.corrected_by ?? undefined,
    correctedByName: first.corrected_by_name ?? '',
    only: first.count === 1 && others.length === 0 ? server : undefined,
    first: server,
  };
}

export function entryOf(row: EntryRow): HistoryEntry {
  return {
    ...storedServer(row),
    ...storedPeople(row),
    at: row.ended_at ?? row.sent_at ?? 0,
    outcome: storedOutcome(row) ?? INTERRUPTED,
  };
}
