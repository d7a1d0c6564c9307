import { copyFile, mkdtemp, open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { BotNotReady } from '../../sandbox/sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { lines, read, upload } from '../support/lists.ts';
import {
  inAppScene,
  messageOf,
  openAppScene,
  openScene,
  type Scene,
  type SceneOptions,
  textOf,
} from '../support/scene.ts';
import { readStored } from '../support/stored.ts';
import { ACCEPTED, adds, isAccepted, submit } from './submission.ts';

const STORE_FAILED = /could not reach its own storage, so nothing was done/;

/** The member was told that the store failed; the service got nothing. */
async function isRefused(scene: Scene, server: string): Promise<void> {
  expect(textOf(await submit(scene, server))).toMatch(STORE_FAILED);
  expect(adds(scene, server)).toHaveLength(0);
}

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'faults-'));
  const scene = await openAppScene({ data, key: 'sandbox-key' });
  await scene.close();
});
afterAll(() => rm(data, { recursive: true }));

const file = () => join(data, 'bot.sqlite');

/** Locks the database as another process may; the function returned lets go of it. */
function lock(): () => void {
  // The bot may be writing.
  const other = new DatabaseSync(file(), { timeout: 5_000 });
  const release = () => {
    if (other.isOpen) other.close();
  };
  onTestFinished(release);
  other.exec('BEGIN IMMEDIATE');
  return release;
}

/** A bot on the data that the tests of this file share, as a process of its own unless told. */
async function inScene(
  options: SceneOptions,
  run: (scene: Scene) => Promise<void>,
  open = openScene,
): Promise<void> {
  const scene = await open({ data, ...options });
  try {
    await run(scene);
  } finally {
    await scene.close();
  }
}

/** What the bot says in one line when it ends instead of starting. */
async function lastWord(options: SceneOptions = {}, open = openAppScene): Promise<string> {
  const scene = await open({ data, ...options, startBot: false });
  await expect(scene.startBot()).rejects.toThrow(BotNotReady);
  const { status } = await scene.bot.exited();
  expect(status).toBe(1);
  await scene.close({ crash: true });
  const said = scene
    .output()
    .split('\n')
    .filter((line) => !line.startsWith('{'));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^server-listing-bot: /);
  return said[0] ?? '';
}

/** Runs something with other bytes in the place of the database, which must stay as they are; then puts it back. */
async function withOtherFile(change: (path: string) => Promise<void>, run: () => Promise<void>) {
  await copyFile(file(), `${file()}.good`);
  try {
    await change(file());
    const before = await readFile(file());
    await run();
    expect(before.equals(await readFile(file()))).toBe(true);
  } finally {
    await rename(`${file()}.good`, file());
  }
  // And with the right file all is well again.
  await isWellAgain(`after-${++count}.example.com`);
}
let count = 0;

const isWellAgain = (server: string) => inScene({}, (scene) => isAccepted(scene, server), openAppScene);

/** From the next start on no file of a {@link limited} bot may grow beyond so many blocks, of 512 bytes or 1 KiB by the shell. */
const limitFiles = (blocks: number | 'unlimited') => writeFile(join(data, 'limit'), String(blocks));
const limited = () => ['sh', '-c', `ulimit -f "$(cat '${join(data, 'limit')}')"; exec "$0" "$@"`];

describe('a disk that is full', () => {
  it('when the bot starts: it says so in one line, and leaves the database as it is', () =>
    withOtherFile(
      () => limitFiles(0),
      async () => {
        expect(await lastWord({ wrapper: limited() }, openScene)).toMatch(
          /cannot (read|write to) .*bot\.sqlite: .*; check its owner and free space$/,
        );
      },
    ));

  it('while the bot runs: nothing is sent that cannot be noted, and what was said stays true', async () => {
    await limitFiles(Math.ceil((await stat(file())).size / 512) + 1_000);
    await inScene({ wrapper: limited() }, async (scene) => {
      const answers: Answer[] = [];
      const name = (n: number) => `full-${n}.example.com`;
      let said = '';
      do {
        answers.push(await submit(scene, name(answers.length)));
        said = textOf(answers.at(-1) ?? { kind: 'lost' });
      } while (said.includes(ACCEPTED) && answers.length < 200);
      expect(said).toMatch(STORE_FAILED);
      const accepted = answers.length - 1;
      expect(accepted).toBeGreaterThan(1);
      const arrived = () => answers.map((_, n) => adds(scene, name(n)).length);
      const once = answers.map((_, n) => (n < accepted ? 1 : 0));
      expect(arrived()).toEqual(once);
      expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');

      await limitFiles('unlimited');
      await scene.restart();
      await isAccepted(scene, 'after-full.example.com');
      expect(arrived()).toEqual(once);
      // The last note may not have found room: that one is reported as unknown then, and never as not sent.
      const [last = '', ...before] = answers.slice(0, accepted).map(textOf).reverse();
      expect(last).toMatch(/Servers have been added for review|may have been received/);
      for (const text of before) expect(text).toContain(ACCEPTED);
      for (let n = 0; n < accepted; n++)
        expect(readStored(data).ended(scene.member.guildId, name(n))).not.toContain('not-sent');
    });
  });
});

