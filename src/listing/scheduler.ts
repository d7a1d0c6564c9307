import { createHash } from 'node:crypto';
import type { Secret } from '../secret.ts';
import type { Failure, GamesOutcome, NotSent, Outcome } from './contract.ts';

/** On whose behalf a request is made. */
export interface Asker {
  /** A guild's id; those without one, such as the operator's, share one. */
  readonly guildId: string;
  readonly memberId?: string;
  /** When the interaction that wants it came, in milliseconds since 1970. */
  readonly receivedAt?: number;
}

/** A request that wants to be made. */
interface Waiting extends Asker {
  /** `reading`: the games list, or a key that is tried. */
  readonly kind: 'submission' | 'reading';
  /** What it is made with, unless that is read when its turn has come. */
  readonly key?: Secret;
}

/** What all requests to the service pass before the HTTP client, so that no guild waits for another's. */
export interface Scheduler {
  /**
   * Runs a task that makes one request, when its turn comes.
   * @returns what the task returns; or that it was not run, since too many of the member's wait (`queue-full`), the
   * interaction can no longer be answered (`too-late`) or the key was dropped (`key-dropped`)
   */
  run<Result>(request: Waiting, task: () => Promise<Result>): Promise<Result | NotSent>;
}

interface SchedulerDeps {
  /** The most requests that run at once. */
  readonly atOnce: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** The most requests of one guild that run at once. */
const OF_A_GUILD = 2;
/** Guilds of which it is remembered when they were served; of any other it was longer ago. */
const MOST_SERVED = 10_000;
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
  readonly running: Running;
  /** When its members were last served, counted in requests. */
  readonly membersServedAt: Map<string, number>;
}

type Running = Record<Waiting['kind'], number>;
const count = (of: Readonly<Running>) => of.submission + of.reading;

/**
 * Fair by guild: next comes the guild with the fewest requests under way, of several the one that was served longest
 * ago; within a guild the same by member. The last request that may run is none's second one. So nobody waits for what
 * somebody else has piled up. Reading and trying keys take half of the requests at once at most, and one of a guild's, so
 * that submissions always get through. Linear in the number of guilds that wait.
 */
