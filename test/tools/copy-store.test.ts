import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { withDatabaseFile } from '../../src/storage/database-file.ts';
import { createStoreEncryption } from '../../src/storage/encryption-key.ts';
import { createStoreLock } from '../../src/storage/lock.ts';
import type { Store } from '../../src/storage/store.ts';
import { type StoreUrl, sqliteAt } from '../../src/store-url.ts';
import { Secret } from '../../src/text/secret.ts';
import { addDone } from '../support/builders.ts';
import { hasPostgres, newDatabase, openStoreAt, rowsIn } from '../support/database.ts';
import { folder, recorder, runFile, runToolInProcess } from '../support/machine.ts';

const KEY = randomBytes(32).toString('base64');
const API_KEY = new Secret('the-api-key-of-the-guild');
const GUILD = '100';

/** Runs `npm run copy-store -- …` as defined in package.json, with a PostgreSQL database in STORE_URL. */
const copy = (
  args: readonly string[],
  STORE_URL: string,
  env: Readonly<Record<string, string>> = {},
  runTool = runToolInProcess,
) => runTool(['src/tools/copy-store.ts', ...args], { env: { STORE_URL, ENCRYPTION_KEY: KEY, ...env } });

async function database() {
  const made = await newDatabase();
  onTestFinished(made.drop);
  return made;
}

const newFile = () => sqliteAt(join(folder(), 'bot.sqlite'));

async function keysOver(store: Store) {
  const encryption = createStoreEncryption({ configured: [new Secret(KEY)], store, logger: recorder() });
  await encryption.start();
  return createApiKeys({ store, encryption, now: Date.now, logger: recorder() });
}

/** More rows than fit into one statement. */
const HOSTS = Array.from({ length: 1_201 }, (_, number) => `s${number}.example.com`);

async function fill(url: StoreUrl): Promise<void> {
  const store = await openStoreAt(url);
  await (await keysOver(store)).set(GUILD, API_KEY, { by: { id: '1', name: 'Ada' } });
  await addDone(store, { id: '1', guildId: GUILD, userId: '1', at: Date.UTC(2026, 0), hosts: HOSTS });
  await addDone(store, {
    id: '2',
    guildId: GUILD,
    userId: '1',
    at: 1,
    hosts: ['b'],
    message: "it’s “ä” \\ '",
  });
  await store.tables().insertInto('used').values({ guild_id: '9', count: 1, until: 1 }).execute();
  await store.tables().insertInto('guild_departures').values({ guild_id: '9', unused_since: 1 }).execute();
  await store.stop();
}

/** Returns everything in a database. */
async function contentOf(url: StoreUrl) {
  const store = await openStoreAt(url);
  const rows = new Set<string>();
  for (const table of ['servers', 'submissions', 'used', 'guild_departures'] as const) {
    for (const row of await rowsIn(store, table)) rows.add(JSON.stringify(row, Object.keys(row).toSorted()));
  }
  const key = await (await keysOver(store)).get(GUILD);
  await store.stop();
  return { rows, key: key?.key.reveal(), setAt: key?.setAt };
}

