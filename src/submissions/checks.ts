import { formatAddress } from '../addresses/address.ts';
import type { ServerSubmission } from '../listing/contract.ts';
import type { Encryption } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import type { PreviousRow } from './draft.ts';
import type { Submitter } from './record.ts';

/** Why servers are not submitted; nothing was sent. */
export type Refusal =
  /** The guild has no key, or one that cannot be opened any more. */
  | { readonly code: 'key-missing' }
  | { readonly code: 'key-unreadable' }
  /** The service has refused the guild's key; nothing leaves until it is renewed. */
  | { readonly code: 'key-invalid'; readonly setBy: string }
  /** The same server is on its way already. */
  | { readonly code: 'in-flight'; readonly server: ServerSubmission }
  /** This guild has submitted these before. */
  | { readonly code: 'submitted-before'; readonly servers: readonly SubmittedBefore[] }
  /** There is no room for a single one; `until`, in milliseconds since 1970. */
  | { readonly code: Held['by']; readonly limit: number; readonly until: number }
  | { readonly code: 'service-down' }
  /** This guild lets only some games be submitted. */
  | { readonly code: 'game-not-allowed'; readonly game: string };

type Addressed = Pick<ServerSubmission, 'server' | 'port'>;
const addressOf = ({ server: host, port }: Addressed): string => formatAddress({ host, port });

/** A server that the guild has submitted: it was accepted, or may have been received. */
export interface SubmittedBefore extends Addressed, Omit<PreviousRow, 'row'> {}

/** How many of the servers of an order may go now, and what holds up the others. */
export interface Room {
  readonly count: number;
  readonly held?: Held;
}

export interface Held {
  /** What lets the fewest go. */
  readonly by: 'daily-quota' | 'member-limit' | 'guild-limit';
  /** The most servers that it ever lets go in its time. */
  readonly limit: number;
  /** When the others can go, or as many of them as the limit is; milliseconds since 1970. */
  readonly until: number;
}

type Tables = Database['tables'];

const DAY_MS = 86_400_000;
const startOfDay = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;
/** What was let in but has not ended: an interaction's answer can be changed for that long, in milliseconds. */
const ON_ITS_WAY_MS = 15 * 60_000;
const ADDRESSES_AT_ONCE = 500; // in one statement

/** So many servers within so many seconds. */
interface UsageLimit {
  readonly servers: number;
  readonly seconds: number;
}

