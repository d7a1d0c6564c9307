import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiKeys, createApiKeys } from '../../src/guilds/api-keys.ts';
import { createGuildData, type GuildData } from '../../src/guilds/guild-data.ts';
import { createMembership, type Membership, type MembershipDeps } from '../../src/guilds/membership.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/collection.ts';
import type { Database } from '../../src/storage/database.ts';
import { StoreError } from '../../src/storage/store.ts';
import { bytesOnDisk, folder, openStore, recorder } from '../storage/temporary.ts';
import { partsOver } from '../support/submissions.ts';

const DAY_MS = 86_400_000;
const encryption = createEncryption([randomBytes(32)]);

let path: string;
let store: Database;
let keys: ApiKeys;
let data: GuildData;
let membership: Membership;
let logger: ReturnType<typeof recorder>;
let time: number;
let listed: () => Promise<readonly string[]>;
/** What Discord says when it is asked about a guild: by default that the bot is not there. */
let isForeign: MembershipDeps['isForeign'];

async function open(options: Partial<MembershipDeps> = {}): Promise<void> {
  store = await openStore(path);
  logger = recorder();
  keys = createApiKeys({ store, encryption });
  data = createGuildData({ store, keys, submissions: partsOver(store).erasure, logger });
  membership = createMembership({
    store,
    data,
    keys,
    listGuilds: () => listed(),
    isForeign: (guildId, signal) => isForeign(guildId, signal),
    applicationId: () => '1000',
    isOurs: () => true,
    checkEveryMs: 3_600_000,
    graceMs: 30 * DAY_MS,
    logger,
    now: () => time,
    ...options,
  });
}

beforeEach(async () => {
  path = join(folder(), 'bot.sqlite');
  time = 0;
  isForeign = async () => true;
  await open();
  for (const guild of ['1', '2']) {
    await keys.set(guild, new Secret(`key-of-guild-${guild}`), { userId: '42' });
    await store.set(`settings:${guild}`, { logChannel: '5' });
    await store.set(`journal:${guild}:77`, { rows: 1 });
  }
  await store.set('games:list', { games: [] });
});

/** One check in which Discord lists these guilds. */
async function check(...guilds: readonly string[]): Promise<void> {
  listed = async () => guilds;
  await membership.check();
}

/** What was logged of lists in which too many guilds were missing. */
const refusedLists = () => logger.lines.filter(({ level }) => level === 'error');

const hasKey = async (guild: string) => (await keys.get(guild)) !== undefined;
const hasRest = async (guild: string) => (await data.held()).has(guild);

describe('a guild that the bot was removed from', () => {
  it('keeps everything after one absence, loses its key at the second in a row, and the rest after the grace', async () => {
    await check('2');
    expect(await hasKey('1')).toBe(true);
    time = 3_600_000;
    await check('2');
    expect(await hasKey('1')).toBe(false);
    expect(await hasRest('1')).toBe(true);
    expect(bytesOnDisk(path)).not.toContain('api-key:1');

    time = 30 * DAY_MS - 1;
    await check('2');
    expect(await store.get('settings:1')).toBeDefined();
    time = 30 * DAY_MS;
    await check('2');
    expect(await hasRest('1')).toBe(false);
    expect(bytesOnDisk(path)).not.toMatch(/(settings|journal|absence):1/);

    expect(await hasKey('2')).toBe(true);
    expect(await store.get('settings:2')).toBeDefined();
    expect(await store.get('games:list')).toBeDefined();
  });

  it('is counted over a restart', async () => {
    await check('2');
    await store.stop();
    await open();
    await check('2');
    expect(await hasKey('1')).toBe(false);
  });

  it('starts anew when it was back in between', async () => {
    await check('2');
    await check('1', '2');
    await check('2');
    expect(await hasKey('1')).toBe(true);
    time = 100 * DAY_MS;
    await check('2');
    expect(await hasKey('1')).toBe(false);
    expect(await store.get('settings:1')).toBeUndefined();
  });

  it('keeps its settings when it is back within the grace', async () => {
    await check('2');
    await check('2');
    time = 29 * DAY_MS;
    await check('1', '2');
    time = 60 * DAY_MS;
    await check('1', '2');
    await check('2');
    expect(await store.get('settings:1')).toBeDefined();
  });

  it('loses everything at once when there is no grace', async () => {
    await store.stop();
    await open({ graceMs: 0 });
    await check('2');
    expect(await hasRest('1')).toBe(true);
    await check('2');
    expect(await hasRest('1')).toBe(false);
  });

  it('is no longer kept track of when nothing is kept of it', async () => {
    await check('2');
    await data.delete('1');
    await store.set('absence:1', { v: 1, since: 0, absences: 1 });
    await check('2');
    expect(await store.get('absence:1')).toBeUndefined();
  });
});

