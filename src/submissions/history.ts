import { sql } from 'kysely';
import type { ServerSubmission } from '../listing/contract.ts';
import { countOf } from '../storage/count.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';
import { type DeclineReason, storedReason } from './decline-reason.ts';
import type { ServerOutcome } from './outcome.ts';
import { INTERRUPTED, storedOutcome, storedServer } from './server-columns.ts';
import type { SubmissionStoreBase } from './store-deps.ts';
import type { ServerResult, Submission } from './submission.ts';

/** The outcome of one server that a member submitted. */
export interface HistoryEntry extends ServerSubmission {
  /** Time of the outcome, or when the server was sent if its outcome couldn't be saved, in milliseconds since 1970. */
  readonly at: number;
  /** The member's Discord user id. Both the id and the name are empty if the member had their name deleted. */
  readonly userId: string;
  readonly userName: string;
  readonly outcome: ServerOutcome;
  /** The user id of the moderator who decided; `undefined` if no moderator did, or if the name was deleted. */
  readonly decidedBy?: string | undefined;
  readonly declineReason?: DeclineReason | undefined;
}

/** A submission, with the number of servers for each outcome. */
export interface SubmissionEntry
  extends Pick<HistoryEntry, 'at' | 'userId' | 'userName' | 'decidedBy' | 'declineReason'>,
    Pick<Submission, 'decidedByName' | 'correctedByName'> {
  readonly id: string;
  readonly draftId: string;
  readonly counts: Readonly<Record<ServerOutcome['kind'], number>>;
  readonly isDeclined: boolean;
  /** See {@link Submission}. */
  readonly correctedBy: string | undefined;
  /** The submission's server, if there is exactly one. */
  readonly only: HistoryEntry | undefined;
}

/** Selects entries from a guild's history. Omitted fields match everything. */
export interface HistoryFilter {
  readonly userId?: string;
  /** The game's alias. */
  readonly game?: string;
  readonly outcome?: ServerOutcome['kind'];
  /** A substring of the address, in lower case. */
  readonly address?: string;
}

export type History = ReturnType<typeof createHistory>;

/** Maximum number of servers in a guild's history. */
export const MOST_ENTRIES = 20_000;
/** Maximum number of submissions that a search counts. */
export const MOST_FOUND = 1_000;
/** Number of servers that an export reads per query. */
const ENTRIES_PER_READ = 2_000;
const LATEST_SERVERS = 1_000;

