import type { ServerSubmission } from '../listing/contract.ts';
import type { History, HistoryEntry } from './history.ts';
import type { Held, Limits, Room } from './limits.ts';
import { DRAFT_LIVES_MS, type Submitter } from './record.ts';

/** Why servers are not submitted; nothing was sent. */
export type Refusal =
  /** The guild has no key. */
  | { readonly code: 'key-missing' }
  /** The guild's key cannot be opened any more. */
  | { readonly code: 'key-unreadable' }
  /** The service has refused the guild's key; nothing leaves until it is renewed. */
  | { readonly code: 'key-invalid'; readonly setBy: string }
  /** The same server is on its way already. */
  | { readonly code: 'in-flight'; readonly server: ServerSubmission }
  /** This guild has submitted these before; they were accepted, or may have been received. */
  | { readonly code: 'submitted-before'; readonly entries: readonly HistoryEntry[] }
  /** There is no room for a single one; `until`, in milliseconds since 1970. */
  | { readonly code: Held['by']; readonly limit: number; readonly until: number }
  | { readonly code: 'service-down' }
  /** This guild lets only some games be submitted. */
  | { readonly code: 'game-not-allowed'; readonly game: string };

/** Whether what has to wait can go while its draft is kept. */
export const canTryAgain = ({ count, held }: Room, now: number): boolean =>
  count === 0 && held !== undefined && held.until - now < DRAFT_LIVES_MS;

/** Whether the preview of a list, made anew, shows what to do about it. */
export const isSeenInPreview = ({ code }: Refusal): boolean => SEEN_IN_PREVIEW.has(code);
const SEEN_IN_PREVIEW: ReadonlySet<Refusal['code']> = new Set([
  ...(['submitted-before', 'game-not-allowed', 'daily-quota', 'member-limit', 'guild-limit'] as const),
]);

interface Checking {
  readonly limits: Pick<Limits, 'inFlight' | 'room'>;
  readonly history: Pick<History, 'find'>;
  readonly listing: { isDown(guildId: string): boolean };
}

/** What is to be submitted, and what the guild's settings say of it. */
interface Wanted {
  readonly servers: readonly ServerSubmission[];
  /** Also what the guild has submitted before. */
  readonly again: boolean;
  /** The aliases of the games that may be submitted; absent: all of them. */
  readonly games?: readonly string[];
  /** Servers that a member may submit in a day; absent: no limit. */
  readonly dailyQuota?: number;
  /** The submission that it replaces. */
  readonly replaces?: string | undefined;
}

/**
 * The first reason not to submit it, or how many of it may go now, at least one; all of them look at what the same
 * transaction then reserves.
 */
export async function check(
  { limits, history, listing }: Checking,
  { guildId, user }: Submitter,
  { servers, again, games, dailyQuota, replaces }: Wanted,
): Promise<{ readonly refusal: Refusal } | { readonly room: Room }> {
  const inFlight = await limits.inFlight(guildId, servers);
  if (inFlight) return { refusal: { code: 'in-flight', server: inFlight } };

  const strange = games && servers.find(({ game }) => !games.includes(game));
  if (strange) return { refusal: { code: 'game-not-allowed', game: strange.game } };

  const addresses = servers.map(({ server: host, port }) => ({ host, port }));
  const before = again ? [] : [...(await history.find(guildId, addresses)).values()];
  if (before.length > 0) return { refusal: { code: 'submitted-before', entries: before } };

  if (listing.isDown(guildId)) return { refusal: { code: 'service-down' } };
  const room = await limits.room({ guildId, userId: user.id, count: servers.length, dailyQuota, replaces });
  if (room.count > 0 || !room.held) return { room };
  const { by: code, limit, until } = room.held;
  return { refusal: { code, limit, until } };
}
