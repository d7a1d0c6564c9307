import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { readStoreConfig } from '../../src/config/config.ts';
import { makeBackup } from '../../src/operations/make-backup.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { restore } from '../../src/tools/restore-backup.ts';
import { oneBot, textOf } from '../support/bot.ts';
import { addDone, partsOver } from '../support/builders.ts';
import { bytesOnDisk, openStore, rowsIn } from '../support/database.ts';
import { folder, recorder, runFile, runToolInProcess } from '../support/machine.ts';
import { ACCEPTED, addServer, addsOf } from '../support/people.ts';

/** Runs `npm run backup -- …` or `npm run restore -- …` as defined in package.json. */
const run = (
  tool: 'backup' | 'restore',
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  runTool = runToolInProcess,
) => runTool([`src/tools/${tool}.ts`, ...args], { env });

/** Variables for the doctor, whose checks of Discord and the listing service fail. */
const REQUIRED = {
  DISCORD_TOKEN: 'aaa.bbb.ccc',
  DISCORD_API_URL: 'http://127.0.0.1:9/api',
  LISTING_API_URL: 'http://127.0.0.1:9',
};

const pathIn = (data: string) => join(data, 'bot.sqlite');
const store = (data: string) => ({ STORE_URL: `sqlite://${pathIn(data)}` });

/** Creates a folder with a database that contains a single value and isn't in use. */
async function made(key = 'a:1'): Promise<string> {
  const data = folder();
  const opened = await openStore(pathIn(data));
  await opened.values.set(key, 'kept');
  await opened.stop();
  writeFileSync(`${pathIn(data)}.key`, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  return data;
}

const backUp = (data: string, file: string, logger = recorder()) =>
  makeBackup({ path: pathIn(data), file, logger });

async function valueIn(path: string, key: string): Promise<unknown> {
  const opened = await openStore(path);
  const value = await opened.values.get(key);
  await opened.stop();
  return value;
}

/** Returns the action's error message, and checks that it has a single line. */
async function refusalOf(action: Promise<unknown>): Promise<string> {
  const error = await action.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  const { message } = error as StoreError;
  expect(message).not.toContain('\n');
  return message;
}

/** Runs a bot that changes the value, and kills it, which leaves the change only in the write-ahead log. */
async function changedAndKilled(data: string): Promise<void> {
  const script = `const { DatabaseSync } = require('node:sqlite'); const database = new DatabaseSync(process.argv[1]);
    database.exec("UPDATE keyv SET value = replace(value, 'kept', 'late')"); process.kill(process.pid, 'SIGKILL');`;
  await once(spawn(process.execPath, ['-e', script, pathIn(data)]), 'close');
  expect(readFileSync(pathIn(data), 'latin1')).not.toContain('late');
}

describe('npm run backup', () => {
  it('creates a file that only its owner can access', async () => {
    const data = await made();
    const file = join(data, 'copy.sqlite');
    const done = await run('backup', [file], store(data), runFile);
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).toContain(`Backed up ${pathIn(data)} to ${file} (`);
    expect(done.stdout).toContain(`keep ${pathIn(data)}.key too`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await valueIn(file, 'a:1')).toBe('kept');
    expect(readdirSync(data).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it("doesn't start if there isn't enough disk space", async () => {
    const data = await made();
    const preload = new URL('../support/preloads/full-disk.ts', import.meta.url);
    const env = { ...store(data), NODE_OPTIONS: `--import=${preload}` };
    const { status, stderr } = await run('backup', [join(data, 'copy.sqlite')], env, runFile);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^backup: could not make a backup: only 3 MiB is free in .*, but 100 MiB is needed\n$/,
    );
    expect(readdirSync(data).join()).not.toContain('copy');
  });

  it('omits deleted data, even if the database still contains its bytes', async () => {
    const data = folder();
    const database = new DatabaseSync(pathIn(data));
    database.exec("CREATE TABLE keyv (key TEXT, value TEXT); INSERT INTO keyv VALUES ('a', 'the-secret')");
    database.exec('DELETE FROM keyv');
    database.close();
    const file = join(data, 'copy.sqlite');
    await backUp(data, file);
    expect(bytesOnDisk(pathIn(data))).toContain('the-secret');
    expect(bytesOnDisk(file)).not.toContain('the-secret');
  });

  it('overwrites files left behind by a killed backup', async () => {
    const data = await made();
    const database = new DatabaseSync(pathIn(data));
    database.exec(`CREATE TABLE large AS
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT zeroblob(1000000) FROM n`);
    database.close();
    const out = folder();
    const partials = () => readdirSync(out).filter((name) => name.includes('partial'));
    const killed = spawn(process.execPath, ['src/tools/backup.ts', join(out, 'monday.sqlite')], {
      env: store(data),
    });
    await expect.poll(partials, { interval: 5 }).not.toEqual([]);
    killed.kill('SIGKILL');
    await once(killed, 'close');
    expect(partials()).not.toEqual([]);
    await backUp(data, join(out, 'tuesday.sqlite'));
    expect(readdirSync(out)).toEqual(['tuesday.sqlite']);
  });

  it("prints a warning if the folder can't be synced", async () => {
    const data = await made();
    // Files can be created in this folder, but the folder itself can't be opened.
    const out = join(data, 'out');
    mkdirSync(out);
    chmodSync(out, 0o300);
    const file = join(out, 'copy.sqlite');
    const done = await runFile(['src/tools/backup.ts', file], { env: store(data), isOrdinary: true });
    // Only root can remove files from a folder that can't be opened.
    chmodSync(out, 0o700);
    expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining('and checked it') });
    expect(done.stderr).toMatch(
      /^backup: the backup is complete, but may be lost in a power failure: EACCES/,
    );
    expect(await valueIn(file, 'a:1')).toBe('kept');
  });

  it('reports errors on a single line without creating a file', async () => {
    const data = await made();
    const file = join(data, 'copy.sqlite');
    const usage = await run('backup', [file, file], store(data));
    expect(usage).toMatchObject({ status: 1, stdout: '' });
    expect(usage.stderr).toBe('backup: specify the file: npm run backup -- FILE\n');

    expect(await refusalOf(backUp(data, join(data, 'none', 'copy')))).toContain('there is no folder');
    expect(await refusalOf(backUp(join(data, 'none'), file))).toContain('there is no database at');
    writeFileSync(file, 'mine');
    expect(await refusalOf(backUp(data, file))).toContain('already exists');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    rmSync(file);
    writeFileSync(pathIn(data), Buffer.alloc(8192, 'x'));
    expect(await refusalOf(backUp(data, file))).toMatch(/could not make a backup: file is not a database/);
    expect(readdirSync(data).filter((name) => name.startsWith('copy'))).toEqual([]);
  });
});

