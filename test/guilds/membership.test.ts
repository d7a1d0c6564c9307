import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ApiKeys, createApiKeys } from '../../src/guilds/api-keys.ts';
import { createDeletion } from '../../src/guilds/deletion.ts';
import { createMembership, type Membership, type MembershipDeps } from '../../src/guilds/membership.ts';
import { createPanels } from '../../src/guilds/panels.ts';
import { createGuildSettings } from '../../src/guilds/settings.ts';
import { createUntold } from '../../src/guilds/untold.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import type { Store } from '../../src/storage/store.ts';
import { addDone, claimJob, partsOver } from '../support/builders.ts';
import { openStore, rowsIn } from '../support/database.ts';
import { folder, recorder } from '../support/machine.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = 20_000 * DAY_MS;
const encryption = createEncryption([randomBytes(32)]);

let path: string;
let store: Store;
let keys: ApiKeys;
let membership: Membership;
let logger: ReturnType<typeof recorder>;
/** Milliseconds since the start. */
let time: number;
let listed: () => Promise<readonly string[]>;
let application: string;
/** What Discord says when it is asked about a guild: by default that the bot is not there. */
let isForeign: MembershipDeps['isForeign'];

/** Opens the store, for the first time or after a restart. */
async function open(options: Partial<MembershipDeps> = {}): Promise<void> {
  await store?.stop();
  store = await openStore(path);
  logger = recorder();
  keys = createApiKeys({ store, encryption, now: Date.now, logger });
  membership = process(options);
}

/** The membership of a process over the store that is open. */
function process(options: Partial<MembershipDeps> = {}): Membership {
  const submissions = partsOver(store, { now: () => START + time }).erasure;
  return createMembership({
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
    listGuilds: () => listed(),
    isForeign: (guildId, signal) => isForeign(guildId, signal),
    tellUnreachable: () => false,
    applicationId: async () => application,
    isClockRight: async () => true,
    claimJob,
    checkEveryMs: HOUR_MS,
    graceMs: 30 * DAY_MS,
    logger,
    now: () => START + time,
    ...options,
  });
}

beforeEach(async () => {
  path = join(folder(), 'bot.sqlite');
  time = 0;
  application = '1000';
  isForeign = async () => true;
  await open();
  for (const guild of ['1', '2']) {
    await keys.set(guild, new Secret(`key-of-guild-${guild}`), { userId: '42' });
    await store.values.set(`settings:${guild}`, { locale: 'de', announce: false });
  }
});

/** One check in which Discord lists these guilds. */
async function check(...guilds: readonly string[]): Promise<void> {
  listed = async () => guilds;
  await membership.check();
}

/** Two checks an hour apart without guild 1, which is one too many for its key. */
async function missTwice(): Promise<void> {
  await check('2');
  time += HOUR_MS;
  await check('2');
}

async function presenceOf(guildId: string) {
  const presences = await rowsIn(store, 'presence');
  return presences.find(({ guild_id }) => guild_id === guildId);
}

const hasKey = async (guildId: string) => (await keys.get(guildId)) !== undefined;
const hasSettings = async (guildId: string) => (await store.values.get(`settings:${guildId}`)) !== undefined;

