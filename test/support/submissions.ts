import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createEncryption } from '../../src/storage/collection.ts';
import type { Database } from '../../src/storage/database.ts';
import type { ServersTable, SubmissionsTable } from '../../src/storage/tables.ts';
import { createChecks } from '../../src/submissions/checks.ts';
import { createErasure } from '../../src/submissions/erasure.ts';
import { createHistory } from '../../src/submissions/history.ts';
import { createPruning } from '../../src/submissions/pruning.ts';
import { createRecords } from '../../src/submissions/record.ts';
import { recorder } from '../storage/temporary.ts';

const KEYS = [randomBytes(32)];

export interface PartsOptions {
  readonly now?: () => number;
  readonly days?: number;
  readonly member?: { readonly servers: number; readonly seconds: number };
  readonly guild?: { readonly servers: number; readonly seconds: number };
  /** For the store, newest first. */
  readonly keys?: readonly Buffer[];
}

/** What reads and changes submissions in a store. */
export function partsOver(database: Pick<Database, 'tables' | 'inGuild'>, options: PartsOptions = {}) {
  const { now = Date.now, days = 365, keys = KEYS } = options;
  const { member = { servers: 1000, seconds: 3600 }, guild = { servers: 5000, seconds: 3600 } } = options;
  const encryption = createEncryption(keys);
  const logger = recorder();
  const listing = { isDown: () => false };
  const checks = createChecks({ database, encryption, listing, member, guild, now });
  const erasure = createErasure({ database, encryption, checks });
  return {
    logger,
    checks,
    erasure,
    history: createHistory({ database }),
    records: createRecords({ database, now }),
    pruning: createPruning({ database, checks, erasure, days, logger, now }),
  };
}

export interface DoneOptions {
  readonly id: string;
  readonly guildId: string;
  readonly userId: string;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  readonly hosts: readonly string[];
  readonly game?: string;
  readonly outcome?: ServersTable['outcome'];
  readonly message?: string;
}

/** Puts a submission that has ended into the tables. */
export async function addDone({ tables }: Pick<Database, 'tables'>, done: DoneOptions): Promise<void> {
  const { id, guildId, userId, at, hosts, game = 'cs2', outcome = 'accepted', message = 'Yes.' } = done;
  const submission: SubmissionsTable = {
    ...{ id, guild_id: guildId, user_id: userId, user_name: `name of ${userId}`, state: 'done' },
    ...{ source: 'text', again: 0, refused_lines: null, repeated_lines: null },
    ...{ interaction_id: `by ${id}`, created_at: at, started_at: at, ended_at: at },
  };
  await tables.insertInto('submissions').values(submission).execute();
  const reserved = outcome === 'not-sent' ? null : at;
  const servers = hosts.map(
    (host, position): ServersTable => ({
      ...{ submission_id: id, position, guild_id: guildId, user_id: userId, user_hash: null },
      ...{ line: position + 1, host, port: 27015, query_port: null, game, submitted_before: 0 },
      ...{ address: `${host}:27015`, reserved_at: reserved, sent_at: reserved },
      ...{ ended_at: outcome === null ? null : at, outcome, message, reason: null },
    }),
  );
  for (let from = 0; from < servers.length; from += 1_000) {
    await tables
      .insertInto('servers')
      .values(servers.slice(from, from + 1_000))
      .execute();
  }
}

export interface FillOptions {
  readonly count: number;
  /** When the first list ended, in milliseconds since 1970; each of the others that many later as servers came before it. */
  readonly at: number;
  readonly message?: string;
}

const LIST = 1_000;

/** A guild with so many servers in its history, in lists of a thousand by two members in turns. */
export async function fill(
  database: Pick<Database, 'tables' | 'inGuild'>,
  guildId: string,
  { count, at, message = 'Yes.' }: FillOptions,
): Promise<void> {
  await database.inGuild(guildId, async () => {
    for (let from = 0; from < count; from += LIST) {
      const userId = from % (2 * LIST) === 0 ? '7' : '8';
      await addDone(database, { id: `${guildId}-${from}`, guildId, userId, at: at + from, hosts: [] });
    }
    // In one statement, since to pass on what is in each row takes longer than to write it.
    await sql`
      INSERT INTO servers (submission_id, position, guild_id, user_id, line, host, port, game, submitted_before,
        address, reserved_at, sent_at, ended_at, outcome, message)
      WITH RECURSIVE positions (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM positions WHERE n + 1 < ${LIST}),
        numbered AS (SELECT *, CAST(ended_at - ${at} AS INTEGER) + n AS number FROM submissions, positions WHERE guild_id = ${guildId})
      SELECT id, n, guild_id, user_id, n + 1, 's' || number || '.example.com', 27015,
        CASE (number - n) % ${3 * LIST} WHEN 0 THEN 'rust' ELSE 'cs2' END, 0,
        's' || number || '.example.com:27015', ended_at, ended_at, ended_at, 'accepted', ${message}
      FROM numbered WHERE number < ${count}`.execute(database.tables);
  });
}