it.each(['backup', 'restore'] as const)('npm run %s suggests an alternative for PostgreSQL', async (tool) => {
  const env = {
    STORE_URL: 'postgres://bot:the-password@127.0.0.1:1/listing',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const { status, stdout, stderr } = await run(tool, [join(folder(), 'backup')], env);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^\w+: the data is in PostgreSQL \(postgres:\/\/127\.0\.0\.1:1\/listing\): .* with pg_\w+.*\n$/,
  );
});

describe('npm run restore', () => {
  /** Returns why a file is rejected, and checks that the folder hasn't changed. */
  async function refused(data: string, file: string): Promise<string> {
    const files = () =>
      readdirSync(data)
        .filter((name) => !name.endsWith('.lock'))
        .map((name) => [name, readFileSync(join(data, name)).toString('base64')]);
    const before = files();
    const said = await refusalOf(restore({ config: readStoreConfig(store(data)), file }));
    expect(files()).toEqual(before);
    return said;
  }

  it('rejects an unusable file without changing the database', async () => {
    const data = await made();
    const file = join(folder(), 'copy.sqlite');
    expect(await refused(data, file)).toContain(`there is no file ${file}`);
    expect(await refused(data, pathIn(data))).toContain('is the database itself');
    writeFileSync(file, '');
    expect(await refused(data, file)).toContain('this database was not created by this bot');
    expect(await refused(folder(), file)).toContain('this database was not created by this bot');
    writeFileSync(file, 'no database at all');
    expect(await refused(data, file)).toBe(
      `${file} was not restored: this backup is damaged (file is not a database): use another one. Nothing was changed.`,
    );
  });

  it('keeps the old database, including changes in the write-ahead log', async () => {
    const data = await made('a:previous');
    const file = join(folder(), 'copy.sqlite');
    await backUp(await made('a:restored'), file);
    await changedAndKilled(data);
    const done = await run('restore', [file], store(data), runFile);
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).toContain('Approving one would send it again');
    const [, kept = ''] = /is kept as (\S+):/.exec(done.stdout) ?? [];
    expect(kept).toMatch(/bot\.sqlite\.replaced-[\dTZ-]+$/);
    expect(await valueIn(kept, 'a:previous')).toBe('late');
    expect(statSync(pathIn(data)).mode & 0o777).toBe(0o600);
    expect(await valueIn(pathIn(data), 'a:restored')).toBe('kept');
    expect(await valueIn(pathIn(data), 'a:previous')).toBeUndefined();
  });

  it('keeps the old database even if it is corrupted', async () => {
    const [data, file] = [await made(), join(folder(), 'copy.sqlite')];
    await backUp(await made('a:restored'), file);
    writeFileSync(pathIn(data), 'no database at all');
    writeFileSync(`${pathIn(data)}-wal`, 'no log');
    const kept = (await restore({ config: readStoreConfig(store(data)), file })) ?? '';
    expect(readFileSync(kept, 'utf8')).toBe('no database at all');
    expect(readFileSync(`${kept}-wal`, 'utf8')).toBe('no log');
    expect(await valueIn(pathIn(data), 'a:restored')).toBe('kept');
  });

  it('leaves a usable database behind if killed', async () => {
    const file = join(folder(), 'copy.sqlite');
    await backUp(await made('a:restored'), file);
    const preload = new URL('../support/preloads/killed-restore.ts', import.meta.url);
    const left: unknown[] = [];
    for (let before = 1, status: number | null = null; status === null; before += 1) {
      const data = await made('a:previous');
      await changedAndKilled(data);
      const env = { ...store(data), NODE_OPTIONS: `--import=${preload}`, KILLED_BEFORE: String(before) };
      ({ status } = await run('restore', [file], env, runFile));
      const kept = readdirSync(data).filter((name) => /\.replaced-[\dTZ-]+$/.test(name));
      for (const name of kept) expect(await valueIn(join(data, name), 'a:previous')).toBe('late');
      const [previous, restored] = [
        await valueIn(pathIn(data), 'a:previous'),
        await valueIn(pathIn(data), 'a:restored'),
      ];
      left.push(status === null ? [previous ?? 'lost', restored ?? 'not restored'] : 'done');
    }
    expect(left.length).toBeGreaterThan(3);
    expect(left.at(-1)).toBe('done');
    for (const each of left.slice(0, -1))
      expect([
        ['late', 'not restored'],
        ['lost', 'kept'],
      ]).toContainEqual(each);
  });

  it('marks all unfinished submissions as unknown, even unsent ones', async () => {
    const data = await made();
    const opened = await openStore(pathIn(data));
    await addDone(opened, { id: '1', guildId: '7', userId: '9', at: 5, hosts: ['a.example'], outcome: null });
    await opened.tables().updateTable('servers').set({ sent_at: null }).execute();
    await opened.stop();
    const file = join(folder(), 'copy.sqlite');
    await backUp(data, file);

    await restore({ config: readStoreConfig(store(data)), file });
    const restored = await openStore(pathIn(data));
    await partsOver(restored).submissions.endAbandoned('7');
    expect(await rowsIn(restored, 'servers')).toMatchObject([{ outcome: 'unknown' }]);
  });

  it.each(['backup:last', 'backup:failed'])("doesn't restore the value %s", async (name) => {
    const data = await made(name);
    const file = join(folder(), 'copy.sqlite');
    await backUp(data, file);
    await restore({ config: readStoreConfig(store(data)), file });
    expect(await valueIn(pathIn(data), name)).toBeUndefined();
  });

  it('frees unused disk space', async () => {
    const data = await made();
    const opened = await openStore(pathIn(data));
    await opened.values.set('a:large', 'x'.repeat(2_000_000));
    await opened.values.delete('a:large');
    await opened.stop();
    const { stdout } = await runToolInProcess(['src/tools/doctor.ts'], {
      env: { ...REQUIRED, ...store(data) },
    });
    expect(stdout).toMatch(/^ok +Disk .* takes 2,\d+ KiB, of which 1,9\d+ KiB is unused: see "Disk space"/m);
    const file = join(data, 'copy.sqlite');
    expect(await run('backup', [file], store(data))).toMatchObject({ status: 0 });
    expect(await run('restore', [file], store(data))).toMatchObject({ status: 0 });
    expect(statSync(pathIn(data)).size).toBeLessThan(500_000);
    expect(await valueIn(pathIn(data), 'a:1')).toBe('kept');
  });

  it('restores a manual copy, including the write-ahead log', async () => {
    const data = await made();
    await changedAndKilled(data);
    const copy = join(folder(), 'copy');
    for (const suffix of ['', '-wal']) copyFileSync(pathIn(data) + suffix, copy + suffix);
    const empty = join(folder(), 'new');
    const done = await run('restore', [copy], store(empty));
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).not.toContain('is kept as');
    expect(await valueIn(pathIn(empty), 'a:1')).toBe('late');
  });
});