describe('a guild that the bot was removed from', () => {
  it('keeps everything after one absence, loses its key at the second in a row, and the rest after the grace', async () => {
    await check('2');
    expect(await hasKey('1')).toBe(true);
    time = HOUR_MS;
    await check('2');
    expect([await hasKey('1'), await hasSettings('1')]).toEqual([false, true]);
    time = 30 * DAY_MS - 1;
    await check('2');
    expect(await hasSettings('1')).toBe(true);
    time = 30 * DAY_MS;
    await check('2');
    expect([await hasSettings('1'), await presenceOf('1')]).toEqual([false, undefined]);
    expect([await hasKey('2'), await hasSettings('2')]).toEqual([true, true]);
  });

  it('is counted over a restart, which brings no second absence nearer, and over a check that failed', async () => {
    await check('2');
    await open();
    time = HOUR_MS / 2;
    await check('2');
    expect(await hasKey('1')).toBe(true);
    listed = () => Promise.reject(new Error('page 2 failed'));
    time = HOUR_MS;
    await membership.check();
    expect(await hasKey('1')).toBe(true);
    expect(logger.lines).toMatchObject([{ level: 'warn' }]);
    await check('2');
    expect(await hasKey('1')).toBe(false);
  });

  it('starts anew when it was back in between', async () => {
    await check('2');
    time += HOUR_MS;
    await check('1', '2');
    await missTwice();
    expect([await hasKey('1'), await hasSettings('1')]).toEqual([false, true]);
    await check('1', '2');
    time = 60 * DAY_MS;
    await missTwice();
    expect(await hasSettings('1')).toBe(true);
  });

  it('is found by its submissions alone, and loses them at the second absence when there is no grace', async () => {
    await addDone(store, { id: '9', guildId: '3', userId: '2', at: 0, hosts: ['a'] });
    await open({ graceMs: 0 });
    await check('1', '2');
    expect(await rowsIn(store, 'submissions')).toHaveLength(1);
    time += HOUR_MS;
    await check('1', '2');
    expect(await rowsIn(store, 'submissions')).toEqual([]);
  });

  it('keeps everything while the clock is behind the first absence', async () => {
    time = 40 * DAY_MS;
    await check('2');
    time = 0;
    await missTwice();
    expect([await hasKey('1'), await hasSettings('1')]).toEqual([true, true]);
  });
});

describe('before anything is deleted, Discord is asked about the guild', () => {
  it('once for the key and once for the rest, and not while there is nothing to delete', async () => {
    const asked: string[] = [];
    isForeign = async (guildId) => asked.push(guildId) > 0;
    await check('2');
    expect(asked).toEqual([]);
    for (time = HOUR_MS; time < 30 * DAY_MS; time += DAY_MS) await check('2');
    expect(asked).toEqual(['1']);
    time = 30 * DAY_MS;
    await check('2');
    await check('2');
    expect(asked).toEqual(['1', '1']);
  });

  it('and while Discord does not answer, everything of this guild stays, and no other guild is held up', async () => {
    isForeign = (guildId) => (guildId === '1' ? Promise.reject(new Error('503')) : Promise.resolve(true));
    for (time = 0; time <= 60 * DAY_MS; time += 30 * DAY_MS) await check('3');
    expect([await hasKey('1'), await hasSettings('1'), await hasSettings('2')]).toEqual([true, true, false]);
    expect(logger.lines[0]).toMatchObject({ level: 'warn', details: { guildId: '1' } });
    isForeign = async () => true;
    await check('3');
    expect(await hasSettings('1')).toBe(false);
  });

  it('and when the bot is there after all, counting starts anew', async () => {
    isForeign = async () => false;
    for (time = 0; time <= 60 * DAY_MS; time += DAY_MS) await check('2');
    isForeign = async () => true;
    expect(await hasKey('1')).toBe(true);
    expect(logger.lines[0]?.message).toContain('missing in the list');
  });

  it('and the question is given up when the bot stops', async () => {
    await check('3');
    time = HOUR_MS;
    let asked = 0;
    isForeign = (_, signal) => {
      asked += 1;
      const answer = new Promise<boolean>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
      void membership.stop?.();
      return answer;
    };
    await check('3');
    expect([asked, await hasKey('1'), await hasKey('2')]).toEqual([1, true, true]);
    expect(logger.lines).toEqual([]);
  });
});

it('a guild that used another process right before it removed the bot loses its key at the second absence', async () => {
  const other = process({ claimJob: async () => false });
  await check('1', '2');
  other.used('1');
  time += 1;
  await check('2');
  // What it knows comes later than the first check without the guild.
  await other.check();
  time += HOUR_MS;
  await check('2');
  expect([await hasKey('1'), await hasKey('2')]).toEqual([false, true]);
});

it('a guild that uses another process after it removed the bot keeps its key', async () => {
  const other = process({ claimJob: async () => false });
  await check('1', '2');
  time += 1;
  await check('2');
  time += 1;
  other.used('1');
  await other.check();
  await missTwice();
  await missTwice();
  expect(await hasKey('1')).toBe(true);
});

