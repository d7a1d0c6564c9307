import { type RawBuilder, sql } from 'kysely';
import { createWaitingSubmissions } from '../approval/waiting-store.ts';
import type { Config } from '../config/config.ts';
import { createDirectMessageChannels } from '../discord/direct-message-channels.ts';
import { API_KEYS, createApiKeys } from '../guilds/api-keys.ts';
import { createBlocks } from '../guilds/blocks.ts';
import { createDeletion, GUILD_AREAS } from '../guilds/deletion.ts';
import { createDirectMessageOptOuts, DIRECT_MESSAGE_OPT_OUTS } from '../guilds/direct-message-opt-outs.ts';
import { createPanels } from '../guilds/panels.ts';
import { createGuildSettings } from '../guilds/settings.ts';
import type { Logger } from '../logger.ts';
import { createWorkTurns } from '../pacing/turns.ts';
import type { Store } from '../storage/store.ts';
import type { Tables } from '../storage/tables.ts';
import { createSubmissionStore } from '../submissions/submission-store.ts';

const USER_ID_COLUMNS_BY_GUILD_TABLE: Readonly<
  Record<Exclude<keyof Tables, 'direct_message_channels' | 'leases' | 'jobs' | 'keyv'>, readonly string[]>
> = {
  submissions: ['user_id', 'decided_by', 'corrected_by'],
  servers: ['user_id'],
  drafts: ['user_id'],
  choices: ['user_id'],
  interactions: [],
  key_trials: ['user_id'],
  blocks: ['user_id', 'blocked_by'],
  used: [],
  guild_departures: [],
};

/** Fields that are never shown: encrypted API keys and tokens, and addresses that may belong to other people. */
const HIDDEN_FIELDS = ['sealed', 'encrypted', 'notice', 'candidates'];
const USER_ID_AND_NAME_FIELDS = [
  ['user_id', 'user_name'],
  ['decided_by', 'decided_by_name'],
  ['corrected_by', 'corrected_by_name'],
  ['blocked_by', 'blocked_by_name'],
  ['setBy', 'setByName'],
] as const;

type Row = Readonly<Record<string, unknown>>;
/** Stored records, keyed by their table or by the prefix of their keys. Kinds without records are left out. */
type Records = Readonly<Record<string, readonly Row[]>>;

export interface Subject {
  readonly kind: 'guild' | 'member';
  readonly id: string;
}

export interface FoundData {
  /** Keyed by the guild's id. */
  readonly guilds: Readonly<Record<string, Records>>;
  readonly everywhere: Records;
}

export interface StoredDataDeps {
  readonly store: Store;
  readonly config: Pick<Config, 'memberLimit' | 'guildLimit' | 'historyDays'>;
  readonly logger: Logger;
}

/**
 * Creates the functions that find and delete one guild's or one member's data. A bot may be using the database at the same
 * time. Each guild is handled in a single transaction. Both functions throw a StoreError if the store fails.
 */