describe('a backup of a running bot', () => {
  it('can be restored without sending any server twice', async () => {
    const bot = await oneBot();
    const { member } = await bot.newGuild({ key: 'sandbox-key' });
    const submit = async (server: string) => textOf(await addServer(member, server));
    const requestsFor = (host: string) => addsOf(bot, host).length;

    await bot.listing.behave({ kind: 'slow', ms: 500 }, 1);
    const underWay = submit('under-way.example.com:1');
    await expect.poll(() => requestsFor('under-way.example.com')).toBe(1);
    const file = join(folder(), 'copy.sqlite');
    await backUp(bot.data, file);
    await underWay;

    const config = readStoreConfig(store(bot.data));
    const restored = () => restore({ config, file });
    expect(await refusalOf(restored())).toContain('another bot is running on the database');
    await bot.process.stop();
    const elsewhere = folder();
    const without = await refusalOf(restore({ config: readStoreConfig(store(elsewhere)), file }));
    expect(without).toContain(`its key is missing: put ${pathIn(elsewhere)}.key back`);
    const another = readStoreConfig({ ...store(elsewhere), ENCRYPTION_KEY: 'a'.repeat(64) });
    expect(await refusalOf(restore({ config: another, file }))).toContain('encrypted with another key');

    await restored();
    await bot.start();
    expect(await submit('after.example.com:1')).toContain(ACCEPTED);
    expect(await submit('under-way.example.com:1')).toContain('It may have arrived');
    expect(requestsFor('under-way.example.com')).toBe(1);
  });
});
