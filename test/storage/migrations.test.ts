import { existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase, createTables } from '../../src/storage/database.ts';
import { MIGRATIONS, migrate } from '../../src/storage/migrations.ts';
import { createStatements } from '../../src/storage/statements.ts';
import { StoreError } from '../../src/storage/store.ts';
import { createRecords } from '../../src/submissions/record.ts';
import { bytesOnDisk, folder, openStore, recorder } from './temporary.ts';

/** A store without tables, as version 0.1 made them. */
function previousStore(): string {
  const path = join(folder(), 'bot.sqlite');
  const raw = new DatabaseSync(path);
  raw.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE keyv (key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) NOT NULL DEFAULT '',
      expires BIGINT DEFAULT NULL, UNIQUE(key, namespace));
    INSERT INTO keyv (key, value) VALUES ('settings:1', '{"value":"KEPT"}')`);
  raw.close();
  return path;
}

const copies = (path: string) =>
  readdirSync(join(path, '..'))
    .filter((name) => name.includes('.before-'))
    .map((name) => join(path, '..', name));

describe('a store of a previous version', () => {
  it('is migrated, after a copy was made that only its owner may read', async () => {
    const path = previousStore();
    const store = await openStore(path);
    expect(await store.get('settings:1')).toBe('KEPT');
    expect(await store.tables.selectFrom('servers').selectAll().execute()).toEqual([]);
    const [copy, ...others] = copies(path);
    expect(others).toEqual([]);
    expect(copy).toBe(`${path}.before-0001-tables`);
    expect(statSync(String(copy)).mode & 0o777).toBe(0o600);
    const raw = new DatabaseSync(String(copy), { readOnly: true });
    onTestFinished(() => raw.close());
    expect(raw.prepare('SELECT value FROM keyv').all()).toEqual([{ value: '{"value":"KEPT"}' }]);
    expect(raw.prepare("SELECT name FROM sqlite_master WHERE name = 'servers'").all()).toEqual([]);
  });

  it('keeps why servers were not sent, which was written in two forms', async () => {
    const path = join(folder(), 'bot.sqlite');
    const { '0004-reasons': _, ...before } = MIGRATIONS;
    const raw = new DatabaseSync(path);
    const statements = createStatements(raw);
    await migrate({ path, tables: createTables(statements), statements, migrations: before });
    raw.exec(`INSERT INTO submissions (id, guild_id, state, source, again, default_game, interaction_id, created_at)
      VALUES ('5', '1', 'done', 'text', 0, 'cs2', '6', 1)`);
    const servers = raw.prepare(`INSERT INTO servers
      (submission_id, position, guild_id, line, host, port, game, address, outcome, reason)
      VALUES ('5', ?, '1', 1, 'a.example', 1, 'cs2', 'a.example:1', ?, ?)`);
    const down = { kind: 'not-sent', reason: 'rate-limited', detail: '', retryAfterMs: 9 };
    servers.run(0, 'not-sent', '"key"');
    servers.run(1, 'not-sent', JSON.stringify(down));
    servers.run(2, 'unknown', JSON.stringify({ kind: 'nonsense', reason: 'not-json', detail: 'HTTP 200' }));
    servers.run(3, 'unknown', null);
    servers.run(4, 'accepted', null);
    raw.close();
    const store = await openStore(path);
    const record = await createRecords({ database: store }).carriedOutBy('1', '6');
    expect(record?.servers.map(({ outcome }) => outcome)).toEqual([
      { kind: 'not-sent', reason: 'key' },
      down,
      { kind: 'unknown', reason: 'not-json', detail: 'HTTP 200' },
      { kind: 'unknown', reason: 'reset' },
      { kind: 'accepted', message: '' },
    ]);
  });

  it('is copied once, and the copy goes after seven days', async () => {
    const path = previousStore();
    await (await openStore(path)).stop();
    const [copy = ''] = copies(path);
    const { mtimeMs } = statSync(copy);
    await (await openStore(path)).stop();
    expect(statSync(copy).mtimeMs).toBe(mtimeMs);
    const days = (count: number) => Date.now() / 1000 - count * 86_400;
    utimesSync(copy, days(6.9), days(6.9));
    await (await openStore(path)).stop();
    expect(existsSync(copy)).toBe(true);
    utimesSync(copy, days(7.1), days(7.1));
    await openStore(path);
    expect(existsSync(copy)).toBe(false);
  });

  it('loses its copy as soon as something is deleted for good', async () => {
    const path = previousStore();
    const store = await openStore(path);
    await store.erase(() => store.delete('settings:1'));
    expect(copies(path)).toEqual([]);
    expect(bytesOnDisk(path)).not.toContain('KEPT');
  });

  it('is left as it is when no copy can be made', async () => {
    const path = previousStore();
    mkdirSync(`${path}.before-0001-tables`);
    const store = createDatabase({ url: `sqlite://${path}`, logger: recorder() });
    await expect(store.start()).rejects.toThrow(/cannot copy .* before it is migrated/);
    const raw = new DatabaseSync(path, { readOnly: true });
    onTestFinished(() => raw.close());
    expect(raw.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()).toEqual([
      { name: 'keyv' },
    ]);
  });
});

