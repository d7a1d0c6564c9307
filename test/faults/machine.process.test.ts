import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, describe, expect, onTestFinished } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { ROLES } from '../../sandbox/people.ts';
import { BotNotReadyError } from '../../sandbox/sandbox.ts';
import { type Bot, BREACHES, botTest, ownBotTest, setKey, textOf } from '../support/bot.ts';
import { fill } from '../support/builders.ts';
import { openStoreAt, outcomesIn, unfinishedIn } from '../support/database.ts';
import { ACCEPTED, addServer, addsOf, paste } from '../support/people.ts';
import { isAccepted, STORE_FAILED, submit } from './submission.ts';

const preload = (name: string) =>
  `--import=${pathToFileURL(join(import.meta.dirname, 'preloads', `${name}.ts`)).href}`;

/** The files in this folder simulate the state of the bot's machine. */
const FOLDER = mkdtempSync(join(tmpdir(), 'faults-'));
const fileOf = (name: string) => join(FOLDER, name);
afterAll(() => rmSync(FOLDER, { recursive: true }));

const limited = ['sh', '-c', `ulimit -f "$(cat '${fileOf('limit')}')"; exec "$0" "$@"`];
const limitedIt = ownBotTest({ asProcess: true, wrapper: limited });
const limitedAtStartIt = ownBotTest({ asProcess: true, wrapper: limited, crash: true });

