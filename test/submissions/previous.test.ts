import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLeftInteractions } from '../../src/discord/resume.ts';
import { interactionContext } from '../../src/discord/taken.ts';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { createGuildSettings } from '../../src/guilds/settings.ts';
import { createDatabase, type Database } from '../../src/storage/database.ts';
import { createStoreEncryption } from '../../src/storage/encryption-key.ts';
import { createChecks } from '../../src/submissions/checks.ts';
import { createHistory } from '../../src/submissions/history.ts';
import { toResume } from '../../src/submissions/pipeline.ts';
import { createPreviousRecords } from '../../src/submissions/previous/move.ts';
import { createRecords } from '../../src/submissions/record.ts';
import { collect, folder, recorder } from '../storage/temporary.ts';
import { changeValues, copyStoreOf01, IN_0_1 } from '../support/store-of-0.1.ts';

const { guild, otherGuild, member, otherMember } = IN_0_1;
let place: string;
let path: string;
let logger: ReturnType<typeof recorder>;

beforeEach(() => {
  place = folder();
  path = copyStoreOf01(place);
  logger = recorder();
});

/** The store as the bot has it after a start. */
async function start() {
  const database = createDatabase({ url: `sqlite://${path}`, logger });
  const encryption = createStoreEncryption({ configured: undefined, database, logger });
  const stop = () => database.stop();
  onTestFinished(stop);
  await database.start();
  await encryption.start?.();
  await createPreviousRecords({ database, encryption, interactionContext, logger }).start?.();
  const interactions = createLeftInteractions({ database, encryption, logger });
  await interactions.start();
  const limit = { servers: 1000, seconds: 3600 };
  return {
    database,
    stop,
    interactions,
    keys: createApiKeys({ store: database, encryption }),
    settings: createGuildSettings({ store: database }),
    history: createHistory({ database }),
    records: createRecords({ database }),
    checks: createChecks({
      database,
      encryption,
      listing: { isDown: () => false },
      member: limit,
      guild: limit,
    }),
  };
}

const who = (id: string) => ({ guildId: guild, user: { id, name: 'anybody' } });
const address = (server: string, port = 27015) => ({ server, port });
const keysOf = (database: Database) => collect(database.keys(''));
const addressesIn = async (database: Database, guildId: string, userId: string) =>
  (
    await database.tables
      .selectFrom('servers')
      .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
      .where('servers.guild_id', '=', guildId)
      .where('servers.user_id', '=', userId)
      .where('servers.outcome', 'is not', null)
      .where('submissions.state', '=', 'done')
      .orderBy('servers.ended_at')
      .orderBy('servers.position')
      .select(['address', 'outcome'])
      .execute()
  ).map(({ address, outcome }) => `${address} ${outcome}`);

