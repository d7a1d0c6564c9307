import type { Secret } from '../secret.ts';
import type { AddOutcome, GamesOutcome, ListingApi, ListingLogger } from './contract.ts';

export interface BreakerDeps {
  readonly listing: ListingApi;
  /** For the probes; without it the key that was used last, which is held in memory only. */
  readonly operatorKey?: Secret;
  readonly logger: ListingLogger;
}

/** The listing service, left alone while it is down. */
export interface GuardedListing extends ListingApi {
  /** Whether the service is taken to be down: `add` then answers at once that nothing was sent. */
  isDown(): boolean;
}

/** Failures in a row after which the service is taken to be down. */
const FAILURES = 5;
/** Milliseconds before the first probe; doubled after each that fails. */
const FIRST_PROBE_MS = 5_000;
const LONGEST_PROBE_MS = 60_000;

const DOWN: AddOutcome = { kind: 'not-sent', reason: 'down', detail: 'failed repeatedly, being probed' };

/**
 * A circuit breaker: after repeated failures nobody waits for the service any more, and `games` is asked for in the
 * background until something answers. Requests for games always pass, and count as probes too.
 */
export function createBreaker({ listing, operatorKey, logger }: BreakerDeps): GuardedListing {
  const closing = new AbortController();
  let failures = 0;
  let down = false;
  let lastKey: Secret | undefined;
  let pause = FIRST_PROBE_MS;
  let timer: NodeJS.Timeout | undefined;

  function note<Outcome extends AddOutcome | GamesOutcome>(outcome: Outcome, key: Secret): Outcome {
    lastKey = key;
    if (!('reason' in outcome)) {
      if (down) logger.info({}, 'the listing service is back');
      failures = 0;
      down = false;
      clearTimeout(timer);
      return outcome;
    }
    // The bot is stopping; or the service has moved, which the operator has to hear each time.
    if (outcome.reason === 'aborted' || outcome.reason === 'redirect') return outcome;
    failures += 1;
    if (failures >= FAILURES && !down) {
      down = true;
      pause = FIRST_PROBE_MS;
      logger.warn({ failures, reason: outcome.reason }, 'the listing service is down; probing it');
      probeLater();
    }
    return outcome;
  }

  function probeLater(): void {
    timer = setTimeout(() => void probe(), pause).unref();
    pause = Math.min(LONGEST_PROBE_MS, pause * 2);
  }

  async function probe(): Promise<void> {
    const key = operatorKey ?? lastKey;
    if (key) note(await listing.games(key, { signal: closing.signal }), key);
    if (down && !closing.signal.aborted) probeLater();
  }

  return {
    isDown: () => down,
    async add(servers, key, options) {
      return down ? DOWN : note(await listing.add(servers, key, options), key);
    },
    async games(key, options) {
      return note(await listing.games(key, options), key);
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      await listing.close();
    },
  };
}