/** Reads each guild's submission history, newest first. Every method throws a StoreError when the store fails. */
export function createHistory({ store, myTurn }: SubmissionStoreBase) {
  const { tables } = store;

  /** Selects the guild's servers that have an outcome. */
  const ended = (guildId: string) =>
    tables()
      .selectFrom('servers')
      .where('servers.guild_id', '=', guildId)
      .where('servers.ended_at', 'is not', null);

  /** Selects all members' servers that match the filter. */
  const matching = (guildId: string, { game, outcome, address }: HistoryFilter) =>
    ended(guildId)
      .$if(game !== undefined, (rows) => rows.where('servers.game', '=', game ?? ''))
      // The `coalesce` keeps SQLite from choosing a query plan that scans every guild's outcomes (measured at 50 ms).
      .$if(outcome !== undefined, (rows) =>
        rows.where(sql<boolean>`coalesce(servers.outcome, '') = ${outcome}`),
      )
      .$if(address !== undefined, (rows) =>
        rows.where(sql<boolean>`servers.address like ${`%${escaped(address ?? '')}%`} escape '!'`),
      );

  /**
   * Selects the matching servers together with their submissions.
   * @param userId limits the result to one member
   */
  const withSubmission = (guildId: string, { userId, ...filter }: HistoryFilter) =>
    matching(guildId, filter)
      .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
      .$if(userId !== undefined, (rows) => rows.where('submissions.user_id', '=', userId ?? ''));

  return {
    /** Finds the ids of submissions with a matching server, newest first. Returns at most {@link MOST_FOUND} + 1 ids. */
    async find(guildId: string, { userId, ...filter }: HistoryFilter): Promise<readonly string[]> {
      await myTurn(guildId);
      const rows = await tables()
        .selectFrom('submissions')
        .where('guild_id', '=', guildId)
        .where('ended_at', 'is not', null)
        .where('state', '<>', 'withdrawn')
        .$if(userId !== undefined, (some) => some.where('user_id', '=', userId ?? ''))
        .$if(isOfServers(filter), (some) =>
          some.where('id', 'in', matching(guildId, filter).select('servers.submission_id').distinct()),
        )
        .orderBy('ended_at', 'desc')
        .orderBy('id', 'desc')
        .limit(MOST_FOUND + 1)
        .select('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Reads the submissions with these ids, in the given order. */
    async entries(guildId: string, ids: readonly string[]): Promise<readonly SubmissionEntry[]> {
      await myTurn(guildId);
      const rows = await withSubmission(guildId, {})
        .where('submissions.id', 'in', [...ids])
        .groupBy(['submissions.id', 'servers.outcome'])
        .select(['submissions.id', 'submissions.ended_at as submission_ended_at'])
        .select(['submissions.user_id', 'submissions.user_name'])
        .select(['submissions.corrected_by', 'submissions.corrected_by_name'])
        .select(['submissions.draft_id', 'submissions.state'])
        .select(['submissions.decided_by', 'submissions.decided_by_name'])
        .select(['submissions.decline_reason', 'submissions.decline_reason_key', 'servers.outcome'])
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .execute();
      const single = Map.groupBy(rows, ({ id }) => id)
        .values()
        .flatMap(([row, ...others]) => (row?.count === 1 && others.length === 0 ? [row.id] : []))
        .toArray();
      const servers = withSubmission(guildId, {})
        .where('submissions.id', 'in', single)
        .select(ENTRY_COLUMNS)
        .select('servers.submission_id');
      const found = single.length > 0 ? await servers.execute() : [];
      const only = new Map(found.map((row) => [row.submission_id, entryOf(row)]));
      return ids.flatMap(
        (id) =>
          submissionOf(
            rows.filter((row) => row.id === id),
            only.get(id),
          ) ?? [],
      );
    },
    /** Reads all matching servers, in batches. */
    async *all(guildId: string, filter: HistoryFilter): AsyncGenerator<readonly HistoryEntry[]> {
      let some = withSubmission(guildId, filter);
      for (;;) {
        await myTurn(guildId);
        const rows = await some
          .orderBy('servers.ended_at', 'desc')
          .orderBy('servers.submission_id', 'desc')
          .orderBy('servers.position', 'desc')
          .limit(ENTRIES_PER_READ)
          .select(ENTRY_COLUMNS)
          .select(['servers.submission_id', 'servers.position'])
          .execute();
        yield rows.map(entryOf);
        const last = rows.at(-1);
        if (last === undefined || rows.length < ENTRIES_PER_READ) return;
        const { ended_at, submission_id, position } = last;
        some = some.where(
          sql<boolean>`(servers.ended_at, servers.submission_id, servers.position) < (${ended_at}, ${submission_id}, ${position})`,
        );
      }
    },
    /** Returns the aliases of all games for which the guild has submitted servers. */
    async games(guildId: string): Promise<ReadonlySet<string>> {
      const rows = await ended(guildId).select('game').distinct().execute();
      return new Set(rows.map(({ game }) => game));
    },
    /**
     * Looks at the guild's latest 1,000 servers, and returns the game of each server that the service may have accepted.
     */
    async latestGames(guildId: string): Promise<readonly string[]> {
      const rows = await ended(guildId)
        .orderBy('ended_at', 'desc')
        .limit(LATEST_SERVERS)
        .select(['game', 'outcome'])
        .execute();
      return rows
        .filter(({ outcome }) => outcome === 'accepted' || outcome === 'unknown')
        .map(({ game }) => game);
    },
    /** Whether these servers of a submission include the member's first accepted servers in the guild. */
    async hasFirstAccepted(
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
    /** Counts the guild's servers that have an outcome. Servers beyond {@link MOST_ENTRIES} are deleted later. */
    async size(guildId: string): Promise<number> {
      await myTurn(guildId);
      return countOf(ended(guildId));
    },
  };
}

const isOfServers = ({ game, outcome, address }: HistoryFilter): boolean =>
  game !== undefined || outcome !== undefined || address !== undefined;

const NONE: SubmissionEntry['counts'] = { accepted: 0, rejected: 0, 'not-sent': 0, unknown: 0 };

/** Escapes `%` and `_` so that LIKE matches them literally. */
const escaped = (part: string): string => part.replace(/[!%_]/g, '!$&');

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
  'submissions.decline_reason',
  'submissions.decline_reason_key',
] as const;

type EntryRow = Pick<
  SubmissionsTable,
  'user_id' | 'user_name' | 'decided_by' | 'decline_reason' | 'decline_reason_key'
> &
  Pick<ServersTable, 'host' | 'port' | 'query_port' | 'game' | 'sent_at' | 'ended_at'> &
  Pick<ServersTable, 'outcome' | 'message' | 'reason'>;

/** A submission, with the number of servers that have a particular outcome. */
interface OutcomeRow
  extends Pick<SubmissionsTable, 'id' | 'draft_id' | 'state' | 'user_id' | 'user_name'>,
    Pick<SubmissionsTable, 'decided_by' | 'decided_by_name' | 'corrected_by' | 'corrected_by_name'>,
    Pick<SubmissionsTable, 'decline_reason' | 'decline_reason_key'>,
    Pick<ServersTable, 'outcome'> {
  readonly submission_ended_at: number | null;
  readonly count: number;
}

/**
 * @param rows one row per outcome
 * @param only the submission's server, if there is exactly one
 */
function submissionOf(
  rows: readonly OutcomeRow[],
  only: HistoryEntry | undefined,
): SubmissionEntry | undefined {
  const [first] = rows;
  // The submission has been deleted in the meantime.
  if (first === undefined) return undefined;
  const counts = { ...NONE };
  for (const { outcome, count } of rows) counts[outcome ?? 'unknown'] += count;
  return {
    id: first.id,
    draftId: first.draft_id,
    at: first.submission_ended_at ?? 0,
    userId: first.user_id ?? '',
    userName: first.user_name ?? '',
    counts,
    isDeclined: first.state === 'declined',
    decidedBy: first.decided_by ?? undefined,
    decidedByName: first.decided_by_name ?? '',
    correctedBy: first.corrected_by ?? undefined,
    correctedByName: first.corrected_by_name ?? '',
    declineReason: storedReason(first),
    only,
  };
}

export function entryOf(row: EntryRow): HistoryEntry {
  return {
    ...storedServer(row),
    at: row.ended_at ?? row.sent_at ?? 0,
    userId: row.user_id ?? '',
    userName: row.user_name ?? '',
    outcome: storedOutcome(row) ?? INTERRUPTED,
    decidedBy: row.decided_by ?? undefined,
    declineReason: storedReason(row),
  };
}
