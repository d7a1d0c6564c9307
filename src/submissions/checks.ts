import { formatAddress } from '../addresses/address.ts';
import type { ServerSubmission } from '../listing/contract.ts';
import type { Database } from '../storage/database.ts';
import type { Encryption } from '../storage/encryption.ts';
import type { History, HistoryEntry } from './history.ts';
import type { Submitter } from './record.ts';

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
  | { readonly code: 'member-limit' | 'guild-limit'; readonly waitSeconds: number }
  /** More servers at once than are ever allowed within `seconds`: waiting does not help. */
  | {
      readonly code: 'member-limit-size' | 'guild-limit-size';
      readonly limit: number;
      readonly seconds: number;
    }
  | { readonly code: 'service-down' }
  /** This guild lets only some games be submitted. */
  | { readonly code: 'game-not-allowed'; readonly game: string }
  | { readonly code: 'daily-quota'; readonly limit: number; readonly left: number };

const DAY_MS = 86_400_000;
/** What was let in but has not ended: an interaction's answer can be changed for that long, in milliseconds. */
const ON_ITS_WAY_MS = 15 * 60_000;
/** Addresses in one statement. */
const ADDRESSES_AT_ONCE = 500;

/** So many servers within so many seconds. */
interface UsageLimit {
  readonly servers: number;
  readonly seconds: number;
}

