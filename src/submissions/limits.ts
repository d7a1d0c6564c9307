import { type RawBuilder, sql } from 'kysely';
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

/** One of the limits. */
interface Limit extends Pick<Limited, 'by' | 'limit'> {
  /** The servers that count, as a part of a statement. */
  readonly servers: RawBuilder<unknown>;
  /**
   * When so many more servers can be submitted, or as many of them as the limit allows; milliseconds since 1970.
   * @param used how many servers count
   */
  freedAt(more: number, used: number): Promise<number>;
}

export type Limits = ReturnType<typeof createLimits>;

const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/**
 * What members and guilds may submit. A server that was sent or is reserved counts, whatever its outcome, unless the service
 * rejected it because of the key. They are counted in the table of servers, so for all replicas together.
 */
export function createLimits({ store, member, guild, now }: LimitsDeps) {
  /** A part of a statement: the servers of a guild, or of one of its members, that were reserved in this time. */
  function reserved(guildId: string, userId: string | undefined, from: number, to: number) {
    const ofMember = userId === undefined ? sql`` : sql`and user_id = ${userId}`;
    return sql`from servers where guild_id = ${guildId} ${ofMember} and reserved_at >= ${from} and reserved_at < ${to}`;
  }

  /** When the nth oldest server was reserved. */
  async function nthOldest(servers: RawBuilder<unknown>, n: number): Promise<number> {
    const oldest = sql<{ readonly at: number }>`
      select reserved_at as at ${servers} order by reserved_at limit 1 offset ${n - 1}`;
    const { rows } = await oldest.execute(store.tables());
    return rows[0]?.at ?? now();
  }

  function quota(limit: number, { guildId, userId }: Wanted): Limit {
    const today = startOfDay(now());
    const tomorrow = today + DAY_MS;
    return {
      by: 'daily-quota',
      limit,
      servers: reserved(guildId, userId, today, tomorrow),
      freedAt: async () => tomorrow,
    };
  }

  function usage(by: 'member-limit' | 'guild-limit', { guildId, userId }: Wanted): Limit {
    const { servers: limit, seconds } = by === 'guild-limit' ? guild : member;
    const windowMs = seconds * 1000;
    const whose = by === 'guild-limit' ? undefined : userId;
    const servers = reserved(guildId, whose, now() - windowMs + 1, now() + windowMs);
    return {
      by,
      limit,
      servers,
      async freedAt(more, used) {
        // There is room once as many of the oldest servers no longer count, and then those submitted now.
        const others = Math.min(more, limit);
        const freedAt =
          others > used
            ? now() + windowMs
            : (await nthOldest(servers, others + Math.max(0, used - limit))) + windowMs;
        return Math.max(freedAt, now() + 1_000);
      },
    };
  }

  /**
   * How many servers of an order may be submitted now. All limits hold: the strictest says how many, and the others can
   * follow once no limit holds them back. If a clock was ahead, the table may have times in the future.
   */
  async function room(wanted: Wanted): Promise<Room> {
    const { count, dailyQuota } = wanted;
    const limits = [usage('member-limit', wanted), usage('guild-limit', wanted)];
    if (dailyQuota !== undefined) limits.unshift(quota(dailyQuota, wanted));
    // One statement, written out: with Kysely's builder /help spent more on making the statements than on counting.
    const used = await store
      .tables()
      .selectNoFrom(limits.map(({ by, servers }) => sql<number>`(select count(*) ${servers})`.as(by)))
      .executeTakeFirstOrThrow();

    let strictest: Limit | undefined;
    let most = count;
    let until = 0;
    for (const limit of limits) {
      const left = Math.max(0, limit.limit - used[limit.by]);
      if (left >= count) continue;
      until = Math.max(until, await limit.freedAt(count - left, used[limit.by]));
      if (left >= most) continue;
      strictest = limit;
      most = left;
    }
    if (strictest === undefined) return { count };
    const { by, limit } = strictest;
    return { count: most, limited: { by, limit, until, isSoon: until - now() < DRAFT_LIVES_MS } };
  }

  return {
    room,
    /** How many more servers may be submitted now, and which limit allows no more; if none, when the next one may be. */
    async remaining(who: Omit<Wanted, 'count'>): Promise<Room> {
      const all = await room({ ...who, count: Number.POSITIVE_INFINITY });
      return all.count === 0 ? room({ ...who, count: 1 }) : all;
    },
    /** Milliseconds since 1970: a server that was reserved earlier counts for no limit. */
    countsSince: (): number =>
      Math.min(startOfDay(now()), now() - member.seconds * 1000, now() - guild.seconds * 1000),
  };
}