describe('a new store', () => {
  it('has nothing that would have to be copied', async () => {
    const store = await openStore();
    expect(copies(store.path)).toEqual([]);
  });
});

describe('a store of a newer version', () => {
  it('is refused and left as it is', async () => {
    const path = join(folder(), 'bot.sqlite');
    await (await openStore(path)).stop();
    const raw = new DatabaseSync(path);
    raw.exec("INSERT INTO kysely_migration VALUES ('0099-of-next-year', '2027-01-01T00:00:00.000Z')");
    raw.close();
    const before = bytesOnDisk(path);
    const store = createDatabase({ url: `sqlite://${path}`, logger: recorder() });
    const error = await store.start().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toMatch(/was written by a newer version of the bot \(it has "0099-of-next-year"\)/);
    expect(bytesOnDisk(path)).toBe(before);
    expect(copies(path)).toEqual([]);
  });
});

describe('a migration', () => {
  const first = ['create table first (a text)'];
  const second = ['create table second (a text)'];

  /** A file, and its migrations over a connection to it. */
  function store(path = join(folder(), 'bot.sqlite')) {
    const connection = new DatabaseSync(path, { timeout: 5000 });
    onTestFinished(() => connection.close());
    const statements = createStatements(connection);
    const namesIn = (query: string) =>
      connection
        .prepare(query)
        .all()
        .map(({ name }) => name);
    return {
      path,
      migrateTo: (migrations: Parameters<typeof migrate>[0]['migrations']) =>
        migrate({ path, tables: createTables(statements), statements, migrations }),
      tables: () =>
        namesIn(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'kysely%' ORDER BY name",
        ),
      done: () => namesIn('SELECT name FROM kysely_migration ORDER BY name'),
    };
  }

  it('is done once, also by two that start at the same moment on a new store', async () => {
    const one = store();
    const both = [one, store(one.path)];
    await Promise.all(both.map((each) => each.migrateTo({ '1': first, '2': second })));
    expect(one.tables()).toEqual(['first', 'second']);
    expect(one.done()).toEqual(['1', '2']);
  });

  it('leaves a new store as one that was migrated step by step', async () => {
    const [whole, stepwise] = [store(), store()];
    await whole.migrateTo(MIGRATIONS);
    const names = Object.keys(MIGRATIONS);
    for (const [index] of names.entries()) {
      const some = names.slice(0, index + 1).map((name) => [name, MIGRATIONS[name] ?? []] as const);
      await stepwise.migrateTo(Object.fromEntries(some));
    }
    expect(stepwise.done()).toEqual(whole.done());
    expect(schemaOf(stepwise.path)).toEqual(schemaOf(whole.path));
    await whole.migrateTo({ ...MIGRATIONS, '9999-next': second });
    expect(whole.tables()).toContain('second');
  });

  it('runs in the order of the names, whatever order they stand in', async () => {
    const { path, migrateTo, tables } = store();
    await migrateTo({ later: ['insert into first values (1)'], earlier: first });
    expect(new DatabaseSync(path).prepare('SELECT a FROM first').all()).toEqual([{ a: '1' }]);
    await migrateTo({ yet: ['drop table second'], later: [], earlier: [], some: second });
    expect(tables()).toEqual(['first']);
  });

  it('that fails leaves nothing of itself, and those before it stay', async () => {
    const { path, migrateTo, tables } = store();
    await migrateTo({ '1': first });
    await expect(
      migrateTo({ '1': first, '2': second, '3': ['create table other (a text)', 'drop table third'] }),
    ).rejects.toThrow(new StoreError(`cannot migrate ${path}: no such table: third`));
    expect(tables()).toEqual(['first', 'second']);
    await migrateTo({ '3': ['create table third (a text)'], '2': second, '1': first });
    expect(tables()).toEqual(['first', 'second', 'third']);
  });

  it('that fails in a new store leaves it empty', async () => {
    const { migrateTo, tables } = store();
    await expect(migrateTo({ '1': first, '2': ['drop table third'] })).rejects.toThrow(
      'no such table: third',
    );
    expect(tables()).toEqual([]);
  });
});

/** All that makes up the tables, but for Kysely's own. */
const schemaOf = (path: string) =>
  new DatabaseSync(path)
    .prepare(
      "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'kysely%' AND sql IS NOT NULL ORDER BY name",
    )
    .all();
