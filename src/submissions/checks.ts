import type { ServerSubmission } from '../listing/contract.ts';
import type { Order, PipelineDeps, SubmissionSettings } from './order.ts';
import type { Refusal } from './refusal.ts';

/** What is to be submitted, and what the guild's settings say of it. */
export interface Wanted extends Omit<SubmissionSettings, 'announce'> {
  readonly servers: readonly ServerSubmission[];
  /** Also what the guild has submitted before. */
  readonly again: boolean;
}

/** The first reason not to submit it; all of them look at what the same transaction then reserves. */
export async function check(
  { limits, history, listing }: Pick<PipelineDeps, 'limits' | 'history' | 'listing'>,
  { guildId, user }: Pick<Order, 'guildId' | 'user'>,
  { servers, again, games, dailyQuota }: Wanted,
): Promise<Refusal | undefined> {
  const inFlight = await limits.inFlight(guildId, servers);
  if (inFlight) return { code: 'in-flight', server: inFlight };

  const strange = games && servers.find(({ game }) => !games.includes(game));
  if (strange) return { code: 'game-not-allowed', game: strange.game };

  const addresses = servers.map(({ server: host, port }) => ({ host, port }));
  const before = again ? [] : [...(await history.find(guildId, addresses)).values()];
  if (before.length > 0) return { code: 'submitted-before', entries: before };

  if (listing.isDown(guildId)) return { code: 'service-down' };
  return limits.refusal({ guildId, userId: user.id, count: servers.length, dailyQuota });
}
