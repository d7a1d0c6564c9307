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

/** Which entries of a guild; what is absent does not matter. */
export interface HistoryFilter {
  readonly userId?: string;
  /** The alias. */
  readonly game?: string;
  readonly outcome?: Outcome['kind'];
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
  /** The games of the guild's latest 1,000 servers, one for each that was accepted or may have been received. */
  latestGames(guildId: string): Promise<readonly string[]>;
  /** Whether the guild has so many entries that the oldest make room. */
  isFull(guildId: string): Promise<boolean>;
}

/** Entries that are kept of a guild. */
export const MOST_ENTRIES = 100_000;
const ENTRIES_AT_ONCE = 1_000;
const LATEST_SERVERS = 1_000;

export function createHistory({ store }: { readonly store: Pick<Store, 'tables'> }): History {
  const { tables } = store;

  const matching = (guildId: string, { userId, game, outcome, address }: HistoryFilter) =>
    tables()
      .selectFrom('servers')
      .where('guild_id', '=', guildId)
      .where('ended_at', 'is not', null)
      .$if(userId !== undefined, (rows) => rows.where('user_id', '=', userId ?? ''))
      .$if(game !== undefined, (rows) => rows.where('game', '=', game ?? ''))
      // By an expression, since SQLite would rather go through the outcomes of all guilds (50 ms, measured).
      .$if(outcome !== undefined, (rows) => rows.where(sql<boolean>`coalesce(outcome, '') = ${outcome}`))
      .$if(address !== undefined, (rows) =>
        rows.where(sql<boolean>`address like ${`%${escaped(address ?? '')}%`} escape '!'`),
      );

  const newestFirst = (guildId: string, filter: HistoryFilter) =>
    matching(guildId, filter)
      .orderBy('ended_at', 'desc')
      .orderBy('submission_id', 'desc')
      .orderBy('position', 'desc')
      .select(['submission_id', 'position']);

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
      .select(['servers.host', 'servers.port', 'servers.query_port', 'servers.game', 'servers.ended_at'])
      .select(['servers.outcome', 'servers.message', 'servers.submission_id', 'servers.position'])
      .select(['submissions.user_id', 'submissions.user_name'])
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

  return {
    async count(guildId, filter) {
      const { count } = await matching(guildId, filter)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    page: async (guildId, filter, { offset, limit }) =>
      (await entriesAt(newestFirst(guildId, filter).offset(offset).limit(limit))).map(entryOf),
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

/** `%` and `_` mean themselves. */
const escaped = (part: string): string => part.replace(/[!%_]/g, '!$&');

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
