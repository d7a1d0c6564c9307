import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ApiKeys, createApiKeys } from '../../src/guilds/api-keys.ts';
import { createDepartures, type Departures, type DeparturesDeps } from '../../src/guilds/departures.ts';
import { createGuildData, type GuildData } from '../../src/guilds/guild-data.ts';
import { Secret } from '../../src/secret.ts';
import type { Database } from '../../src/storage/database.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { StoreError } from '../../src/storage/store.ts';
import { createLedger } from '../../src/submissions/ledger.ts';
import { bytesOnDisk, folder, openStore, recorder } from '../storage/temporary.ts';

const DAY_MS = 86_400_000;
const encryption = createEncryption([randomBytes(32)]);

let path: string;
let store: Database;
let keys: ApiKeys;
let data: GuildData;
let departures: Departures;
let logger: ReturnType<typeof recorder>;
let time: number;
let listed: () => Promise<readonly string[]>;

async function open(options: Partial<DeparturesDeps> = {}): Promise<void> {
  store = await openStore(path);
  logger = recorder();
  keys = createApiKeys({ store, encryption });
  data = createGuildData({ store, keys, ledger: createLedger({ store }) });
  departures = createDepartures({
    store,
    data,
    keys,
    listGuilds: () => listed(),
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
  await departures.check();
}

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
    await departures.check();
    await departures.check();
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
    await departures.check();
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
    expect(departures.refusals).toBe(2);
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
    expect(departures.refusals).toBe(0);
  });

  it('does not count guilds that were absent before', async () => {
    const guilds = await fill(40);
    for (const missing of [10, 18, 25]) await check('1', '2', ...guilds.slice(missing));
    expect(departures.refusals).toBe(0);
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
