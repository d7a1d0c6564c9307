import { createHash } from 'node:crypto';
import type { Secret } from '../secret.ts';
import type { Failure, GamesOutcome, ListingApi, ListingLogger, Outcome } from './contract.ts';
import { createOutage, type Extent, healthOf, OPERATOR, type Source } from './outage.ts';

interface BreakerDeps {
  readonly listing: ListingApi;
  /** The guild that a key was read for; `undefined`: it is the operator's. */
  readonly guildOf: (key: Secret) => string | undefined;
  /** For the probes; without it the keys that the service answered last, which are held in memory only. */
  readonly operatorKey?: Secret;
  readonly logger: ListingLogger;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

/** The listing service, left alone while it is down. */
export interface GuardedListing extends ListingApi {
  /** How far the service counts as down. */
  extent(): Extent;
  /** Whether a submission of this guild would be answered at once with `not-sent`. */
  isDown(guildId: string): boolean;
  /**
   * Asks for the games with a key that somebody wants to try. It is sent in any case but after a 429 to that key. That
   * it fails or is refused says nothing of the service's health: anybody can try anything. A list does say something.
   */
  tryKey(key: Secret): Promise<GamesOutcome>;
}

/** Milliseconds before the first probe of a service that is down; doubled after each that fails. */
const FIRST_PROBE_MS = 5_000;
const LONGEST_PROBE_MS = 60_000;
/** A suspicion is looked into with so many keys at most. */
const MOST_WITNESSES = 3;

const DOWN: Outcome = { kind: 'not-sent', reason: 'down', detail: 'failed repeatedly, being probed' };

/**
 * A circuit breaker that one guild cannot open for another.
 *
 * - Only 5xx and silence count as failures (see {@link healthOf}); an answer to anybody ends the row. A 429 holds back
 *   its key alone, and a key that is tried in vain counts for nothing.
 * - Five failures in a row make the service suspect, when they hit two guilds or the only active one. It is then asked
 *   for its games at once, with the operator's key or else one that it answered last, rather of a guild that has not
 *   failed. Does it answer, all was the fault of those guilds' keys. Does such a key get no answer either, the service
 *   counts as down for everybody. Is there no such key, it counts as down for the guilds that have failed.
 * - While it is down, submissions are answered at once, but one in each interval, and not always the same guild's, goes
 *   out all the same. Probes follow at growing intervals; requests for games always pass. Any answer ends it.
 */
export function createBreaker(deps: BreakerDeps): GuardedListing {
  const { listing, guildOf, operatorKey, logger, now = () => performance.now() } = deps;
  const closing = new AbortController();
  const outage = createOutage(operatorKey, now);
  const pauses = createKeyPauses(now);
  const passes = createPasses(now);
  const probing = createProbing({
    outage,
    passes,
    ask,
    isClosing: () => closing.signal.aborted,
    logger,
    now,
  });

  const sourceOf = (key: Secret): Source => guildOf(key) ?? OPERATOR;

  function read<Read extends Outcome | GamesOutcome>(key: Secret, outcome: Read): Read {
    pauses.take(key, outcome);
    const source = sourceOf(key);
    const health = healthOf(outcome);
    if (health === 'well') answered(source, key);
    else if (health === 'ill' && outage.failed(source, key) && outage.extent() === 'none') probing.suspect();
    return outcome;
  }

  function answered(source: Source, key?: Secret): void {
    if (outage.extent() !== 'none') logger.info({}, 'the listing service is back');
    outage.answered(source, key);
    probing.stop();
  }

  /** Asks with the most telling key. */
  async function ask(): Promise<void> {
    for (const { source, key, isTelling } of outage.witnesses().slice(0, MOST_WITNESSES)) {
      if (pauses.left(key) > 0 || key.dropped?.aborted) continue;
      const outcome = read(key, await listing.games(key, { signal: closing.signal }));
      if (closing.signal.aborted) return;
      const health = healthOf(outcome);
      if (health === 'ill' && (isTelling || source === OPERATOR) && outage.extent() !== 'none') {
        outage.setExtent('all');
      }
      if (health !== undefined) return;
    }
  }

  return {
    extent: outage.extent,
    isDown: (guildId) => outage.isHeldBack(guildId) && !passes.isFree(guildId),
    async add(servers, key, options) {
      const source = sourceOf(key);
      outage.asked(source);
      const paused = await pauses.refusal(key, options?.signal);
      if (paused !== undefined) return paused;
      if (outage.isHeldBack(source) && !passes.take(source)) return DOWN;
      return read(key, await listing.add(servers, key, options));
    },
    async games(key, options) {
      if (guildOf(key) !== undefined) outage.asked(sourceOf(key));
      return (await pauses.refusal(key, options?.signal)) ?? read(key, await listing.games(key, options));
    },
    async tryKey(key) {
      const paused = await pauses.refusal(key);
      if (paused !== undefined) return paused;
      const outcome = await listing.games(key);
      pauses.take(key, outcome);
      // The key itself is not kept for probes: it may never be stored.
      if (outcome.kind === 'games') answered(OPERATOR);
      return outcome;
    },
    async close() {
      closing.abort();
      probing.stop();
      await listing.close();
    },
  };
}

/** The one submission in each interval that goes out although the service is down, and not always the same guild's. */
interface Passes {
  /** The first is possible after so many milliseconds, and then one in as many. */
  begin(everyMs: number): void;
  setInterval(everyMs: number): void;
  /** Whether this source could take one now. One that could not is remembered as waiting. */
  isFree(source: Source): boolean;
  take(source: Source): boolean;
}

function createPasses(now: () => number): Passes {
  let interval = 0;
  let from = 0;
  let last: Source | undefined;
  let othersWait = false;

  function isFree(source: Source): boolean {
    if (now() >= from && !(last === source && othersWait)) return true;
    othersWait ||= last !== source;
    return false;
  }

  return {
    begin(everyMs) {
      interval = everyMs;
      from = now() + everyMs;
      last = undefined;
    },
    setInterval(everyMs) {
      interval = everyMs;
    },
    isFree,
    take(source) {
      if (!isFree(source)) return false;
      from = now() + interval;
      last = source;
      othersWait = false;
      return true;
    },
  };
}

interface ProbingDeps extends Pick<BreakerDeps, 'logger'> {
  readonly outage: ReturnType<typeof createOutage>;
  readonly passes: Pick<Passes, 'begin' | 'setInterval'>;
  /** Asks the service how it is. */
  readonly ask: () => Promise<void>;
  readonly isClosing: () => boolean;
  readonly now: () => number;
}

/** Looks into a suspicion, and probes a service that is down until it answers. */
function createProbing({ outage, passes, ask, isClosing, logger, now }: ProbingDeps) {
  let interval = FIRST_PROBE_MS;
  let timer: NodeJS.Timeout | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;

  async function check(): Promise<void> {
    checkedAt = now();
    outage.setExtent('checked');
    logger.warn({}, 'the listing service failed repeatedly; asking it with a key that worked');
    interval = FIRST_PROBE_MS;
    passes.begin(interval);
    await ask();
    if (outage.extent() === 'none' || isClosing()) return;
    if (outage.extent() === 'checked') outage.setExtent('some');
    logger.warn({ forAll: outage.extent() === 'all' }, 'the listing service is down; probing it');
    probeLater();
  }

  function probeLater(): void {
    timer = setTimeout(() => void probe(), interval).unref();
  }

  async function probe(): Promise<void> {
    interval = Math.min(LONGEST_PROBE_MS, interval * 2);
    passes.setInterval(interval);
    await ask();
    if (outage.extent() !== 'none' && !isClosing()) probeLater();
  }

  return {
    suspect(): void {
      if (now() - checkedAt >= FIRST_PROBE_MS) void check();
    },
    stop: () => clearTimeout(timer),
  };
}

/** Milliseconds that a key rests after a 429 that names no time. */
const USUAL_PAUSE_MS = 1_000;
/** A rest of so many milliseconds is waited for; who has to rest longer is told so. */
const LONGEST_WAIT_MS = 5_000;
/** However long the service asks for: it may be wrong, and the guild's members wait. */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** Keys that are remembered; the oldest goes. */
const MOST_KEYS = 1_000;

/** Which keys the service has asked to be spared for a while (429). One key's pause concerns no other. */
interface KeyPauses {
  /** Milliseconds for which the key still has to rest. */
  left(key: Secret): number;
  /** Waits for a short rest to end. @returns what a request with this key comes to; `undefined`: it may be sent */
  refusal(key: Secret, signal?: AbortSignal): Promise<Failure | undefined>;
  /** What a request with this key came to. */
  take(key: Secret, outcome: Outcome | GamesOutcome): void;
}

function createKeyPauses(now: () => number): KeyPauses {
  /** Fingerprint → until when. A fingerprint, since this outlives the key's use. */
  const paused = new Map<string, number>();
  const fingerprint = (key: Secret) => createHash('sha256').update(key.reveal()).digest('base64');

  function leftOf(key: Secret): number {
    if (paused.size === 0) return 0;
    const print = fingerprint(key);
    const left = Math.max(0, (paused.get(print) ?? 0) - now());
    if (left === 0) paused.delete(print);
    return left;
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
      const print = fingerprint(key);
      paused.delete(print);
      paused.set(print, now() + Math.min(LONGEST_PAUSE_MS, asked ?? USUAL_PAUSE_MS));
      const [oldest] = paused.keys();
      if (paused.size > MOST_KEYS && oldest !== undefined) paused.delete(oldest);
    },
  };
}

/** Waits, or until one of the signals; whoever sends then finds out why. */
function restOf(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const stop = AbortSignal.any(signals.filter((each) => each !== undefined));
    const timer = setTimeout(resolve, ms);
    if (stop.aborted) resolve();
    stop.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
