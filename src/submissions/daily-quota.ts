import { z } from 'zod';
import type { Store } from '../storage/store.ts';
import { createTurns } from '../storage/turns.ts';
import type { DeskStep, Order } from './desk.ts';

const DAY_MS = 86_400_000;
/** A count is of use until its day ends; twice that is safe whatever a clock does. */
const KEPT_MS = 2 * DAY_MS;
/** An order that was let in but never sent is given back: an interaction's answer can be changed for that long. */
const HELD_MS = 15 * 60_000;

const recordSchema = z.object({ v: z.literal(1), count: z.int().min(0) });

export interface DailyQuotaDeps {
  readonly store: Pick<Store, 'get' | 'set' | 'delete' | 'entries' | 'setAside'>;
  /** The servers that a member of a guild may submit in a day; `undefined`: no limit. */
  readonly limitOf: (guildId: string) => Promise<number | undefined>;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Every method throws a StoreError when the store fails. */
export interface DailyQuota {
  readonly step: DeskStep;
  /** How many servers of a member count today. */
  used(guildId: string, userId: string): Promise<number>;
  deleteGuild(guildId: string): Promise<void>;
}

/**
 * How many servers each member has submitted today. A day is a calendar day in UTC: one counter for each member,
 * gone two days later. Servers count when they were accepted or may have been received; what is on its way is held
 * against the quota as long as it is not known how it ended. Nothing is counted in guilds without a quota.
 */
export function createDailyQuota({ store, limitOf, now = Date.now }: DailyQuotaDeps): DailyQuota {
  const inTurn = createTurns();
  /** Member and interaction → servers that were let in and are not settled yet. */
  const held = new Map<string, Map<string, { count: number; readonly until: number }>>();

  const place = (guildId: string, userId: string) =>
    `quota:${guildId}:${userId}:${Math.floor(now() / DAY_MS)}`;
  const memberOf = ({ guildId, user }: Order) => `${guildId}:${user.id}`;

  async function used(guildId: string, userId: string): Promise<number> {
    const stored = await store.get(place(guildId, userId));
    if (stored === undefined) return 0;
    const record = recordSchema.safeParse(stored);
    if (record.success) return record.data.count;
    await store.setAside(place(guildId, userId), stored, 'it is not a record of this version');
    return 0;
  }

  function onItsWay(member: string): number {
    const orders = held.get(member);
    for (const [id, { until }] of orders ?? []) if (until <= now()) orders?.delete(id);
    if (orders?.size === 0) held.delete(member);
    return [...(orders?.values() ?? [])].reduce((sum, { count }) => sum + count, 0);
  }

  function release(order: Order, count: number): void {
    const orders = held.get(memberOf(order));
    const entry = orders?.get(order.interactionId);
    if (orders === undefined || entry === undefined) return;
    entry.count -= count;
    if (entry.count <= 0) orders.delete(order.interactionId);
    if (orders.size === 0) held.delete(memberOf(order));
  }

  return {
    used,
    step: {
      name: 'daily quota',
      admit: (order) =>
        inTurn(memberOf(order), async () => {
          const { guildId, user, servers, interactionId } = order;
          const limit = await limitOf(guildId);
          if (limit === undefined) return undefined;
          const left = Math.max(0, limit - (await used(guildId, user.id)) - onItsWay(memberOf(order)));
          if (servers.length > left) return { code: 'daily-quota', limit, left };
          const orders = held.get(memberOf(order)) ?? new Map();
          orders.set(interactionId, { count: servers.length, until: now() + HELD_MS });
          held.set(memberOf(order), orders);
          return undefined;
        }),
      // Another step has refused it after this one had let it in.
      refused: async (order) => release(order, order.servers.length),
      withdrawn: async (order) => release(order, order.servers.length),
      settled: (order, { kind }) =>
        inTurn(memberOf(order), async () => {
          const { guildId, user, servers } = order;
          try {
            if (kind === 'rejected' || kind === 'not-sent') return;
            if ((await limitOf(guildId)) === undefined) return;
            const count = (await used(guildId, user.id)) + servers.length;
            await store.set(place(guildId, user.id), { v: 1, count }, KEPT_MS);
          } finally {
            release(order, servers.length);
          }
        }),
    },
    async deleteGuild(guildId) {
      for await (const [key] of store.entries(`quota:${guildId}:`)) await store.delete(key);
    },
  };
}
