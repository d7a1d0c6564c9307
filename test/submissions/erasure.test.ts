import { createHmac, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { createGuildData, type GuildData } from '../../src/guilds/guild-data.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/collection.ts';
import type { Database } from '../../src/storage/database.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import { bytesOnDisk, collect, folder, openStore, recorder } from '../storage/temporary.ts';
import { addDone, type PartsOptions, partsOver } from '../support/submissions.ts';

const NOON = 20_000 * 86_400_000 + 43_200_000;
const HOUR_MS = 3_600_000;
const limit = { servers: 5, seconds: 3600 };
const USER = '146634305496797257';
const ask = (guildId = '1', userId = USER) => ({ guildId, userId, count: 1 });

async function open(options: PartsOptions = {}) {
  const path = join(folder(), 'bot.sqlite');
  const database = await openStore(path);
  const at = { now: NOON };
  const over = (store: Database, more: PartsOptions = {}) =>
    partsOver(store, { now: () => at.now, member: limit, ...options, ...more });
  return { path, database, at, over, ...over(database) };
}
const servers = (database: Database) => database.tables.selectFrom('servers').selectAll().execute();

describe('a member who has their name deleted', () => {
  it('is counted by limits and quota all the same, until their time has ended', async () => {
    const { database, erasure, checks, at } = await open();
    const hosts = ['a', 'b', 'c', 'd', 'e'];
    await addDone(database, { id: 'a', guildId: '1', userId: USER, at: NOON, hosts });
    expect((await checks.room(ask())).held?.by).toBe('member-limit');
    const quota = { ...ask(), dailyQuota: 5 };
    expect(await checks.room(quota)).toMatchObject({ count: 0, held: { by: 'daily-quota', limit: 5 } });

    expect(await erasure.forgetMember('1', USER)).toBe(5);
    expect((await checks.room(ask())).held).toMatchObject({ by: 'member-limit', until: NOON + HOUR_MS });
    expect(await checks.room(quota)).toMatchObject({ count: 0, held: { by: 'daily-quota', limit: 5 } });
    expect((await checks.room(ask('1', '2'))).held).toBeUndefined();

    at.now = NOON + HOUR_MS;
    expect((await checks.room(ask())).held).toBeUndefined();
    expect((await checks.room(quota)).held?.by).toBe('daily-quota');
    await erasure.dropOldHashes();
    expect((await servers(database)).every(({ user_hash }) => user_hash !== null)).toBe(true);

    at.now = NOON + 12 * HOUR_MS;
    expect((await checks.room(quota)).held).toBeUndefined();
    await erasure.dropOldHashes();
    expect((await servers(database)).map(({ user_id, user_hash }) => [user_id, user_hash])).toEqual(
      hosts.map(() => [null, null]),
    );
  });

  it('leaves nothing behind that could be found without the key, and no hash where no limit counts', async () => {
    const { path, database, erasure } = await open();
    await addDone(database, { id: 'a', guildId: '1', userId: USER, at: NOON, hosts: ['a'] });
    await addDone(database, { id: 'b', guildId: '1', userId: USER, at: NOON - 48 * HOUR_MS, hosts: ['b'] });
    await addDone(database, { id: 'c', guildId: '2', userId: USER, at: NOON, hosts: ['c'] });
    await erasure.forgetMember('1', USER);
    await erasure.forgetMember('2', USER);
    await database.erase(async () => undefined);
    expect(bytesOnDisk(path).includes(USER)).toBe(false);
    const hashes = (await servers(database)).map(({ user_hash }) => user_hash);
    expect(hashes.filter((hash) => hash === null)).toHaveLength(1);
    // Another one in each guild.
    expect(new Set(hashes).size).toBe(3);
    for (const key of ['', '1', USER, randomBytes(32)]) {
      const guess = createHmac('sha256', key).update(`guild 1: member ${USER}`).digest('base64url');
      expect(hashes).not.toContain(guess);
    }
  });

  it('leaves nothing of a list behind that was never submitted', async () => {
    const { path, database, erasure, records } = await open();
    const rows: Draft['rows'] = [
      { line: 1, text: '', ok: true, submission: { server: 'x.example.com', port: 1, game: 'cs2' } },
    ];
    const draft: Draft = { source: 'text', rows, previous: [], includesPrevious: false };
    await records.saveDraft({ guildId: '1', user: { id: USER, name: 'mia' } }, 'd', draft);
    const keys = { delete: () => Promise.resolve(false) };
    const data = createGuildData({ store: database, keys, submissions: erasure, logger: recorder() });
    expect(bytesOnDisk(path)).toContain(USER);
    expect(await data.forgetMember('1', USER)).toBe(0);
    expect(bytesOnDisk(path)).not.toContain(USER);
  });

  it('is known by every key of the store, so that a new key resets no quota', async () => {
    const [before, after] = [randomBytes(32), randomBytes(32)];
    const { database, erasure, over } = await open({ keys: [before] });
    await addDone(database, { id: 'a', guildId: '1', userId: USER, at: NOON, hosts: ['a'] });
    await erasure.forgetMember('1', USER);
    const quota = { ...ask(), dailyQuota: 1 };
    const both = over(database, { keys: [after, before] });
    expect((await both.checks.room(quota)).held?.by).toBe('daily-quota');
    expect((await over(database, { keys: [after] }).checks.room(quota)).held).toBeUndefined();
  });
});

describe('a deletion during which the process is killed', () => {
  const [GUILD, OTHER] = ['111111', '222222'];
  const ANOTHER = '246634305496797258';
  const sealing = createEncryption([randomBytes(32)]);

  /** What deletes, over a store. */
  function dataOver(store: Database) {
    const logger = recorder();
    const keys = createApiKeys({ store, encryption: sealing });
    const { erasure } = partsOver(store, { now: () => NOON, member: limit });
    return { logger, keys, data: createGuildData({ store, keys, submissions: erasure, logger }) };
  }

  /** Stores as a kill leaves them after each commit of a deletion. */
  async function killed(begin: (data: GuildData) => Promise<unknown>): Promise<readonly string[]> {
    const [path, copies] = [join(folder(), 'bot.sqlite'), folder()];
    const paths: string[] = [];
    let isUnderWay = false;
    const database = await openStore(path, recorder(), () => {
      if (!isUnderWay) return;
      const copy = join(copies, `${paths.length}.sqlite`);
      for (const of of ['', '-wal']) if (existsSync(path + of)) copyFileSync(path + of, copy + of);
      paths.push(copy);
    });
    const { keys, data } = dataOver(database);
    for (const [guildId, userId] of [
      [GUILD, USER],
      [OTHER, ANOTHER],
    ] as const) {
      const hosts = Array.from({ length: 1_200 }, (_, n) => `h${n}.guild-${guildId}`);
      await addDone(database, { id: `done-${guildId}`, guildId, userId, at: NOON, hosts });
      await database.set(`settings:${guildId}`, {});
      await keys.set(guildId, new Secret(`the-key-of-${guildId}`), { userId: '9' });
    }
    isUnderWay = true;
    await begin(data);
    isUnderWay = false;
    await database.stop();
    return paths;
  }

  /** Starts on such a store; how many lines the log has of what was finished. */
  async function startOn(path: string): Promise<number> {
    const database = await openStore(path);
    const { logger, data } = dataOver(database);
    await data.start();
    expect(await collect(database.keys('deleting:'))).toEqual([]);
    const ofOther = (await servers(database)).filter(({ guild_id }) => guild_id === OTHER);
    expect(ofOther.filter(({ user_id }) => user_id === ANOTHER)).toHaveLength(1_200);
    expect(await collect(database.keys('settings:'))).toContain(`settings:${OTHER}`);
    expect(await collect(database.keys('api-key:'))).toContain(`api-key:${OTHER}`);
    await database.stop();
    expect(logger.lines.every(({ level }) => level === 'info')).toBe(true);
    return logger.lines.length;
  }

  it('of a guild is finished at the next start, wherever it was killed, and of no other guild', async () => {
    const paths = await killed((data) => data.delete(GUILD));
    expect(paths.length).toBeGreaterThan(5);
    const finished: number[] = [];
    for (const path of paths) {
      finished.push(await startOn(path));
      expect(bytesOnDisk(path)).not.toContain(GUILD);
    }
    // The last commit was the deletion's own last.
    expect(finished).toEqual(paths.map((_, n) => (n === paths.length - 1 ? 0 : 1)));
  });

  it('of a member’s name is finished at the next start, wherever it was killed', async () => {
    const paths = await killed((data) => data.forgetMember(GUILD, USER));
    expect(paths.length).toBeGreaterThan(4);
    const finished: number[] = [];
    for (const path of paths) {
      finished.push(await startOn(path));
      expect(bytesOnDisk(path)).not.toContain(USER);
    }
    expect(finished).toEqual(paths.map((_, n) => (n === paths.length - 1 ? 0 : 1)));
  });

  it('is not finished later when it failed and whoever asked was told so', async () => {
    const database = await openStore();
    const logger = recorder();
    const { erasure } = partsOver(database);
    const keys = { delete: () => Promise.reject(new Error('database is locked')) };
    const data = createGuildData({ store: database, keys, submissions: erasure, logger });
    await database.set(`settings:${GUILD}`, {});
    await expect(data.delete(GUILD)).rejects.toThrow('locked');
    await dataOver(database).data.start();
    expect(await collect(database.keys('settings:'))).toEqual([`settings:${GUILD}`]);
  });
});

describe('deleting the data of a guild', () => {
  it('covers every table, and nothing of another guild', async () => {
    const { path, database, erasure } = await open();
    const { tables } = database;
    for (const guildId of ['111111', '222222']) {
      const hosts = Array.from({ length: 1_200 }, (_, n) => `h${n}.guild-${guildId}`);
      await addDone(database, { id: `done-${guildId}`, guildId, userId: USER, at: NOON, hosts });
      await addDone(database, {
        id: `draft-${guildId}`,
        guildId,
        userId: USER,
        at: NOON,
        hosts: ['d'],
        outcome: null,
      });
      await tables
        .insertInto('interactions')
        .values({ id: `of-${guildId}`, guild_id: guildId, taken_at: NOON, sealed: '{}' })
        .execute();
    }
    const guilds = async () => Array.fromAsync(erasure.guilds());
    expect(await guilds()).toEqual(['111111', '222222']);
    await erasure.deleteGuild('111111');
    await database.erase(async () => undefined);
    expect(await guilds()).toEqual(['222222']);
    for (const [table, count] of [
      ['servers', 1_201],
      ['submissions', 2],
      ['interactions', 1],
    ] as const) {
      const rows = await tables.selectFrom(table).select('guild_id').execute();
      expect(rows).toHaveLength(count);
    }
    await database.stop();
    expect(bytesOnDisk(path).includes('111111')).toBe(false);
  });
});
