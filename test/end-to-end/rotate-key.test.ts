import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bytesOnDisk } from '../storage/temporary.ts';
import { runFile } from '../support/program.ts';
import { openAppScene, type Scene, setKey, textOf } from '../support/scene.ts';

const PREVIOUS = randomBytes(32).toString('base64');
const NEW = randomBytes(32).toString('hex');

let folder: string;
let scene: Scene;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rotate-'));
  await configure(PREVIOUS);
  scene = await openAppScene({
    key: 'sandbox-key',
    listing: { keys: ['sandbox-key', 'another-key-4321'] },
    env: { ENCRYPTION_KEY_FILE: join(folder, 'keys') },
  });
  await setKey(scene.person({ role: 'admin', guild: 1 }), 'another-key-4321');
});
afterEach(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

/** What the bot has in ENCRYPTION_KEY from its next start on. */
const configure = (keys: string) => writeFile(join(folder, 'keys'), keys);

/** What is sealed anywhere in the database file or its log. */
const sealedData = () =>
  new Set(
    [...bytesOnDisk(join(scene.data, 'bot.sqlite')).matchAll(/"data":"([^"]+)"/g)].map(([, data]) => data),
  );

const rotateKey = (env: Readonly<Record<string, string>>) =>
  runFile(['src/rotate-key.ts'], {
    env: { STORE_URL: `sqlite://${join(scene.data, 'bot.sqlite')}`, ...env },
  });

/** A server that was not submitted before, each time. */
let port = 27_000;
const submit = async (guild: number) =>
  textOf(
    await scene
      .person({ role: 'member', guild })
      .slash('addserver', { game: 'cs2', server: 'play.example.com', port: port++ }),
  );

describe('npm run rotate-key', () => {
  it('re-encrypts every key while the bot runs, says how many, and then the previous key can be removed', async () => {
    const both = `${NEW},${PREVIOUS}`;
    const early = await rotateKey({ ENCRYPTION_KEY: both });
    expect(early).toMatchObject({ status: 1, stdout: '' });
    expect(early.stderr).toMatch(/^rotate-key: the bot is running with another first key [^\n]+\n$/);

    await configure(both);
    await scene.restart();
    const before = sealedData();
    expect(before.size).toBe(4);
    const done = await rotateKey({ ENCRYPTION_KEY: both });
    expect(done.stderr).toBe('');
    expect(done.stdout).toMatch(/^Re-encrypted 2 records to the key [0-9a-f]{12}; 0 had it already\.\n/);
    expect(done.stdout).toContain('The other keys can be removed from ENCRYPTION_KEY.');
    expect(done.status).toBe(0);
    expect((await rotateKey({ ENCRYPTION_KEY: both })).stdout).toMatch(/^Re-encrypted 0 records .* 2 had it/);
    expect(await submit(0)).toContain('Servers have been added for review.');

    await configure(NEW);
    await scene.restart();
    expect(await submit(0)).toContain('Servers have been added for review.');
    expect(await submit(1)).toContain('Servers have been added for review.');
    await scene.bot.stop();
    // The proof of the new key was there before; the keys and the proof of the previous one are gone.
    expect(sealedData().intersection(before).size).toBe(1);
    expect(sealedData().size).toBe(3);
  });

  it('works while the bot is stopped, too', async () => {
    await scene.bot.stop();
    const done = await rotateKey({ ENCRYPTION_KEY_FILE: join(folder, 'keys'), ENCRYPTION_KEY: '' });
    expect(done.stdout).toMatch(/^Re-encrypted 0 records .* 2 had it already/);
    expect((await rotateKey({ ENCRYPTION_KEY: `${NEW},${PREVIOUS}` })).stdout).toMatch(
      /^Re-encrypted 2 records/,
    );
    await configure(NEW);
    await scene.startBot();
    expect(await submit(1)).toContain('Servers have been added for review.');
  });

  it('says in one line what is missing', async () => {
    const none = await rotateKey({});
    expect(none.status).toBe(1);
    expect(none.stderr).toMatch(/^rotate-key: ENCRYPTION_KEY is missing: put the new key first[^\n]+\n$/);
    await scene.bot.stop();
    const wrong = await rotateKey({ ENCRYPTION_KEY: NEW });
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringContaining('encrypted with another key') });
    const nowhere = await rotateKey({ ENCRYPTION_KEY: NEW, STORE_URL: `sqlite://${folder}/none.sqlite` });
    expect(nowhere.stderr).toMatch(/^rotate-key: there is no database at [^\n]+\n$/);
    expect(`${none.stderr}${wrong.stderr}${nowhere.stderr}`).not.toContain(NEW);
  });
});