describe('a guild that has the commands without the bot user', () => {
  it('keeps a key that is saved after a check', async () => {
    membership.used('3');
    await check('2');
    await keys.set('3', new Secret('key-of-guild-3'), { userId: '42' });
    await missTwice();
    expect(await hasKey('3')).toBe(true);
  });

  it('keeps a key that is saved by what is used while a check writes down a use before', async () => {
    let useIt = false;
    const tables = () => {
      if (useIt) membership.used('3');
      useIt = false;
      return store.tables();
    };
    membership = process({ store: { values: store.values, tables } });
    membership.used('3');
    time = HOUR_MS;
    useIt = true;
    await check('2');
    await keys.set('3', new Secret('key-of-guild-3'), { userId: '42' });
    await missTwice();
    expect(await hasKey('3')).toBe(true);
  });

  it('keeps its key while it is used, and loses everything after the grace from the last use', async () => {
    for (time = 0; time <= 100 * DAY_MS; time += DAY_MS) {
      membership.used('1');
      await check('2');
    }
    expect(await hasKey('1')).toBe(true);
    const last = 100 * DAY_MS;
    for (time = last; time < last + 30 * DAY_MS; time += DAY_MS) await check('2');
    expect([await hasKey('1'), await hasSettings('1')]).toEqual([true, true]);
    time = last + 30 * DAY_MS;
    await check('2');
    expect([await hasKey('1'), await hasSettings('1'), await presenceOf('1')]).toEqual([
      false,
      false,
      undefined,
    ]);
  });

  it('loses its key at the second absence when it was used only while it was in the list', async () => {
    await check('1', '2');
    membership.used('1');
    await missTwice();
    expect(await hasKey('1')).toBe(false);
  });

  it('is remembered over a restart, and forgotten when the bot user is added or nothing is kept', async () => {
    await check('2');
    time = 1_000;
    membership.used('1');
    membership.used('77');
    await membership.stop?.();
    expect([(await presenceOf('1'))?.used_at, (await presenceOf('77'))?.used_at]).toEqual([
      START + 1_000,
      START + 1_000,
    ]);
    await open();
    await missTwice();
    expect(await hasKey('1')).toBe(true);
    await check('1', '2');
    expect([(await presenceOf('1'))?.used_at, await presenceOf('77')]).toEqual([null, undefined]);
    await missTwice();
    expect(await hasKey('1')).toBe(false);
  });
});

describe('the token of another application', () => {
  it('deletes nothing for the time of grace, and nothing once the first is back', async () => {
    await check('1', '2');
    application = '2000';
    for (time = DAY_MS; time < 31 * DAY_MS; time += DAY_MS) await check('9');
    expect([await hasKey('1'), await hasKey('2')]).toEqual([true, true]);
    expect(logger.lines[0]).toMatchObject({ level: 'warn', details: { applicationId: '2000' } });
    application = '1000';
    await check('1', '2');
    time += 30 * DAY_MS;
    await missTwice();
    expect([await hasKey('1'), await hasKey('2')]).toEqual([false, true]);
  });

  it('is taken for this bot when it stays', async () => {
    await check('1', '2');
    application = '2000';
    await check('2');
    time = 30 * DAY_MS;
    await missTwice();
    expect([await hasKey('1'), await hasKey('2')]).toEqual([false, true]);
  });
});

describe('the checks', () => {
  it('begin soon after the start, follow one another, one at a time, and end with the bot', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    let lists = 0;
    const ends: (() => void)[] = [];
    listed = () => {
      lists += 1;
      return new Promise((resolve) => ends.push(() => resolve(['1', '2'])));
    };
    await membership.start?.();
    vi.advanceTimersByTime(1_000);
    expect(lists).toBe(1);
    vi.advanceTimersByTime(HOUR_MS);
    expect(lists).toBe(1);
    for (const end of ends) end();
    await membership.check();
    vi.advanceTimersByTime(HOUR_MS);
    expect(lists).toBe(2);
    for (const end of ends) end();
    await membership.stop?.();
    vi.advanceTimersByTime(2 * HOUR_MS);
    expect(lists).toBe(2);
  });
});