export function createStoredData({ store, config, logger }: StoredDataDeps) {
  const { tables, values } = store;
  const directMessageChannels = createDirectMessageChannels({ store });
  const { memberLimit: member, guildLimit: guild, historyDays: days } = config;
  const { erasure } = createSubmissionStore({
    store,
    processId: 'tool',
    member,
    guild,
    days,
    myTurn: createWorkTurns(),
    createWaitingSubmissions,
  });
  const settings = createGuildSettings({ store, logger });
  const deletion = createDeletion({
    store,
    keys: createApiKeys({ store, encryption: { seal: neverUsed, open: neverUsed }, logger }),
    settings,
    blocks: createBlocks({ store, settings }),
    directMessageOptOuts: createDirectMessageOptOuts({ store }),
    directMessageChannels,
    panels: createPanels({ store, logger }),
    submissions: erasure,
  });

  async function rowsOf(table: string, ...conditions: RawBuilder<unknown>[]): Promise<readonly Row[]> {
    const all = sql.join(conditions, sql` and `);
    const { rows } = await sql<Row>`select * from ${sql.table(table)} where ${all}`.execute(tables());
    return rows;
  }

  /** @param userId if given, only the records that mention this member are returned */
  async function guildRecords(guildId: string, userId: string | undefined): Promise<Records> {
    const found: Record<string, readonly Row[]> = {};
    const ofGuild = sql`guild_id = ${guildId}`;
    for (const [table, people] of Object.entries(USER_ID_COLUMNS_BY_GUILD_TABLE)) {
      if (userId === undefined) found[table] = await rowsOf(table, ofGuild);
      else if (people.length > 0) found[table] = await rowsOf(table, ofGuild, mentions(userId, people));
    }
    for (const area of GUILD_AREAS) {
      const value = await values.get(`${area}:${guildId}`);
      const isFound = userId === undefined ? value !== undefined : fieldsOf(value).setBy === userId;
      found[area] = isFound ? [fieldsOf(value)] : [];
    }
    const optedOut = (await values.ids(`${DIRECT_MESSAGE_OPT_OUTS}:${guildId}`)).map((id) => ({
      user_id: id,
    }));
    found.direct_message_opt_outs = optedOut.filter(({ user_id }) => [undefined, user_id].includes(userId));
    return shownRecords(found, userId);
  }

  async function guildIdsWithRecordsAbout(userId: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const [table, people] of Object.entries(USER_ID_COLUMNS_BY_GUILD_TABLE)) {
      if (people.length === 0) continue;
      const guilds = sql<{ readonly guild_id: string }>`
        select distinct guild_id from ${sql.table(table)} where ${mentions(userId, people)}`;
      for (const { guild_id } of (await guilds.execute(tables())).rows) found.add(guild_id);
    }
    for (const guildId of await values.ids(API_KEYS)) {
      const { setBy } = fieldsOf(await values.get(`${API_KEYS}:${guildId}`));
      if (setBy === userId) found.add(guildId);
    }
    for (const id of await values.ids(DIRECT_MESSAGE_OPT_OUTS)) {
      const [guildId = '', optedOut] = id.split(':');
      if (optedOut === userId) found.add(guildId);
    }
    return found;
  }

  const guildIdsOf = async ({ kind, id }: Subject) =>
    kind === 'guild' ? [id] : await guildIdsWithRecordsAbout(id);

  return {
    /** Returns all records about a guild or a member, without API keys, tokens, unchosen addresses, and other users' names and ids. */
    async find(subject: Subject): Promise<FoundData> {
      const { kind, id } = subject;
      const userId = kind === 'member' ? id : undefined;
      const guilds: Record<string, Records> = {};
      for (const guildId of await guildIdsOf(subject)) {
        const records = await store.inGuild(guildId, () => guildRecords(guildId, userId));
        if (Object.keys(records).length > 0) guilds[guildId] = records;
      }
      if (userId === undefined) return { guilds, everywhere: {} };
      const channels = await rowsOf('direct_message_channels', sql`user_id = ${userId}`);
      return { guilds, everywhere: shownRecords({ direct_message_channels: channels }, userId) };
    },
    /** Deletes the same data as the buttons in `/privacy`, for a member in all guilds. */
    async delete(subject: Subject): Promise<void> {
      const { kind, id } = subject;
      if (kind === 'guild') return deletion.guild(id);
      for (const guildId of await guildIdsWithRecordsAbout(id)) await deletion.member(guildId, id);
      await directMessageChannels.delete(id);
      await store.cutLog();
    },
  };
}

/** Returns an empty object for a damaged value. */
const fieldsOf = (value: unknown): Row => (typeof value === 'object' ? { ...value } : {});

const mentions = (userId: string, columns: readonly string[]): RawBuilder<unknown> =>
  sql`(${sql.join(
    columns.map((column) => sql`${sql.ref(column)} = ${userId}`),
    sql` or `,
  )})`;

function shownRecords(found: Records, userId: string | undefined): Records {
  const shown = Object.entries(found).map(([kind, rows]) => [kind, rows.map((row) => shownRow(row, userId))]);
  return Object.fromEntries(shown.filter(([, rows]) => rows?.length));
}

/** Removes empty and hidden fields and other users from a record, and converts times to ISO 8601. */
function shownRow(row: Row, userId: string | undefined): Row {
  const hidden = new Set<string>(HIDDEN_FIELDS);
  for (const [id, name] of USER_ID_AND_NAME_FIELDS) {
    if (userId !== undefined && row[id] === userId) continue;
    hidden.add(id).add(name);
  }
  const shown = Object.entries(row).filter(([field, value]) => value !== null && !hidden.has(field));
  return Object.fromEntries(
    shown.map(([field, value]) => [field, isTime(value) ? new Date(value).toISOString() : value]),
  );
}

/** Relies on the fact that no other number in a record is as large. */
const isTime = (value: unknown): value is number => typeof value === 'number' && value > 1e12;

function neverUsed(): never {
  throw new Error('finding and deleting data never needs an API key');
}