describe('a database that', () => {
  it('is read-only: the bot says so in one line', () =>
    withOtherFile(
      async (path) => {
        // To root every file is writable; one of a later version of SQLite is read-only to everybody (File Format 1.3.3).
        const database = await open(path, 'r+');
        await database.write(Buffer.from([3]), 0, 1, 18);
        await database.chmod(0o444);
        await database.close();
      },
      async () => {
        expect(await lastWord()).toMatch(
          /cannot write to .*bot\.sqlite: .*; check its owner and free space$/,
        );
      },
    ));

  const damages: readonly (readonly [what: string, change: (path: string) => Promise<void>])[] = [
    ['is something else', (path) => writeFile(path, 'This is the diary of somebody.')],
    ['lacks its end', async (path) => truncate(path, Math.floor((await stat(path)).size / 2) + 100)],
    [
      'is overwritten in the middle',
      async (path) => {
        const bytes = await readFile(path);
        await writeFile(path, bytes.fill(0xa5, bytes.length / 2, bytes.length / 2 + 5_000));
      },
    ],
  ];
  for (const [what, change] of damages) {
    it(`${what}: the bot says so in one line, and leaves it as it is`, () =>
      withOtherFile(change, async () => {
        const said = await lastWord();
        expect(said).toMatch(/the database .*bot\.sqlite is damaged \(.*\)\. Nothing was changed/);
      }));
  }

  it('is locked by another process when the bot starts: it says so in one line', async () => {
    const release = lock();
    const said = await lastWord();
    release();
    expect(said).toMatch(/bot\.sqlite: database is locked/);
    await isWellAgain('after-lock.example.com');
  });
});

/** Takes the table away in which keys and settings are, as an operator at work in the file may; the function returned puts it back. */
function withoutValues(path: string): () => void {
  const other = new DatabaseSync(path, { timeout: 5_000 });
  onTestFinished(() => {
    if (other.isOpen) other.close();
  });
  other.exec('ALTER TABLE keyv RENAME TO elsewhere');
  return () => {
    other.exec('ALTER TABLE elsewhere RENAME TO keyv');
    other.close();
  };
}

describe('a database that fails once servers have left', () => {
  let path: string;
  let putBack: (() => void) | undefined;
  let refusesFrom = Number.POSITIVE_INFINITY;
  /** The service takes as many requests as it may, and refuses the key then, while the database fails. */
  const onRequest: NonNullable<SceneOptions['listing']>['onRequest'] = (_, { action }) => {
    if (action !== 'add' || --refusesFrom > 0) return undefined;
    putBack ??= withoutValues(path);
    const body = { status: 'error', message: 'Invalid API key.' };
    return { kind: 'json', status: 200, body };
  };
  const whileItFails = async (requests: number, run: (scene: Scene) => Promise<string>): Promise<string> => {
    let said = '';
    // On data of its own: its key counts as refused from then on.
    await inAppScene({ key: 'sandbox-key', listing: { onRequest } }, async (scene) => {
      path = join(scene.data, 'bot.sqlite');
      refusesFrom = requests;
      said = await run(scene);
      putBack?.();
      putBack = undefined;
      refusesFrom = Number.POSITIVE_INFINITY;
      await eventually(() => readStored(scene.data).unfinished, []);
    });
    return said;
  };

  it('does not keep a member from what came of a list', async () => {
    const said = await whileItFails(2, async ({ member, discord }) => {
      const preview = await member.slash('addservers', { file: upload('list.txt', lines(101)) });
      await member.press(messageOf(preview), 'Submit 101 game servers');
      const seen = () => discord.messages(member).map(read).join('\n');
      await eventually(() => STORE_FAILED.test(seen()) || seen().includes('report.csv'), true);
      return seen();
    });
    expect(said).not.toMatch(STORE_FAILED);
    expect(said).toContain('✅ 100 sent for review');
    expect(said).toContain('Invalid API key.');
  });

  it('does not keep a member from what came of a server', async () => {
    const said = await whileItFails(1, async (scene) => textOf(await submit(scene, 'refused.example.com')));
    expect(said).not.toMatch(STORE_FAILED);
    expect(said).toContain('Invalid API key.');
  });
});

