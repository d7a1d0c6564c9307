import type { Database } from '../storage/database.ts';
import type { Outcome } from '../storage/tables.ts';
import { type Address, formatAddress } from './address.ts';

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
  readonly outcome: Outcome;
  /** The service's words. */
  readonly message?: string;
}

/** What each guild has submitted. Every method throws a StoreError when the store fails. */
export interface History {
  /** The latest entry of each address that was accepted or may have been received, under the address as text. */
  find(guildId: string, addresses: readonly Address[]): Promise<ReadonlyMap<string, HistoryEntry>>;
  /** Newest first. */
  list(guildId: string): Promise<readonly HistoryEntry[]>;
  /** Takes a member's id and name out of the entries; how many there were. */
  forgetMember(guildId: string, userId: string): Promise<number>;
  deleteGuild(guildId: string): Promise<void>;
  /** The guilds that have submitted anything, or are about to. */
  guilds(): Promise<readonly string[]>;
}

/** Entries of a guild that are listed. */
const MOST_LISTED = 100_000;
/** Addresses in one statement. */
const ADDRESSES_AT_ONCE = 500;

export function createHistory({
  database,
}: {
  readonly database: Pick<Database, 'tables' | 'inGuild'>;
}): History {
  const { tables } = database;
  const entries = (guildId: string) =>
    tables
      .selectFrom('servers')
      .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
      .where('servers.guild_id', '=', guildId)
      .where('servers.outcome', 'is not', null)
      .orderBy('servers.ended_at', 'desc')
      .orderBy('servers.submission_id', 'desc')
      .orderBy('servers.position', 'desc')
      .select([
        'servers.address',
        'servers.host',
        'servers.port',
        'servers.query_port',
        'servers.game',
        'servers.ended_at',
        'servers.user_id',
        'submissions.user_name',
        'servers.outcome',
        'servers.message',
      ]);

  return {
    async find(guildId, addresses) {
      const wanted = [...new Set(addresses.map(formatAddress))];
      const found = new Map<string, HistoryEntry>();
      for (let from = 0; from < wanted.length; from += ADDRESSES_AT_ONCE) {
        const rows = await entries(guildId)
          .where('servers.address', 'in', wanted.slice(from, from + ADDRESSES_AT_ONCE))
          .where('servers.outcome', 'in', ['accepted', 'unknown'])
          .execute();
        for (const row of rows) if (!found.has(row.address)) found.set(row.address, entryOf(row));
      }
      return found;
    },
    list: async (guildId) => (await entries(guildId).limit(MOST_LISTED).execute()).map(entryOf),
    forgetMember: (guildId, userId) =>
      database.inGuild(guildId, async () => {
        const ofMember = { user_id: null };
        const { numUpdatedRows } = await tables
          .updateTable('servers')
          .set(ofMember)
          .where('guild_id', '=', guildId)
          .where('user_id', '=', userId)
          .executeTakeFirst();
        await tables
          .updateTable('submissions')
          .set({ ...ofMember, user_name: null })
          .where('guild_id', '=', guildId)
          .where('user_id', '=', userId)
          .execute();
        return Number(numUpdatedRows);
      }),
    deleteGuild: (guildId) =>
      database.inGuild(guildId, async () => {
        for (const table of ['interactions', 'servers', 'submissions'] as const) {
          await tables.deleteFrom(table).where('guild_id', '=', guildId).execute();
        }
      }),
    async guilds() {
      const rows = await tables.selectFrom('submissions').select('guild_id').distinct().execute();
      return rows.map(({ guild_id }) => guild_id);
    },
  };
}

interface EntryRow {
  readonly host: string;
  readonly port: number;
  readonly query_port: number | null;
  readonly game: string;
  readonly ended_at: number | null;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly outcome: Outcome | null;
  readonly message: string | null;
}

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
