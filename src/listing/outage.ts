import type { Secret } from '../secret.ts';
import type { GamesOutcome, Outcome } from './contract.ts';

/** Failures in a row after which the service is suspected to be down. */
const FAILURES = 5;
/** Failures in a row of one guild that count against it while the suspicion is looked into. */
const FAILURES_WHILE_CHECKED = 2;
/** A guild counts as active for so long after its last request, in milliseconds. */
const ACTIVE_MS = 10 * 60_000;

/** Whose requests are told apart: a guild's id, or the operator. */
export type Source = string;
export const OPERATOR: Source = 'operator';

/**
 * - `none`: nothing is wrong, or only with one of several guilds.
 * - `checked`: suspected; a key that can be relied on is being asked.
 * - `some`: suspected, and nobody could say more: it counts for the guilds that have failed.
 * - `all`: the operator's key, or one of a guild that had not failed, got no answer either.
 */
export type Extent = 'none' | 'checked' | 'some' | 'all';

/** What is known of the service's health from everybody's requests. It keeps no time of its own, and sends nothing. */
interface Outage {
  extent(): Extent;
  setExtent(extent: Extent): void;
  /** A request is made. */
  asked(source: Source): void;
  /** @returns whether the service is to be suspected now */
  failed(source: Source, key: Secret): boolean;
  /** The service has answered; `key`: this very key, which may then be asked with. */
  answered(source: Source, key?: Secret): void;
  isHeldBack(source: Source): boolean;
  /** The keys to ask with, the most telling first; `isTelling`: without a failure of its own. */
  witnesses(): readonly { readonly source: Source; readonly key: Secret; readonly isTelling: boolean }[];
}

/**
 * What an outcome says of the service: it is `well` when it gave a verdict or a list, `ill` when it answered with 5xx
 * or not at all. Everything else may well be about the one request: a 4xx, a web page, a redirect.
 */
export function healthOf(outcome: Outcome | GamesOutcome): 'well' | 'ill' | undefined {
  if (!('reason' in outcome)) return 'well';
  return ILL.has(outcome.reason) ? 'ill' : undefined;
}

const ILL: ReadonlySet<string> = new Set(['refused', 'dns', 'tls', 'timeout', 'reset', 'server-error']);

export function createOutage(operatorKey: Secret | undefined, now: () => number): Outage {
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
    setExtent(next) {
      extent = next;
    },
    asked: (source) => void lastAsked.set(source, now()),
    failed(source, key) {
      if (!answeredTo.has(source)) keep(failedWith, source, key);
      failures.set(source, (failures.get(source) ?? 0) + 1);
      return isSuspicious();
    },
    answered(source, key) {
      failures.clear();
      extent = 'none';
      failedWith.clear();
      if (key !== undefined) keep(answeredTo, source, key);
    },
    isHeldBack(source) {
      const own = failures.get(source) ?? 0;
      if (extent === 'checked') return own >= FAILURES_WHILE_CHECKED;
      return extent === 'all' || (extent === 'some' && own > 0);
    },
    witnesses() {
      const worked = ({ source }: { readonly source: Source }) => Number(answeredTo.has(source));
      const operator = operatorKey && { source: OPERATOR, key: operatorKey, isTelling: true };
      const guilds = [...answeredTo, ...failedWith].toReversed().map(([source, key]) => ({
        source,
        key,
        isTelling: answeredTo.has(source) && !failures.has(source),
      }));
      const telling = guilds.filter(({ isTelling }) => isTelling);
      // Those that were answered before rather than those that never were.
      const others = guilds.filter(({ isTelling }) => !isTelling).sort((a, b) => worked(b) - worked(a));
      return [...(operator ? [operator] : []), ...telling, ...others];
    },
  };
}
