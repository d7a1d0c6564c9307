import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createStoreEncryption } from '../../src/storage/encryption-key.ts';
import { createFileLock } from '../../src/storage/lock.ts';
import { openStore } from '../support/database.ts';
import { folder, recorder, runFile } from '../support/machine.ts';
import { TOKEN } from '../support/small-bot.ts';

/** Creates a database with an encryption key, as a bot does at its first start. */
async function filled(): Promise<string> {
  const store = await openStore(join(folder(), 'bot.sqlite'));
  await createStoreEncryption({ store, logger: recorder() }).start();
  await store.stop();
  return store.path;
}

/** Starts a bot with this database. The bot never gets as far as Discord. */
function start(path: string, args: readonly string[] = [], onStart?: (child: ChildProcess) => void) {
  const env = {
    DISCORD_TOKEN: TOKEN,
    DISCORD_API_URL: 'http://127.0.0.1:1/api',
    LISTING_API_URL: 'http://127.0.0.1:1',
    STORE_URL: `sqlite://${path}`,
  };
  return runFile(['src/start.js', ...args], { env, isOrdinary: true, ...(onStart && { onStart }) });
}

type Problem = readonly [what: string, cause: (path: string) => unknown, message: RegExp];

const newKey = () => `${randomBytes(32).toString('base64')}\n`;

function addMigration(path: string): void {
  using database = new DatabaseSync(path);
  database.exec("INSERT INTO kysely_migration VALUES ('9.0-of-next-year', '2027-01-01T00:00:00.000Z')");
}

describe('a bot with permanently unusable data', () => {
  // encryption-key.test.ts and database-faults.test.ts check that other problems cause the same errors.
  it.each<Problem>([
    ['another key', (path) => writeFileSync(`${path}.key`, newKey()), /encrypted with another key/],
    ['a database from a newer version', addMigration, /was written by a newer version/],
  ])('exits with status 78: %s', async (_, cause, message) => {
    const path = await filled();
    await cause(path);
    const { status, stderr } = await start(path);
    expect({ status, stderr }).toEqual({ status: 78, stderr: expect.stringMatching(message) });
    expect(stderr).toMatch(/^server-listing-bot: .+\n$/);
  });

  it('exits with status 78 if the database is missing', async () => {
    const path = await filled();
    rmSync(path);
    expect((await start(path)).status).toBe(78);
    const { stderr } = await start(path, ['--started-again'], (child) => {
      child.stderr?.on('data', (text) => {
        if (String(text).includes('will exit in 10 minutes')) child.kill('SIGKILL');
      });
    });
    expect(stderr).toMatch(
      /is empty, but its encryption key .* already exists[\s\S]*will exit in 10 minutes/,
    );
  });
});

describe('a bot with temporarily unusable data', () => {
  it.each<Problem>([
    ['a missing key file', (path) => rmSync(`${path}.key`), /its key is missing/],
    [
      'a key file that cannot be read',
      (path) => {
        rmSync(`${path}.key`);
        mkdirSync(`${path}.key`);
      },
      /could not read the encryption key: EISDIR/,
    ],
    ['a folder that cannot be written to', (path) => chmodSync(join(path, '..'), 0o500), /cannot write to/],
    [
      'another bot on the database',
      async (path) => {
        const lock = createFileLock(path);
        await lock.start();
        onTestFinished(() => lock.stop());
      },
      /another bot is running on the database/,
    ],
  ])('exits with status 1 because of %s', async (_, cause, message) => {
    const path = await filled();
    await cause(path);
    const { status, stderr } = await start(path, ['--started-again']);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(message) });
    expect(existsSync(path)).toBe(true);
  });
});
