import { createHash } from 'node:crypto';
import type { Secret } from '../secret.ts';
import type { Failure, GamesOutcome, Outcome } from './contract.ts';

/** Milliseconds that a key rests after a 429 that names no time. */
const USUAL_PAUSE_MS = 1_000;
/** A rest of so many milliseconds is waited for; who has to rest longer is told so. */
const LONGEST_WAIT_MS = 5_000;
/** However long the service asks for: it may be wrong, and the guild's members wait. */
const LONGEST_PAUSE_MS = 10 * 60_000;
/** Keys that are remembered; the oldest goes. */
const MOST_KEYS = 1_000;

/** Which keys the service has asked to be spared for a while (429). One key's pause concerns no other. */
export interface KeyPauses {
  /** Milliseconds for which the key still has to rest. */
  left(key: Secret): number;
  /** Waits for a short rest to end. @returns what a request with this key comes to; `undefined`: it may be sent */
  refusal(key: Secret, signal?: AbortSignal): Promise<Failure | undefined>;
  heard(key: Secret, outcome: Outcome | GamesOutcome): void;
}

export function createKeyPauses(now: () => number): KeyPauses {
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
    heard(key, outcome) {
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
