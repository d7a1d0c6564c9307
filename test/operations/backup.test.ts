import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readStoreConfig } from '../../src/config/config.ts';
import { makeBackup, readLastBackup } from '../../src/operations/backup.ts';
import { restore } from '../../src/operations/restore.ts';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { StoreError } from '../../src/storage/store.ts';
import { bytesOnDisk, folder, openStore, recorder } from '../storage/temporary.ts';
import { runFile } from '../support/program.ts';
import { messageOf, openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';
import { readStored } from '../support/stored.ts';

const ACCEPTED = 'Servers have been added for review.';
const SEALED = /"data":"([^"]+)"/g;

/** Runs `npm run backup -- …` or `restore` as it is in package.json. */
const run = (tool: 'backup' | 'restore', args: readonly string[], env: Readonly<Record<string, string>>) =>
  runFile([`src/${tool}.ts`, ...args], { env });

const store = (data: string) => ({ STORE_URL: `sqlite://${join(data, 'bot.sqlite')}` });

/** A backup of the database in a folder, made in this process; what a process adds to that is looked at by itself. */
const backedUp = (data: string, file: string): Promise<number> =>
  makeBackup({ path: join(data, 'bot.sqlite'), file, logger: recorder() });

/** A database with one value, that no bot runs on. */
async function made(key = 'a:1'): Promise<string> {
  const data = folder();
  const path = join(data, 'bot.sqlite');
  const database = await openStore(path);
  await database.set(key, 'kept');
  await database.stop();
  writeFileSync(`${path}.key`, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  return data;
}

describe('npm run backup', () => {
  it('makes a file for its owner alone, keeps its time, and says what it does not hold', async () => {
    const data = await made();
    const file = join(data, 'copy.sqlite');
    const before = Date.now();
    const done = await run('backup', [file], store(data));
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).toContain(`Backed up ${join(data, 'bot.sqlite')} to ${file} (`);
    expect(done.stdout).toContain(`keep ${join(data, 'bot.sqlite.key')} too`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await readLastBackup(await openStore(join(data, 'bot.sqlite')))).toBeGreaterThanOrEqual(before);
    expect(await (await openStore(file)).get('a:1')).toBe('kept');
    const key = randomBytes(32).toString('hex');
    const second = await run('backup', [`${file}.2`], { ...store(data), ENCRYPTION_KEY: key });
    expect(second.stdout).toContain('keep the value of ENCRYPTION_KEY too');
    expect(second.stdout).not.toContain(key);
    expect(readdirSync(data).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('leaves out what was deleted, also where the database still has its bytes', async () => {
    const data = folder();
    const path = join(data, 'bot.sqlite');
    const database = new DatabaseSync(path);
    database.exec('BEGIN; CREATE TABLE secrets (id INTEGER PRIMARY KEY, text TEXT)');
    const insert = database.prepare('INSERT INTO secrets (text) VALUES (?)');
    for (let each = 0; each < 500; each += 1) insert.run(`secret-${each}-${'x'.repeat(100)}`);
    database.exec('COMMIT; DELETE FROM secrets WHERE id % 3 = 0');
    database.close();
    const file = join(data, 'copy.sqlite');
    await backedUp(data, file);
    const deleted = (bytes: string) =>
      Array.from({ length: 500 }, (_, id) => id).filter(
        (id) => id % 3 === 2 && bytes.includes(`secret-${id}-`),
      );
    expect(deleted(bytesOnDisk(path)).length).toBeGreaterThan(100);
    expect(deleted(bytesOnDisk(file))).toEqual([]);
  });

  it('says in one line what is wrong, and makes nothing', async () => {
    const data = await made();
    const file = join(data, 'copy.sqlite');
    const printed = async (...args: readonly string[]) => {
      const { status, stdout, stderr } = await run('backup', args, store(data));
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^backup: [^\n]+\n$/);
      return stderr;
    };
    for (const args of [[], [file, file]])
      expect(await printed(...args)).toContain('say where to: npm run backup -- FILE');
    expect(await printed(join(data, 'none', 'copy.sqlite'))).toContain(
      `there is no folder ${join(data, 'none')}`,
    );
    // The same way for all further ones.
    const said = async (from = data) => {
      const error = await backedUp(from, file).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreError);
      const { message } = error as StoreError;
      expect(message).not.toContain('\n');
      return message;
    };
    expect(await said(join(data, 'none'))).toContain('there is no database at');
    writeFileSync(file, 'mine');
    expect(await said()).toContain('is there already');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    rmSync(file);
    writeFileSync(join(data, 'bot.sqlite'), Buffer.alloc(8192, 'x'));
    expect(await said()).toMatch(/no backup was made: file is not a database/);
    expect(readdirSync(data).filter((name) => name.startsWith('copy'))).toEqual([]);
  });
});

describe('npm run restore', () => {
  /** In this process; the lines that another one prints and ends with are looked at below. */
  async function refused(data: string, file: string): Promise<string> {
    const files = () =>
      readdirSync(data)
        .filter((name) => !name.endsWith('.lock'))
        .map((name) => [name, readFileSync(join(data, name)).toString('base64')]);
    const before = files();
    const config = readStoreConfig(store(data));
    const error = await restore({ config, file, now: Date.now() }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(files()).toEqual(before);
    const said = error instanceof Error ? error.message : '';
    expect(said).not.toContain('\n');
    return said;
  }

  it('refuses what a bot could not use, and changes nothing', async () => {
    const data = await made();
    const file = join(folder(), 'copy.sqlite');
    expect(await refused(data, file)).toContain(`there is no file ${file}`);
    expect(await refused(data, join(data, 'bot.sqlite'))).toContain('is the database itself');
    writeFileSync(file, '');
    expect(await refused(data, file)).toContain('it is no database of this bot');
    writeFileSync(file, 'no database at all');
    expect(await refused(data, file)).toMatch(/it is damaged, or no backup at all \(.*not a file of SQLite/);
    rmSync(file);
    new DatabaseSync(file).exec('CREATE TABLE other (id)');
    expect(await refused(data, file)).toContain('it is no database of this bot');
    // Nor where there is no database yet.
    const empty = folder();
    expect(await refused(empty, file)).toContain('it is no database of this bot');
  });

  it('refuses a backup that a newer version has written, and a damaged one', async () => {
    const data = await made();
    const file = join(folder(), 'copy.sqlite');
    await backedUp(data, file);
    const newer = new DatabaseSync(file);
    newer.prepare("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01')").run();
    newer.close();
    expect(Object.keys(MIGRATIONS)).not.toContain('9999-later');
    expect(await refused(data, file)).toContain(
      'a newer version of the bot has written it (it has "9999-later"): update the bot first',
    );
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 4096, 8192));
    expect(await refused(data, file)).toContain('it is damaged, or no backup at all');
  });

  it('keeps what it replaces, with what was in its log only', async () => {
    const data = await made('a:previous');
    const path = join(data, 'bot.sqlite');
    const other = await made('a:restored');
    const file = join(folder(), 'copy.sqlite');
    await backedUp(other, file);
    // A bot that ended without notice leaves its log.
    const script = `const { DatabaseSync } = require('node:sqlite'); const d = new DatabaseSync(process.argv[1]);
      d.exec("UPDATE keyv SET value = replace(value, 'kept', 'late')"); process.kill(process.pid, 'SIGKILL');`;
    await once(spawn(process.execPath, ['-e', script, path]), 'close');
    expect(existsSync(`${path}-wal`)).toBe(true);
    const done = await run('restore', [file], store(data));
    expect(done).toMatchObject({ status: 0, stderr: '' });
    const [, kept = ''] = /is kept as (\S+):/.exec(done.stdout) ?? [];
    expect(kept).toMatch(/bot\.sqlite\.replaced-[\dTZ-]+$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await (await openStore(kept)).get('a:previous')).toBe('late');
    const now = await openStore(path);
    expect([await now.get('a:restored'), await now.get('a:previous')]).toEqual(['kept', undefined]);
  });

  it('takes a copy that was made by hand, with its log', async () => {
    const data = await made();
    const path = join(data, 'bot.sqlite');
    const script = `const { DatabaseSync } = require('node:sqlite'); const d = new DatabaseSync(process.argv[1]);
      d.exec("UPDATE keyv SET value = replace(value, 'kept', 'late')"); process.kill(process.pid, 'SIGKILL');`;
    await once(spawn(process.execPath, ['-e', script, path]), 'close');
    const copies = folder();
    for (const each of ['', '-wal']) copyFileSync(path + each, join(copies, `copy${each}`));
    const empty = join(folder(), 'new');
    const done = await run('restore', [join(copies, 'copy')], store(empty));
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).not.toContain('is kept as');
    expect(await (await openStore(join(empty, 'bot.sqlite'))).get('a:1')).toBe('late');
  });
});

