import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withDatabaseFile } from '../../src/storage/database-file.ts';
import { createStore } from '../../src/storage/store.ts';
import { parseStoreUrl } from '../../src/store-url.ts';
import { hasPostgres, type Kind, kinds, newDatabase, runSql } from '../support/database.ts';
import { folder, recorder, runFile } from '../support/machine.ts';
import { startServer } from '../support/postgres-server.ts';

/** Returns the stored 0.3.0 database as SQL. */
const keptSql = (kind: Kind) =>
  readFileSync(join(import.meta.dirname, 'releases', `0.3.0-${kind}.sql`), 'utf8');

/** Returns a function that creates a copy of the stored database and returns the copy's URL. */
async function keptDatabase(kind: Kind): Promise<() => Promise<string>> {
  if (kind === 'sqlite') {
    const kept = keptFile();
    return async () => {
      const path = join(folder(), 'bot.sqlite');
      copyFileSync(kept, path);
      return `sqlite://${path}`;
    };
  }
  const template = await newDatabase();
  onTestFinished(template.drop);
  await template.query(keptSql(kind));
  return async () => {
    const name = new URL(template.url).pathname.slice(1);
    const { url, drop } = await newDatabase(`template ${name} strategy file_copy`);
    onTestFinished(drop);
    return url;
  };
}

function keptFile(): string {
  const path = join(folder(), 'kept.sqlite');
  const database = new DatabaseSync(path);
  database.exec(keptSql('sqlite'));
  database.close();
  return path;
}

/** Starts and stops the current version with a database. */
async function start(address: string): Promise<void> {
  const url = parseStoreUrl(address);
  expect.assert(url);
  const store = createStore({ url, logger: recorder() });
  await store.start().finally(() => store.stop());
}

/** Values that are different for every start or database. */
const OWN_VALUE = /^kysely_migration \{|store:place|health:write-test/;

/** Returns all tables, indexes and rows. */
async function contentOf(address: string): Promise<readonly string[]> {
  const lines = address.startsWith('sqlite:') ? linesOfFile(address) : await linesOfServer(address);
  return lines.filter((line) => !OWN_VALUE.test(line)).sort();
}

const SHAPE = `select table_name, column_name, data_type, column_default, is_nullable
    from information_schema.columns where table_schema = 'public';
  select indexdef from pg_indexes where schemaname = 'public';
  select conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace`;

/** Much faster than pg_dump, which looks for many kinds of objects that the bot doesn't use. */
async function linesOfServer(url: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const rowsOf = async (sql: string) => [await client.query(sql)].flat().flatMap(({ rows }) => rows);
    const shape = await rowsOf(SHAPE);
    const lines = shape.map((each) => JSON.stringify(each));
    for (const name of new Set(shape.flatMap(({ table_name: name }) => name ?? []))) {
      const rows = await rowsOf(`select * from "${name}"`);
      lines.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
    }
    return lines;
  } finally {
    await client.end();
  }
}

const linesOfFile = (url: string): readonly string[] =>
  withDatabaseFile(url.slice('sqlite://'.length), (database) => {
    const shape = database.prepare('SELECT name, type, sql FROM sqlite_schema').all();
    const tables = shape.filter(({ type }) => type === 'table').map(({ name }) => name);
    const rows = tables.flatMap((name) =>
      database
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => `${name} ${JSON.stringify(row)}`),
    );
    return [...shape.map((each) => JSON.stringify(each)), ...rows];
  });

/** Returns the content after a successful update. */
async function wholeContent(address: string): Promise<readonly string[]> {
  await start(address);
  return contentOf(address);
}

/** Mounts a small file system. Returns `undefined` if that isn't possible here. */
function smallDisk(megabytes: number) {
  const path = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const ballast = join(path, 'ballast');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'pipe' });
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', path]);
    rmSync(path, { recursive: true });
  });
  return {
    path,
    /** Fills the disk until only this many blocks are free. */
    fill(blocks: number): void {
      const { bavail, bsize } = statfsSync(path);
      writeFileSync(ballast, Buffer.alloc((bavail - blocks) * bsize));
    },
    empty: () => rmSync(ballast),
  };
}

