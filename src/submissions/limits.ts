import { type RawBuilder, sql } from 'kysely';
import { DAY_MS, TOKEN_LIVES_MS } from '../pacing/durations.ts';
import type { UsedTable } from '../storage/tables.ts';
import type { SubmissionStoreBase } from './store-deps.ts';

export interface Allowance {
  readonly count: number;
  readonly limited?: ReachedLimit;
}

export interface ReachedLimit {
  readonly code: 'daily-quota' | 'member-limit' | 'guild-limit';
  readonly limit: number;
  /** When the remaining servers (or as many as the limit allows) can be submitted, in milliseconds since 1970. */
  readonly until: number;
  /** Whether `until` is less than 15 minutes away. */
  readonly isSoon: boolean;
}

interface AllowanceRequest {
  readonly guildId: string;
  readonly userId: string;
  readonly count: number;
  /** Maximum number of servers that a member can submit per calendar day (UTC). */
  readonly dailyQuota?: number | undefined;
}

interface Limit extends Pick<ReachedLimit, 'code' | 'limit'> {
  readonly usedCount: RawBuilder<number>;
  /** Returns when `more` additional servers (or as many as the limit allows) can be submitted, in milliseconds since 1970. */
  freedAt(more: number, usedCount: number): Promise<number>;
}

export type Limits = ReturnType<typeof createLimits>;

const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;

/**
 * Calculates how many servers members and guilds can still submit. Counts every server in the `servers` table that was sent
 * or reserved, except servers rejected because of the key.
 */
export function createLimits({ store: { tables, unsynced }, member, guild, now }: SubmissionStoreBase) {
  function fromReservedServers(guildId: string, userId: string | undefined, from: number, to: number) {
    const ofMember = userId === undefined ? sql`` : sql`and user_id = ${userId}`;
    return sql`from servers where guild_id = ${guildId} ${ofMember} and reserved_at >= ${from} and reserved_at < ${to}`;
  }

  const countIn = (servers: RawBuilder<unknown>): RawBuilder<number> => sql`(select count(*) ${servers})`;

  async function nthOldest(servers: RawBuilder<unknown>, n: number): Promise<number> {
    const oldest = sql<{ readonly at: number }>`
      select reserved_at as at ${servers} order by reserved_at limit 1 offset ${n - 1}`;
    const { rows } = await oldest.execute(tables());
    return rows[0]?.at ?? now();
  }

  /** SQL fragment that selects a guild's unexpired limit usage, recorded when the guild's data was deleted. */
  function erasedRow(guildId: string) {
    const windowMs = guild.seconds * 1000;
    // Ignores times in the far future, which can only have been written while the clock was ahead.
    return sql`from used where guild_id = ${guildId} and until > ${now()} and until < ${now() + 2 * windowMs}`;
  }

  const erasedIn = (guildId: string): RawBuilder<number> =>
    sql`coalesce((select count ${erasedRow(guildId)}), 0)`;

  async function erasedUse(guildId: string): Promise<Pick<UsedTable, 'count' | 'until'> | undefined> {
    const use = sql<Pick<UsedTable, 'count' | 'until'>>`select count, until ${erasedRow(guildId)}`;
    return (await use.execute(tables())).rows[0];
  }

  function quota(limit: number, { guildId, userId }: AllowanceRequest): Limit {
    const today = startOfDay(now());
    const tomorrow = today + DAY_MS;
    return {
      code: 'daily-quota',
      limit,
      usedCount: countIn(fromReservedServers(guildId, userId, today, tomorrow)),
      freedAt: async () => tomorrow,
    };
  }

  function usage(code: 'member-limit' | 'guild-limit', { guildId, userId }: AllowanceRequest): Limit {
    const { servers: limit, seconds } = code === 'guild-limit' ? guild : member;
    const windowMs = seconds * 1000;
    const whose = code === 'guild-limit' ? undefined : userId;
    const servers = fromReservedServers(guildId, whose, now() - windowMs + 1, now() + windowMs);
    return {
      code,
      limit,
      usedCount: whose === undefined ? sql`${countIn(servers)} + ${erasedIn(guildId)}` : countIn(servers),
      async freedAt(more, usedCount) {
        // How many of the oldest servers must stop counting towards the limit. If fewer servers count now, some of the
        // servers being submitted must stop counting too.
        const others = Math.min(more, limit);
        if (others > usedCount) return now() + windowMs;
        const erased = whose === undefined ? await erasedUse(guildId) : undefined;
        const n = others + Math.max(0, usedCount - limit) - (erased?.count ?? 0);
        const freedAt = n > 0 ? (await nthOldest(servers, n)) + windowMs : (erased?.until ?? 0);
        return Math.max(freedAt, now() + 1_000);
      },
    };
  }

  /**
   * Calculates how many of the servers can be submitted now under the strictest limit, and when the limits will allow the
   * other servers. Handles future times in the table, which can occur if a clock was ahead.
   */
  async function allowance(wanted: AllowanceRequest): Promise<Allowance> {
    const { count, dailyQuota } = wanted;
    const limits = [usage('member-limit', wanted), usage('guild-limit', wanted)];
    if (dailyQuota !== undefined) limits.unshift(quota(dailyQuota, wanted));
    // The limits' `usedCount` is raw SQL, because with Kysely's query builder `/help` spent more time building the queries
    // than running them.
    const used = await tables()
      .selectNoFrom(limits.map((each) => each.usedCount.as(each.code)))
      .executeTakeFirstOrThrow();

    let strictest: Limit | undefined;
    let most = count;
    let until = 0;
    for (const limit of limits) {
      const left = Math.max(0, limit.limit - used[limit.code]);
      if (left >= count) continue;
      until = Math.max(until, await limit.freedAt(count - left, used[limit.code]));
      if (left >= most) continue;
      strictest = limit;
      most = left;
    }
    if (strictest === undefined) return { count };
    const { code, limit } = strictest;
    return { count: most, limited: { code, limit, until, isSoon: until - now() < TOKEN_LIVES_MS } };
  }

  return {
    allowance,
    /** Calculates how many more servers can be submitted now, or else when the next server can be submitted. */
    async remaining(who: Omit<AllowanceRequest, 'count'>): Promise<Allowance> {
      const all = await allowance({ ...who, count: Number.POSITIVE_INFINITY });
      return all.count === 0 ? allowance({ ...who, count: 1 }) : all;
    },
    /** Records how much of its limit a guild has used. Call this before deleting its servers, so that they still count. */
    async keepUsed(guildId: string): Promise<void> {
      const windowMs = guild.seconds * 1000;
      const { count, newest } = await tables()
        .selectFrom('servers')
        .where('guild_id', '=', guildId)
        .where('reserved_at', '>', now() - windowMs)
        .where('reserved_at', '<', now() + windowMs)
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('reserved_at').as('newest')])
        .executeTakeFirstOrThrow();
      if (newest === null) return;
      const erased = await erasedUse(guildId);
      const used = {
        count: count + (erased?.count ?? 0),
        until: Math.max(newest + windowMs, erased?.until ?? 0),
      };
      await tables()
        .insertInto('used')
        .values({ guild_id: guildId, ...used })
        .onConflict((conflict) => conflict.column('guild_id').doUpdateSet(used))
        .execute();
    },
    async dropUsed(): Promise<void> {
      await unsynced('pruning', () => tables().deleteFrom('used').where('until', '<=', now()).execute());
    },
    /** Returns the earliest reservation time that can still count towards a limit, in milliseconds since 1970. */
    countsSince: (): number =>
      Math.min(startOfDay(now()), now() - member.seconds * 1000, now() - guild.seconds * 1000),
  };
}
