import { describe, expect, it } from 'vitest';
import { addDone, beginSubmission, openParts, type PartsOptions, readyDraft } from '../support/builders.ts';
import { rowsIn } from '../support/database.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = 20_000 * 24 * HOUR + 12 * HOUR;
const USER = '146634305496797257';
const limit = { servers: 5, seconds: 3600 };

const open = (options: PartsOptions = { member: limit }) => openParts(NOON, options);
const manyHosts = (count: number) => Array.from({ length: count }, (_, n) => `h${n}`);

describe("deleting a member's name", () => {
  it("doesn't reset the member's limit or daily quota", async () => {
    const { store, clock, limits, erasure } = await open();
    await addDone(store, { id: 'a', guildId: '1', userId: USER, at: NOON, hosts: manyHosts(5) });
    const allowance = (dailyQuota?: number) =>
      limits.allowance({ guildId: '1', userId: USER, count: 1, dailyQuota });
    expect(await erasure.forgetMember('1', USER)).toBe(5);
    expect(await allowance()).toMatchObject({ count: 0, limited: { code: 'member-limit' } });

    clock.now = NOON + HOUR;
    await erasure.prune();
    expect(await allowance()).toEqual({ count: 1 });
    expect(await allowance(5)).toMatchObject({ count: 0, limited: { code: 'daily-quota' } });

    clock.now = NOON + 12 * HOUR;
    await erasure.prune();
    expect((await rowsIn(store, 'servers')).map(({ user_id }) => user_id)).toEqual(Array(5).fill(null));
  });

  it("also deletes the member's id unless a limit still needs it", async () => {
    const { store, drafts, history, erasure } = await open();
    const at = NOON - 48 * HOUR;
    await addDone(store, { id: 'a', guildId: '1', userId: USER, at, hosts: manyHosts(1_200) });
    await addDone(store, {
      id: 'b',
      guildId: '1',
      userId: USER,
      at: NOON,
      hosts: ['x'],
      outcome: 'not-sent',
    });
    await addDone(store, { id: 'c', guildId: '1', userId: '8', at, hosts: ['of another'] });
    await drafts.save({ guildId: '1', user: { id: USER, name: 'mia' } }, readyDraft('d', 1, 'x'));
    expect(await erasure.forgetMember('1', USER)).toBe(1_201);
    const submissions = await rowsIn(store, 'submissions');
    expect(submissions).toMatchObject([
      { id: 'a', user_name: null },
      { id: 'b', user_name: null },
      { id: 'c', user_name: 'name of 8' },
    ]);
    expect(JSON.stringify([submissions, await rowsIn(store, 'servers')])).not.toContain(USER);
    expect((await rowsIn(store, 'servers')).filter(({ user_id }) => user_id === '8')).toHaveLength(1);
    const [newest] = await history.entries('1', ['b']);
    expect(newest).toMatchObject({ userId: '', only: { userName: '' } });
    // A second deletion doesn't find any data.
    expect(await erasure.forgetMember('1', USER)).toBe(0);
  });
});

describe("deleting a guild's data", () => {
  it("doesn't reset the guild's limit", async () => {
    const { store, clock, limits, erasure } = await open({ guild: { servers: 8, seconds: 3600 } });
    const allowance = (count: number) => limits.allowance({ guildId: '1', userId: 'x', count });
    await addDone(store, { id: 'a', guildId: '1', userId: USER, at: NOON - HOUR / 2, hosts: manyHosts(5) });
    await erasure.deleteGuild('1');
    const until = NOON + HOUR / 2;
    for (const count of [4, 8]) {
      expect(await allowance(count)).toMatchObject({ count: 3, limited: { code: 'guild-limit', until } });
    }
    // After a second deletion, the servers from both deletions count.
    await addDone(store, { id: 'b', guildId: '1', userId: USER, at: NOON, hosts: manyHosts(2) });
    await erasure.deleteGuild('1');
    await erasure.prune();
    expect(await allowance(8)).toMatchObject({ count: 1, limited: { until: NOON + HOUR } });
    clock.now = NOON + HOUR;
    expect(await allowance(8)).toEqual({ count: 8 });
    await erasure.prune();
    expect(await rowsIn(store, 'used')).toEqual([]);
  });

  it("doesn't count future-dated servers towards the guild's limit", async () => {
    const { store, clock, limits, erasure } = await open({ guild: { servers: 8, seconds: 3600 } });
    const wanted = { guildId: '1', userId: 'x', count: 8 };
    const add = (id: string, at: number) =>
      addDone(store, { id, guildId: '1', userId: USER, at, hosts: manyHosts(5) });
    // Deletes data first with a corrected clock, and then with a clock that is still fast.
    await add('a', NOON + 30 * DAY);
    await erasure.deleteGuild('1');
    expect(await limits.allowance(wanted)).toEqual({ count: 8 });
    await add('b', NOON + 30 * DAY);
    clock.now = NOON + 30 * DAY;
    await erasure.deleteGuild('1');
    expect(await limits.allowance(wanted)).toMatchObject({ count: 3 });
    clock.now = NOON;
    expect(await limits.allowance(wanted)).toEqual({ count: 8 });
  });

  it('stops a submission in progress', async () => {
    const { store, drafts, submissions, waitingSubmissions, erasure } = await open();
    const draft = readyDraft('a', 2);
    const mia = { guildId: '1', user: { id: USER, name: 'mia' } };
    const id = await beginSubmission({ drafts, submissions, waitingSubmissions }, mia, {
      interactionId: 'i',
      draft,
    });
    await drafts.save(mia, readyDraft('typed', 2));
    await erasure.deleteGuild('1');
    expect(await submissions.markSending('1', id, [0, 1])).toBe(false);
    await submissions.endRequest(
      id,
      [0, 1],
      [{ indices: [0, 1], outcome: { kind: 'not-sent', reason: 'key' } }],
    );
    await submissions.finish('1', id);
    expect(await rowsIn(store, 'submissions')).toEqual([]);
    expect(await rowsIn(store, 'drafts')).toEqual([]);
  });
});

it('each guild with data is listed only once', async () => {
  const { store, erasure } = await open();
  for (const guildId of ['3', '1']) {
    await addDone(store, { id: guildId, guildId, userId: USER, at: NOON, hosts: ['a'] });
    await addDone(store, { id: `${guildId} again`, guildId, userId: USER, at: NOON, hosts: ['a'] });
  }
  expect(await Array.fromAsync(erasure.guilds())).toEqual(['1', '3']);
});