/** A PostgreSQL page has 8 KiB, and a block on the small disk has 4 KiB. */
const BLOCKS_OF_PAGE = 2;
const NO_DISK = 'it needs root, to mount a small disk';

/** PostgreSQL creates and updates a database for each of the 63 statements. */
const UPDATES_MS = 240_000;

describe.each(kinds())('the %s database update from 0.3.0', { timeout: UPDATES_MS }, (kind) => {
  it('completes on the next start if killed between any two statements', async () => {
    const copy = await keptDatabase(kind);
    const startAndKill = (addresses: readonly string[], stopBefore: number) =>
      runFile(['test/storage/start-store.ts'], {
        env: { STORE_URLS: addresses.join(' '), STOP_BEFORE: String(stopBefore) },
      });
    const untouched = await copy();
    const count = Number((await startAndKill([untouched], Number.POSITIVE_INFINITY)).stdout);
    expect(count).toBeGreaterThan(35);
    const whole = await contentOf(untouched);

    const addresses: string[] = [];
    while (addresses.length < count) addresses.push(await copy());
    // Killing all starts in one process is faster, because a new process takes ten times as long as a start.
    expect(await startAndKill(addresses, 1)).toEqual({ status: null, stdout: '', stderr: '' });
    for (const address of addresses) {
      await start(address);
      expect(await contentOf(address)).toEqual(whole);
    }
  });
});

describe('a database update from 0.3.0 stopped by a full disk', () => {
  it('completes on the next start (SQLite)', async ({ skip }) => {
    const disk = smallDisk(4);
    if (!disk) return skip(NO_DISK);
    const kept = keptFile();
    const path = join(disk.path, 'bot.sqlite');
    copyFileSync(kept, path);
    const whole = await wholeContent(`sqlite://${path}`);

    const refusals: string[] = [];
    for (let blocks = 0; ; blocks += 1) {
      copyFileSync(kept, path);
      disk.fill(blocks);
      const refusal = await start(`sqlite://${path}`).catch(String);
      disk.empty();
      await start(`sqlite://${path}`);
      expect(await contentOf(`sqlite://${path}`)).toEqual(whole);
      if (refusal === undefined) break;
      refusals.push(refusal);
    }
    expect(refusals.join()).toContain('database or disk is full');
  });

  it.skipIf(!hasPostgres())('completes on the next start (PostgreSQL)', async ({ skip }) => {
    const disk = smallDisk(32);
    if (!disk) return skip(NO_DISK);
    // Only the database is on the small disk, not the rest of the server's data.
    const server = await startServer();
    expect.assert(server);
    onTestFinished(server.stop);
    execFileSync('chown', ['postgres', disk.path]);
    await runSql(server.url, `create tablespace small location '${disk.path}'`);
    const urlOf = (name: string) => Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
    await runSql(server.url, 'create database kept');
    await runSql(urlOf('kept'), keptSql('postgres'));
    const copy = async (name: string) => {
      await runSql(server.url, `create database ${name} template kept tablespace small`);
      // The first session in a database writes a file.
      await runSql(urlOf(name), 'select');
      return urlOf(name);
    };
    const whole = await wholeContent(await copy('whole'));

    const refusals: string[] = [];
    for (let blocks = 0; ; blocks += BLOCKS_OF_PAGE) {
      const name = `after_${blocks}`;
      const address = await copy(name);
      disk.fill(blocks);
      const refusal = await start(address).catch(String);
      disk.empty();
      await start(address);
      expect(await contentOf(address)).toEqual(whole);
      if (refusal === undefined) break;
      refusals.push(refusal);
      await runSql(server.url, `drop database ${name}`);
    }
    expect(refusals.join()).toContain('No space left on device');
  });
});
