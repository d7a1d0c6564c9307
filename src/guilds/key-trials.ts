import type { GamesOutcome } from '../listing/contract.ts';
import type { Secret } from '../secret.ts';

interface KeyTrialsDeps {
  readonly listing: { tryKey(key: Secret, guildId: string): Promise<GamesOutcome> };
  /** The most milliseconds that one trial takes. */
  readonly longestMs: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Not tried: the guild has had its share. `at`: when the next trial is possible, in milliseconds since 1970. */
export interface TooSoon {
  readonly kind: 'too-soon';
  readonly at: number;
}

/** The only way to try a key at the service: whoever can try without end can guess, from the operator's address. */
export interface KeyTrials {
  /** Tries a key, unless the guild tries one already or has tried five in the last 60 seconds. */
  run(guildId: string, key: Secret): Promise<GamesOutcome | TooSoon>;
}

const MOST = 5;
const WINDOW_MS = 60_000;

interface Tried {
  /** When the latest trials began, the oldest first. */
  readonly at: number[];
  isRunning: boolean;
}

/** Kept in memory: a restart, which nobody can cause from outside, begins anew. */
export function createKeyTrials({ listing, longestMs, now = Date.now }: KeyTrialsDeps): KeyTrials {
  const guilds = new Map<string, Tried>();

  /** Leaves what still counts. A time to come: the clock was set back. */
  function forgetOld(): void {
    for (const [guildId, { at, isRunning }] of guilds) {
      const recent = at.filter((time) => now() - time < WINDOW_MS && time <= now());
      at.splice(0, at.length, ...recent);
      if (recent.length === 0 && !isRunning) guilds.delete(guildId);
    }
  }

  return {
    async run(guildId, key) {
      forgetOld();
      const tried = guilds.get(guildId) ?? { at: [], isRunning: false };
      const { at } = tried;
      const runningUntil = tried.isRunning ? (at.at(-1) ?? now()) + longestMs : 0;
      const fullUntil = at.length >= MOST ? (at.at(-MOST) ?? 0) + WINDOW_MS : 0;
      const next = Math.max(runningUntil, fullUntil);
      if (next > 0) return { kind: 'too-soon', at: next };
      guilds.set(guildId, tried);
      at.push(now());
      tried.isRunning = true;
      try {
        return await listing.tryKey(key, guildId);
      } finally {
        tried.isRunning = false;
      }
    },
  };
}
