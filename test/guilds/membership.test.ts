import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { createDeletion } from '../../src/guilds/deletion.ts';
import { createMembership, type MembershipDeps } from '../../src/guilds/membership.ts';
import { createPanels } from '../../src/guilds/panels.ts';
import { createGuildSettings } from '../../src/guilds/settings.ts';
import { createUntold } from '../../src/guilds/untold.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { addDone, claimJob, partsOver } from '../support/builders.ts';
import { openStore, rowsIn } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = 20_000 * DAY_MS;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, h: HOUR_MS, d: DAY_MS };

/** Guilds 1 and 2 with a key and settings, a process that checks, and another that only notes who uses it. */
async function open(options: Partial<MembershipDeps> = {}) {
  const store = await openStore();
  const logger = recorder();
  const keys = createApiKeys({ store, encryption: createEncryption([randomBytes(32)]), logger });
  const world = {
    now: START,
    application: '1000',
    listGuilds: async (): Promise<readonly string[]> => [],
    /** What Discord says when it is asked about a guild: by default that the bot is not there. */
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
        untold: createUntold({ store }),
        panels: createPanels({ store, logger }),
        submissions,
      }),
      keys,
      submissions,
      listGuilds: () => world.listGuilds(),
      isForeign: (guildId, signal) => world.isForeign(guildId, signal),
      tellFailure: (err, _waitMs, says) => logger.warn({ err }, says),
      applicationId: async () => world.application,
      isClockRight: async () => true,
      claimJob,
      checkEveryMs: HOUR_MS,
      graceMs: 30 * DAY_MS,
      logger,
      now,
      ...more,
    });
  const running = { bot: process(options), other: process({ claimJob: async () => false }) };
  const setKey = (guild: string) => keys.set(guild, new Secret(`key-of-guild-${guild}`), { userId: '42' });
  for (const guild of ['1', '2']) {
    await setKey(guild);
    await store.values.set(`settings:${guild}`, { locale: 'de', announce: false });
  }

  async function check(...listed: readonly string[]): Promise<void> {
    world.listGuilds = async () => listed;
    await running.bot.check();
  }

  const steps: Readonly<Record<string, (about: string) => unknown>> = {
    used: (guild) => running.bot.used(guild),
    usedElsewhere: (guild) => running.other.used(guild),
    notedElsewhere: () => running.other.check(),
    key: setKey,
    async restart() {
      await running.bot.stop();
      running.bot = process(options);
    },
    async unlisted() {
      world.listGuilds = () => Promise.reject(new Error('page 2 failed'));
      await running.bot.check();
    },
    token: (id) => Object.assign(world, { application: id }),
    isThere: () => Object.assign(world, { isForeign: async () => false }),
    isForeign: () => Object.assign(world, { isForeign: async () => true }),
    silentAbout(guild) {
      world.isForeign = (asked) =>
        asked === guild ? Promise.reject(new Error('503')) : Promise.resolve(true);
    },
  };

  function stepCalled(name: string) {
    const step = steps[name];
    if (step === undefined) throw new Error(`there is no step ${name}`);
    return step;
  }

  /** `1,2`: a check in which Discord lists these guilds; `30d`: time passes; `3(1 1h)`: three times; or a step. */
  async function tell(story: string): Promise<void> {
    const all = story.replace(/(\d+)\((.*?)\)/g, (_, count, some) =>
      Array(Number(count)).fill(some).join(' '),
    );
    for (const step of all.split(' ')) {
      const [, amount, unit = ''] = /^(-?\d+)(ms|[shd])$/.exec(step) ?? [];
      const [name = '', about = ''] = step.split(':');
      if (amount !== undefined) world.now += Number(amount) * (UNITS[unit] ?? Number.NaN);
      else if (/^[\d,]+$/.test(step)) await check(...step.split(','));
      else await stepCalled(name)(about);
    }
  }

  async function left(): Promise<string> {
    const noted = (await rowsIn(store, 'presence')).map(({ guild_id }) => guild_id);
    const kept = ['1', '2', '3'].map(async (guild) => {
      const hasKey = (await keys.get(guild)) !== undefined;
      const hasSettings = (await store.values.get(`settings:${guild}`)) !== undefined;
      const parts = [...(hasKey ? ['key'] : []), ...(hasSettings ? ['settings'] : [])];
      if (parts.length === 0) return noted.includes(guild) ? [`${guild} noted`] : [];
      return [`${guild} ${parts.length === 2 ? 'all' : parts.join()}`];
    });
    return (await Promise.all(kept)).flat().join(', ');
  }

  return { store, logger, world, running, process, check, tell, left };
}

