import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createTurns } from '../storage/turns.ts';
import type { DeskStep, Refusal } from './desk.ts';

/** So many servers within so many seconds, counted from the first of them. */
export interface UsageLimit {
  readonly servers: number;
  readonly seconds: number;
}

/**
 * What a member and what a guild may submit, counted in servers. Kept in memory: a restart begins anew. It must be
 * the last step that may refuse, since an order that another one refuses would still be counted.
 */
export function usageLimits(limits: {
  readonly member: UsageLimit;
  readonly guild: UsageLimit;
}): DeskStep & Required<Pick<DeskStep, 'admit' | 'withdrawn'>> {
  const limiter = ({ servers: points, seconds: duration }: UsageLimit) =>
    new RateLimiterMemory({ points, duration });
  const member = limiter(limits.member);
  const guild = limiter(limits.guild);
  const inTurn = createTurns();

  async function refusal(
    code: 'member-limit' | 'guild-limit',
    { limiter, key, wanted }: { limiter: RateLimiterMemory; key: string; wanted: number },
  ): Promise<Refusal | undefined> {
    const { points: limit, duration: seconds } = limiter;
    if (wanted > limit) return { code: `${code}-size`, limit, seconds };
    const used = await limiter.get(key);
    // A negative time: it is over, but its timer is late.
    if (used === null || used.msBeforeNext <= 0 || used.consumedPoints + wanted <= limit) return undefined;
    return { code, waitSeconds: Math.ceil(used.msBeforeNext / 1000) };
  }

  return {
    name: 'limits',
    admit: ({ guildId, user, servers }) =>
      // Both are looked at before either is counted, and nobody else counts in between.
      inTurn(guildId, async () => {
        const wanted = servers.length;
        const ofMember = { limiter: member, key: `${guildId} ${user.id}`, wanted };
        const ofGuild = { limiter: guild, key: guildId, wanted };
        const refused = (await refusal('member-limit', ofMember)) ?? (await refusal('guild-limit', ofGuild));
        if (refused) return refused;
        await member.consume(ofMember.key, wanted);
        await guild.consume(ofGuild.key, wanted);
        return undefined;
      }),
    withdrawn: ({ guildId, user, servers }) =>
      inTurn(guildId, async () => {
        await member.reward(`${guildId} ${user.id}`, servers.length);
        await guild.reward(guildId, servers.length);
      }),
  };
}
