import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { ROLES } from '../../sandbox/people.ts';
import { BotNotReady } from '../../sandbox/sandbox.ts';
import { BREACHES, inNewGuild, openAppScene, openScene, type Scene, textOf } from '../support/bot.ts';
import { fill } from '../support/builders.ts';
import { openStoreAt, outcomesIn, unfinishedIn } from '../support/database.ts';
import { ACCEPTED, addServer, addsOf, paste } from '../support/people.ts';
import { isAccepted, STORE_FAILED, submit } from './submission.ts';

const preload = (name: string) =>
  `--import=${pathToFileURL(join(import.meta.dirname, 'preloads', `${name}.ts`)).href}`;

/** A bot that has a key, on data that the tests of this file share. */
let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'faults-'));
  const scene = await openAppScene({ data, key: 'sandbox-key' });
  await scene.close();
});
afterAll(() => rm(data, { recursive: true }));

describe('a disk that is full', () => {
  /** From the next start on no file of the bot may grow beyond so many blocks, of 512 bytes or 1 KiB by the shell. */
  const limitFiles = (blocks: number | 'unlimited') => writeFile(join(data, 'limit'), String(blocks));
  const limited = () => ['sh', '-c', `ulimit -f "$(cat '${join(data, 'limit')}')"; exec "$0" "$@"`];

  it('when the bot starts: the bot says so in one line, and all is well once there is room', async () => {
    await limitFiles(0);
    const scene = await openScene({ data, startBot: false, wrapper: limited() });
    onTestFinished(() => scene.close({ crash: true }));
    await expect(scene.startBot()).rejects.toThrow(BotNotReady);
    expect(await scene.bot.exited()).toMatchObject({ status: 1 });
    const said = scene.output().split('\n');
    expect(said.filter((line) => !line.startsWith('{'))).toEqual([
      expect.stringMatching(
        /^server-listing-bot: cannot (read|write to) .*bot\.sqlite: .*; check its owner and free space$/,
      ),
    ]);
    await limitFiles('unlimited');
    await scene.startBot();
    await isAccepted(scene, 'after-full-start.example.com');
  });

  it('while the bot runs: nothing is sent that cannot be noted, and what was said stays true', async () => {
    await limitFiles(Math.ceil((await stat(join(data, 'bot.sqlite'))).size / 512) + 1_000);
    const scene = await openScene({ data, wrapper: limited() });
    onTestFinished(() => scene.close());
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
    const arrived = () => answers.map((_, n) => addsOf(scene, name(n)).length);
    const once = answers.map((_, n) => (n < accepted ? 1 : 0));
    expect(arrived()).toEqual(once);
    expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');

    await limitFiles('unlimited');
    await scene.restart();
    await isAccepted(scene, 'after-full.example.com');
    expect(arrived()).toEqual(once);
    // The last note may not have found room: that one is reported as unknown then, and never as not sent.
    const [last = '', ...before] = answers.slice(0, accepted).map(textOf).reverse();
    expect(last).toMatch(/Servers have been added for review|may have gone through/);
    for (const text of before) expect(text).toContain(ACCEPTED);
    for (let n = 0; n < accepted; n++)
      expect(await outcomesIn(scene.store, scene.member.guildId, name(n))).not.toContain('not-sent');
  });
});