/** What a guild is; its story; what is left of the guilds; a part of what is logged first. */
const STORIES: readonly (readonly [string, string, string, string?])[] = [
  ['away once', '2', '1 all, 2 all'],
  ['away at two checks that follow one another at once', '2 2', '1 all, 2 all'],
  ['away twice in a row', '2 1h 2', '1 settings, 2 all'],
  ['away at the end of the grace', '2 1h 2 29d 23h 2', '2 all'],
  ['away a millisecond before that', '2 1h 2 29d 23h -1ms 2', '1 settings, 2 all'],
  ['away over a restart, which counts as no check', '2 restart 1800s 2', '1 all, 2 all'],
  ['away at a check that comes a little early', '2 3564s 2', '1 settings, 2 all'],
  ['away at one that comes earlier', '2 3564s -1ms 2', '1 all, 2 all'],
  ['away over a check that failed', '2 restart 1h unlisted', '1 all, 2 all', '"level":"warn"'],
  ['away after that', '2 restart 1h unlisted 2', '1 settings, 2 all'],
  ['back in between', '2 1h 1,2 1h 2', '1 all, 2 all'],
  ['back in between, and away again', '2 1h 1,2 2 1h 2', '1 settings, 2 all'],
  ['back before the grace was over', '2 1h 2 1,2 60d 2 1h 2', '1 settings, 2 all'],
  ['away by a clock that went back', '40d 2 -40d 2 1h 2', '1 all, 2 all'],
  ['one that Discord says nothing about', 'silentAbout:1 3(3 30d)', '1 all', '"guildId":"1"'],
  ['one that it says something about later', 'silentAbout:1 3(3 30d) isForeign 3', ''],
  ['one that the bot is in after all', 'isThere 61(2 1d)', '1 all, 2 all', 'missing in the list'],
  ['used elsewhere before it left', '1,2 usedElsewhere:1 1ms 2 notedElsewhere 1h 2', '1 settings, 2 all'],
  ['used elsewhere after that', '1,2 1ms 2 1ms usedElsewhere:1 notedElsewhere 2(2 1h 2)', '1 all, 2 all'],
  ['without the bot user, with a key after a check', 'used:3 2 key:3 2 1h 2', '1 settings, 2 all, 3 key'],
  ['without the bot user, in use', '101(used:1 2 1d)', '1 all, 2 all'],
  ['without the bot user, in use within the grace', '101(used:1 2 1d) 29(2 1d)', '1 all, 2 all'],
  ['without the bot user, out of use for the grace', '101(used:1 2 1d) 30(2 1d)', '2 all'],
  ['used while it was in the list only', '1,2 used:1 2 1h 2', '1 settings, 2 all'],
  ['without the bot user, over a restart', '2 1s used:1 restart 2 1h 2', '1 all, 2 all'],
  ['with the bot user later', '2 1s used:1 restart 2 1h 2 1,2 2 1h 2', '1 settings, 2 all'],
  ['seen by another application', '1,2 token:2000 30(1d 9)', '1 all, 2 all', '"applicationId":"2000"'],
  ['seen by the first again', '1,2 token:2000 30(1d 9) token:1000 1,2 31d 2 1h 2', '1 settings, 2 all'],
  ['seen by one that stays', '1,2 token:2000 2 30d 2 1h 2', '1 settings, 2 all'],
];

it.for(STORIES)('a guild %s: %s', async ([_what, story, expected, said = '']) => {
  const { tell, left, logger } = await open();
  await tell(story);
  expect(await left()).toBe(expected);
  expect(JSON.stringify(logger.lines[0] ?? '')).toContain(said);
});

it('a guild of submissions alone loses them at the second absence when there is no grace', async () => {
  const { store, tell } = await open({ graceMs: 0 });
  await addDone(store, { id: '9', guildId: '3', userId: '2', at: 0, hosts: ['a'] });
  await tell('1,2');
  expect(await rowsIn(store, 'submissions')).toHaveLength(1);
  await tell('1h 1,2');
  expect(await rowsIn(store, 'submissions')).toEqual([]);
});

it('a key that is saved by what is used while a check writes down a use before stays', async () => {
  const { store, running, process, tell, left } = await open();
  const using = { isDue: false };
  const tables = () => {
    if (using.isDue) running.bot.used('3');
    using.isDue = false;
    return store.tables();
  };
  running.bot = process({ store: { values: store.values, tables } });
  await tell('used:3 1h');
  using.isDue = true;
  await tell('2 key:3 2 1h 2');
  expect(await left()).toContain('3 key');
});

it('a use is written down at the end with its time, and forgotten with the next list', async () => {
  const { store, tell } = await open();
  const used = async () => (await rowsIn(store, 'presence')).map((row) => [row.guild_id, row.used_at]);
  await tell('2 1s used:1 used:77 restart');
  expect(await used()).toEqual(
    expect.arrayContaining([
      ['1', START + 1_000],
      ['77', START + 1_000],
    ]),
  );
  await tell('1h 1,2');
  expect((await used()).map(([guild, at]) => `${guild} ${at}`).sort()).toEqual(['1 null', '2 null']);
});

describe('before anything is deleted, Discord is asked about the guild', () => {
  it('once for the key and once for the rest, and not while there is nothing to delete', async () => {
    const { world, tell } = await open();
    const asked: string[] = [];
    world.isForeign = async (guildId) => asked.push(guildId) > 0;
    await tell('2');
    expect(asked).toEqual([]);
    await tell('1h 29(2 1d) 2');
    expect(asked).toEqual(['1']);
    await tell('1d 2 2');
    expect(asked).toEqual(['1', '1']);
  });

  it('and the question is given up when the bot stops', async () => {
    const { world, running, tell, left, logger } = await open();
    const asked: string[] = [];
    world.isForeign = (guildId, signal) => {
      asked.push(guildId);
      const answer = new Promise<boolean>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
      void running.bot.stop();
      return answer;
    };
    await tell('3 1h 3');
    expect([asked.length, await left()]).toEqual([1, '1 all, 2 all']);
    expect(logger.lines).toEqual([]);
  });
});

it('checks begin soon after the start, follow one another, one at a time, and end with the bot', async () => {
  const { world, running } = await open();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const ends: (() => void)[] = [];
  world.listGuilds = () => new Promise((resolve) => ends.push(() => resolve(['1', '2'])));
  running.bot.start();
  vi.advanceTimersByTime(1_000);
  expect(ends).toHaveLength(1);
  vi.advanceTimersByTime(HOUR_MS);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await running.bot.check();
  vi.advanceTimersByTime(HOUR_MS);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await running.bot.stop();
  vi.advanceTimersByTime(2 * HOUR_MS);
  expect(ends).toHaveLength(2);
});
