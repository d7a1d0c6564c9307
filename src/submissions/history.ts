import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Outcome } from '../listing/contract.ts';
import type { Store } from '../storage/store.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';

/** How one server that a member submitted ended. */
export interface HistoryEntry {
  readonly server: string;
  readonly port: number;
  readonly queryPort?: number;
  readonly game: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Discord's id; empty once the member had their name deleted, like the name. */
  readonly userId: string;
  readonly userName: string;
  readonly outcome: Outcome['kind'];
  /** The service's words. */
  readonly message?: string;
}

/** What a member submitted at once: how many of its servers ended how. */
export interface SubmissionEntry extends Pick<HistoryEntry, 'at' | 'userId'> {
  readonly id: string;
  readonly counts: Readonly<Record<Outcome['kind'], number>>;
  /** The server, where it is the only one. */
  readonly only: HistoryEntry | undefined;
}

/** Which entries of a guild; what is absent does not matter. */
export interface HistoryFilter {
  readonly userId?: string;
  /** The alias. */
  readonly game?: string;
  readonly outcome?: Outcome['kind'];
  /** A part of the address, in small letters. */
  readonly address?: string;
}

/** One submission; of this member only, where one is given. */
export type SubmissionKey = Pick<SubmissionEntry, 'id'> & Pick<HistoryFilter, 'userId'>;

/** How many are skipped, and how many are read at most. */
interface Part {
  readonly offset: number;
  readonly limit: number;
}

/** What each guild has submitted, newest first. Every method throws a StoreError when the store fails. */
export interface History {
  /** How many submissions have a server that the filter asks for. */
  count(guildId: string, filter: HistoryFilter): Promise<number>;
  /** The submissions that have a server that the filter asks for. */
  page(guildId: string, filter: HistoryFilter, part: Part): Promise<readonly SubmissionEntry[]>;
  /** How many servers the submission has; 0 where it is not of this guild or not of the member. */
  countServers(guildId: string, which: SubmissionKey): Promise<number>;
  /** The servers of the submission in the order of its lines, those that were accepted behind the others. */
  servers(guildId: string, which: SubmissionKey, part: Part): Promise<readonly HistoryEntry[]>;
  /** All servers that the filter asks for, a thousand at a time; what others wait for runs in between. */
  all(guildId: string, filter: HistoryFilter): AsyncIterable<readonly HistoryEntry[]>;
  /** The aliases of all games that the guild has submitted servers of. */
  games(guildId: string): Promise<readonly string[]>;
  /** The games of the guild's latest 1,000 servers, one for each that was accepted or may have been received. */
  latestGames(guildId: string): Promise<readonly string[]>;
  /** Whether the guild has so many servers on record that the oldest make room. */
  isFull(guildId: string): Promise<boolean>;
}

/** Servers that are kept of a guild. */
export const MOST_ENTRIES = 100_000;
const ENTRIES_AT_ONCE = 1_000;
const LATEST_SERVERS = 1_000;