describe('nothing changes', () => {
  const unchanged = async () => {
    expect(await hasKey('1')).toBe(true);
    expect(await hasKey('2')).toBe(true);
    expect(await store.get('absence:1')).toBeUndefined();
  };

  it('when the list could not be read, whole or in part', async () => {
    listed = async () => {
      throw new Error('page 2 failed');
    };
    await membership.check();
    await membership.check();
    await unchanged();
    expect(logger.lines).toMatchObject([{ level: 'warn' }, { level: 'warn' }]);
  });

  it('when the list is empty', async () => {
    await check();
    await check();
    await unchanged();
    expect(logger.lines).toMatchObject([{ level: 'warn' }, { level: 'warn' }]);
  });

  it('between two absences when a check in between has failed', async () => {
    await check('2');
    listed = async () => {
      throw new Error('down');
    };
    await membership.check();
    expect(await hasKey('1')).toBe(true);
    await check('2');
    expect(await hasKey('1')).toBe(false);
  });

  it('in guilds that another process looks after', async () => {
    await store.stop();
    await open({ isOurs: (guild) => guild === '2' });
    await store.set('absence:1', { v: 1, since: 0, absences: 1 });
    await check('2');
    await check('2');
    expect(await hasKey('1')).toBe(true);
    expect(await store.get('absence:1')).toEqual({ v: 1, since: 0, absences: 1 });
  });

  it('for long when the clock goes backwards', async () => {
    time = 40 * DAY_MS;
    await check('2');
    time = 0;
    await check('2');
    expect(await hasKey('1')).toBe(false);
    expect(await store.get('settings:1')).toBeDefined();
  });

  it('when the store fails in the middle, and the next check goes on', async () => {
    await store.stop();
    let isBroken = true;
    await open({
      data: {
        held: () => (isBroken ? Promise.reject(new StoreError('locked')) : data.held()),
        delete: (guild) => data.delete(guild),
        forgetMember: (guild, user) => data.forgetMember(guild, user),
      },
    });
    await check('2');
    expect(logger.lines).toMatchObject([{ level: 'error' }]);
    isBroken = false;
    await check('2');
    await check('2');
    expect(await hasKey('1')).toBe(false);
  });
});

describe('a list in which too many guilds are missing', () => {
  /** Guilds 100 to 100 + count - 1, each with settings. */
  async function fill(count: number): Promise<readonly string[]> {
    const guilds = Array.from({ length: count }, (_, i) => String(100 + i));
    for (const guild of guilds) await store.set(`settings:${guild}`, {});
    return guilds;
  }
  const noted = async () => {
    const all: string[] = [];
    for await (const key of store.keys('absence:')) all.push(key);
    return all.length;
  };

  it('is refused, logged and counted when it is more than 10 and more than 20 %', async () => {
    const guilds = await fill(48);
    // 11 of 50 are 22 %.
    await check('1', '2', ...guilds.slice(11));
    await check('1', '2', ...guilds.slice(11));
    expect(await noted()).toBe(0);
    expect(logger.lines).toMatchObject([
      { level: 'error', details: { vanished: 11, of: 50, refusals: 1 } },
      { level: 'error', details: { vanished: 11, of: 50, refusals: 2 } },
    ]);
  });

  it('is taken when it is 10 guilds, or 20 %', async () => {
    const guilds = await fill(53);
    await check('1', '2', ...guilds.slice(10));
    expect(await noted()).toBe(10);
    // 11 of 55 are 20 %.
    await check('1', '2', ...guilds);
    await check('1', '2', ...guilds.slice(11));
    expect(await noted()).toBe(11);
    expect(refusedLists()).toEqual([]);
  });

  it('does not count guilds that were absent before', async () => {
    const guilds = await fill(40);
    for (const missing of [10, 18, 25]) await check('1', '2', ...guilds.slice(missing));
    expect(refusedLists()).toEqual([]);
    expect(await noted()).toBe(25);
  });

  it('does not stop the counting of those that were absent before for ever', async () => {
    const guilds = await fill(40);
    await check('2', ...guilds);
    await check('2', ...guilds.slice(20));
    expect(await hasKey('1')).toBe(true);
    await check('2', ...guilds);
    expect(await hasKey('1')).toBe(false);
  });
});

