import { DAY_MS } from '../numbers.ts';
import type { Store } from '../storage/store.ts';
import { DRAFT_LIVES_MS } from './drafts.ts';

/** How many servers of an order may be submitted now, and which limit holds back the others. */
export interface Room {
  readonly count: number;
  readonly limited?: Limited;
}

export interface Limited {
  /** The limit that lets the fewest servers be submitted. */
  readonly by: 'daily-quota' | 'member-limit' | 'guild-limit';
  /** How many servers this limit lets be submitted in its time. */
  readonly limit: number;
  /** When the others can be submitted, or as many of them as the limit allows; milliseconds since 1970. */
  readonly until: number;
  /** Whether what was typed now is still kept then. */
  readonly isSoon: boolean;
}

/** So many servers within so many seconds. */
export interface UsageLimit {
  readonly servers: number;
  readonly seconds: number;
}

export interface LimitsDeps {
  readonly store: Pick<Store, 'tables'>;
  /** What a member and what a guild may submit. */
  readonly member: UsageLimit;
  readonly guild: UsageLimit;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Wanted {
  readonly guildId: string;
  readonly userId: string;
  /** How many servers. */
  readonly count: number;
  /** Servers that a member may submit in a calendar day in UTC. */
  readonly dailyQuota?: number | undefined;
}

export type Limits = ReturnType<typeof createLimits>;

const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/**
 * What members and guilds may submit. A server that was sent or is reserved counts, whatever its outcome, unless the service
 * rejected it because of the key. They are counted in the table of servers, so for all replicas together.
 */
export function createLimits({ store, member, guild, now }: LimitsDeps) {
  const ofGuild = (guildId: string) => store.tables().selectFrom('servers').where('guild_id', '=', guildId);
  type Servers = ReturnType<typeof ofGuild>;
  const ofMember = ({ guildId, userId }: Wanted): Servers => ofGuild(guildId).where('user_id', '=', userId);

  const between = (servers: Servers, from: number, to: number): Servers =>
    servers.where('reserved_at', '>=', from).where('reserved_at', '<', to);

  async function countOf(servers: Servers): Promise<number> {
    const { count } = await servers
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count;
  }

  /** When the nth oldest server was reserved. */
  async function nthOldest(servers: Servers, n: number): Promise<number> {
    const row = await servers
      .select('reserved_at')
      .orderBy('reserved_at')
      .offset(n - 1)
      .limit(1)
      .executeTakeFirst();
    return row?.reserved_at ?? now();
  }

  const limitedUntil = (until: number, { by, limit }: Pick<Limited, 'by' | 'limit'>): Limited => ({
    by,
    limit,
    until,
    isSoon: until - now() < DRAFT_LIVES_MS,
  });

  async function quotaRoom(limit: number, wanted: Wanted): Promise<Room> {
    const today = startOfDay(now());
    const used = await countOf(between(ofMember(wanted), today, today + DAY_MS));
    const most = Math.max(0, limit - used);
    if (wanted.count <= most) return { count: wanted.count };
    return { count: most, limited: limitedUntil(today + DAY_MS, { by: 'daily-quota', limit }) };
  }

  async function usageRoom(by: 'member-limit' | 'guild-limit', wanted: Wanted): Promise<Room> {
    const { servers: limit, seconds } = by === 'guild-limit' ? guild : member;
    const windowMs = seconds * 1000;
    const ofWhom = by === 'guild-limit' ? ofGuild(wanted.guildId) : ofMember(wanted);
    const counted = between(ofWhom, now() - windowMs + 1, now() + windowMs);
    const used = await countOf(counted);
    const most = Math.max(0, limit - used);
    if (wanted.count <= most) return { count: wanted.count };
    // There is room for the others once as many of the oldest servers no longer count, and then those submitted now.
    const others = Math.min(wanted.count - most, limit);
    const freedAt =
      others > used
        ? now() + windowMs
        : (await nthOldest(counted, others + Math.max(0, used - limit))) + windowMs;
    return { count: most, limited: limitedUntil(Math.max(freedAt, now() + 1_000), { by, limit }) };
  }

  /**
   * How many servers of an order may be submitted now. All limits hold: the strictest says how many, and the others can
   * follow once no limit holds them back. If a clock was ahead, the table may have times in the future.
   */
  async function room(wanted: Wanted): Promise<Room> {
    const { dailyQuota } = wanted;
    const rooms = [await usageRoom('member-limit', wanted), await usageRoom('guild-limit', wanted)];
    if (dailyQuota !== undefined) rooms.unshift(await quotaRoom(dailyQuota, wanted));
    const fewest = rooms.reduce((one, other) => (other.count < one.count ? other : one));
    if (fewest.limited === undefined) return fewest;
    const until = Math.max(...rooms.map(({ limited }) => limited?.until ?? 0));
    return { count: fewest.count, limited: limitedUntil(until, fewest.limited) };
  }

  return {
    room,
    /** How many more servers may be submitted now, and which limit allows no more; if none, when the next one may be. */
    async left(who: Omit<Wanted, 'count'>): Promise<Room> {
      const all = await room({ ...who, count: Number.POSITIVE_INFINITY });
      return all.count === 0 ? room({ ...who, count: 1 }) : all;
    },
    /** Milliseconds since 1970: a server that was reserved earlier counts for no limit. */
    countsSince: (): number =>
      Math.min(startOfDay(now()), now() - member.seconds * 1000, now() - guild.seconds * 1000),
  };
}