export function createHistory({ store }: { readonly store: Pick<Store, 'tables'> }): History {
  const { tables } = store;

  /** The servers that a filter asks for, of all guilds and members. */
  const servers = ({ game, outcome, address }: HistoryFilter) =>
    tables()
      .selectFrom('servers')
      .where('servers.ended_at', 'is not', null)
      .$if(game !== undefined, (rows) => rows.where('servers.game', '=', game ?? ''))
      // By an expression, since SQLite would rather go through the outcomes of all guilds (50 ms, measured).
      .$if(outcome !== undefined, (rows) =>
        rows.where(sql<boolean>`coalesce(servers.outcome, '') = ${outcome}`),
      )
      .$if(address !== undefined, (rows) =>
        rows.where(sql<boolean>`servers.address like ${`%${escaped(address ?? '')}%`} escape '!'`),
      );

  const newestFirst = (guildId: string, filter: HistoryFilter) =>
    servers(filter)
      .where('guild_id', '=', guildId)
      .$if(filter.userId !== undefined, (rows) => rows.where('user_id', '=', filter.userId ?? ''))
      .orderBy('ended_at', 'desc')
      .orderBy('submission_id', 'desc')
      .orderBy('position', 'desc')
      .select(['submission_id', 'position']);

  const submissions = (guildId: string, filter: HistoryFilter) => {
    const { userId, ...ofServers } = filter;
    const asked = servers(ofServers)
      .whereRef('servers.submission_id', '=', sql.ref('submissions.id'))
      .select('servers.position');
    return tables()
      .selectFrom('submissions')
      .where('guild_id', '=', guildId)
      .where('ended_at', 'is not', null)
      .$if(userId !== undefined, (rows) => rows.where('user_id', '=', userId ?? ''))
      .$if(Object.keys(ofServers).length > 0, (rows) => rows.where(({ exists }) => exists(asked)));
  };

  const serversOf = (guildId: string, { id, userId }: SubmissionKey) =>
    tables()
      .selectFrom('servers')
      .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
      .where('servers.submission_id', '=', id)
      .where('servers.ended_at', 'is not', null)
      .where('submissions.guild_id', '=', guildId)
      .$if(userId !== undefined, (rows) => rows.where('submissions.user_id', '=', userId ?? ''));

  /** How many servers of each of these submissions ended how. */
  async function countsOf(ids: readonly string[]): Promise<ReadonlyMap<string, SubmissionEntry['counts']>> {
    const counted = new Map(ids.map((id) => [id, { ...NONE }]));
    if (ids.length === 0) return counted;
    const rows = await tables()
      .selectFrom('servers')
      .where('submission_id', 'in', ids)
      .where('ended_at', 'is not', null)
      .groupBy(['submission_id', 'outcome'])
      .select(['submission_id', 'outcome', ({ fn }) => fn.countAll<number>().as('count')])
      .execute();
    for (const { submission_id, outcome, count } of rows) {
      const counts = counted.get(submission_id);
      if (counts) counts[outcome ?? 'unknown'] += count;
    }
    return counted;
  }

  /** The servers of submissions that have one each. */
  async function onlyServers(ids: readonly string[]): Promise<ReadonlyMap<string, HistoryEntry>> {
    if (ids.length === 0) return new Map();
    const rows = await tables()
      .selectFrom('servers')
      .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
      .where('servers.submission_id', 'in', ids)
      .where('servers.ended_at', 'is not', null)
      .select(ENTRY_COLUMNS)
      .select('servers.submission_id')
      .execute();
    return new Map(rows.map((row) => [row.submission_id, entryOf(row)]));
  }

  /** The entries at these positions: what is skipped is read from the index alone. */
  const entriesAt = (some: ReturnType<typeof newestFirst>) =>
    tables()
      .selectFrom(some.as('some'))
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
    let next = newestFirst(guildId, filter);
    for (;;) {
      const rows = await entriesAt(next.limit(ENTRIES_AT_ONCE));
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(entryOf);
      if (rows.length < ENTRIES_AT_ONCE) return;
      // What is read is there at once, so that nobody else would have their turn before the end.
      await setImmediate();
      const { ended_at, submission_id, position } = last;
      next = newestFirst(guildId, filter).where(
        sql<boolean>`(ended_at, submission_id, position) < (${ended_at}, ${submission_id}, ${position})`,
      );
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
    async count(guildId, filter) {
      const { count } = await submissions(guildId, filter)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    async page(guildId, filter, { offset, limit }) {
      const rows = await submissions(guildId, filter)
        .orderBy('ended_at', 'desc')
        .orderBy('id', 'desc')
        .offset(offset)
        .limit(limit)
        .select(['id', 'ended_at', 'user_id'])
        .execute();
      const counted = await countsOf(rows.map(({ id }) => id));
      const single = await onlyServers([...counted].filter(([, counts]) => isOne(counts)).map(([id]) => id));
      return rows.map(({ id, ended_at, user_id }) => ({
        id,
        at: ended_at ?? 0,
        userId: user_id ?? '',
        counts: counted.get(id) ?? NONE,
        only: single.get(id),
      }));
    },
    async countServers(guildId, which) {
      const { count } = await serversOf(guildId, which)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    servers: readServers,
    all,
    async games(guildId) {
      const rows = await tables()
        .selectFrom('servers')
        .where('guild_id', '=', guildId)
        .select('game')
        .distinct()
        .execute();
      return rows.map(({ game }) => game);
    },
    async latestGames(guildId) {
      const rows = await tables()
        .selectFrom('servers')
        .where('guild_id', '=', guildId)
        .where('ended_at', 'is not', null)
        .orderBy('ended_at', 'desc')
        .limit(LATEST_SERVERS)
        .select(['game', 'outcome'])
        .execute();
      return rows
        .filter(({ outcome }) => outcome === 'accepted' || outcome === 'unknown')
        .map(({ game }) => game);
    },
    async isFull(guildId) {
      const last = newestFirst(guildId, {})
        .offset(MOST_ENTRIES - 1)
        .limit(1);
      return (await last.executeTakeFirst()) !== undefined;
    },
  };
}

const NONE: SubmissionEntry['counts'] = { accepted: 0, rejected: 0, 'not-sent': 0, unknown: 0 };

const isOne = (counts: SubmissionEntry['counts']): boolean =>
  Object.values(counts).reduce((sum, count) => sum + count, 0) === 1;

/** `%` and `_` mean themselves. */
const escaped = (part: string): string => part.replace(/[!%_]/g, '!$&');

const ENTRY_COLUMNS = [
  'servers.host',
  'servers.port',
  'servers.query_port',
  'servers.game',
  'servers.ended_at',
  'servers.outcome',
  'servers.message',
  'submissions.user_id',
  'submissions.user_name',
] as const;

type EntryRow = Pick<SubmissionsTable, 'user_id' | 'user_name'> &
  Pick<ServersTable, 'host' | 'port' | 'query_port' | 'game' | 'ended_at' | 'outcome' | 'message'>;

function entryOf(row: EntryRow): HistoryEntry {
  return {
    server: row.host,
    port: row.port,
    ...(row.query_port !== null && { queryPort: row.query_port }),
    game: row.game,
    at: row.ended_at ?? 0,
    userId: row.user_id ?? '',
    userName: row.user_name ?? '',
    outcome: row.outcome ?? 'unknown',
    ...(row.message !== null && { message: row.message }),
  };
}