export interface ChecksDeps {
  readonly database: Pick<Database, 'tables'>;
  readonly encryption: Pick<Encryption, 'pseudonyms'>;
  readonly listing: { isDown(guildId: string): boolean };
  /** What a member and what a guild may submit, in servers. */
  readonly member: UsageLimit;
  readonly guild: UsageLimit;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface RoomOrder {
  readonly guildId: string;
  readonly userId: string;
  readonly count: number;
  /** Servers of a member in a calendar day in UTC that were accepted, may have been, or are on their way. */
  readonly dailyQuota?: number | undefined;
  /** The submission that it replaces: what the service refused of that counts no more. */
  readonly replaces?: string | undefined;
}
type Member = Pick<RoomOrder, 'guildId' | 'userId'>;

/** What is to be submitted, and what the guild's settings say of it. */
interface Wanted extends Pick<RoomOrder, 'dailyQuota' | 'replaces'> {
  readonly servers: readonly ServerSubmission[];
  /** Also what the guild has submitted before. */
  readonly again: boolean;
  /** The aliases of the games that may be submitted; absent: all of them. */
  readonly games?: readonly string[];
}

/**
 * What may refuse an order, or hold a part of it up. All of them look at the table of servers, so what reserves servers
 * is in the same transaction.
 */
export type Checks = ReturnType<typeof createChecks>;

export function createChecks(deps: ChecksDeps) {
  const { listing, member, guild, now = Date.now } = deps;
  const { tables } = deps.database;
  const since = ({ seconds }: UsageLimit) => now() - seconds * 1000;
  const room = createRoom({ ...deps, now });

  return {
    /** The first reason not to submit it, or how many of it may go now, at least one. */
    async run(
      { guildId, user }: Submitter,
      { servers, again, games, ...counted }: Wanted,
    ): Promise<{ readonly refusal: Refusal } | { readonly room: Room }> {
      const inFlight = await findInFlight(ofGuild(tables, guildId), servers, now() - ON_ITS_WAY_MS);
      if (inFlight) return { refusal: { code: 'in-flight', server: inFlight } };

      const strange = games && servers.find(({ game }) => !games.includes(game));
      if (strange) return { refusal: { code: 'game-not-allowed', game: strange.game } };

      const before = again
        ? []
        : [...(await findSubmitted(tables, { guildId, userId: user.id }, servers)).values()];
      if (before.length > 0) return { refusal: { code: 'submitted-before', servers: before } };

      if (listing.isDown(guildId)) return { refusal: { code: 'service-down' } };
      const free = await room({ guildId, userId: user.id, count: servers.length, ...counted });
      if (free.count > 0 || !free.held) return { room: free };
      const { by: code, limit, until } = free.held;
      return { refusal: { code, limit, until } };
    },
    /** How many of so many more servers may go now. */
    room,
    /** Those of the servers that the guild has submitted before, the latest of each, under the address as text. */
    submittedBefore: (by: Member, servers: readonly Addressed[]) => findSubmitted(tables, by, servers),
    /** What was reserved before this moment, in milliseconds since 1970, counts for no limit on members, or for none at all. */
    countsSince: (limits: 'of members' | 'all'): number =>
      Math.min(startOfDay(now()), since(member), ...(limits === 'all' ? [since(guild)] : [])),
  };
}

/** How much an order may have by quota and limits, from the table of servers. Where a clock was ahead, it may hold times to come. */
function createRoom({ database: { tables }, encryption, member, guild, now }: Required<ChecksDeps>) {
  const today = () => startOfDay(now());

  /** Also what was submitted before they had their name deleted. Each of the two is searched in one index. */
  const ofMember = ({ guildId, userId }: Member): readonly Servers[] => [
    ofGuild(tables, guildId).where('user_id', '=', userId),
    ofGuild(tables, guildId).where('user_hash', 'in', memberHashes(encryption, { guildId, userId })),
  ];

  async function quota(limit: number, { count: wanted, ...by }: RoomOrder): Promise<Room> {
    const counted = ofMember(by).map((servers) =>
      servers
        .where(({ between }) => between('reserved_at', today(), today() + DAY_MS - 1))
        .where(({ or, and, eb }) =>
          or([
            eb('outcome', 'in', ['accepted', 'unknown']),
            and([eb('outcome', 'is', null), eb('reserved_at', '>', now() - ON_ITS_WAY_MS)]),
          ]),
        ),
    );
    const most = Math.max(0, limit - (await countAll(counted)));
    if (wanted <= most) return { count: wanted };
    return { count: most, held: { by: 'daily-quota', limit, until: today() + DAY_MS } };
  }

  async function usage(by: 'member-limit' | 'guild-limit', order: RoomOrder): Promise<Room> {
    const { count: wanted, replaces } = order;
    const [limit, servers] =
      by === 'guild-limit' ? [guild, [ofGuild(tables, order.guildId)]] : [member, ofMember(order)];
    const windowMs = limit.seconds * 1000;
    const counted = servers.map((some) =>
      some
        .where(({ between }) => between('reserved_at', now() - windowMs + 1, now() + windowMs))
        .$if(replaces !== undefined, (all) =>
          all.where(({ or, eb }) =>
            or([
              eb('outcome', 'is', null),
              eb('outcome', '!=', 'rejected'),
              eb('submission_id', '!=', replaces ?? ''),
            ]),
          ),
        ),
    );
    const used = await countAll(counted);
    const most = Math.max(0, limit.servers - used);
    if (wanted <= most) return { count: wanted };
    const held = (until: number): Room => ({ count: most, held: { by, limit: limit.servers, until } });
    // There is room for the others once as many of the oldest count no more; where those are too few, those that go now.
    const others = Math.min(wanted - most, limit.servers);
    if (others > used) return held(now() + windowMs);
    const last = await nthOldest(tables, counted, others + Math.max(0, used - limit.servers));
    return held(Math.max(last + windowMs, now() + 1_000));
  }

  /** All of them hold for an order: the fewest may go, and the others once nothing holds them up any more. */
  return async (order: RoomOrder): Promise<Room> => {
    const { dailyQuota } = order;
    const rooms = [
      ...(dailyQuota === undefined ? [] : [await quota(dailyQuota, order)]),
      await usage('member-limit', order),
      await usage('guild-limit', order),
    ];
    const [fewest] = rooms.toSorted((one, other) => one.count - other.count);
    if (!fewest?.held) return { count: fewest?.count ?? 0 };
    const until = Math.max(...rooms.flatMap(({ held }) => held?.until ?? []));
    return { count: fewest.count, held: { ...fewest.held, until } };
  };
}

const ofGuild = (tables: Tables, guildId: string) =>
  tables.selectFrom('servers').where('guild_id', '=', guildId);
type Servers = ReturnType<typeof ofGuild>;

async function countAll(parts: readonly Servers[]): Promise<number> {
  let all = 0;
  for (const part of parts) {
    const counting = part.select(({ fn }) => fn.countAll<number>().as('count'));
    all += (await counting.executeTakeFirstOrThrow()).count;
  }
  return all;
}

/** When the one was reserved that is the nth oldest in all parts together. */
async function nthOldest(tables: Tables, parts: readonly Servers[], n: number): Promise<number> {
  const times = parts.map((part) => part.select('reserved_at')).reduce((all, part) => all.unionAll(part));
  const { reserved_at } = await tables
    .selectFrom(times.as('times'))
    .select('reserved_at')
    .orderBy('reserved_at')
    .offset(n - 1)
    .limit(1)
    .executeTakeFirstOrThrow();
  return reserved_at ?? 0;
}

/** One of the wanted servers that was reserved since then and has not ended. */
async function findInFlight(
  servers: Servers,
  wanted: readonly ServerSubmission[],
  since: number,
): Promise<ServerSubmission | undefined> {
  const byAddress = new Map(wanted.map((server) => [addressOf(server), server]));
  for (const addresses of inParts([...byAddress.keys()])) {
    const found = await servers
      .where('address', 'in', addresses)
      .where('outcome', 'is', null)
      .where('reserved_at', '>', since)
      .select('address')
      .limit(1)
      .executeTakeFirst();
    if (found) return byAddress.get(found.address);
  }
  return undefined;
}

async function findSubmitted(
  tables: Tables,
  { guildId, userId }: Member,
  servers: readonly Addressed[],
): Promise<ReadonlyMap<string, SubmittedBefore>> {
  const found = new Map<string, SubmittedBefore>();
  for (const addresses of inParts([...new Set(servers.map(addressOf))])) {
    const latest = ofGuild(tables, guildId)
      .where('address', 'in', addresses)
      .where('outcome', 'in', ['accepted', 'unknown'])
      .groupBy('address')
      .select(({ fn }) => ['address', fn.max('reserved_at').as('reserved_at')]);
    const rows = await tables
      .selectFrom(latest.as('latest'))
      // In this order, whatever SQLite thinks of it.
      .crossJoin('servers')
      .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
      .where('servers.guild_id', '=', guildId)
      .whereRef('servers.address', '=', 'latest.address')
      .where('servers.outcome', 'in', ['accepted', 'unknown'])
      .whereRef('servers.reserved_at', '=', 'latest.reserved_at')
      .select(['servers.address', 'host as server', 'port', 'servers.ended_at', 'servers.outcome'])
      .select(['submissions.user_id', 'user_name'])
      .execute();
    for (const { address, ended_at, user_id, user_name, outcome, ...server } of rows) {
      const by = { userName: user_name ?? '', isYours: user_id === userId };
      const ended = { at: ended_at ?? 0, outcome: outcome === 'accepted' ? outcome : ('unknown' as const) };
      found.set(address, { ...server, ...by, ...ended });
    }
  }
  return found;
}

function* inParts(addresses: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < addresses.length; from += ADDRESSES_AT_ONCE) {
    yield addresses.slice(from, from + ADDRESSES_AT_ONCE);
  }
}

/**
 * What stands for a member whose id was deleted, as long as a limit counts what they submitted: one hash for each
 * encryption key, the one to write first. It is another one in each guild.
 */
export const memberHashes = (
  encryption: Pick<Encryption, 'pseudonyms'>,
  { guildId, userId }: Member,
): readonly string[] => encryption.pseudonyms(`guild ${guildId}: member ${userId}`);