const preload = (name: string) =>
  `--import=${pathToFileURL(join(import.meta.dirname, 'preloads', `${name}.ts`)).href}`;

describe('with the bot as a process of its own,', () => {
  const clock = () => join(data, 'clock');
  const goesBackTo = (hours: number) => writeFile(clock(), String(-hours * 60 * 60_000));
  const mishap = join(tmpdir(), `mishap-${process.pid}`);
  let scene: Scene;
  beforeAll(async () => {
    await goesBackTo(0);
    const NODE_OPTIONS = `${preload('clock')} ${preload('mishap')}`;
    scene = await openScene({ data, env: { NODE_OPTIONS, CLOCK_FILE: clock(), MISHAP_FILE: mishap } });
  });
  afterAll(() => scene.close({ crash: true }));

  describe('a database that', () => {
    it('is locked by another process while the bot runs; for a moment only, the bot waits', async () => {
      const release = lock();
      await isRefused(scene, 'locked.example.com');
      expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');
      release();
      await isAccepted(scene, 'unlocked.example.com');
      expect(readStored(data).ended(scene.member.guildId, 'locked.example.com')).toEqual([]);

      setTimeout(lock(), 300);
      await isAccepted(scene, 'lock-of-a-moment.example.com');
    });
  });

  describe('a clock that goes back by an hour', () => {
    it('changes nothing for members, however many commands follow', async () => {
      await isAccepted(scene, 'before-the-hour.example.com');
      await goesBackTo(1);
      // discord.js lets 50 edits pass in a second, by the clock: they must not become 50 an hour.
      for (let n = 0; n < 55; n += 5) {
        const some = Array.from({ length: 5 }, (_, each) => `hour-${n + each}.example.com`);
        await Promise.all(some.map((server) => isAccepted(scene, server)));
      }
      expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');
    });

    it('leaves nobody waiting when it does so while the bot is down', async () => {
      await scene.listing.behave({ kind: 'hang' });
      const answer = submit(scene, 'hour-and-crash.example.com');
      await eventually(() => adds(scene, 'hour-and-crash.example.com').length, 1);
      await scene.kill();
      await scene.listing.behave({ kind: 'ok' });
      await goesBackTo(2);
      await scene.startBot();
      expect(textOf(await answer)).toMatch(/may have been received: check the list/);
      expect(adds(scene, 'hour-and-crash.example.com')).toHaveLength(1);
      await eventually(() => readStored(data).unfinished, []);
      const { guildId } = scene.member;
      expect(readStored(data).ended(guildId, 'hour-and-crash.example.com')).toEqual(['unknown']);
      await isAccepted(scene, 'after-hour-and-crash.example.com');
    });
  });

  describe('a mishap in the bot that nobody handles', () => {
    for (const [kind, words] of [
      ['rejection', 'a mishap nobody handles'],
      ['rejection without a reason', 'a promise was rejected unnoticed'],
    ] as const) {
      it(`as a ${kind}: it is logged, and the bot goes on`, async () => {
        const before = scene.log().length;
        const logged = () => scene.log().slice(before);
        await writeFile(mishap, kind);
        await eventually(() => JSON.stringify(logged()).includes(words), true);
        expect(logged().filter(({ msg }) => msg === 'a promise was rejected unnoticed')).toHaveLength(1);
        await isAccepted(scene, `after-${kind.replaceAll(' ', '-')}.example.com`);
      });
    }

    it('as an exception: it is logged in one line, and the bot ends with status 1', async () => {
      const before = scene.log().length;
      await writeFile(mishap, 'exception');
      expect(await scene.bot.exited()).toMatchObject({ status: 1, signal: null });
      const logged = scene.log().slice(before);
      expect(logged.filter(({ msg }) => msg === 'the bot failed and is stopping')).toHaveLength(1);
      expect(JSON.stringify(logged)).toContain('a mishap nobody handles');
      await scene.startBot();
      await isAccepted(scene, 'after-exception.example.com');
    });
  });
});