describe('a backup of a bot that members are using', () => {
  const env = (scene: Scene) => store(scene.data);
  const submit = (scene: Scene, server: string) => scene.member.slash('addserver', { game: 'cs2', server });
  const requestsFor = (scene: Scene, host: string) =>
    scene.listing.requests.filter(({ servers }) => servers.some(({ server }) => server === host)).length;
  const sealedIn = (bytes: string) => new Set([...bytes.matchAll(SEALED)].map(([, data]) => data));

  it('restores to a bot that answers, sends nothing a second time, and has no key that was removed', async () => {
    const scene = await openAppScene({ key: 'sandbox-key', env: { LISTING_API_TIMEOUT_MS: '6000' } });
    onTestFinished(() => scene.close());
    const path = join(scene.data, 'bot.sqlite');
    const second = scene.person({ role: 'admin', guild: 1 });
    const without = sealedIn(bytesOnDisk(path));
    await setKey(second, 'sandbox-key');
    const removed = sealedIn(bytesOnDisk(path)).difference(without);
    expect(removed.size).toBeGreaterThan(0);
    const question = messageOf(await second.slash('removekey'));
    expect(textOf(await second.press(question, 'Remove the key'))).toContain('Deleted');

    await scene.listing.behave({ kind: 'hang', carriedOut: true }, 1);
    const underWay = submit(scene, 'under-way.example.com:1');
    await expect.poll(() => requestsFor(scene, 'under-way.example.com')).toBe(1);
    const load = Array.from({ length: 20 }, (_, each) => submit(scene, `load-${each}.example.com:1`));
    const file = join(folder(), 'copy.sqlite');
    expect(await run('backup', [file], env(scene))).toMatchObject({ status: 0, stderr: '' });
    await Promise.all([underWay, ...load]);
    const bytes = readFileSync(file, 'latin1');
    expect(sealedIn(bytes).size).toBeGreaterThan(0);
    expect([...removed].filter((sealed) => bytes.includes(String(sealed)))).toEqual([]);

    const running = await run('restore', [file], env(scene));
    expect(running.stderr).toMatch(/^restore: another bot runs on the database [^\n]+\n$/);
    await scene.bot.stop();
    expect(await run('restore', [file], env(scene))).toMatchObject({ status: 0, stderr: '' });
    expect(readStored(scene.data).unfinished).toEqual([]);
    await scene.startBot();
    expect(textOf(await submit(scene, 'after.example.com:1'))).toContain(ACCEPTED);
    expect(textOf(await submit(scene, 'under-way.example.com:1'))).toContain('may have been received');
    expect(requestsFor(scene, 'under-way.example.com')).toBe(1);
    const stored = readStored(scene.data);
    expect(stored.ended(scene.member.guildId, 'under-way.example.com')).toEqual(['unknown']);
    expect(textOf(await second.slash('removekey'))).toContain('there is nothing to remove');
  });

  it('is refused where the key that opens it is not at hand', async () => {
    const scene = await openAppScene({ key: 'sandbox-key' });
    onTestFinished(() => scene.close());
    const file = join(folder(), 'copy.sqlite');
    await backedUp(scene.data, file);
    const data = folder();
    const without = await run('restore', [file], store(data));
    expect(without).toMatchObject({ status: 1, stdout: '' });
    expect(without.stderr).toContain(`${join(data, 'bot.sqlite.key')} is missing; put`);
    expect(without.stderr).toMatch(/^restore: [^\n]+\n$/);
    const another = await run('restore', [file], { ...store(data), ENCRYPTION_KEY: 'a'.repeat(64) });
    expect(another.stderr).toMatch(
      /nothing was changed: the data was encrypted with another key \(its id is/,
    );
    expect(readdirSync(data)).toEqual(['bot.sqlite.lock']);
    copyFileSync(join(scene.data, 'bot.sqlite.key'), join(data, 'bot.sqlite.key'));
    expect(await run('restore', [file], store(data))).toMatchObject({ status: 0, stderr: '' });
  });
});
