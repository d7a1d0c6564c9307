import type { Secret } from '../secret.ts';
import type { GuardedListing } from './breaker.ts';
import type { GamesOutcome, ListingApi, NotSent, Scheduler, Waiting } from './contract.ts';
import { OPERATOR } from './outage.ts';

interface SchedulerDeps {
  /** The most requests that run at once. */
  readonly atOnce: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The most requests of one guild that run at once. */
const OF_A_GUILD = 2;
/** The most requests of one member that wait. A list waits with one at a time. */
const OF_A_MEMBER = 20;
/** An interaction can be answered for 15 minutes (Discord docs: Receiving and Responding); two are for the answer. */
const ANSWERABLE_MS = 13 * 60_000;

interface Entry {
  readonly request: Waiting;
  start(): void;
}

interface Guild {
  /** In the order in which they came. */
  readonly waiting: Entry[];
  /** By kind. */
  readonly running: Record<Waiting['kind'], number>;
  /** When it was last served, counted in requests; so too its members. */
  servedAt: number;
  readonly membersServedAt: Map<string, number>;
}

/**
 * Turns by guild: next comes the guild with the fewest requests under way, of several the one that was served longest
 * ago; within a guild the same by member. So nobody waits for what somebody else has piled up. Reading and trying keys
 * take half of the places at most, and one of a guild's, so that submissions always find some. Linear in the number of
 * guilds that wait.
 */
export function createScheduler({ atOnce, now = Date.now }: SchedulerDeps): Scheduler {
  const guilds = new Map<string, Guild>();
  const most = { submission: atOnce, reading: Math.max(1, Math.floor(atOnce / 2)) };
  const mostOfGuild = { submission: OF_A_GUILD, reading: 1 };
  const running = { submission: 0, reading: 0 };
  let served = 0;

  const count = (of: Record<Waiting['kind'], number>) => of.submission + of.reading;
  const mayRun = (guild: Guild, { kind }: Waiting) =>
    count(guild.running) < OF_A_GUILD &&
    guild.running[kind] < mostOfGuild[kind] &&
    count(running) < atOnce &&
    running[kind] < most[kind];

  function guildOf(guildId: string): Guild {
    const guild = guilds.get(guildId) ?? {
      waiting: [],
      running: { submission: 0, reading: 0 },
      servedAt: 0,
      membersServedAt: new Map(),
    };
    guilds.set(guildId, guild);
    return guild;
  }

  /** The one of the guild's requests that is next; `undefined` when none may run. */
  function nextOf(guild: Guild): Entry | undefined {
    let next: Entry | undefined;
    const servedAt = ({ request }: Entry) => guild.membersServedAt.get(request.memberId ?? '') ?? 0;
    for (const entry of guild.waiting) {
      if (mayRun(guild, entry.request) && (next === undefined || servedAt(entry) < servedAt(next)))
        next = entry;
    }
    return next;
  }

  function startNext(): void {
    for (;;) {
      let best: { readonly guild: Guild; readonly entry: Entry } | undefined;
      for (const guild of guilds.values()) {
        const entry = nextOf(guild);
        if (entry === undefined) continue;
        const fewer = best === undefined ? -1 : count(guild.running) - count(best.guild.running);
        if (best === undefined || fewer < 0 || (fewer === 0 && guild.servedAt < best.guild.servedAt)) {
          best = { guild, entry };
        }
      }
      if (best === undefined) return;
      const { guild, entry } = best;
      guild.waiting.splice(guild.waiting.indexOf(entry), 1);
      served += 1;
      guild.servedAt = served;
      guild.membersServedAt.set(entry.request.memberId ?? '', served);
      guild.running[entry.request.kind] += 1;
      running[entry.request.kind] += 1;
      entry.start();
    }
  }

  function ended({ guildId, kind }: Waiting): void {
    const guild = guildOf(guildId);
    guild.running[kind] -= 1;
    running[kind] -= 1;
    forgetIdle(guildId, guild);
    startNext();
  }

  function forgetIdle(guildId: string, guild: Guild): void {
    if (guild.waiting.length === 0 && count(guild.running) === 0) guilds.delete(guildId);
  }

  /** Waits for the request's turn. @returns why it does not come */
  function waitFor(request: Waiting): Promise<NotSent | undefined> {
    const { guildId, memberId, receivedAt, key } = request;
    const left = receivedAt === undefined ? undefined : receivedAt + ANSWERABLE_MS - now();
    if (key?.dropped?.aborted) return Promise.resolve(notSent('key-dropped'));
    if (left !== undefined && left <= 0) return Promise.resolve(notSent('too-late'));
    const guild = guildOf(guildId);
    const ofMember = guild.waiting.filter((entry) => entry.request.memberId === memberId).length;
    if (ofMember >= OF_A_MEMBER) return Promise.resolve(notSent('queue-full'));
    return new Promise((resolve) => {
      const leave = (why?: NotSent) => {
        clearTimeout(timer);
        key?.dropped?.removeEventListener('abort', onDropped);
        const index = guild.waiting.indexOf(entry);
        if (index !== -1) guild.waiting.splice(index, 1);
        if (why !== undefined) forgetIdle(guildId, guild);
        resolve(why);
      };
      const entry: Entry = { request, start: () => leave() };
      const onDropped = () => leave(notSent('key-dropped'));
      const timer =
        left === undefined ? undefined : setTimeout(() => leave(notSent('too-late')), left).unref();
      key?.dropped?.addEventListener('abort', onDropped, { once: true });
      guild.waiting.push(entry);
      startNext();
    });
  }

  return {
    async run(request, task) {
      const refusal = await waitFor(request);
      if (refusal !== undefined) return refusal;
      try {
        return await task();
      } finally {
        ended(request);
      }
    },
  };
}

const DETAILS = {
  'key-dropped': 'its key is no longer used',
  'too-late': 'its interaction can no longer be answered',
  'queue-full': 'its member has enough requests waiting',
} as const;

const notSent = (reason: keyof typeof DETAILS): NotSent => ({
  kind: 'not-sent',
  reason,
  detail: DETAILS[reason],
});

/** What is read from the service in the turns of the guilds. `add` is not here: its record is written in its turn. */
interface ScheduledListing extends Pick<ListingApi, 'games'> {
  /** Tries a key for a guild; see {@link GuardedListing.tryKey}. */
  tryKey(key: Secret, guildId: string): Promise<GamesOutcome>;
}

export function createScheduledListing(deps: {
  readonly listing: Pick<GuardedListing, 'games' | 'tryKey'>;
  readonly scheduler: Scheduler;
  readonly guildOf: (key: Secret) => string | undefined;
}): ScheduledListing {
  const { listing, scheduler, guildOf } = deps;
  return {
    games: (key, options) =>
      scheduler.run({ guildId: guildOf(key) ?? OPERATOR, kind: 'reading', key }, () =>
        listing.games(key, options),
      ),
    tryKey: (key, guildId) => scheduler.run({ guildId, kind: 'reading', key }, () => listing.tryKey(key)),
  };
}