describe.skipIf(!hasPostgres())('npm run copy-store', () => {
  it('copies everything from SQLite to PostgreSQL, and back', async () => {
    const [file, back, { url, query, storeUrl }] = [newFile(), newFile(), await database()];
    await fill(file);
    const before = await contentOf(file);
    expect(before.key).toBe(API_KEY.reveal());

    const there = await copy([file.name, 'STORE_URL'], url, {}, runFile);
    expect(there).toMatchObject({ status: 0, stderr: '' });
    expect(there.stdout).toContain(`Copied ${file.name} to ${storeUrl.name}, and counted the rows: `);
    expect(there.stdout).toContain('2 of submissions, 1202 of servers, 1 of used, 1 of guild_departures');
    expect(await contentOf(storeUrl)).toEqual(before);

    const values = () => query("select key, value from keyv where key <> 'health:write-test' order by key");
    const source = await values();
    expect(source).toContainEqual(expect.objectContaining({ key: 'store:place' }));
    expect(await copy(['STORE_URL', back.name], url)).toMatchObject({ status: 0, stderr: '' });
    expect(await contentOf(back)).toEqual(before);
    expect(await contentOf(file)).toEqual(before);
    expect(await values()).toEqual(source);
  });

  it("doesn't time out if counting rows is slow", async () => {
    const [file, back, { url, query, storeUrl }] = [newFile(), newFile(), await database()];
    await fill(file);
    expect((await copy([file.name, 'STORE_URL'], url)).status).toBe(0);
    await query('alter table guild_departures rename to departures');
    await query('create view guild_departures as select departures.* from departures, pg_sleep(3)');
    expect(await copy(['STORE_URL', back.name], url)).toMatchObject({ status: 0, stderr: '' });
    await query('drop view guild_departures');
    await query('alter table departures rename to guild_departures');
    expect(await contentOf(back)).toEqual(await contentOf(storeUrl));
  });

  it("lists copied records that the key can't decrypt", async () => {
    const [file, { url }] = [newFile(), await database()];
    await fill(file);
    const store = await openStoreAt(file);
    await store.values.set('api-key:200', { sealed: 'damaged' });
    await store
      .tables()
      .insertInto('interactions')
      .values({ id: '7', guild_id: GUILD, process_id: 'one', taken_at: 1, encrypted: 'torn' })
      .execute();
    await store.stop();
    const { status, stderr } = await copy([file.name, 'STORE_URL'], url);
    expect(status).toBe(0);
    expect(stderr).toBe('copy-store: ENCRYPTION_KEY cannot decrypt 2 records: api-key:200, interaction 7\n');
  });

  it.each(['from', 'to'] as const)("doesn't copy %s a database that a bot is using", async (side) => {
    const [file, { url, storeUrl }] = [newFile(), await database()];
    await fill(file);
    const lock = createStoreLock({ url: side === 'from' ? file : storeUrl, logger: recorder() });
    await lock.start();
    onTestFinished(() => lock.stop());
    const { status, stderr } = await copy([file.name, 'STORE_URL'], url);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^copy-store: another bot is running on the database [^\n]+\n$/);
  });

  it('rejects a non-empty target without changing it', async () => {
    const [file, { url, storeUrl, query }] = [newFile(), await database()];
    await fill(file);
    await (await openStoreAt(storeUrl)).values.set('a:1', 1);
    const { status, stderr } = await copy([file.name, 'STORE_URL'], url);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^copy-store: the target database postgres:\S+ is not empty\. Nothing was copied: create another one with createdb/,
    );
    expect(await query('select count(*) from servers')).toEqual([{ count: '0' }]);
  });

  it('rejects a source that needs a migration', async () => {
    const [file, { url, storeUrl, query }] = [newFile(), await database()];
    const forget = 'delete from kysely_migration';
    await fill(file);
    withDatabaseFile(file.path, (opened) => opened.exec(forget), true);
    await (await openStoreAt(storeUrl)).stop();
    await query(forget);
    const before = readFileSync(file.path);
    for (const args of [
      [file.name, 'STORE_URL'],
      ['STORE_URL', newFile().name],
    ]) {
      const { status, stderr } = await copy(args, url);
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /^copy-store: the database [^\n]+: start this version of the bot on it once\.\n$/,
      );
    }
    expect(readFileSync(file.path).equals(before)).toBe(true);
    expect(await query('select name from kysely_migration')).toEqual([]);
  });

  it('rejects a wrong or missing encryption key', async () => {
    const [file, { url, query }] = [newFile(), await database()];
    await fill(file);
    const another = randomBytes(32).toString('base64');
    const wrong = await copy([file.name, 'STORE_URL'], url, { ENCRYPTION_KEY: another });
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('encrypted with another key') });
    const none = await copy([file.name, 'STORE_URL'], url, { ENCRYPTION_KEY: '' });
    expect(none).toMatchObject({ status: 1, stderr: expect.stringContaining('ENCRYPTION_KEY is missing') });
    expect(await query('select count(*) from servers')).toEqual([{ count: '0' }]);
  });

  it('rejects a password passed as an argument', async () => {
    const { url } = await database();
    const password = new URL(url).password;
    for (const [args, words] of [
      [[url, 'sqlite://a'], 'everyone on this machine can read it'],
      [['NO_SUCH_URL', 'STORE_URL'], 'NO_SUCH_URL must be a URL'],
      [['STORE_URL'], 'specify the source and the target'],
      [[`sqlite://${folder()}/none.sqlite`, 'STORE_URL'], 'there is no database at'],
    ] as const) {
      const { status, stdout, stderr } = await copy(args, url);
      expect(status).toBe(1);
      expect(stderr).toContain(words);
      expect(stdout + stderr).not.toContain(password);
    }
  });
});
