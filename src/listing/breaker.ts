import type { Secret } from '../secret.ts';
import type { GamesOutcome, ListingApi, ListingLogger, Outcome } from './contract.ts';
import { type Asker, createKeyPauses, type Scheduler } from './scheduler.ts';

interface BreakerDeps {
  readonly listing: ListingApi;
  readonly scheduler: Scheduler;
  /** The guild that a key was read for; `undefined`: it is the operator's. */
  readonly guildOf: (key: Secret) => string | undefined;
  /** For the probes; without it the keys that the service answered last, which are held in memory only. */
  readonly operatorKey?: Secret;
  readonly logger: ListingLogger;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

/**
 * The listing service, left alone while it is down. What is read from it is scheduled here. `add` is not: who submits
 * writes the record of it when their guild is next.
 */
export interface GuardedListing extends ListingApi {
  /** How far the service counts as down. */
  extent(): Extent;
  /** Whether a submission of this guild would be answered at once with `not-sent`. */
  isDown(guildId: string): boolean;
  /**
   * Asks for the games with a key that somebody wants to try. It is sent in any case but after a 429 to that key. That
   * it fails or is refused says nothing of the service's health: anybody can try anything. A list does say something.
   */
  tryKey(key: Secret, by: Asker): Promise<GamesOutcome>;
}

/** Failures in a row after which the service is suspected to be down. */
const FAILURES = 5;
/** Failures in a row of one guild that count against it while the suspicion is looked into. */
const FAILURES_WHILE_CHECKED = 2;
/** A guild counts as active for so long after its last request, in milliseconds. */
const ACTIVE_MS = 10 * 60_000;

/** Whose requests are told apart: a guild's id, or the operator. */
type Source = string;
const OPERATOR: Source = 'operator';

/**
 * - `none`: nothing is wrong, or only with one of several guilds.
 * - `checked`: suspected; a key that can be relied on is being asked.
 * - `some`: suspected, and nobody could say more: it counts for the guilds that have failed.
 * - `all`: the operator's key, or one of a guild that had not failed, got no answer either.
 */
type Extent = 'none' | 'checked' | 'some' | 'all';

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
  const { listing, scheduler, guildOf, operatorKey, logger, now = () => performance.now() } = deps;
  const closing = new AbortController();
  const outage = createOutage(operatorKey, now);
  const pauses = createKeyPauses(now);
  const probing = createProbing({ outage, ask, closing: closing.signal, logger, now });

  const sourceOf = (key: Secret): Source => guildOf(key) ?? OPERATOR;
  const scheduled = (key: Secret, task: () => Promise<GamesOutcome>) =>
    scheduler.run({ guildId: sourceOf(key), kind: 'reading', key }, task);

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
    const { telling, others } = outage.witnesses();
    for (const key of [...telling, ...others].slice(0, MOST_WITNESSES)) {
      if (pauses.left(key) > 0 || key.dropped?.aborted) continue;
      const outcome = read(key, await scheduled(key, () => listing.games(key, { signal: closing.signal })));
      if (closing.signal.aborted) return;
      const health = healthOf(outcome);
      if (health === 'ill' && telling.includes(key) && outage.extent() !== 'none') outage.setExtent('all');
      if (health !== undefined) return;
    }
  }

  const games: ListingApi['games'] = async (key, options) => {
    if (guildOf(key) !== undefined) outage.asked(sourceOf(key));
    return (await pauses.refusal(key, options?.signal)) ?? read(key, await listing.games(key, options));
  };

  async function tryKey(key: Secret): Promise<GamesOutcome> {
    const paused = await pauses.refusal(key);
    if (paused !== undefined) return paused;
    const outcome = await listing.games(key);
    pauses.take(key, outcome);
    // The key itself is not kept for probes: it may never be stored.
    if (outcome.kind === 'games') answered(OPERATOR);
    return outcome;
  }

  return {
    extent: outage.extent,
    isDown: (guildId) => outage.isHeldBack(guildId) && !probing.mayPass(guildId),
    async add(servers, key, options) {
      const source = sourceOf(key);
      outage.asked(source);
      const paused = await pauses.refusal(key, options?.signal);
      if (paused !== undefined) return paused;
      if (outage.isHeldBack(source) && !probing.pass(source)) return DOWN;
      return read(key, await listing.add(servers, key, options));
    },
    games: (key, options) => scheduled(key, () => games(key, options)),
    tryKey: (key, by) => scheduler.run({ ...by, kind: 'reading', key }, () => tryKey(key)),
    async close() {
      closing.abort();
      probing.stop();
      await listing.close();
    },
  };
}

interface ProbingDeps extends Pick<BreakerDeps, 'logger'> {
  readonly outage: Pick<ReturnType<typeof createOutage>, 'extent' | 'setExtent'>;
  /** Asks the service how it is. */
  readonly ask: () => Promise<void>;
  readonly closing: AbortSignal;
  readonly now: () => number;
}

/**
 * Looks into a suspicion, and probes a service that is down until it answers. In each interval one submission goes out
 * all the same, and not always the same guild's.
 */
