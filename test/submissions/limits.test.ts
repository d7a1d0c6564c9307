import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/storage/store.ts';
import { addDone, type PartsOptions, partsOver } from '../support/builders.ts';
import { openStore } from '../support/database.ts';

const DAY_MS = 86_400_000;
const NOON = 20_000 * DAY_MS + DAY_MS / 2;
const me = { guildId: '1', userId: '7', count: 1 };
const limit = { servers: 2, seconds: 60 };
const many = { servers: 1_000, seconds: 3_600 };

let store: Store;
let time: number;
let count = 0;
beforeEach(async () => {
  store = await openStore();
  time = NOON;
});

/** Puts a server into the history, reserved at this moment or, with an outcome that says so, not counted. */
async function submit(at = time, userId = '7', outcome: 'accepted' | 'not-sent' = 'accepted'): Promise<void> {
  count += 1;
  await addDone(store, { id: `${count}`, guildId: '1', userId, at, hosts: ['a'], outcome });
}

const limits = (options: PartsOptions) => partsOver(store, { now: () => time, ...options }).limits;

describe('the limit of a member', () => {
  it('lets so many servers go in its time, and others once the oldest are out of it', async () => {
    const { room } = limits({ member: limit, guild: many });
    const limited = { by: 'member-limit', limit: 2, isSoon: true };
    expect(await room({ ...me, count: 2 })).toEqual({ count: 2 });
    await submit(time - 20_000);
    expect(await room(me)).toEqual({ count: 1 });
    // One may go now; the other when the oldest counts no more.
    expect(await room({ ...me, count: 2 })).toEqual({
      count: 1,
      limited: { ...limited, until: time + 40_000 },
    });
    // As many as the limit is may go when the one that goes now counts no more.
    expect(await room({ ...me, count: 5 })).toEqual({
      count: 1,
      limited: { ...limited, until: time + 60_000 },
    });
    await submit();
    expect(await room(me)).toEqual({ count: 0, limited: { ...limited, until: time + 40_000 } });
    time += 40_000;
    expect(await room(me)).toEqual({ count: 1 });
  });

  it('is no limit for others, and does not count what was not sent', async () => {
    const { room } = limits({ member: limit, guild: many });
    for (let n = 0; n < 3; n += 1) await submit(time, '7', 'not-sent');
    expect(await room({ ...me, count: 2 })).toEqual({ count: 2 });
    for (let n = 0; n < 3; n += 1) await submit(time, '7');
    expect(await room({ ...me, userId: '8' })).toEqual({ count: 1 });
    expect(await room({ ...me, guildId: '2' })).toEqual({ count: 1 });
    // Of three that count, two have to be out of its time.
    expect(await room(me)).toMatchObject({ count: 0, limited: { until: time + 60_000 } });
  });

  it('holds nobody up for long where the clock was ahead, and is not got around by a small step back', async () => {
    const { room } = limits({ member: limit, guild: limit });
    for (const days of [30, 30]) await submit(time + days * DAY_MS);
    expect(await room({ ...me, dailyQuota: 2 })).toEqual({ count: 1 });
    for (const ms of [1_000, 1_000]) await submit(time + ms);
    expect(await room(me)).toMatchObject({ count: 0, limited: { by: 'member-limit' } });
  });

  it('never says that others may go at once', async () => {
    const { room } = limits({ member: { servers: 1, seconds: 60 }, guild: many });
    await submit(time - 59_999);
    expect(await room(me)).toMatchObject({ limited: { until: time + 1_000 } });
  });
});

describe('several limits', () => {
  it('of which the guild’s counts what all members submit', async () => {
    const { room } = limits({ member: many, guild: limit });
    await submit(time, '8');
    await submit(time, '9');
    const limited = { by: 'guild-limit', limit: 2, until: time + 60_000, isSoon: true };
    expect(await room(me)).toEqual({ count: 0, limited });
  });

  it('let as many go as the smallest does, and the others once nothing holds them back', async () => {
    const { room } = limits({ member: limit, guild: { servers: 3, seconds: 600 } });
    await submit(time, '8');
    await submit(time, '8');
    expect(await room({ ...me, count: 3 })).toEqual({
      count: 1,
      limited: { by: 'guild-limit', limit: 3, until: time + 600_000, isSoon: true },
    });
  });

  it('of which one that has room for all holds nothing back', async () => {
    const { room } = limits({ member: { servers: 2, seconds: 600 }, guild: { servers: 3, seconds: 60 } });
    await submit(time, '8');
    await submit(time, '8');
    expect(await room({ ...me, count: 2 })).toMatchObject({ count: 1, limited: { until: time + 60_000 } });
  });
});

it('what remains is said with the limit that ends it, and with when the next may go', async () => {
  const { remaining } = limits({ member: limit, guild: many });
  await submit(time - 20_000);
  expect(await remaining(me)).toMatchObject({ count: 1, limited: { by: 'member-limit' } });
  expect(await remaining({ ...me, dailyQuota: 1 })).toMatchObject({
    count: 0,
    limited: { by: 'daily-quota' },
  });
  await submit();
  expect(await remaining(me)).toMatchObject({ count: 0, limited: { until: time + 40_000 } });
});

describe('the quota of a day', () => {
  it('counts what a member submits in the day of UTC', async () => {
    const { room } = limits({ member: many, guild: many });
    await submit(NOON - DAY_MS / 2 - 1);
    await submit(NOON - DAY_MS / 2);
    await submit(time, '8');
    const wanted = { ...me, count: 3, dailyQuota: 2 };
    const tomorrow = NOON + DAY_MS / 2;
    const limited = { by: 'daily-quota', limit: 2, until: tomorrow, isSoon: false };
    expect(await room(wanted)).toEqual({ count: 1, limited });
    await submit();
    await submit();
    expect(await room(wanted)).toEqual({ count: 0, limited });
    time = tomorrow;
    expect(await room({ ...wanted, count: 2 })).toEqual({ count: 2 });
  });
});

it('what no limit counts any more was reserved before the longest of their times', () => {
  const since = (member: number, guild: number) =>
    limits({ member: { ...many, seconds: member }, guild: { ...many, seconds: guild } }).countsSince();
  expect(since(60, 60)).toBe(NOON - DAY_MS / 2);
  expect(since(86_400, 60)).toBe(NOON - DAY_MS);
  expect(since(60, 604_800)).toBe(NOON - 7 * DAY_MS);
});
