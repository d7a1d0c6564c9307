import { createHash } from 'node:crypto';
import type { Secret } from '../secret.ts';
import type { GamesOutcome } from './contract.ts';

/** Milliseconds after the first failure; doubled with each further one. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
/** How long a rejected key is left alone. */
const REJECTED_KEY_PAUSE_MS = 10 * 60_000;
/** Rejected keys that are remembered; the oldest goes. */
const MAX_REJECTED_KEYS = 1_000;

/** When the games list may be asked for again after a failure. */
export interface RefreshBackoff {
  /** Whether the service has had its rest. */
  isOver(): boolean;
  /** Whether this key was rejected a short while ago. Other keys are not concerned. */
  isRejected(key: Secret): boolean;
  /** A rejection counts against its key, every other failure against the service; a list ends the pause. */
  note(outcome: GamesOutcome, key: Secret): void;
  reset(): void;
}

export function createRefreshBackoff(now: () => number): RefreshBackoff {
  let failures = 0;
  let failedAt = 0;
  let pause = 0;
  const rejected = new Map<string, number>();
  // Kept as a hash: this map lives as long as the process, and a key should not.
  const fingerprint = (key: Secret) => createHash('sha256').update(key.reveal()).digest('base64');

  const isWithin = (since: number, ms: number) => {
    const age = now() - since;
    // A negative age: the clock was set back. Better to ask once too often than to wait for years.
    return age >= 0 && age < ms;
  };

  function reset(): void {
    failures = 0;
    pause = 0;
  }

  return {
    isOver: () => !isWithin(failedAt, pause),
    isRejected(key) {
      const since = rejected.get(fingerprint(key));
      return since !== undefined && isWithin(since, REJECTED_KEY_PAUSE_MS);
    },
    note(outcome, key) {
      if (outcome.kind === 'rejected') {
        const print = fingerprint(key);
        rejected.delete(print);
        rejected.set(print, now());
        const [oldest] = rejected.keys();
        if (rejected.size > MAX_REJECTED_KEYS && oldest !== undefined) rejected.delete(oldest);
        return;
      }
      rejected.delete(fingerprint(key));
      if (outcome.kind === 'games' && outcome.games.length > 0) return reset();
      const asked = 'retryAfterMs' in outcome ? (outcome.retryAfterMs ?? 0) : 0;
      failedAt = now();
      pause = Math.min(LONGEST_PAUSE_MS, Math.max(asked, FIRST_PAUSE_MS * 2 ** Math.min(failures, 20)));
      failures += 1;
    },
    reset,
  };
}