function createProbing({ outage, ask, closing, logger, now }: ProbingDeps) {
  let interval = FIRST_PROBE_MS;
  let timer: NodeJS.Timeout | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  /** When the next submission may pass, whose the last one was, and whether anybody else's could not. */
  let nextPassAt = 0;
  let lastPassed: Source | undefined;
  let othersWait = false;

  async function check(): Promise<void> {
    checkedAt = now();
    outage.setExtent('checked');
    logger.warn({}, 'the listing service failed repeatedly; asking it with a key that worked');
    interval = FIRST_PROBE_MS;
    nextPassAt = checkedAt + interval;
    lastPassed = undefined;
    await ask();
    if (outage.extent() === 'none' || closing.aborted) return;
    if (outage.extent() === 'checked') outage.setExtent('some');
    logger.warn({ forAll: outage.extent() === 'all' }, 'the listing service is down; probing it');
    probeLater();
  }

  function probeLater(): void {
    timer = setTimeout(() => void probe(), interval).unref();
  }

  async function probe(): Promise<void> {
    interval = Math.min(LONGEST_PROBE_MS, interval * 2);
    await ask();
    if (outage.extent() !== 'none' && !closing.aborted) probeLater();
  }

  /** Whether a submission of this source could pass now. One that could not is remembered as waiting. */
  function mayPass(source: Source): boolean {
    if (now() >= nextPassAt && !(lastPassed === source && othersWait)) return true;
    othersWait ||= lastPassed !== source;
    return false;
  }

  return {
    suspect(): void {
      if (now() - checkedAt >= FIRST_PROBE_MS) void check();
    },
    stop: () => clearTimeout(timer),
    mayPass,
    /** @returns whether it passes; then nobody else does for an interval */
    pass(source: Source): boolean {
      if (!mayPass(source)) return false;
      nextPassAt = now() + interval;
      lastPassed = source;
      othersWait = false;
      return true;
    },
  };
}

/**
 * What an outcome says of the service: it is `well` when it gave a verdict or a list, `ill` when it answered with 5xx
 * or not at all. Everything else may well be about the one request: a 4xx, a web page, a redirect.
 */
function healthOf(outcome: Outcome | GamesOutcome): 'well' | 'ill' | undefined {
  if (!('reason' in outcome)) return 'well';
  return ILL.has(outcome.reason) ? 'ill' : undefined;
}

const ILL: ReadonlySet<string> = new Set(['refused', 'dns', 'tls', 'timeout', 'reset', 'server-error']);

/** What is known of the service's health from everybody's requests. It keeps no time of its own, and sends nothing. */
function createOutage(operatorKey: Secret | undefined, now: () => number) {
  let extent: Extent = 'none';
  /** Since the service last answered anybody. */
  const failures = new Map<Source, number>();
  const lastAsked = new Map<Source, number>();
  /** Keys that the service has answered, the latest last. A key leaves as soon as it is dropped. */
  const answeredTo = new Map<Source, Secret>();
  /** Keys that only ever failed: they did work when they were set. Asked with when there is no other. */
  const failedWith = new Map<Source, Secret>();

  function isSuspicious(): boolean {
    const total = [...failures.values()].reduce((sum, count) => sum + count, 0);
    if (total < FAILURES) return false;
    if (failures.size > 1) return true;
    for (const [source, at] of lastAsked) if (now() - at > ACTIVE_MS) lastAsked.delete(source);
    return [...lastAsked.keys()].every((source) => failures.has(source));
  }

  /** Keeps a guild's key until it is dropped. */
  function keep(keys: Map<Source, Secret>, source: Source, key: Secret): void {
    if (source === OPERATOR || key.dropped?.aborted) return;
    const known = keys.get(source);
    keys.delete(source);
    // All that were read between two changes of a guild's key are the same key, dropped together.
    const isKnown = known !== undefined && known.dropped === key.dropped;
    keys.set(source, isKnown ? known : key);
    if (isKnown) return;
    const forget = () => keys.get(source) === key && keys.delete(source);
    key.dropped?.addEventListener('abort', forget, { once: true });
  }

  return {
    extent: () => extent,
    setExtent(next: Extent): void {
      extent = next;
    },
    asked: (source: Source) => void lastAsked.set(source, now()),
    /** @returns whether the service is to be suspected now */
    failed(source: Source, key: Secret): boolean {
      if (!answeredTo.has(source)) keep(failedWith, source, key);
      failures.set(source, (failures.get(source) ?? 0) + 1);
      return isSuspicious();
    },
    /** The service has answered; `key`: this very key, which may then be asked with. */
    answered(source: Source, key?: Secret): void {
      failures.clear();
      extent = 'none';
      failedWith.clear();
      if (key !== undefined) keep(answeredTo, source, key);
    },
    isHeldBack(source: Source): boolean {
      const own = failures.get(source) ?? 0;
      if (extent === 'checked') return own >= FAILURES_WHILE_CHECKED;
      return extent === 'all' || (extent === 'some' && own > 0);
    },
    /** The keys to ask with, the best first; `telling`: the operator's, and those of guilds that have not failed. */
    witnesses() {
      const answered = [...answeredTo].toReversed();
      const hasFailed = ([source]: readonly [Source, Secret]) => failures.has(source);
      const telling = [
        ...(operatorKey ? [operatorKey] : []),
        ...answered.filter((one) => !hasFailed(one)).map(([, key]) => key),
      ];
      // Those that were answered before rather than those that never were.
      const others = [...answered.filter(hasFailed), ...[...failedWith].toReversed()].map(([, key]) => key);
      return { telling, others };
    },
  };
}
