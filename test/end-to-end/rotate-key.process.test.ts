import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Bot, oneBot, type TestGuild, textOf } from '../support/bot.ts';
import { isOnPostgres } from '../support/database.ts';
import { folder, runFile } from '../support/machine.ts';
import { ACCEPTED, addServer } from '../support/people.ts';

const PREVIOUS = randomBytes(32).toString('base64');
const NEW = randomBytes(32).toString('hex');
const BOTH = `${NEW},${PREVIOUS}`;
/** What several processes have first, so that each of them can read what another has sealed. */
const NEW_LAST = `${PREVIOUS},${NEW}`;

let home: string;
let bot: Bot;
let guild: TestGuild;
beforeEach(async () => {
  home = folder();
  await configure(PREVIOUS);
  bot = await oneBot({ env: { ENCRYPTION_KEY_FILE: join(home, 'keys') } });
  guild = await bot.newGuild({ key: 'sandbox-key' });
});

/** What the bot has in ENCRYPTION_KEY from its next start on. */
const configure = (keys: string) => writeFile(join(home, 'keys'), keys);

/** What is sealed anywhere in the database, its file or its log. */
async function sealedData(): Promise<ReadonlySet<string>> {
  const bytes = await bot.store.content();
  return new Set([...bytes.matchAll(/"data":"([^"]+)"/g)].map(([, data = '']) => data));
}

const rotateKey = (env: Readonly<Record<string, string>>) =>
  runFile(['src/tools/rotate-key.ts'], {
    env: { STORE_URL: bot.store.address, ...env },
  });

let port = 0;
/** A server that was not submitted before, each time. */
const submit = async () => textOf(await addServer(guild.member, `play.example.com:${++port}`));

describe('npm run rotate-key', () => {
  it('re-encrypts every key while the bot runs, says how many, and then the previous key can be removed', async () => {
    const early = await rotateKey({ ENCRYPTION_KEY: BOTH });
    expect(early).toMatchObject({ status: 1, stdout: '' });
    expect(early.stderr).toMatch(/^rotate-key: the bot has never run with the first key [^\n]+\n$/);

    await configure(BOTH);
    await bot.restart();
    const before = await sealedData();
    // As another process that was not restarted yet.
    await configure(NEW_LAST);
    await bot.restart();
    const other = await rotateKey({ ENCRYPTION_KEY: BOTH });
    expect(other).toMatchObject({ status: 1, stdout: '' });
    expect(other.stderr).toMatch(/^rotate-key: a bot runs, [^\n]+ encrypts with another key [^\n]+\n$/);

    await configure(BOTH);
    await bot.restart();
    const done = await rotateKey({ ENCRYPTION_KEY: BOTH });
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).toMatch(/^Re-encrypted 1 record to the key [0-9a-f]{12}; 0 had it already\.\n/);
    expect(done.stdout).toContain('The other keys can be removed from ENCRYPTION_KEY.');
    expect(await submit()).toContain(ACCEPTED);

    await configure(NEW);
    await bot.restart();
    expect(await submit()).toContain(ACCEPTED);
    await bot.process.stop();
    expect(before.size).toBeGreaterThan(0);
    expect((await sealedData()).isDisjointFrom(before)).toBe(true);
  });

  it.skipIf(isOnPostgres)('says in one line what is missing', async () => {
    const none = await rotateKey({});
    expect(none.status).toBe(1);
    expect(none.stderr).toMatch(/^rotate-key: ENCRYPTION_KEY is missing: put the new key first[^\n]+\n$/);
    await bot.process.stop();
    const wrong = await rotateKey({ ENCRYPTION_KEY: NEW });
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('encrypted with another key') });
    const nowhere = await rotateKey({ ENCRYPTION_KEY: NEW, STORE_URL: `sqlite://${home}/none.sqlite` });
    expect(nowhere.stderr).toMatch(/^rotate-key: there is no database at [^\n]+\n$/);
    expect(`${none.stderr}${wrong.stderr}${nowhere.stderr}`).not.toContain(NEW);
  });
});