describe('a full disk', () => {
  /** Limits the size of the bot's files from its next start. The unit is 512 bytes or 1 KiB, depending on the shell. */
  const limitFiles = (blocks: number | 'unlimited') => writeFileSync(fileOf('limit'), String(blocks));
  beforeEach(() => limitFiles('unlimited'));

  limitedAtStartIt('is reported in a single line at startup', async ({ bot, guild }) => {
    await bot.process.stop();
    const before = bot.output().length;
    limitFiles(0);
    await expect(bot.start()).rejects.toThrow(BotNotReadyError);
    expect(await bot.process.exited()).toMatchObject({ status: 1 });
    const said = bot.output().slice(before).trim().split('\n');
    expect(said.filter((line) => !line.startsWith('{'))).toEqual([
      expect.stringMatching(
        /^server-listing-bot: cannot (read|write to) .*bot\.sqlite: .*; check its owner and free space$/,
      ),
    ]);
    limitFiles('unlimited');
    await bot.start();
    await isAccepted({ bot, guild }, 'after-full-start.example.com');
  });

  limitedIt("prevents the bot from sending servers that it can't record", async ({ bot, guild, member }) => {
    await bot.process.stop();
    limitFiles(Math.ceil((await stat(join(bot.data, 'bot.sqlite'))).size / 512) + 1_000);
    await bot.start();
    const answers: Answer[] = [];
    const name = (n: number) => `full-${n}.example.com`;
    let said = '';
    do {
      answers.push(await submit({ bot, guild }, name(answers.length)));
      said = textOf(answers.at(-1) ?? { kind: 'lost' });
    } while (said.includes(ACCEPTED) && answers.length < 200);
    // The disk might fill up only after the reservation, just before the server is marked as sending.
    if (!STORE_FAILED.test(said)) expect(said).toMatch(/Not sent\..*couldn't save this outcome/s);
    const accepted = answers.length - 1;
    expect(accepted).toBeGreaterThan(1);
    const arrived = () => answers.map((_, n) => addsOf(guild, name(n)).length);
    const once = answers.map((_, n) => (n < accepted ? 1 : 0));
    expect(arrived()).toEqual(once);
    expect(textOf(await member.slash('games'))).toContain('Counter-Strike 2');

    limitFiles('unlimited');
    await bot.restart();
    await isAccepted({ bot, guild }, 'after-full.example.com');
    expect(arrived()).toEqual(once);
    // If the last outcome couldn't be stored, the reply reports that server as unconfirmed, never as not sent.
    const [last = '', ...before] = answers.slice(0, accepted).map(textOf).reverse();
    expect(last).toMatch(/Servers have been added for review|may have arrived/);
    for (const text of before) expect(text).toContain(ACCEPTED);
    for (let n = 0; n < accepted; n++)
      expect(await outcomesIn(bot.store, guild.id, name(n))).not.toContain('not-sent');
  });
});

ownBotTest({ asProcess: true })(
  'the bot exports one long history at a time, even if several admins press Export',
  async ({ bot, guild, discord }) => {
    await bot.process.stop();
    const store = await openStoreAt(bot.store.url);
    await fill(store, guild.id, { count: 25_000, at: Date.now() - 60_000, message: 'long '.repeat(60) });
    await store.stop();
    await bot.start();
    /** Returns the bot's peak memory use in KiB. */
    const peak = async () =>
      Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${bot.process.pid}/status`, 'utf8'))?.[1]);
    const admins = Array.from({ length: 14 }, (_, n) =>
      discord.person({
        guild,
        name: `admin ${n}`,
        userId: `${400_000_000_000_000_000n + BigInt(n)}`,
        permissions: ROLES.admin.permissions,
      }),
    );
    const [first, ...others] = await Promise.all(
      admins.map(async (admin) => ({ admin, shown: await admin.slash('submissions') })),
    );
    const get = async (wanted: typeof first) =>
      wanted ? wanted.admin.press(wanted.shown, 'Export') : expect.fail();
    const before = await peak();
    await get(first);
    const one = (await peak()) - before;
    const exported = await Promise.all(others.map(get));
    expect(exported.filter((each) => textOf(each).includes('yours are next'))).toHaveLength(12);
    for (const each of exported) await expect.poll(() => textOf(each)).toContain('A spreadsheet file');
    expect((await peak()) - before).toBeLessThan(4 * one);
  },
);

const printingTo = (file: string) => ['sh', '-c', `exec "$0" "$@" >'${file}'`];
const fullLogIt = ownBotTest({ asProcess: true, wrapper: printingTo('/dev/full') });
const unreadLogIt = ownBotTest({ asProcess: true, wrapper: printingTo(fileOf('log')), start: false });

describe('standard output', () => {
  fullLogIt("doesn't stop the bot, even if the disk is full", ({ bot, guild }) =>
    isAccepted({ bot, guild }, 'full-log.example.com'),
  );

  unreadLogIt(
    "doesn't slow the bot down, even if nothing reads it",
    async ({ bot, guild, admin, member }) => {
      execFileSync('mkfifo', [fileOf('log')]);
      // Opened for reading and writing, so neither side has to wait for the other.
      const log = openSync(fileOf('log'), constants.O_RDWR | constants.O_NONBLOCK);
      onTestFinished(() => closeSync(log));
      expect(() => {
        while (true) writeSync(log, '\n'.repeat(512));
      }).toThrow('EAGAIN');
      await bot.start();
      await setKey(admin, 'sandbox-key');
      const help = () => member.slash('help');
      for (let n = 0; n < 45; n++) await Promise.all(Array.from({ length: 10 }, help));
      await isAccepted({ bot, guild }, 'log-unread.example.com');

      let said = '';
      const buffer = Buffer.alloc(65_536);
      await expect
        .poll(async () => {
          await help();
          try {
            said += buffer.toString('utf8', 0, readSync(log, buffer));
          } catch {}
          return said;
        })
        .toMatch(/"dropped":[1-9]\d\d?,/);
      for (const line of said.trim().split('\n')) JSON.parse(line);
      // Stops the bot while its last lines can still be read.
      expect(await bot.process.stop()).toMatchObject({ status: 0, signal: null });
    },
  );
});

let areGamesAway = false;
ownBotTest({
  asProcess: true,
  env: { LISTING_API_TIMEOUT_MS: '1000' },
  listing: {
    onRequest: (_, { action }) => (areGamesAway && action === 'games' ? { kind: 'hang' } : undefined),
  },
})(
  "simultaneous commands all get a reply, even if the games list can't be loaded",
  async ({ bot, guild }) => {
    await bot.process.stop();
    areGamesAway = true;
    await bot.store.rows("DELETE FROM keyv WHERE key LIKE 'games:%' RETURNING key");
    await bot.start();
    const game = 'no-such-game';
    const answers = await Promise.all(
      (['admin', 'member', 'other'] as const).flatMap((role) => [
        addServer(guild.person({ role }), `one-of-${role}.example.com:27015`, { game }),
        paste(guild.person({ role }), `list-of-${role}.example.com:27015 ${game}`),
      ]),
    );
    for (const answer of answers) expect(textOf(answer)).toContain(game);
    await isAccepted({ bot, guild }, 'after-unknown-games.example.com');
  },
);

const it = botTest({
  asProcess: true,
  crash: true,
  env: {
    NODE_OPTIONS: `${preload('clock')} ${preload('mishap')}`,
    CLOCK_FILE: fileOf('clock'),
    MISHAP_FILE: fileOf('mishap'),
  },
});

describe('a running bot', () => {
  const goesBackTo = (hours: number) => writeFileSync(fileOf('clock'), String(-hours * 60 * 60_000));
  beforeEach(() => goesBackTo(0));

  /** Locks the database, as another process might. @returns a function that releases the lock */
  function lock({ data }: Bot): () => void {
    // Waits until the bot has finished writing.
    const other = new DatabaseSync(join(data, 'bot.sqlite'), { timeout: 5_000 });
    const release = () => {
      if (other.isOpen) other.close();
    };
    onTestFinished(release);
    other.exec('BEGIN IMMEDIATE');
    return release;
  }

  it('recovers after another process has locked the database', async ({ bot, guild, member }) => {
    const place = { bot, guild };
    // Both commands wait for the bot's own writes at startup, each of which waits a second for the lock.
    bot.mayBreak(BREACHES.late, 2);
    const release = lock(bot);
    expect(textOf(await submit(place, 'locked.example.com'))).toMatch(STORE_FAILED);
    expect(addsOf(guild, 'locked.example.com')).toHaveLength(0);
    expect(textOf(await member.slash('games'))).toContain('Counter-Strike 2');
    release();
    await isAccepted(place, 'unlocked.example.com');
    expect(await outcomesIn(bot.store, guild.id, 'locked.example.com')).toEqual([]);
    setTimeout(lock(bot), 300);
    await isAccepted(place, 'lock-of-a-moment.example.com');
  });

  it('keeps working after the clock is set back by an hour', async ({ bot, guild, member }) => {
    await isAccepted({ bot, guild }, 'before-the-hour.example.com');
    goesBackTo(1);
    // discord.js uses the clock to limit edits to 50 per second. This limit must not become 50 per hour.
    for (let n = 0; n < 55; n += 5) {
      const some = Array.from({ length: 5 }, (_, each) => `hour-${n + each}.example.com`);
      await Promise.all(some.map((server) => isAccepted({ bot, guild }, server)));
    }
    expect(textOf(await member.slash('games'))).toContain('Counter-Strike 2');
  });

  it.for([
    { set: 'ahead', weeks: 3 },
    { set: 'behind', weeks: -3 },
  ])("doesn't delete old records while the clock is three weeks off ($set)", async ({ set, weeks }, {
    bot,
    guild,
  }) => {
    const place = { bot, guild };
    const hosts = [`right-before-${set}.example.com`, `while-${set}.example.com`];
    await isAccepted(place, `right-before-${set}.example.com`);
    const before = bot.log().length;
    goesBackTo(-weeks * 7 * 24);
    await bot.restart();
    const said = () => JSON.stringify(bot.log().slice(before));
    await expect.poll(said).toMatch(/\d+ hours (ahead of|behind) Discord's: synchronise it/);
    await expect.poll(said).toContain('so old data is not deleted');
    await isAccepted(place, `while-${set}.example.com`);

    goesBackTo(0);
    await bot.process.stop();
    const store = await openStoreAt(bot.store.url);
    await fill(store, guild.id, { count: 1, at: 0 });
    await store.stop();
    await bot.start();
    const kept = async (host: string) => (await outcomesIn(bot.store, guild.id, host)).length;
    // The hourly job has run.
    await expect.poll(() => kept('s0.example.com')).toBe(0);
    expect(await Promise.all(hosts.map(kept))).toEqual([1, 1]);
  });

  it.for([
    { set: 'two hours back', hours: 2 },
    { set: 'a year ahead', hours: -366 * 24 },
  ])('replies to every member even if the clock changes during a restart ($set)', async ({ set, hours }, {
    bot,
    guild,
    listing,
  }) => {
    const place = { bot, guild };
    const host = `${set.replaceAll(' ', '-')}.example.com`;
    await listing.behave({ kind: 'hang' });
    const answer = submit(place, host);
    await expect.poll(() => addsOf(guild, host).length).toBe(1);
    await bot.kill();
    await listing.behave({ kind: 'ok' });
    goesBackTo(hours);
    await bot.start();
    expect(textOf(await answer)).toMatch(/may have arrived/);
    await expect.poll(() => unfinishedIn(bot.store)).toEqual([]);
    expect(await outcomesIn(bot.store, guild.id, host)).toEqual(['unknown']);
    expect(addsOf(guild, host)).toHaveLength(1);
    await isAccepted(place, `after-${host}`);
  });

  it.for([
    ['rejection', 'a mishap nobody handles'],
    ['rejection without a reason', 'unhandled promise rejection'],
  ] as const)('logs an unhandled %s once and keeps running', async ([kind, words], { bot, guild }) => {
    const before = bot.log().length;
    const logged = () => bot.log().slice(before);
    writeFileSync(fileOf('mishap'), kind);
    await expect.poll(() => JSON.stringify(logged()).includes(words)).toBe(true);
    expect(logged().filter(({ msg }) => msg === 'unhandled promise rejection')).toHaveLength(1);
    await isAccepted({ bot, guild }, `after-${kind.replaceAll(' ', '-')}.example.com`);
  });

  it('logs an unhandled exception in a single line and exits with status 1', async ({ bot, guild }) => {
    const before = bot.log().length;
    writeFileSync(fileOf('mishap'), 'exception');
    expect(await bot.process.exited()).toMatchObject({ status: 1, signal: null });
    const logged = bot.log().slice(before);
    expect(logged.filter(({ msg }) => msg === 'the bot failed and is stopping')).toHaveLength(1);
    expect(JSON.stringify(logged)).toContain('a mishap nobody handles');
    await bot.start();
    await isAccepted({ bot, guild }, 'after-exception.example.com');
  });
});
