import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDirectMessageChannels } from '../../src/discord/direct-message-channels.ts';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { createBlocks } from '../../src/guilds/blocks.ts';
import { createDeletion } from '../../src/guilds/deletion.ts';
import { createDirectMessageOptOuts } from '../../src/guilds/direct-message-opt-outs.ts';
import { createMembership, type MembershipDeps } from '../../src/guilds/membership.ts';
import { createPanels } from '../../src/guilds/panels.ts';
import { createGuildSettings } from '../../src/guilds/settings.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { Secret } from '../../src/text/secret.ts';
import { addDone, claimJob, partsOver } from '../support/builders.ts';
import { type Kind, kinds, newPlace, rowsIn } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = 20_000 * DAY_MS;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, h: HOUR_MS, d: DAY_MS };

/** Creates guilds 1 and 2, one process that checks them, and one with its own connection that only records their use. */
async function open(options: Partial<MembershipDeps> = {}, kind: Kind = 'sqlite') {
  const place = await newPlace(kind);
  const store = await place.open();
  const otherStore = await place.open();
  const logger = recorder();
  const keys = createApiKeys({ store, encryption: createEncryption([randomBytes(32)]), logger });
  const asked: string[] = [];
  const world = {
    now: START,
    application: '1000',
    isClockRight: true,
    /** Discord's response about a guild. By default, the bot isn't in any guild. */
    isForeign: async (_guildId: string, _signal: AbortSignal) => true,
  };
  const now = () => world.now;
  const submissions = partsOver(store, { now }).erasure;
  const process = (more: Partial<MembershipDeps> = {}) =>
    createMembership({
      store,
      deletion: createDeletion({
        store,
        keys,
        settings: createGuildSettings({ store, logger }),
        directMessageOptOuts: createDirectMessageOptOuts({ store }),
        directMessageChannels: createDirectMessageChannels({ store }),
        panels: createPanels({ store, logger }),
        blocks: createBlocks({ store, settings: createGuildSettings({ store, logger }) }),
        submissions,
      }),
      submissions,
      isForeign(guildId, signal) {
        asked.push(guildId);
        return world.isForeign(guildId, signal);
      },
      logFailure: (err, _waitMs, says) => logger.warn({ err }, says),
      applicationId: async () => world.application,
      isClockRight: async () => world.isClockRight,
      claimJob,
      checkEveryMs: HOUR_MS,
      graceMs: 30 * DAY_MS,
      pauseMs: 0,
      logger,
      now,
      ...more,
    });
  const running = {
    bot: process(options),
    other: process({ store: otherStore, claimJob: async () => false }),
  };
  const setKey = (guild: string) =>
    keys.set(guild, new Secret(`key-of-guild-${guild}`), { by: { id: '42', name: 'Ada' } });
  for (const guild of ['1', '2']) {
    await setKey(guild);
    await store.values.set(`settings:${guild}`, { locale: 'de', announce: false });
  }

  const steps: Readonly<Record<string, (about: string) => unknown>> = {
    check: () => running.bot.check(),
    used: (guild) => running.bot.used(guild),
    usedElsewhere: (guild) => running.other.used(guild),
    notedElsewhere: () => running.other.check(),
    key: setKey,
    async restart() {
      await running.bot.stop();
      running.bot = process(options);
    },
    token: (id) => Object.assign(world, { application: id }),
    clockIsWrong: () => Object.assign(world, { isClockRight: false }),
    clockIsRight: () => Object.assign(world, { isClockRight: true }),
    /** From now on, the bot is only in this guild. */
    in: (guild) => Object.assign(world, { isForeign: async (other: string) => other !== guild }),
    silentAbout(guild) {
      world.isForeign = (other) =>
        other === guild ? Promise.reject(new Error('503')) : Promise.resolve(true);
    },
  };

  function stepCalled(name: string) {
    const step = steps[name];
    if (step === undefined) throw new Error(`there is no step ${name}`);
    return step;
  }

  /** Plays a story. A story consists of steps, time that passes (`30d`) and repetitions (`3(check 1h)`). */
  async function play(story: string): Promise<void> {
    const all = story.replace(/(\d+)\((.*?)\)/g, (_, count, some) =>
      Array(Number(count)).fill(some).join(' '),
    );
    for (const step of all.split(' ')) {
      const [, amount, unit = ''] = /^(-?\d+)(ms|[shd])$/.exec(step) ?? [];
      const [name = '', about = ''] = step.split(':');
      if (amount === undefined) await stepCalled(name)(about);
      else world.now += Number(amount) * (UNITS[unit] ?? Number.NaN);
    }
  }

  /** Returns the guilds that still have all of their data, or the part of a guild's data that remains. */
  async function left(): Promise<string> {
    const kept = ['1', '2', '3'].map(async (guild) => {
      const hasKey = (await keys.get(guild)) !== undefined;
      const hasSettings = (await store.values.get(`settings:${guild}`)) !== undefined;
      if (hasKey && hasSettings) return [guild];
      return [...(hasKey ? [`the key of ${guild}`] : []), ...(hasSettings ? [`settings of ${guild}`] : [])];
    });
    return (await Promise.all(kept)).flat().join(', ');
  }

  const noted = async () => (await rowsIn(store, 'guild_departures')).map(({ guild_id }) => guild_id).sort();

  return { store, logger, world, asked, running, process, play, left, noted };
}

