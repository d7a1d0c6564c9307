import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFileLock, createStoreLock } from '../../src/storage/lock.ts';
import { createStore } from '../../src/storage/store.ts';
import { StoreError, UnusableStoreError } from '../../src/storage/store-error.ts';
import { sqliteAt } from '../../src/store-url.ts';
import { openStore } from '../support/database.ts';
import { folder, recorder } from '../support/machine.ts';

/** Starts a store with this file, and returns the error. */
async function refusal(path: string, kind = StoreError): Promise<string> {
  const store = createStore({ url: sqliteAt(path), logger: recorder() });
  onTestFinished(() => store.stop());
  const error = await store.start().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(kind);
  return error instanceof Error ? error.message : '';
}

/** Creates a file with 300 values, and closes its store. */
async function filled(): Promise<string> {
  const store = await openStore();
  for (let number = 0; number < 300; number += 1) await store.values.set(`k:${number}`, 'x'.repeat(500));
  await store.stop();
  return store.path;
}

describe('opening a database', () => {
  const advice = /^cannot write to .*: .+; check its owner and free space$/;

  it('fails if a parent folder is a file', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, 'x');
    expect(await refusal(join(file, 'data', 'bot.sqlite'))).toMatch(advice);
  });

  it('fails if the path is a folder', async () => {
    const path = join(folder(), 'bot.sqlite');
    mkdirSync(path);
    expect(await refusal(path)).toMatch(advice);
  });

  it("fails if the folder isn't writable", async () => {
    // This folder belongs to the user who runs the test. For another user's folder, the explanation is different.
    expect(await refusal(`/proc/${process.pid}/bot.sqlite`)).toMatch(advice);
  });

  it('fails if the file is read-only', async () => {
    const path = await filled();
    const bytes = readFileSync(path);
    // Root can write to any file, but SQLite can't write to a file from a later version (File Format 1.3.3).
    writeFileSync(path, bytes.fill(3, 18, 19));
    expect(await refusal(path)).toMatch(advice);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('fails if another process holds a lock on the file', async () => {
    const path = await filled();
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const message = await refusal(path);
    expect(message).toMatch(advice);
    expect(message).toContain('database is locked');
  });
});

describe('a database file', () => {
  it.each<[how: string, damage: (bytes: Buffer) => Buffer]>([
    ['is not a database', () => Buffer.from('This is the diary of somebody.')],
    ['is overwritten in the middle', (bytes) => bytes.fill(0xa5, bytes.length / 2, bytes.length / 2 + 5_000)],
    ['is overwritten after its header', (bytes) => bytes.fill(0xa5, 1_000, 6_000)],
    ['is cut off', (bytes) => bytes.subarray(0, 50_000)],
  ])('is rejected and left unchanged if it %s', async (_, damage) => {
    const path = await filled();
    const bytes = damage(readFileSync(path));
    writeFileSync(path, bytes);
    expect(await refusal(path, UnusableStoreError)).toMatch(/is damaged \(.+\)\. Nothing was changed/s);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});

it('a database from a newer version is left unchanged', async () => {
  const path = await filled();
  const database = new DatabaseSync(path);
  database.exec("INSERT INTO kysely_migration VALUES ('9.0-of-next-year', '2027-01-01T00:00:00.000Z')");
  database.close();
  const bytes = readFileSync(path);
  expect(await refusal(path)).toContain('by a newer version');
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

describe('the SQLite lock', () => {
  it('lets only one bot use the file, even via different paths', async () => {
    const path = join(folder(), 'data', 'bot.sqlite');
    const [first, second] = [createFileLock(path), createFileLock(path)];
    await first.start();
    const link = join(folder(), 'link.sqlite');
    symlinkSync(path, link);
    await expect(second.start()).rejects.toThrow(
      /another bot is running on the database .*data\/bot\.sqlite/,
    );
    await expect(createFileLock(link).start()).rejects.toThrow(StoreError);
    await first.stop();
    await second.start();
    await second.stop();
    expect(existsSync(`${path}.lock-journal`)).toBe(false);
  });

  it('is reacquired if the lock file is deleted', async () => {
    const [path, logger] = [join(folder(), 'bot.sqlite'), recorder()];
    const first = createStoreLock({ url: sqliteAt(path), logger });
    await first.start();
    onTestFinished(() => first.stop());
    rmSync(`${path}.lock`);
    await expect.poll(() => existsSync(`${path}.lock`)).toBe(true);
    await expect(createFileLock(path).start()).rejects.toThrow(/another bot is running on the database/);
    expect(logger.lines).toEqual([]);
  });

  it('is reported as lost if another bot has locked the recreated file', async () => {
    const [path, logger] = [join(folder(), 'bot.sqlite'), recorder()];
    const [first, second] = [createStoreLock({ url: sqliteAt(path), logger }), createFileLock(path)];
    await first.start();
    onTestFinished(() => first.stop());
    rmSync(`${path}.lock`);
    await second.start();
    const seen = () => logger.lines.map(({ level, details }) => `${level}: ${Object(details).err}`);
    await expect.poll(() => seen()[0]).toMatch(/^error: StoreError: another bot is running on the database/);
    await second.stop();
    await expect.poll(() => createFileLock(path).start().catch(String)).toMatch(/another bot is running/);
  });
});
