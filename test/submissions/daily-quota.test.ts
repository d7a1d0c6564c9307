import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { createDailyQuota } from '../../src/submissions/daily-quota.ts';
import type { Order } from '../../src/submissions/desk.ts';
import { openStore } from '../storage/temporary.ts';

const NOON = Date.UTC(2026, 0, 10, 12);
let interaction = 0;
function order(count: number, userId = '7', guildId = '1'): Order {
  interaction += 1;
  return {
    interactionId: String(interaction),
    guildId,
    channelId: '2',
    user: { id: userId, name: 'mia' },
    key: new Secret('k'),
    servers: Array.from({ length: count }, (_, n) => ({ server: `s${n}.example.com`, port: 1, game: 'cs2' })),
  };
}
const accepted = { kind: 'accepted', message: 'Added.' } as const;

async function quotaOf(limit: number | undefined) {
  const store = await openStore();
  const clock = { now: NOON };
  const quota = createDailyQuota({ store, limitOf: async () => limit, now: () => clock.now });
  const admit = async (wanted: Order) => quota.step.admit?.(wanted);
  const settle = async (sent: Order, outcome: Parameters<NonNullable<typeof quota.step.settled>>[1]) =>
    quota.step.settled?.(sent, outcome);
  return { store, clock, quota, admit, settle };
}

describe('the daily quota', () => {
  it('says how many are left, and begins anew at midnight UTC', async () => {
    const { clock, admit, settle } = await quotaOf(5);
    const first = order(3);
    expect(await admit(first)).toBeUndefined();
    await settle(first, accepted);
    expect(await admit(order(3))).toEqual({ code: 'daily-quota', limit: 5, left: 2 });
    clock.now = Date.UTC(2026, 0, 11, 0, 0, 0);
    expect(await admit(order(5))).toBeUndefined();
  });

  it('holds what is on its way against the quota, until it is known how it ended', async () => {
    const { clock, admit, settle } = await quotaOf(5);
    const bulk = order(5);
    await admit(bulk);
    expect(await admit(order(1))).toMatchObject({ left: 0 });
    await settle({ ...bulk, servers: bulk.servers.slice(0, 2) }, { kind: 'rejected', message: 'No.' });
    expect(await admit(order(3))).toMatchObject({ left: 2 });
    // The rest was never sent.
    clock.now += 15 * 60_000;
    expect(await admit(order(5))).toBeUndefined();
  });

  it('gives back what a later step has refused', async () => {
    const { quota, admit } = await quotaOf(1);
    const wanted = order(1);
    await admit(wanted);
    await quota.step.refused?.(wanted, { code: 'service-down' });
    expect(await admit(order(1))).toBeUndefined();
  });

  it('counts each member of each guild, and nothing where there is no quota', async () => {
    const { quota, settle } = await quotaOf(9);
    await settle(order(2), accepted);
    await settle(order(1), { kind: 'unknown', reason: 'timeout', detail: '' });
    await settle(order(4, '8'), accepted);
    await settle(order(8, '7', '2'), accepted);
    expect(await quota.used('1', '7')).toBe(3);
    await quota.deleteGuild('1');
    expect(await quota.used('1', '7')).toBe(0);
    expect(await quota.used('2', '7')).toBe(8);

    const free = await quotaOf(undefined);
    expect(await free.admit(order(1_000))).toBeUndefined();
    await free.settle(order(1_000), accepted);
    expect(await free.quota.used('1', '7')).toBe(0);
  });

  it('fails rather than letting anything in when the store fails', async () => {
    const { store, admit } = await quotaOf(5);
    await store.stop();
    await expect(admit(order(1))).rejects.toThrow('is not open');
  });
});