/** A guild's state, its story, the guilds that still have data afterwards, and part of the first log entry. */
const STORIES: readonly (readonly [string, string, string, string?])[] = [
  ['unused for less than the grace period', 'check 30d -1ms check', '1, 2'],
  ['unused for the grace period, and unknown to Discord', 'check 30d check', '', 'deleted all its data'],
  ['unused for the grace period, and known to Discord', 'in:1 check 30d check', '1'],
  ['that the bot left less than a grace period ago', 'in:1 check 30d check in:2 30d -1ms check', '1'],
  ['that the bot left a grace period ago', 'in:1 check 30d check in:2 30d check', ''],
  ['used within the grace period', 'check 30d -1ms used:1 1ms check', '1'],
  ['used within the grace period, with a restart', 'check 29d used:1 restart 1d check', '1'],
  [
    'used within the grace period, in another process',
    'check 29d usedElsewhere:1 notedElsewhere 1d check',
    '1',
  ],
  ['in use without the bot user', '101(used:1 check 1d)', '1'],
  ['recently in use without the bot user', '101(used:1 check 1d) 28d check', '1'],
  ['unused for the grace period without the bot user', '101(used:1 check 1d) 29d check', ''],
  ['for which Discord returns only errors', 'silentAbout:1 check 30d 3(check 1h)', '1', 'guild 1'],
  ['for which Discord responds later', 'silentAbout:1 check 30d check in:2 check', ''],
  ['checked with a wrong clock', 'check clockIsWrong 30d check', '1, 2'],
  ['checked with a corrected clock', 'check clockIsWrong 30d check clockIsRight check', ''],
  ['checked since the clock was set back', '40d check -40d check 30d -1ms check', '1, 2'],
  ['unused for the grace period since the clock was set back', '40d check -40d check 30d check', ''],
  [
    'checked by another application',
    'check 29d token:2000 check 30d -1ms check',
    '1, 2',
    '"applicationId":"2000"',
  ],
  ['seen by another application for the grace period', 'check 29d token:2000 check 30d check', ''],
  [
    'seen by the first application again',
    'check 29d token:2000 check 29d token:1000 check 29d check',
    '1, 2',
  ],
];

it.for(STORIES)("the membership check keeps or deletes a guild's data: %s (%s)", async ([
  _what,
  story,
  expected,
  said = '',
]) => {
  const { play, left, logger } = await open();
  await play(story);
  expect(await left()).toBe(expected);
  expect(JSON.stringify(logger.lines[0] ?? '')).toContain(said);
});

it('the membership check deletes submissions even if the guild has no other data', async () => {
  const { store, play } = await open();
  await addDone(store, { id: '9', guildId: '3', userId: '2', at: 0, hosts: ['a'] });
  await play('check 30d -1ms check');
  expect(await rowsIn(store, 'submissions')).toHaveLength(1);
  await play('1ms check');
  expect(await rowsIn(store, 'submissions')).toEqual([]);
});

