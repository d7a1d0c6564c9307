import type { ServerSubmission } from '../listing/contract.ts';
import type { Database } from '../storage/database.ts';
import { formatAddress } from './address.ts';
import type { Refusal } from './refusal.ts';

const DAY_MS = 86_400_000;
/** What was let in but has not ended: an interaction's answer can be changed for that long, in milliseconds. */
export const ON_ITS_WAY_MS = 15 * 60_000;

/** So many servers within so many seconds. */
export interface UsageLimit {
  readonly servers: number;
  readonly seconds: number;
}

export interface LimitsDeps {
  readonly database: Pick<Database, 'tables'>;
  /** What a member and what a guild may submit, in servers. */
  readonly member: UsageLimit;
  readonly guild: UsageLimit;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

export interface Limits {
  /** One of these servers that another submission of the guild has on its way. */
  inFlight(guildId: string, servers: readonly ServerSubmission[]): Promise<ServerSubmission | undefined>;
  /**
   * Why so many more servers are too many; `undefined` when they are not. All counts are of the table of servers, so
   * what reserves them has to be in the same transaction.
   * @param dailyQuota servers of a member in a calendar day in UTC that were accepted, may have been, or are on their way
   */
  refusal(order: {
    readonly guildId: string;
    readonly userId: string;
    readonly count: number;
    readonly dailyQuota?: number | undefined;
  }): Promise<Refusal | undefined>;
}

export function createLimits({ database: { tables }, member, guild, now = Date.now }: LimitsDeps): Limits {
  const servers = (guildId: string, userId?: string) => {
    const ofGuild = tables.selectFrom('servers').where('guild_id', '=', guildId);
    return userId === undefined ? ofGuild : ofGuild.where('user_id', '=', userId);
  };

  async function usage(
    code: 'member-limit' | 'guild-limit',
    { servers: limit, seconds }: UsageLimit,
    {
      guildId,
      userId,
      count,
    }: { readonly guildId: string; readonly userId?: string; readonly count: number },
  ): Promise<Refusal | undefined> {
    if (count > limit) return { code: `${code}-size`, limit, seconds };
    const counted = servers(guildId, userId).where('reserved_at', '>', now() - seconds * 1000);
    const { used } = await counted
      .select(({ fn }) => fn.countAll<number>().as('used'))
      .executeTakeFirstOrThrow();
    const excess = used + count - limit;
    if (excess <= 0) return undefined;
    // There is room again once the oldest of them, as many as are too many, count no more.
    const last = await counted
      .select('reserved_at')
      .orderBy('reserved_at')
      .offset(excess - 1)
      .limit(1)
      .executeTakeFirstOrThrow();
    const waitMs = (last.reserved_at ?? 0) + seconds * 1000 - now();
    return { code, waitSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
  }

  async function quota(guildId: string, userId: string, { count, limit }: Record<'count' | 'limit', number>) {
    const { used } = await servers(guildId, userId)
      .where('reserved_at', '>=', Math.floor(now() / DAY_MS) * DAY_MS)
      .where(({ or, eb }) =>
        or([
          eb('outcome', 'in', ['accepted', 'unknown']),
          eb.and([eb('outcome', 'is', null), eb('reserved_at', '>', now() - ON_ITS_WAY_MS)]),
        ]),
      )
      .select(({ fn }) => fn.countAll<number>().as('used'))
      .executeTakeFirstOrThrow();
    const left = Math.max(0, limit - used);
    return count > left ? ({ code: 'daily-quota', limit, left } as const) : undefined;
  }

  return {
    async inFlight(guildId, wanted) {
      const rows = await servers(guildId)
        .where('outcome', 'is', null)
        .where('reserved_at', '>', now() - ON_ITS_WAY_MS)
        .select('address')
        .execute();
      const taken = new Set(rows.map(({ address }) => address));
      return wanted.find(({ server: host, port }) => taken.has(formatAddress({ host, port })));
    },
    async refusal({ guildId, userId, count, dailyQuota }) {
      return (
        (dailyQuota === undefined ? undefined : await quota(guildId, userId, { count, limit: dailyQuota })) ??
        (await usage('member-limit', member, { guildId, userId, count })) ??
        (await usage('guild-limit', guild, { guildId, count }))
      );
    },
  };
}
