import { sql } from 'kysely';
import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import { countOf } from '../storage/count.ts';
import type { Store } from '../storage/store.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';
import type { WorkTurns } from '../work-turns.ts';
import { INTERRUPTED, storedOutcome, storedServer } from './server-columns.ts';

/** How one server that a member submitted ended. */
export interface HistoryEntry extends ServerSubmission {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Discord's id; empty, like the name, once the member had their name deleted. */
  readonly userId: string;
  readonly userName: string;
  readonly outcome: Outcome;
  /** What a moderator gave as the reason for a refusal. */
  readonly refusal?: string;
}

/** What a member submitted at once: how many of its servers ended how. */
export interface SubmissionEntry extends Pick<HistoryEntry, 'at' | 'userId'> {
  readonly id: string;
  readonly counts: Readonly<Record<Outcome['kind'], number>>;
  /** The moderator who decided; `undefined` where none did, or had their name deleted. */
  readonly decidedBy: string | undefined;
  /** What the moderator gave as the reason for a refusal. */
  readonly refusal: string | undefined;
  /** The server, where it is the only one. */
  readonly only: HistoryEntry | undefined;
}

/** Which entries of a guild. A field that is absent lets every entry through. */
export interface HistoryFilter {
  readonly userId?: string;
  /** The alias. */
  readonly game?: string;
  readonly outcome?: Outcome['kind'];
  /** A part of the address, in small letters. */
  readonly address?: string;
}

/** One submission, if it is of this member where a member is given. */
export type SubmissionKey = Pick<SubmissionEntry, 'id'> & Pick<HistoryFilter, 'userId'>;

/** How many entries are skipped, and how many are read at most. */
interface Part {
  readonly offset: number;
  readonly limit: number;
}

export type History = ReturnType<typeof createHistory>;

export interface HistoryDeps {
  readonly store: Pick<Store, 'tables'>;
  /**
   * Waited for before each statement and each slice of a search, so that nobody waits for the whole search of another
   * guild.
   */
  readonly myTurn: WorkTurns;
}

/** How many servers of a guild the history keeps. */
export const MOST_ENTRIES = 100_000;
/** How many submissions a search counts at most. */
export const MOST_FOUND = 1_000;
/** How many servers one statement looks at: 3 ms of SQLite's time (measured). */
const SLICE = 20_000;
/** How many servers one statement reads with all columns: 3 ms (measured). */
const ENTRIES_AT_ONCE = 250;
const LATEST_SERVERS = 1_000;
/** Later than every time. */
const EVER = Number.MAX_SAFE_INTEGER;

/** The servers that ended from one moment until before another, in milliseconds since 1970. */
interface Slice {
  readonly from: number;
  readonly before: number;
}