describe('before anything is deleted, Discord is asked about the guild', () => {
  it('once for the key and once for the rest, and not while there is nothing to delete', async () => {
    const asked: string[] = [];
    isForeign = async (guild) => asked.push(guild) > 0;
    await check('2');
    expect(asked).toEqual([]);
    for (let hour = 1; hour < 30 * 24; hour += 24) {
      time = hour * 3_600_000;
      await check('2');
    }
    expect(asked).toEqual(['1']);
    time = 30 * DAY_MS;
    await check('2');
    await check('2');
    expect(asked).toEqual(['1', '1']);
    expect(await hasRest('1')).toBe(false);
  });

  it('and while it does not say that the guild is unknown, everything stays', async () => {
    isForeign = () => Promise.reject(new Error('503'));
    for (time = 0; time <= 60 * DAY_MS; time += DAY_MS) await check('2');
    expect(await hasKey('1')).toBe(true);
    expect(await store.get('settings:1')).toBeDefined();
    expect(logger.lines[0]).toMatchObject({ level: 'warn', details: { guildId: '1' } });

    isForeign = async () => true;
    await check('2');
    expect(await hasRest('1')).toBe(false);
  });

  it('and when the bot is there after all, counting starts anew', async () => {
    isForeign = async () => false;
    for (time = 0; time <= 60 * DAY_MS; time += DAY_MS) await check('2');
    expect(await hasKey('1')).toBe(true);
    isForeign = async () => true;
    await store.delete('absence:1');
    await check('2');
    expect(await hasKey('1')).toBe(true);
    await check('2');
    expect(await hasKey('1')).toBe(false);
  });

  it('one guild that Discord says nothing about does not hold up the others', async () => {
    await check('3');
    isForeign = (guild) => (guild === '1' ? Promise.reject(new Error('500')) : Promise.resolve(true));
    await check('3');
    expect([await hasKey('1'), await hasKey('2')]).toEqual([true, false]);
  });

  it('and the question is given up when the bot stops', async () => {
    await check('3');
    let asked = 0;
    isForeign = (_, signal) => {
      asked += 1;
      void membership.stop?.();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    await check('3');
    expect(asked).toBe(1);
    expect([await hasKey('1'), await hasKey('2')]).toEqual([true, true]);
    expect(logger.lines).toEqual([]);
  });
});

describe('a guild that has the commands without the bot user', () => {
  const stored = () => store.get('used:1');

  it('keeps its key while it is used, and loses everything after the grace from the last use', async () => {
    for (time = 0; time <= 100 * DAY_MS; time += DAY_MS) {
      membership.used('1');
      await check('2');
    }
    expect(await hasKey('1')).toBe(true);
    const last = 100 * DAY_MS;
    for (time = last; time < last + 30 * DAY_MS; time += DAY_MS) await check('2');
    expect(await hasKey('1')).toBe(true);
    expect(await store.get('settings:1')).toBeDefined();
    time = last + 30 * DAY_MS;
    await check('2');
    expect(await hasRest('1')).toBe(false);
    expect(bytesOnDisk(path)).not.toMatch(/(api-key|settings|absence|used):1/);
    expect(await hasKey('2')).toBe(true);
  });

  it('keeps its key when it was in the list before and is used after the first absence', async () => {
    await check('1', '2');
    await check('2');
    time = 3_600_000;
    membership.used('1');
    await check('2');
    await check('2');
    expect(await hasKey('1')).toBe(true);
    time += 30 * DAY_MS;
    await check('2');
    expect(await hasKey('1')).toBe(false);
  });

  it('loses its key at the second absence when it was used only while it was in the list', async () => {
    await check('1', '2');
    membership.used('1');
    time = 1;
    await check('2');
    await check('2');
    expect(await hasKey('1')).toBe(false);
    expect(await stored()).toBeUndefined();
  });

  it('is remembered over a restart, and over a crash seconds after the use', async () => {
    await check('2');
    time = 1_000;
    membership.used('1');
    await expect.poll(stored).toEqual({ v: 1, at: 1_000 });
    await store.stop();
    await open();
    for (time = DAY_MS; time < 30 * DAY_MS; time += DAY_MS) await check('2');
    expect(await hasKey('1')).toBe(true);
    time = 30 * DAY_MS + 1_000;
    await check('2');
    expect(await hasKey('1')).toBe(false);
  });

  it('is written when the bot stops', async () => {
    await check('2');
    membership.used('1');
    expect(await stored()).toBeUndefined();
    await membership.stop?.();
    expect(await stored()).toEqual({ v: 1, at: 0 });
  });

  it('is written once an hour at most, and never while it is in the list', async () => {
    const writes: string[] = [];
    await store.stop();
    await open();
    membership = createMembership({
      ...{ data, keys, isOurs: () => true, checkEveryMs: 1, graceMs: 30 * DAY_MS, logger, now: () => time },
      ...{
        listGuilds: () => listed(),
        isForeign: (guild, signal) => isForeign(guild, signal),
        applicationId: () => '1000',
      },
      store: {
        ...store,
        set(key, value) {
          writes.push(key);
          return store.set(key, value);
        },
      },
    });
    await check('2');
    writes.length = 0;
    const flush = async () => {
      vi.advanceTimersByTime(3_000);
      await vi.advanceTimersByTimeAsync(0);
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for (time = 1; time < 3_600_000; time += 60_000) {
        for (const guild of ['1', '2']) membership.used(guild);
        await flush();
      }
      expect(writes).toEqual(['used:1']);
      time = 3_700_000;
      membership.used('1');
      membership.used('1');
      await flush();
      expect(writes).toEqual(['used:1', 'used:1']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('starts anew when the bot user is added, and is judged like any other then', async () => {
    membership.used('1');
    await membership.stop?.();
    await store.stop();
    await open();
    await check('2');
    await check('1', '2');
    expect(await stored()).toBeUndefined();
    time = 1;
    await check('2');
    await check('2');
    expect(await hasKey('1')).toBe(false);
  });

  it('leaves nothing behind that was used and keeps no data', async () => {
    membership.used('77');
    await membership.stop?.();
    expect(await store.get('used:77')).toBeDefined();
    await check('1', '2');
    expect(await store.get('used:77')).toBeUndefined();
    expect((await data.held()).has('77')).toBe(false);
  });

  it('loses its key in time also where the list is empty, and no other guild does', async () => {
    membership.used('1');
    for (time = 0; time < 30 * DAY_MS; time += DAY_MS) await check();
    expect(await hasKey('1')).toBe(true);
    time = 30 * DAY_MS;
    await check();
    expect([await hasRest('1'), await hasKey('2')]).toEqual([false, true]);
  });

  it('does not count towards a mass loss', async () => {
    for (let guild = 100; guild < 150; guild++) {
      await store.set(`settings:${guild}`, {});
      membership.used(String(guild));
    }
    await check('2');
    expect(refusedLists()).toEqual([]);
    await check('2');
    expect(await hasKey('1')).toBe(false);
    expect(await hasRest('100')).toBe(true);
  });

  it('keeps everything that is used at the very moment when it would be deleted', async () => {
    await check('2');
    time = 1;
    isForeign = async (guild) => {
      membership.used(guild);
      return true;
    };
    await check('2');
    expect(await hasKey('1')).toBe(true);
    // From here on as any other.
    isForeign = async () => true;
    await check('2');
    await check('2');
    expect(await hasKey('1')).toBe(true);
    time = 30 * DAY_MS + 1;
    await check('2');
    expect(await hasRest('1')).toBe(false);
  });

  it('stays known when it is used while its data is being deleted', async () => {
    await store.stop();
    await open({
      data: {
        ...{ held: () => data.held(), forgetMember: (guild, user) => data.forgetMember(guild, user) },
        delete(guild) {
          membership.used(guild);
          return data.delete(guild);
        },
      },
      graceMs: 0,
    });
    await check('2');
    await check('2');
    expect(await hasRest('1')).toBe(false);
    await membership.stop?.();
    expect(await stored()).toBeDefined();
  });
});

describe('the token of another bot', () => {
  let application = '1000';
  const reopen = async () => {
    await store.stop();
    await open({ applicationId: () => application });
  };

  it('deletes nothing for the time of grace, and nothing at all once the first is back', async () => {
    await check('1', '2');
    application = '2000';
    await reopen();
    for (time = DAY_MS; time < 31 * DAY_MS; time += DAY_MS) await check('9');
    expect([await hasKey('1'), await hasKey('2')]).toEqual([true, true]);
    expect(logger.lines[0]).toMatchObject({ level: 'warn', details: { applicationId: '2000' } });
    application = '1000';
    await reopen();
    await check('1', '2');
    expect([await hasKey('1'), await hasKey('2')]).toEqual([true, true]);
    // A departure is found at once again.
    await check('2');
    await check('2');
    expect(await hasKey('1')).toBe(false);
  });

  it('is the token of this bot when it stays', async () => {
    await check('1', '2');
    application = '2000';
    await reopen();
    await check('2');
    time = 30 * DAY_MS;
    await check('2');
    await check('2');
    expect([await hasKey('1'), await hasKey('2')]).toEqual([false, true]);
  });
});
