import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBot, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { hasPostgres, newDatabase } from '../support/database.ts';
import { folder } from '../support/machine.ts';
import { addServer, openSettings, setQuota } from '../support/people.ts';

/** Databases that released versions have left, as SQL. docs/releasing.md says how one is made; none is ever changed. */
const RELEASES = join(import.meta.dirname, 'releases');
const KEPT = existsSync(RELEASES) ? readdirSync(RELEASES) : [];
/** The version whose databases are to be written, with the bot as it is. */
const { KEEP_RELEASE } = process.env;
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
const KINDS = hasPostgres() ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const);
type Kind = (typeof KINDS)[number];
type Guild = Pick<TestGuild, 'discord' | 'admin' | 'member'>;

/** A database that SQL is read into, and written out of. */
async function newPlace(kind: Kind) {
  if (kind === 'postgres') {
    const { url, query, drop } = await newDatabase();
    onTestFinished(drop);
    const dump = () =>
      execFileSync('pg_dump', ['--inserts', '--no-owner', '--no-privileges', url], { encoding: 'utf8' });
    return {
      url,
      read: async (sql: string) => void (await query(sql)),
      // Some versions of pg_dump write commands of psql beside the SQL.
      write: () => dump().replaceAll(/^\\.*\n/gm, ''),
    };
  }
  const path = join(folder(), 'bot.sqlite');
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  return {
    url: `sqlite://${path}`,
    read: async (sql: string) => database.exec(sql),
    write: () => sqlOf(database),
  };
}

function sqlOf(database: DatabaseSync): string {
  const objects = database
    .prepare("select name, type, sql from sqlite_schema where sql is not null order by type = 'index'")
    .all();
  const lines = objects.map(({ sql }) => `${sql};`);
  for (const { name } of objects.filter(({ type }) => type === 'table')) {
    const columns = database.prepare('select name from pragma_table_info(?)').all(String(name));
    const values = columns.map((column) => `quote("${column.name}")`).join(` || ',' || `);
    for (const row of database.prepare(`select ${values} as row from "${name}"`).all()) {
      lines.push(`insert into "${name}" values (${row.row});`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Runs something with a bot over that database, in the guild that is there from the start. */
async function withBot(url: string, run: (guild: Guild) => Promise<void>): Promise<void> {
  const bot = await openBot({ env: { STORE_URL: url, ENCRYPTION_KEY, HISTORY_DAYS: '3650' } });
  try {
    await run({ discord: bot.discord, admin: bot.person({ role: 'admin' }), member: bot.person({}) });
  } finally {
    await bot.close();
  }
}

/** A key, settings, what was accepted, what was rejected, what was not accepted yet. */
async function fill(guild: Guild): Promise<void> {
  await setKey(guild.admin, 'sandbox-key');
  await setQuota(guild, '42');
  await addServer(guild.member, 'kept.example.com:27015');
  await addServer(guild.member, 'kept.example.com:70000');
}

async function isKept(guild: Guild): Promise<void> {
  expect(textOf(await guild.admin.slash('keystatus'))).toContain('Last worked');
  expect(textOf(await openSettings(guild))).toContain('Daily quota: 42 game servers');
  expect(textOf(await guild.member.slash('submissions'))).toContain('kept.example.com:27015');
  // What was sealed opens.
  expect(textOf(await addServer(guild.member, 'new.example.com:27015'))).toContain('was sent for review');
}

describe.each(KINDS)('over %s', (kind) => {
  const ending = `-${kind}.sql`;

  it.runIf(KEEP_RELEASE)('the database of a release is written', async () => {
    const place = await newPlace(kind);
    await withBot(place.url, fill);
    mkdirSync(RELEASES, { recursive: true });
    writeFileSync(join(RELEASES, `${KEEP_RELEASE}${ending}`), place.write());
  });

  it.each(KEPT.filter((name) => name.endsWith(ending)))('%s is read', async (name) => {
    const place = await newPlace(kind);
    await place.read(readFileSync(join(RELEASES, name), 'utf8'));
    await withBot(place.url, isKept);
  });
});
