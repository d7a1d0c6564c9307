import { setImmediate } from 'node:timers/promises';
import type { Outcome } from '../listing/contract.ts';
import type { Database } from '../storage/database.ts';
import { kysely } from '../storage/kysely.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';

/** How one server that a member submitted ended. */
export interface HistoryEntry {
  readonly server: string;
  readonly port: number;
  readonly queryPort?: number;
  readonly game: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Discord's id; empty once the member was forgotten, like the name. */
  readonly userId: string;
  readonly userName: string;
  readonly outcome: Outcome['kind'];
  /** The service's words. */
  readonly message?: string;
}

/** Which entries of a guild; what is absent does not matter. */
export interface HistoryFilter {
  readonly userId?: string;
  /** The alias. */
  readonly game?: string;
  /** A part of the address, in small letters. */
  readonly address?: string;
}

/** What each guild has submitted, newest first. Every method throws a StoreError when the store fails. */
export interface History {
  count(guildId: string, filter: HistoryFilter): Promise<number>;
  page(
    guildId: string,
    filter: HistoryFilter,
    part: { readonly offset: number; readonly limit: number },
  ): Promise<readonly HistoryEntry[]>;
  /** All of them, a thousand at a time; what others wait for runs in between. */
  all(guildId: string, filter: HistoryFilter): AsyncIterable<readonly HistoryEntry[]>;
  /** The aliases of all games that the guild has submitted servers of. */
  games(guildId: string): Promise<readonly string[]>;
  /**
   * The games, one for each server, of what the guild has submitted last before a time, in milliseconds since 1970; of
   * the latest 1,000 servers those that were accepted or may have been received.
   */
  latestGames(guildId: string, before: number): Promise<readonly string[]>;
  /** Whether the guild has so many entries that the oldest make room. */
  isFull(guildId: string): Promise<boolean>;
}

/** Entries that are kept of a guild. */
export const MOST_ENTRIES = 100_000;
const ENTRIES_AT_ONCE = 1_000;
/** What a guild submits most shows in so many of its latest servers. */
const LATEST_SERVERS = 1_000;

const COLUMNS = [
  'servers.host',
  'servers.port',
  'servers.query_port',
  'servers.game',
  'servers.ended_at',
  'servers.user_id',
  'submissions.user_name',
  'servers.outcome',
  'servers.message',
  'servers.submission_id',
  'servers.position',
] as const;

export function createHistory({ database }: { readonly database: Pick<Database, 'tables'> }): History {
  const { tables } = database;

  const matching = (guildId: string, { userId, game, address }: HistoryFilter) =>
    tables
      .selectFrom('servers')
      .where('guild_id', '=', guildId)
      .where('ended_at', 'is not', null)
      .$if(userId !== undefined, (rows) => rows.where('user_id', '=', userId ?? ''))
      .$if(game !== undefined, (rows) => rows.where('game', '=', game ?? ''))
      .$if(address !== undefined, (rows) =>
        rows.where(kysely().sql<boolean>`address like ${`%${escaped(address ?? '')}%`} escape '!'`),
      );

  const inOrder = (guildId: string, filter: HistoryFilter) =>
    matching(guildId, filter)
      .orderBy('ended_at', 'desc')
      .orderBy('submission_id', 'desc')
      .orderBy('position', 'desc')
      .select(['submission_id', 'position']);

  /** The entries at these positions: what is skipped is read from the index alone. */
  const entriesAt = (some: ReturnType<typeof inOrder>) =>
    tables
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
      .select(COLUMNS)
      .execute();

  async function* all(guildId: string, filter: HistoryFilter): AsyncGenerator<readonly HistoryEntry[]> {
    let rest = inOrder(guildId, filter);
    for (;;) {
      const rows = await entriesAt(rest.limit(ENTRIES_AT_ONCE));
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map(entryOf);
      if (rows.length < ENTRIES_AT_ONCE) return;
      // What is read is there at once, so that nobody else would have their turn before the end.
      await setImmediate();
      rest = inOrder(guildId, filter).where(
        kysely()
          .sql<boolean>`(ended_at, submission_id, position) < (${last.ended_at}, ${last.submission_id}, ${last.position})`,
      );
    }
  }

  return {
    async count(guildId, filter) {
      const { count } = await matching(guildId, filter)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    page: async (guildId, filter, { offset, limit }) =>
      (await entriesAt(inOrder(guildId, filter).offset(offset).limit(limit))).map(entryOf),
    all,
    games: (guildId) => findGames(tables, guildId),
    latestGames: (guildId, before) => findLatestGames(tables, guildId, before),
    async isFull(guildId) {
      const last = inOrder(guildId, {})
        .offset(MOST_ENTRIES - 1)
        .limit(1);
      return (await last.executeTakeFirst()) !== undefined;
    },
  };
}

async function findGames(tables: Database['tables'], guildId: string): Promise<readonly string[]> {
  const rows = await tables
    .selectFrom('servers')
    .where('guild_id', '=', guildId)
    .select('game')
    .distinct()
    .execute();
  return rows.map(({ game }) => game);
}

async function findLatestGames(
  tables: Database['tables'],
  guildId: string,
  before: number,
): Promise<readonly string[]> {
  const rows = await tables
    .selectFrom('servers')
    .where('guild_id', '=', guildId)
    .where('ended_at', '<', before)
    .orderBy('ended_at', 'desc')
    .limit(LATEST_SERVERS)
    .select(['game', 'outcome'])
    .execute();
  return rows.flatMap(({ game, outcome }) => (outcome === 'accepted' || outcome === 'unknown' ? [game] : []));
}

/** `%` and `_` mean themselves. */
const escaped = (part: string): string => part.replace(/[!%_]/g, '!$&');

type EntryRow = Pick<SubmissionsTable, 'user_name'> &
  Pick<
    ServersTable,
    'host' | 'port' | 'query_port' | 'game' | 'ended_at' | 'user_id' | 'outcome' | 'message'
  >;

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