it("the membership check doesn't log the application id if it hasn't changed", async () => {
  const { play, logger } = await open();
  await play('check restart check');
  expect(logger.lines).toEqual([]);
});

describe("a guild's membership", () => {
  it('is checked once per grace period', async () => {
    const { asked, play } = await open();
    await play('in:1 95(check 1d)');
    // The bot deleted guild 2's data after the first request.
    expect(asked).toEqual(['1', '2', '1', '1']);
  });

  it('is checked only if the guild has data', async () => {
    const { asked, play, noted } = await open();
    await play('in:1 used:3 check 29d used:1 used:2 check');
    expect(await noted()).toEqual(['1', '2', '3']);
    await play('1d check');
    expect(await noted()).toEqual(['1', '2']);
    expect(asked).toEqual([]);
  });

  it('is checked sooner the longer the guild has been unused', async () => {
    const { asked, running, play, left, logger } = await open({ pauseMs: 1e9 });
    await play('check 1h used:1 check 30d');
    const checked = running.bot.check();
    await expect.poll(() => logger.lines).toHaveLength(1);
    await setImmediate();
    await running.bot.stop();
    await checked;
    expect([asked, await left()]).toEqual([['2'], '1']);
    expect(logger.lines).toHaveLength(1);
  });

  it('is no longer checked once the bot stops', async () => {
    const { asked, world, running, play, left, logger } = await open();
    await play('check 30d');
    const isAsked = Promise.withResolvers<void>();
    world.isForeign = (_, signal) =>
      new Promise((_resolve, reject) => {
        isAsked.resolve();
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const checked = running.bot.check();
    await isAsked.promise;
    await running.bot.stop();
    await checked;
    expect([asked, await left(), logger.lines]).toEqual([['1'], '1, 2', []]);
  });
});

it('activity in a guild is recorded even during a membership check', async () => {
  const { store, running, process, play } = await open();
  await play('check');
  let isDue = true;
  function tables() {
    if (isDue) running.bot.used('3');
    isDue = false;
    return store.tables();
  }
  running.bot = process({ store: { ...store, tables } });
  await play('used:3 1h check check');
  const rows = await rowsIn(store, 'guild_departures');
  expect(rows.find(({ guild_id }) => guild_id === '3')?.unused_since).toBe(START + HOUR_MS);
});

describe.each(kinds())('a guild that Discord reports as unknown (with %s)', (kind) => {
  it.each([
    ['this', 'used:1'],
    ['another', 'usedElsewhere:1 notedElsewhere'],
  ])('keeps its data if %s process sees activity during the check', async (_which, use) => {
    const { world, play, left } = await open({}, kind);
    await play('check 30d');
    world.isForeign = async (guildId) => {
      if (guildId === '1') await play(use);
      return true;
    };
    await play('check');
    expect(await left()).toBe('1');
    await play('check 30d -1ms check');
    expect(await left()).toBe('1');
  });
});

it('each process records active guilds within a minute', async () => {
  const { store, running, play } = await open();
  await play('check 29d');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await running.other.start();
  await play('usedElsewhere:1 1d');
  vi.advanceTimersByTime(60_000);
  await expect
    .poll(async () => (await rowsIn(store, 'guild_departures')).map((row) => row.unused_since - START))
    .toEqual([29 * DAY_MS, 0]);
  await running.other.stop();
});

it('checks for unused guilds never overlap', async () => {
  let claims = 0;
  const { world, running, asked, play } = await open({
    claimJob: (name, ms, work) => {
      claims += 1;
      return claimJob(name, ms, work);
    },
  });
  await play('check 30d');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const ends: (() => void)[] = [];
  world.isForeign = () => new Promise((resolve) => ends.push(() => resolve(true)));
  running.bot.start();
  vi.advanceTimersByTime(HOUR_MS - 1);
  await setImmediate();
  expect(claims).toBe(1);
  vi.advanceTimersByTime(HOUR_MS + 1);
  await expect.poll(() => asked).toEqual(['1']);
  ends[0]?.();
  await expect.poll(() => asked).toEqual(['1', '2']);
  ends[1]?.();
  await running.bot.check();
  await running.bot.stop();
  vi.advanceTimersByTime(2 * HOUR_MS);
  await setImmediate();
  expect(claims).toBe(2);
});
