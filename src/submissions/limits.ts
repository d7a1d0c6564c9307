import { formatAddress } from '../addresses/address.ts';
import type { ServerSubmission } from '../listing/contract.ts';
import type { Encryption } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';

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

interface RoomOrder extends Member {
  readonly count: number;
  /** Servers of a member in a calendar day in UTC that were accepted, may have been, or are on their way. */
  readonly dailyQuota?: number | undefined;
  /** The submission that it replaces: what the service refused of that counts no more. */
  readonly replaces?: string | undefined;
}

export interface Limits {
  /** One of these servers that another submission of the guild has on its way. */
  inFlight(guildId: string, servers: readonly ServerSubmission[]): Promise<ServerSubmission | undefined>;
  /**
   * How many of so many more servers may go now. All counts are of the table of servers, so what reserves them has to
   * be in the same transaction.
   */
  room(order: RoomOrder): Promise<Room>;
  /** What was reserved before this moment, in milliseconds since 1970, counts for no limit on members, or for none at all. */
  countsSince(limits: 'of members' | 'all'): number;
}

export function createLimits(deps: LimitsDeps): Limits {
  const { database, encryption, member, guild, now = Date.now } = deps;
  const { tables } = database;
  const servers = (guildId: string) => ofGuild(tables, guildId);

  const today = () => Math.floor(now() / DAY_MS) * DAY_MS;
  const since = ({ seconds }: UsageLimit) => now() - seconds * 1000;

  /** Of a member also what was submitted before they had their name deleted. Two counts, each of one index. */
  async function countOf(
    { guildId, userId }: Member,
    rows: (servers: Servers) => Servers = (all) => all,
  ): Promise<number> {
    const hashes = memberHashes(encryption, { guildId, userId });
    const named = await count(rows(servers(guildId).where('user_id', '=', userId)));
    return named + (await count(rows(servers(guildId).where('user_hash', 'in', hashes))));
  }

  const usage = createUsage({ ...deps, now, countOf });

  async function quota(limit: number, { count: wanted, ...by }: RoomOrder): Promise<Room> {
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
    const most = Math.max(0, limit - used);
    if (wanted <= most) return { count: wanted };
    return { count: most, held: { by: 'daily-quota', limit, until: today() + DAY_MS } };
  }

  return {
    inFlight: (guildId, wanted) => findInFlight(servers(guildId), wanted, now() - ON_ITS_WAY_MS),
    async room(order) {
      const { dailyQuota } = order;
      return together([
        ...(dailyQuota === undefined ? [] : [await quota(dailyQuota, order)]),
        await usage(member, 'member-limit', order),
        await usage(guild, 'guild-limit', order),
      ]);
    },
    countsSince(limits) {
      const ofMembers = Math.min(today(), since(member));
      return limits === 'all' ? Math.min(ofMembers, since(guild)) : ofMembers;
    },
  };
}

type CountOf = (member: Member, rows: (servers: Servers) => Servers) => Promise<number>;

/** How many servers fit into a limit on members or on the guild. */
function createUsage({
  database: { tables },
  encryption,
  now,
  countOf,
}: Pick<LimitsDeps, 'database' | 'encryption'> & {
  readonly now: () => number;
  readonly countOf: CountOf;
}) {
  const servers = (guildId: string) => ofGuild(tables, guildId);

  return async (
    limit: UsageLimit,
    by: 'member-limit' | 'guild-limit',
    { guildId, userId, count: wanted, replaces }: RoomOrder,
  ): Promise<Room> => {
    const counted = (rows: Servers) =>
      rows
        .where('reserved_at', '>', now() - limit.seconds * 1000)
        .$if(replaces !== undefined, (all) =>
          all.where(({ or, eb }) =>
            or([
              eb('outcome', 'is', null),
              eb('outcome', '!=', 'rejected'),
              eb('submission_id', '!=', replaces ?? ''),
            ]),
          ),
        );
    const used =
      by === 'guild-limit'
        ? await count(counted(servers(guildId)))
        : await countOf({ guildId, userId }, counted);
    const most = Math.max(0, limit.servers - used);
    if (wanted <= most) return { count: wanted };
    // There is room for the others once as many of the oldest count no more; where those are too few, those that go now.
    const others = Math.min(wanted - most, limit.servers);
    const windowMs = limit.seconds * 1000;
    if (others > used) return { count: most, held: { by, limit: limit.servers, until: now() + windowMs } };
    const all = (rows: Servers) => counted(rows).select('reserved_at');
    const times =
      by === 'guild-limit'
        ? all(servers(guildId))
        : all(servers(guildId).where('user_id', '=', userId)).unionAll(
            all(servers(guildId).where('user_hash', 'in', memberHashes(encryption, { guildId, userId }))),
          );
    const last = await nth(tables, times, others + Math.max(0, used - limit.servers));
    const until = (last.reserved_at ?? 0) + windowMs;
    return { count: most, held: { by, limit: limit.servers, until: Math.max(until, now() + 1_000) } };
  };
}

/** All of them hold for an order: the fewest may go, and the others once nothing holds them up any more. */
function together(rooms: readonly Room[]): Room {
  const [fewest, ...others] = rooms.toSorted((one, other) => one.count - other.count);
  if (!fewest?.held) return fewest ?? { count: 0 };
  const until = Math.max(...[fewest, ...others].flatMap(({ held }) => held?.until ?? []));
  return { count: fewest.count, held: { ...fewest.held, until } };
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