describe('a store that version 0.1 wrote', () => {
  it('has its keys, settings and history after the first start, and a copy beside it', async () => {
    const { database, keys, settings, checks } = await start();
    expect((await keys.get(guild))?.reveal()).toBe('sandbox-key');
    expect((await keys.get(otherGuild))?.reveal()).toBe('second-key');
    expect(await settings.get(guild)).toMatchObject({ announce: true, dailyQuota: 400 });
    expect(await addressesIn(database, guild, member)).toEqual([
      'first.example.com:27015 accepted',
      '5.9.0.1:27015 accepted',
      'refused.example.com:27015 rejected',
      'l1.example.com:27015 accepted',
      'l2.example.com:27015 accepted',
      'l3.example.com:27015 accepted',
    ]);
    expect(await addressesIn(database, guild, otherMember)).toEqual([
      'second.example.com:27015 accepted',
      'unknown.example.com:27015 unknown',
    ]);
    const before = await checks.submittedBefore(
      { guildId: guild, userId: '7' },
      ['first', 'refused', 'unknown', 'u99'].map((name) => address(`${name}.example.com`)),
    );
    expect([...before.values()].map(({ server, userName, outcome }) => [server, userName, outcome])).toEqual(
      expect.arrayContaining([
        ['first.example.com', 'member', 'accepted'],
        ['unknown.example.com', 'other', 'unknown'],
        ['u99.example.com', 'member', 'accepted'],
      ]),
    );
    expect(before.size).toBe(3);
    expect(
      (
        await checks.submittedBefore({ guildId: otherGuild, userId: '7' }, [
          address('deutsch.example.com', 2302),
        ])
      ).size,
    ).toBe(1);
    expect(readdirSync(place).filter((name) => name.includes('.before-'))).toHaveLength(1);
    expect((await keysOf(database)).map((key) => key.split(':')[0]).sort()).toEqual(
      ['api-key', 'api-key', 'encryption', 'encryption', 'games', 'settings'].sort(),
    );
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('goes on with an unfinished list where it was; what had left without an answer is not known', async () => {
    const { records, interactions } = await start();
    const record = await records.carriedOutBy(guild, IN_0_1.submitting);
    expect(record).toMatchObject({ id: IN_0_1.list, state: 'running', user_id: member });
    const run = record && toResume(record);
    expect(run?.servers.map(({ server }) => server)).toEqual(
      Array.from({ length: 250 }, (_, n) => `u${n}.example.com`),
    );
    const known = Array.from({ length: 250 }, (_, place) => run?.known.get(place)?.kind);
    expect(known).toEqual([
      ...Array(100).fill('accepted'),
      ...Array(100).fill('unknown'),
      ...Array(50).fill(undefined),
    ]);
    const left = await interactions.left(() => true);
    expect(left.map(({ interaction }) => interaction.interactionId).sort()).toEqual([
      IN_0_1.submitting,
      ...IN_0_1.waiting,
    ]);
    expect(
      left.find(({ interaction }) => interaction.interactionId === IN_0_1.submitting)?.interaction,
    ).toMatchObject({
      user: { id: member, name: 'member' },
      work: { command: 'addservers', action: 'submit', argument: IN_0_1.list },
    });
  });

  it('knows what unanswered interactions had sent, and that one of them had sent nothing', async () => {
    const { records } = await start();
    const sent = await Promise.all(
      IN_0_1.waiting.map(async (id) => {
        const record = await records.carriedOutBy(guild, id);
        const run = record && toResume(record);
        return [record?.user_id, run?.servers[0]?.server, run?.known.get(0)?.kind];
      }),
    );
    expect(sent).toEqual([
      [member, 'w1.example.com', 'unknown'],
      [otherMember, 'w2.example.com', 'unknown'],
      [member, 'w3.example.com', 'unknown'],
      [undefined, undefined, undefined],
    ]);
  });

  it('has the drafts that waited for a button; what was submitted cannot be submitted again', async () => {
    const { records } = await start();
    const offer = await records.findDraft(who(member), IN_0_1.offer);
    expect(offer).toMatchObject({
      again: 1,
      servers: [{ submission: { server: 'first.example.com', port: 27015, game: 'cs2' } }],
    });
    const draft = await records.findDraft(who(otherMember), IN_0_1.draft);
    if (typeof draft === 'string') throw new Error(draft);
    expect(draft.draft.rows.map(({ line, ok }) => [line, ok])).toEqual([
      [1, true],
      [2, false],
      [3, true],
      [4, true],
      [5, false],
      [6, false],
    ]);
    expect(draft.draft.previous.map(({ row }) => row)).toEqual([3]);
    expect(await records.findDraft(who(member), IN_0_1.draft)).toBe('of-another-member');
    expect(await records.isSubmitted(who(member), IN_0_1.finishedList)).toBe(true);
  });

  it('counts for the quota of the day what counted before the update', async () => {
    const { checks } = await start();
    const ask = (count: number) =>
      checks.room({ ...{ guildId: guild, userId: member, count }, dailyQuota: 400 });
    // 105 were accepted before, 102 are on their way with an unknown end, and 50 of the list are to follow.
    expect((await ask(400 - 105 - 102 - 50)).held).toBeUndefined();
    expect(await ask(400 - 105 - 102 - 50 + 1)).toMatchObject({ count: 143, held: { by: 'daily-quota' } });
  });

  it('is moved once, however often the bot starts', async () => {
    const first = await start();
    const count = () => rowsIn(path);
    await first.stop();
    const before = count();
    const again = await start();
    await again.stop();
    expect(count()).toEqual(before);
  });
});

describe('what cannot be read of it', () => {
  it('is set aside by name, and the rest is moved', async () => {
    changeValues(path, (key, value) => {
      if (key === `ledger:${guild}`)
        return [key, value.replace('"outcome":"unknown"', '"outcome":"nobody knows"')];
      if (key === `batches:${guild}:${IN_0_1.draft}`) return [key, value.replace('"v":1', '"v":9')];
      if (key === `ledger:${otherGuild}`) return [key, value.slice(0, 60)];
      return [key, value];
    });
    const { database, checks, stop } = await start();
    const aside = (await keysOf(database)).filter((key) => key.startsWith('set-aside.'));
    const names = [`batches:${guild}:${IN_0_1.draft}`, `ledger:${guild}`, `ledger:${otherGuild}`];
    expect(aside).toEqual(names.map((name) => `set-aside.${name}`));
    expect(JSON.stringify(await database.get(`set-aside.ledger:${guild}`))).toContain('unknown.example.com');
    expect(
      (await checks.submittedBefore({ guildId: guild, userId: '7' }, [address('first.example.com')])).size,
    ).toBe(1);
    const named = logger.lines
      .filter(({ level }) => level === 'error')
      .map(({ details }) => Object(details).record);
    expect(named.sort()).toEqual(names);

    await stop();
    changeValues(path, (key, value) => [
      key,
      value.replace('"outcome":"nobody knows"', '"outcome":"unknown"'),
    ]);
    const mended = await start();
    expect(
      (await mended.checks.submittedBefore({ guildId: guild, userId: '7' }, [address('unknown.example.com')]))
        .size,
    ).toBe(1);
    expect(
      (await mended.checks.submittedBefore({ guildId: guild, userId: '7' }, [address('first.example.com')]))
        .size,
    ).toBe(1);
  });

  it('stays as it is when a guild cannot be moved, and stops neither the start nor another guild', async () => {
    const typed = '"server":"d3.example.com:27015","port":""';
    changeValues(path, (key, value) => [key, value.replace(typed, '"server":"d3.example.com","port":"x"')]);
    const { database, checks, history } = await start();
    expect(
      (
        await checks.submittedBefore({ guildId: otherGuild, userId: '7' }, [
          address('deutsch.example.com', 2302),
        ])
      ).size,
    ).toBe(1);
    expect(await history.count(guild, {})).toBe(0);
    const keys = await keysOf(database);
    expect(keys).toContain(`ledger:${guild}`);
    expect(keys.filter((key) => key.startsWith('journal:'))).toHaveLength(5);
    expect(logger.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { details: { guildId: guild } },
    ]);
  });

  it('does not let what an interaction has sent be forgotten when its secrets cannot be opened', async () => {
    changeValues(path, (key, value) => [
      key,
      key.startsWith('journal:') ? value.replace(/"data":"[^"]{4}/, '"data":"AAAA') : value,
    ]);
    const { records, interactions } = await start();
    expect(await interactions.left(() => true)).toEqual([]);
    const record = await records.carriedOutBy(guild, IN_0_1.waiting[0]);
    expect(record?.servers[0]).toMatchObject({ submission: { server: 'w1.example.com' } });
    expect(record?.servers[0]?.sent_at).not.toBeNull();
  });
});

function rowsIn(file: string): readonly unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return ['interactions', 'submissions', 'servers'].map(
      (table) => database.prepare(`SELECT count(*) n FROM ${table}`).get()?.n,
    );
  } finally {
    database.close();
  }
}