export function createScheduler({ atOnce, now = Date.now }: SchedulerDeps): Scheduler {
  const queues = createGuildQueues(atOnce);

  function startNext(): void {
    for (let next = queues.next(); next !== undefined; next = queues.next()) {
      queues.begin(next);
      next.entry.start();
    }
  }

  /** Waits until the request may run. @returns why it may not */
  function waitFor(request: Waiting): Promise<NotSent | undefined> {
    const { guildId, memberId, receivedAt, key } = request;
    const left = receivedAt === undefined ? undefined : receivedAt + ANSWERABLE_MS - now();
    if (key?.dropped?.aborted) return Promise.resolve(notSent('key-dropped'));
    if (left !== undefined && left <= 0) return Promise.resolve(notSent('too-late'));
    const guild = queues.of(guildId);
    const ofMember = guild.waiting.filter((entry) => entry.request.memberId === memberId).length;
    if (ofMember >= OF_A_MEMBER) return Promise.resolve(notSent('queue-full'));
    return new Promise((resolve) => {
      const leave = (why?: NotSent) => {
        clearTimeout(timer);
        key?.dropped?.removeEventListener('abort', onDropped);
        const index = guild.waiting.indexOf(entry);
        if (index !== -1) guild.waiting.splice(index, 1);
        if (why !== undefined) queues.forgetIdle(guildId);
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
        queues.end(request);
        startNext();
      }
    },
  };
}

interface Next {
  readonly guild: Guild;
  readonly entry: Entry;
}

/** What waits and what runs, by guild, and which request is next. */
function createGuildQueues(atOnce: number) {
  const guilds = new Map<string, Guild>();
  const most: Running = { submission: atOnce, reading: Math.max(1, Math.floor(atOnce / 2)) };
  const mostOfGuild: Running = { submission: OF_A_GUILD, reading: 1 };
  const running: Running = { submission: 0, reading: 0 };
  /** Guild → when it was last served, counted in requests; also between two requests of a list. The latest is last. */
  const servedAt = new Map<string, number>();
  let served = 0;

  const mayRun = (guild: Guild, { kind }: Waiting) =>
    count(guild.running) < OF_A_GUILD &&
    guild.running[kind] < mostOfGuild[kind] &&
    count(running) < (count(guild.running) === 0 ? atOnce : atOnce - 1) &&
    running[kind] < most[kind];

  const servedLast = ({ entry }: Next) => servedAt.get(entry.request.guildId) ?? 0;
  const comesBefore = (one: Next, other: Next) =>
    (count(one.guild.running) - count(other.guild.running) || servedLast(one) - servedLast(other)) < 0;

  function of(guildId: string): Guild {
    const guild = guilds.get(guildId) ?? {
      waiting: [],
      running: { submission: 0, reading: 0 },
      membersServedAt: new Map(),
    };
    guilds.set(guildId, guild);
    return guild;
  }

  function forgetIdle(guildId: string): void {
    const guild = of(guildId);
    if (guild.waiting.length === 0 && count(guild.running) === 0) guilds.delete(guildId);
  }

  /** The one of the guild's requests that is next; `undefined` when none may run. */
  function nextOf(guild: Guild): Entry | undefined {
    let next: Entry | undefined;
    const at = ({ request }: Entry) => guild.membersServedAt.get(request.memberId ?? '') ?? 0;
    for (const entry of guild.waiting) {
      if (mayRun(guild, entry.request) && (next === undefined || at(entry) < at(next))) next = entry;
    }
    return next;
  }

  return {
    of,
    forgetIdle,
    /** `undefined`: nothing that waits may run. */
    next(): Next | undefined {
      let best: Next | undefined;
      for (const guild of guilds.values()) {
        const entry = nextOf(guild);
        const next = entry && { guild, entry };
        if (next && (best === undefined || comesBefore(next, best))) best = next;
      }
      return best;
    },
    begin({ guild, entry }: Next): void {
      const { request } = entry;
      guild.waiting.splice(guild.waiting.indexOf(entry), 1);
      served += 1;
      servedAt.delete(request.guildId);
      servedAt.set(request.guildId, served);
      const [oldest] = servedAt.keys();
      if (servedAt.size > MOST_SERVED && oldest !== undefined) servedAt.delete(oldest);
      guild.membersServedAt.set(request.memberId ?? '', served);
      guild.running[request.kind] += 1;
      running[request.kind] += 1;
    },
    end({ guildId, kind }: Waiting): void {
      of(guildId).running[kind] -= 1;
      running[kind] -= 1;
      forgetIdle(guildId);
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

/** Milliseconds that a key rests after a 429 that names no time. */
const USUAL_PAUSE_MS = 1_000;
/** A rest of so many milliseconds is waited for; who has to rest longer is told so. */
const LONGEST_WAIT_MS = 5_000;
/** However long the service asks for: it may be wrong, and the guild's members wait. */
const LONGEST_PAUSE_MS = 10 * 60_000;

/** Which keys the service has asked to be spared for a while (429). One key's pause concerns no other. */
interface KeyPauses {
  /** Milliseconds for which the key still has to rest. */
  left(key: Secret): number;
  /** Waits for a short rest to end. @returns what a request with this key comes to; `undefined`: it may be sent */
  refusal(key: Secret, signal?: AbortSignal): Promise<Failure | undefined>;
  /** What a request with this key came to. */
  take(key: Secret, outcome: Outcome | GamesOutcome): void;
}

export function createKeyPauses(now: () => number): KeyPauses {
  /** Until when. */
  const paused = createKeyTimes();

  function leftOf(key: Secret): number {
    return Math.max(0, (paused.get(key) ?? 0) - now());
  }

  return {
    left: leftOf,
    async refusal(key, signal) {
      const left = leftOf(key);
      if (left === 0) return undefined;
      if (left <= LONGEST_WAIT_MS) {
        await restOf(left, signal, key.dropped);
        return undefined;
      }
      const detail = `the key is held back for another ${left} ms after a 429`;
      return { kind: 'not-sent', reason: 'rate-limited', detail, retryAfterMs: left };
    },
    take(key, outcome) {
      const asked = 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
      const isLimited = outcome.kind === 'unknown' && outcome.reason === 'rate-limited';
      if (!isLimited && !(outcome.kind === 'rejected' && asked !== undefined)) return;
      paused.set(key, now() + Math.min(LONGEST_PAUSE_MS, asked ?? USUAL_PAUSE_MS));
    },
  };
}

/** Waits, or until one of the signals; whoever sends then finds out why. */
async function restOf(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = AbortSignal.any(signals.filter((each) => each !== undefined));
  const timer = setTimeout(resolve, ms);
  stop.addEventListener('abort', () => resolve(), { once: true });
  if (!stop.aborted) await promise;
  clearTimeout(timer);
}

/** Keys that are remembered; the oldest goes. */
const MOST_KEYS = 1_000;

/** A time for each key, under a fingerprint, since this outlives the key's use. */
export function createKeyTimes() {
  const times = new Map<string, number>();
  const fingerprint = (key: Secret) => createHash('sha256').update(key.reveal()).digest('base64');
  return {
    get: (key: Secret) => (times.size === 0 ? undefined : times.get(fingerprint(key))),
    set(key: Secret, at: number): void {
      const print = fingerprint(key);
      times.delete(print);
      times.set(print, at);
      const [oldest] = times.keys();
      if (times.size > MOST_KEYS && oldest !== undefined) times.delete(oldest);
    },
    delete: (key: Secret) => times.delete(fingerprint(key)),
  };
}