/** What each guild has submitted, newest first. Every method throws a StoreError when the store fails. */
export function createHistory({ store, myTurn }: HistoryDeps) {
  const { tables } = store;

  /** The servers of a guild that have ended, or of one member; an index holds every column that is selected. */
  const ended = (guildId: string, userId: string | undefined) =>
    tables()
      .selectFrom('servers')
      .where('guild_id', '=', guildId)
      .where('ended_at', 'is not', null)
      .$if(userId !== undefined, (rows) => rows.where('user_id', '=', userId ?? ''));

  /** Goes through the servers that have ended, newest first, in slices. Each slice waits for its turn. */
  async function* slices(guildId: string, userId?: string): AsyncGenerator<Slice> {
    let before = EVER;
    while (before > 0) {
      await myTurn(guildId);
      const last = await ended(guildId, userId)
        .where('ended_at', '<', before)
        .orderBy('ended_at', 'desc')
        .offset(SLICE - 1)
        .limit(1)
        .select('ended_at')
        .executeTakeFirst();
      const from = last?.ended_at ?? 0;
      yield { from, before };
      before = from;
    }
  }

  const within = (guildId: string, { from, before }: Slice, userId?: string) =>
    ended(guildId, userId).where('ended_at', '>=', from).where('ended_at', '<', before);

  const matching = (guildId: string, slice: Slice, { userId, game, outcome, address }: HistoryFilter) =>
    within(guildId, slice, userId)
      .$if(game !== undefined, (rows) => rows.where('game', '=', game ?? ''))
      // By an expression, since SQLite would rather go through the outcomes of all guilds (50 ms, measured).
      .$if(outcome !== undefined, (rows) => rows.where(sql<boolean>`coalesce(outcome, '') = ${outcome}`))
      .$if(address !== undefined, (rows) =>
        rows.where(sql<boolean>`address like ${`%${escaped(address ?? '')}%`} escape '!'`),
      )
      .orderBy('ended_at', 'desc')
      .orderBy('submission_id', 'desc');

  /** The submissions with a server in the slice. One is listed once for each time at which servers of it ended. */
  const submissionsIn = (some: ReturnType<typeof matching>) =>
    tables()
      .selectFrom(some.select(['ended_at', 'submission_id']).distinct().limit(MOST_FOUND).as('some'))
      .innerJoin('submissions', 'submissions.id', 'some.submission_id')
      .orderBy('some.ended_at', 'desc')
      .orderBy('some.submission_id', 'desc')
      .select([
        'some.ended_at as server_ended_at',
        'submissions.id',
        'submissions.user_id',
        'submissions.state',
      ])
      .execute();

  async function search(guildId: string, filter: HistoryFilter): Promise<readonly string[]> {
    const found = new Set<string>();
    for await (const slice of slices(guildId, filter.userId)) {
      let some = matching(guildId, slice, filter);
      for (;;) {
        const rows = await submissionsIn(some);
        for (const { id, user_id, state } of rows) {
          const isAskedFor = filter.userId === undefined || filter.userId === user_id;
          if (isAskedFor && state !== 'running') found.add(id);
        }
        if (found.size > MOST_FOUND) return [...found].slice(0, MOST_FOUND + 1);
        const last = rows.at(-1);
        if (last === undefined || rows.length < MOST_FOUND) break;
        await myTurn(guildId);
        const { server_ended_at, id } = last;
        some = some.where(sql<boolean>`(ended_at, submission_id) < (${server_ended_at}, ${id})`);
      }
    }
    return [...found];
  }

  /** The newest submissions. Without a filter of servers nothing has to be searched. */
  async function latest(guildId: string, userId: string | undefined): Promise<readonly string[]> {
    const rows = await tables()
      .selectFrom('submissions')
      .where('guild_id', '=', guildId)
      .where('ended_at', 'is not', null)
      .where('state', '<>', 'withdrawn')
      .$if(userId !== undefined, (submissions) => submissions.where('user_id', '=', userId ?? ''))
      .orderBy('ended_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_FOUND + 1)
      .select('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  const serversOf = (guildId: string, { id, userId }: SubmissionKey) =>
    tables()
      .selectFrom('servers')
      .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
      .where('servers.submission_id', '=', id)
      .where('servers.ended_at', 'is not', null)
      .where('submissions.guild_id', '=', guildId)
      .$if(userId !== undefined, (rows) => rows.where('submissions.user_id', '=', userId ?? ''));

  async function entry(guildId: string, id: string): Promise<SubmissionEntry | undefined> {
    const submission = await tables()
      .selectFrom('submissions')
      .where('id', '=', id)
      .select(['ended_at', 'user_id', 'decided_by', 'refusal'])
      .executeTakeFirst();
    // The submission was deleted meanwhile.
    if (submission === undefined) return undefined;
    const rows = await serversOf(guildId, { id })
      .groupBy('outcome')
      .select(['outcome', ({ fn }) => fn.countAll<number>().as('count')])
      .execute();
    const counts = { ...NONE };
    for (const { outcome, count } of rows) counts[outcome ?? 'unknown'] += count;
    const [first] = isOne(counts) ? await readServers(guildId, { id }, { offset: 0, limit: 1 }) : [];
    return {
      id,
      at: submission.ended_at ?? 0,
      userId: submission.user_id ?? '',
      counts,
      decidedBy: submission.decided_by ?? undefined,
      refusal: submission.refusal || undefined,
      only: first,
    };
  }

  /** The entries whose servers have these positions. */
  const entriesAt = (some: ReturnType<typeof matching>) =>
    tables()
      .selectFrom(
        some
          .orderBy('position', 'desc')
          .limit(ENTRIES_AT_ONCE)
          .select(['submission_id', 'position'])
          .as('some'),
      )
      .innerJoin('servers', (join) =>
        join
          .onRef('servers.submission_id', '=', 'some.submission_id')
          .onRef('servers.position', '=', 'some.position'),
      )
      .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
      .orderBy('servers.ended_at', 'desc')
      .orderBy('servers.submission_id', 'desc')
      .orderBy('servers.position', 'desc')
      .select(ENTRY_COLUMNS)
      .select(['servers.submission_id', 'servers.position'])
      .execute();

  async function* all(guildId: string, filter: HistoryFilter): AsyncGenerator<readonly HistoryEntry[]> {
    for await (const slice of slices(guildId, filter.userId)) {
      let some = matching(guildId, slice, filter);
      for (;;) {
        const rows = await entriesAt(some);
        // A limit may still count a member by their id after their name was deleted.
        yield rows
          .filter(({ user_id }) => filter.userId === undefined || filter.userId === user_id)
          .map(entryOf);
        const last = rows.at(-1);
        if (last === undefined || rows.length < ENTRIES_AT_ONCE) break;
        await myTurn(guildId);
        const { ended_at, submission_id, position } = last;
        some = some.where(
          sql<boolean>`(ended_at, submission_id, position) < (${ended_at}, ${submission_id}, ${position})`,
        );
      }
    }
  }

  async function readServers(
    guildId: string,
    which: SubmissionKey,
    { offset, limit }: Part,
  ): Promise<readonly HistoryEntry[]> {
    const rows = await serversOf(guildId, which)
      .orderBy(sql`servers.outcome = 'accepted'`)
      .orderBy('servers.position')
      .offset(offset)
      .limit(limit)
      .select(ENTRY_COLUMNS)
      .execute();
    return rows.map(entryOf);
  }

  return {
    /**
     * The ids of the submissions that have a server that the filter lets through, newest first. At most {@link MOST_FOUND}
     * + 1: the last one only says that there are more.
     */
    async find(guildId: string, filter: HistoryFilter): Promise<readonly string[]> {
      if (isOfServers(filter)) return search(guildId, filter);
      await myTurn(guildId);
      return latest(guildId, filter.userId);
    },
    /** These submissions, in this order. */
    async entries(guildId: string, ids: readonly string[]): Promise<readonly SubmissionEntry[]> {
      const entries: SubmissionEntry[] = [];
      for (const id of ids) {
        await myTurn(guildId);
        const found = await entry(guildId, id);
        if (found) entries.push(found);
      }
      return entries;
    },
    /** How many servers the submission has; 0 if it is not the guild's or not the member's. */
    async countServers(guildId: string, which: SubmissionKey): Promise<number> {
      await myTurn(guildId);
      return countOf(serversOf(guildId, which));
    },
    /** The servers of the submission in the order of its lines; accepted servers come last. */
    async servers(guildId: string, which: SubmissionKey, part: Part): Promise<readonly HistoryEntry[]> {
      await myTurn(guildId);
      return readServers(guildId, which, part);
    },
    /** All servers that the filter lets through, some hundreds at a time. */
    all,
    /** The aliases of all games of which the guild has submitted servers. */
    async games(guildId: string): Promise<ReadonlySet<string>> {
      const games = new Set<string>();
      for await (const slice of slices(guildId)) {
        const rows = await within(guildId, slice).select('game').distinct().execute();
        for (const { game } of rows) games.add(game);
      }
      return games;
    },
    /**
     * The games of those of the guild's latest 1,000 servers that were accepted or may have been received; one for each
     * server.
     */
    async latestGames(guildId: string): Promise<readonly string[]> {
      const rows = await ended(guildId, undefined)
        .orderBy('ended_at', 'desc')
        .limit(LATEST_SERVERS)
        .select(['game', 'outcome'])
        .execute();
      return rows
        .filter(({ outcome }) => outcome === 'accepted' || outcome === 'unknown')
        .map(({ game }) => game);
    },
    /** How many servers of the guild have ended. Above {@link MOST_ENTRIES} the oldest are deleted. */
    async size(guildId: string): Promise<number> {
      let size = 0;
      for await (const slice of slices(guildId)) size += await countOf(within(guildId, slice));
      return size;
    },
  };
}

const isOfServers = ({ game, outcome, address }: HistoryFilter): boolean =>
  game !== undefined || outcome !== undefined || address !== undefined;

const NONE: SubmissionEntry['counts'] = { accepted: 0, rejected: 0, 'not-sent': 0, unknown: 0 };

const isOne = (counts: SubmissionEntry['counts']): boolean =>
  Object.values(counts).reduce((sum, count) => sum + count, 0) === 1;

/** For a LIKE in which `%` and `_` stand for themselves. */
const escaped = (part: string): string => part.replace(/[!%_]/g, '!$&');

const ENTRY_COLUMNS = [
  'servers.host',
  'servers.port',
  'servers.query_port',
  'servers.game',
  'servers.ended_at',
  'servers.outcome',
  'servers.message',
  'servers.reason',
  'submissions.user_id',
  'submissions.user_name',
  'submissions.refusal',
] as const;

type EntryRow = Pick<SubmissionsTable, 'user_id' | 'user_name' | 'refusal'> &
  Pick<ServersTable, 'host' | 'port' | 'query_port' | 'game' | 'ended_at' | 'outcome' | 'message' | 'reason'>;

function entryOf(row: EntryRow): HistoryEntry {
  return {
    ...storedServer(row),
    at: row.ended_at ?? 0,
    userId: row.user_id ?? '',
    userName: row.user_name ?? '',
    outcome: storedOutcome(row) ?? INTERRUPTED,
    ...(row.refusal && { refusal: row.refusal }),
  };
}