interface LimitsDeps {
  readonly database: Pick<Database, 'tables'>;
  readonly encryption: Pick<Encryption, 'pseudonyms'>;
  /** What a member and what a guild may submit, in servers. */
  readonly member: UsageLimit;
  readonly guild: UsageLimit;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Member {
  readonly guildId: string;
  readonly userId: string;
}

export interface Limits {
  /** One of these servers that another submission of the guild has on its way. */
  inFlight(guildId: string, servers: readonly ServerSubmission[]): Promise<ServerSubmission | undefined>;
  /**
   * Why so many more servers are too many; `undefined` when they are not. All counts are of the table of servers, so
   * what reserves them has to be in the same transaction.
   * @param replaces a submission whose servers, if the service refused them, count no more: these correct them
   * @param dailyQuota servers of a member in a calendar day in UTC that were accepted, may have been, or are on their way
   */
  refusal(
    order: Member & {
      readonly count: number;
      readonly replaces?: string | undefined;
      readonly dailyQuota?: number | undefined;
    },
  ): Promise<Refusal | undefined>;
  /** What was reserved before this moment, in milliseconds since 1970, counts for no limit on members, or for none at all. */
  countsSince(limits: 'of members' | 'all'): number;
}

export function createLimits(deps: LimitsDeps): Limits {
  const { database, encryption, member, guild, now = Date.now } = deps;
  const { tables } = database;
  const servers = (guildId: string) => ofGuild(tables, guildId);

  const today = () => Math.floor(now() / DAY_MS) * DAY_MS;
  const since = ({ seconds }: UsageLimit) => now() - seconds * 1000;

  const countOf: CountOf = async ({ guildId, userId }, rows = (all) => all) => {
    const hashes = memberHashes(encryption, { guildId, userId });
    const named = await count(rows(servers(guildId).where('user_id', '=', userId)));
    return named + (await count(rows(servers(guildId).where('user_hash', 'in', hashes))));
  };
  const usage = createUsage({ ...deps, now, countOf });

  async function quota(by: Member, { wanted, limit }: Record<'wanted' | 'limit', number>) {
    const used = await countOf(by, (rows) =>
      rows
        .where('reserved_at', '>=', today())
        .where(({ or, and, eb }) =>
          or([
            eb('outcome', 'in', ['accepted', 'unknown']),
            and([eb('outcome', 'is', null), eb('reserved_at', '>', now() - ON_ITS_WAY_MS)]),
          ]),
        ),
    );
    const left = Math.max(0, limit - used);
    return wanted > left ? ({ code: 'daily-quota', limit, left } as const) : undefined;
  }

  return {
    inFlight: (guildId, wanted) => findInFlight(servers(guildId), wanted, now() - ON_ITS_WAY_MS),
    async refusal({ guildId, userId, count: wanted, replaces, dailyQuota }) {
      return (
        (dailyQuota === undefined
          ? undefined
          : await quota({ guildId, userId }, { wanted, limit: dailyQuota })) ??
        (await usage(member, { guildId, userId, wanted, replaces })) ??
        (await usage(guild, { guildId, wanted, replaces }))
      );
    },
    countsSince(limits) {
      const ofMembers = Math.min(today(), since(member));
      return limits === 'all' ? Math.min(ofMembers, since(guild)) : ofMembers;
    },
  };
}

/** Of a member also what was submitted before they had their name deleted. Two counts, each of one index. */
type CountOf = (member: Member, rows?: (servers: Servers) => Servers) => Promise<number>;

interface Used {
  readonly guildId: string;
  /** Without it: of the whole guild. */
  readonly userId?: string;
  readonly wanted: number;
  readonly replaces: string | undefined;
}

/** What a limit says to so many more servers. */
function createUsage({
  database: { tables },
  encryption,
  now,
  countOf,
}: Pick<LimitsDeps, 'database' | 'encryption'> & {
  readonly now: () => number;
  readonly countOf: CountOf;
}) {
  return async function usage(
    limit: UsageLimit,
    { guildId, userId, wanted, replaces }: Used,
  ): Promise<Refusal | undefined> {
    const code = userId === undefined ? 'guild-limit' : 'member-limit';
    if (wanted > limit.servers) return { code: `${code}-size`, limit: limit.servers, seconds: limit.seconds };
    const servers = ofGuild(tables, guildId);
    const since = now() - limit.seconds * 1000;
    const counted = (rows: Servers) => rows.where('reserved_at', '>', since);
    const used =
      userId === undefined ? await count(counted(servers)) : await countOf({ guildId, userId }, counted);
    const replaced =
      replaces === undefined
        ? 0
        : await count(
            counted(servers).where('submission_id', '=', replaces).where('outcome', '=', 'rejected'),
          );
    const excess = used - replaced + wanted - limit.servers;
    if (excess <= 0) return undefined;
    // There is room again once the oldest of them, as many as are too many, count no more.
    const all = (rows: Servers) => counted(rows).select('reserved_at');
    const times =
      userId === undefined
        ? all(servers)
        : all(servers.where('user_id', '=', userId)).unionAll(
            all(servers.where('user_hash', 'in', memberHashes(encryption, { guildId, userId }))),
          );
    const last = await nth(tables, times, excess);
    const waitMs = (last.reserved_at ?? 0) + limit.seconds * 1000 - now();
    return { code, waitSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
  };
}

const ofGuild = (tables: Database['tables'], guildId: string) =>
  tables.selectFrom('servers').where('guild_id', '=', guildId);
type Servers = ReturnType<typeof ofGuild>;

async function count(rows: Servers): Promise<number> {
  const { used } = await rows.select(({ fn }) => fn.countAll<number>().as('used')).executeTakeFirstOrThrow();
  return used;
}

/** The reservation that is the nth oldest. */
const nth = (tables: Database['tables'], times: ReturnType<typeof reservations>, n: number) =>
  tables
    .selectFrom(times.as('times'))
    .select('reserved_at')
    .orderBy('reserved_at')
    .offset(n - 1)
    .limit(1)
    .executeTakeFirstOrThrow();
const reservations = (rows: Servers) => rows.select('reserved_at');

/** One of the wanted servers that was reserved since then and has not ended. */
async function findInFlight(
  servers: Servers,
  wanted: readonly ServerSubmission[],
  since: number,
): Promise<ServerSubmission | undefined> {
  const byAddress = new Map(
    wanted.map((server) => [formatAddress({ host: server.server, port: server.port }), server] as const),
  );
  const addresses = [...byAddress.keys()];
  for (let from = 0; from < addresses.length; from += ADDRESSES_AT_ONCE) {
    const found = await servers
      .where('address', 'in', addresses.slice(from, from + ADDRESSES_AT_ONCE))
      .where('outcome', 'is', null)
      .where('reserved_at', '>', since)
      .select('address')
      .limit(1)
      .executeTakeFirst();
    if (found) return byAddress.get(found.address);
  }
  return undefined;
}

/**
 * What stands for a member whose id was deleted, as long as a limit counts what they submitted: one hash for each
 * encryption key, the one to write first. It is another one in each guild.
 */
export const memberHashes = (
  encryption: Pick<Encryption, 'pseudonyms'>,
  { guildId, userId }: { readonly guildId: string; readonly userId: string },
): readonly string[] => encryption.pseudonyms(`guild ${guildId}: member ${userId}`);

interface Checking {
  readonly limits: Pick<Limits, 'inFlight' | 'refusal'>;
  readonly history: Pick<History, 'find'>;
  readonly listing: { isDown(guildId: string): boolean };
}

/** What is to be submitted, and what the guild's settings say of it. */
interface Wanted {
  readonly servers: readonly ServerSubmission[];
  /** Also what the guild has submitted before. */
  readonly again: boolean;
  /** The submission that these servers correct. */
  readonly replaces: string | undefined;
  /** The aliases of the games that may be submitted; absent: all of them. */
  readonly games?: readonly string[];
  /** Servers that a member may submit in a day; absent: no limit. */
  readonly dailyQuota?: number;
}

/** The first reason not to submit it; all of them look at what the same transaction then reserves. */
export async function check(
  { limits, history, listing }: Checking,
  { guildId, user }: Submitter,
  { servers, again, replaces, games, dailyQuota }: Wanted,
): Promise<Refusal | undefined> {
  const inFlight = await limits.inFlight(guildId, servers);
  if (inFlight) return { code: 'in-flight', server: inFlight };

  const strange = games && servers.find(({ game }) => !games.includes(game));
  if (strange) return { code: 'game-not-allowed', game: strange.game };

  const addresses = servers.map(({ server: host, port }) => ({ host, port }));
  const before = again ? [] : [...(await history.find(guildId, addresses)).values()];
  if (before.length > 0) return { code: 'submitted-before', entries: before };

  if (listing.isDown(guildId)) return { code: 'service-down' };
  return limits.refusal({ guildId, userId: user.id, count: servers.length, replaces, dailyQuota });
}