it('files of long histories are made one after the other, whoever wants them', async () => {
  const scene = await openScene({ key: 'sandbox-key' });
  onTestFinished(() => scene.close());
  await scene.bot.stop();
  const store = await openStoreAt(scene.store.url);
  await fill(store, scene.admin.guildId, {
    count: 25_000,
    at: Date.now() - 60_000,
    message: 'long '.repeat(60),
  });
  await store.stop();
  await scene.startBot();
  /** The most memory that the bot has had, in KiB. */
  const peak = async () =>
    Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${scene.bot.pid}/status`, 'utf8'))?.[1]);
  const admins = Array.from({ length: 14 }, (_, n) =>
    scene.discord.person({
      guild: scene.discord.guilds[0] ?? expect.fail(),
      name: `admin ${n}`,
      locale: 'en-US',
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
  for (const each of exported) await expect.poll(() => textOf(each)).toContain('A file for a spreadsheet');
  expect((await peak()) - before).toBeLessThan(4 * one);
});

it('two seconds of refusals do not shut the guilds out whose keys were right', async () => {
  const passed = join(data, 'passed');
  await writeFile(passed, '0');
  const NODE_OPTIONS = preload('hurry');
  const scene = await openScene({ env: { NODE_OPTIONS, PASSED_FILE: passed } });
  onTestFinished(() => scene.close());
  const guilds: Scene[] = [];
  for (let n = 0; n < 20; n += 1) guilds.push(await inNewGuild(scene, { key: 'sandbox-key' }));
  const submitAll = (name: string) =>
    Promise.all(guilds.map(({ member }, n) => addServer(member, `${name}-${n}.example.com:27015`)));
  scene.listing.revoke('sandbox-key');
  await submitAll('refused');
  scene.listing.allow('sandbox-key');
  expect(JSON.stringify(scene.log())).toContain('refuses the keys of too many guilds at once');
  // Held back as while the service is down: one goes out after 30 seconds, and its acceptance ends that.
  await writeFile(passed, '31000');
  const { member } = guilds[0] ?? scene;
  // The keys that were marked before there were too many are lifted by the job of each minute.
  await expect
    .poll(async () => textOf(await addServer(member, 'probe.example.com:27015')))
    .toContain(ACCEPTED);
  await expect
    .poll(
      async () =>
        (await submitAll(`again-${performance.now()}`)).filter((each) => textOf(each).includes(ACCEPTED))
          .length,
    )
    .toBe(20);
});

describe('standard output', () => {
  const printingTo = (file: string) => ['sh', '-c', `exec "$0" "$@" >'${file}'`];

  it('on a full disk keeps nothing from its work', async () => {
    const scene = await openScene({ data, wrapper: printingTo('/dev/full') });
    onTestFinished(() => scene.close());
    await isAccepted(scene, 'full-log.example.com');
    expect(await scene.bot.stop()).toMatchObject({ status: 0, signal: null });
  });

  it('that nobody reads holds up nothing, and the next line that fits says how many did not', async () => {
    const fifo = join(data, 'log');
    execFileSync('mkfifo', [fifo]);
    // Open for both, so that neither end waits for the other.
    const log = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(log));
    expect(() => {
      while (true) writeSync(log, '\n'.repeat(512));
    }).toThrow('EAGAIN');
    const scene = await openScene({ data, wrapper: printingTo(fifo) });
    onTestFinished(() => scene.close());
    const help = () => scene.member.slash('help');
    for (let n = 0; n < 45; n++) await Promise.all(Array.from({ length: 10 }, help));
    await isAccepted(scene, 'log-unread.example.com');

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
    expect(await scene.bot.stop()).toMatchObject({ status: 0, signal: null });
  });
});

it('a list of games that cannot be read leaves nobody waiting, however many ask at the same moment', async () => {
  let isAway = false;
  const onRequest = (_: number, { action }: { readonly action: string }) =>
    isAway && action === 'games' ? ({ kind: 'hang' } as const) : undefined;
  const env = { LISTING_API_TIMEOUT_MS: '1000' };
  const scene = await openScene({ key: 'sandbox-key', listing: { onRequest }, env });
  onTestFinished(() => scene.close());
  await scene.bot.stop();
  isAway = true;
  await scene.store.rows("DELETE FROM keyv WHERE key LIKE 'games:%' RETURNING key");
  await scene.startBot();
  const game = 'no-such-game';
  const answers = await Promise.all(
    (['admin', 'member', 'other'] as const).flatMap((role) => [
      addServer(scene.person({ role }), `one-of-${role}.example.com:27015`, { game }),
      paste(scene.person({ role }), `list-of-${role}.example.com:27015 ${game}`),
    ]),
  );
  for (const answer of answers) expect(textOf(answer)).toContain(game);
  await isAccepted(scene, 'after-unknown-games.example.com');
});

describe('a bot that runs', () => {
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

  /** Locks the database as another process may; the function returned lets go of it. */
  function lock(): () => void {
    // The bot may be writing.
    const other = new DatabaseSync(join(data, 'bot.sqlite'), { timeout: 5_000 });
    const release = () => {
      if (other.isOpen) other.close();
    };
    onTestFinished(release);
    other.exec('BEGIN IMMEDIATE');
    return release;
  }

  it('waits for a database that another process locks for a moment, and says so when it stays locked', async () => {
    // What the bot writes by itself after a start waits for it too, a second each, and both commands for that.
    scene.mayBreak(BREACHES.late, 2);
    const release = lock();
    expect(textOf(await submit(scene, 'locked.example.com'))).toMatch(STORE_FAILED);
    expect(addsOf(scene, 'locked.example.com')).toHaveLength(0);
    expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');
    release();
    await isAccepted(scene, 'unlocked.example.com');
    expect(await outcomesIn(scene.store, scene.member.guildId, 'locked.example.com')).toEqual([]);
    setTimeout(lock(), 300);
    await isAccepted(scene, 'lock-of-a-moment.example.com');
  });

  it('goes on when its clock goes back by an hour, however many commands follow', async () => {
    await isAccepted(scene, 'before-the-hour.example.com');
    await goesBackTo(1);
    // discord.js lets 50 edits pass in a second, by the clock: they must not become 50 an hour.
    for (let n = 0; n < 55; n += 5) {
      const some = Array.from({ length: 5 }, (_, each) => `hour-${n + each}.example.com`);
      await Promise.all(some.map((server) => isAccepted(scene, server)));
    }
    expect(textOf(await scene.member.slash('games'))).toContain('Counter-Strike 2');
  });

  it.each([
    { set: 'ahead', years: 1 },
    { set: 'behind', years: -1 },
  ])('with a clock that is more than a year $set: goes by the time at Discord, and deletes nothing for its age', async ({
    set,
    years,
  }) => {
    const hosts = [`right-before-${set}.example.com`, `while-${set}.example.com`];
    await isAccepted(scene, `right-before-${set}.example.com`);
    const before = scene.log().length;
    await goesBackTo(-years * 366 * 24);
    await scene.restart();
    const said = () => JSON.stringify(scene.log().slice(before));
    await expect.poll(said).toContain("differs from Discord's by more than a day");
    await isAccepted(scene, `while-${set}.example.com`);

    await goesBackTo(0);
    await scene.bot.stop();
    const store = await openStoreAt(scene.store.url);
    await fill(store, scene.member.guildId, { count: 1, at: 0 });
    await store.stop();
    await scene.startBot();
    const kept = async (host: string) => (await outcomesIn(scene.store, scene.member.guildId, host)).length;
    // The hourly job has pruned.
    await expect.poll(() => kept('s0.example.com')).toBe(0);
    expect(await Promise.all(hosts.map(kept))).toEqual([1, 1]);
  });

  it.each([
    { set: 'two hours back', hours: 2 },
    { set: 'a year ahead', hours: -366 * 24 },
  ])('leaves nobody waiting when its clock is set while it is down: $set', async ({ set, hours }) => {
    await goesBackTo(0);
    const host = `${set.replaceAll(' ', '-')}.example.com`;
    await scene.listing.behave({ kind: 'hang' });
    const answer = submit(scene, host);
    await expect.poll(() => addsOf(scene, host).length).toBe(1);
    await scene.kill();
    await scene.listing.behave({ kind: 'ok' });
    await goesBackTo(hours);
    await scene.startBot();
    expect(textOf(await answer)).toMatch(/may have gone through. Check the list/);
    await expect.poll(() => unfinishedIn(scene.store)).toEqual([]);
    expect(await outcomesIn(scene.store, scene.member.guildId, host)).toEqual(['unknown']);
    expect(addsOf(scene, host)).toHaveLength(1);
    await isAccepted(scene, `after-${host}`);
    await goesBackTo(0);
  });

  it.each([
    ['rejection', 'a mishap nobody handles'],
    ['rejection without a reason', 'a promise was rejected unnoticed'],
  ])('logs a mishap that nobody handles and goes on: a %s', async (kind, words) => {
    const before = scene.log().length;
    const logged = () => scene.log().slice(before);
    await writeFile(mishap, kind);
    await expect.poll(() => JSON.stringify(logged()).includes(words)).toBe(true);
    expect(logged().filter(({ msg }) => msg === 'a promise was rejected unnoticed')).toHaveLength(1);
    await isAccepted(scene, `after-${kind.replaceAll(' ', '-')}.example.com`);
  });

  it('logs an exception that nobody handles in one line, and ends with status 1', async () => {
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
