import type { GamesOutcome } from '../listing/contract.ts';
import type { Asker } from '../listing/scheduler.ts';
import type { Logger } from '../logger.ts';
import type { Secret } from '../secret.ts';
import type { ApiKeys } from './api-keys.ts';

interface KeyWatchDeps {
  readonly keys: Pick<ApiKeys, 'keepAnswer' | 'guildOf'>;
  /** The service has refused the guild's key for the first time. Told once, over restarts too. */
  readonly onRefused: (guildId: string) => Promise<void>;
  readonly logger: Logger;
}

/** Keeps what the service says of the guilds' keys where no submission asks, and tells that it refuses one. */
export interface KeyWatch {
  /** Tells the admins that their key is refused for the first time; never throws. */
  tellRefused(guildId: string): Promise<void>;
  /** Keeps what the games list was answered with, where it was asked for with a guild's key. It never throws. */
  keepGamesAnswer(key: Secret, outcome: GamesOutcome): Promise<void>;
  /** An admin had the guild's key tried: that it was accepted lifts the mark of an earlier refusal. */
  checked(guildId: string, key: Secret, outcome: GamesOutcome): Promise<void>;
}

export function createKeyWatch({ keys, onRefused, logger }: KeyWatchDeps): KeyWatch {
  async function tellRefused(guildId: string): Promise<void> {
    logger.info({ guildId }, "the listing service refuses a guild's API key; nothing more is sent with it");
    await onRefused(guildId);
  }

  return {
    tellRefused,
    async checked(guildId, key, outcome) {
      if (await keys.keepAnswer(guildId, key, outcome, { renews: true })) await tellRefused(guildId);
    },
    async keepGamesAnswer(key, outcome) {
      const guildId = keys.guildOf(key);
      if (guildId === undefined) return;
      try {
        if (await keys.keepAnswer(guildId, key, outcome)) await tellRefused(guildId);
      } catch (error) {
        logger.error({ err: error, guildId }, "what the service said of a guild's API key was not kept");
      }
    },
  };
}

interface KeyTrialsDeps {
  readonly listing: { tryKey(key: Secret, by: Asker): Promise<GamesOutcome> };
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

/** Who has a key tried, with an interaction that came then, in milliseconds since 1970. */
interface Trier {
  readonly guildId: string;
  readonly user: { readonly id: string };
  readonly receivedAt: number;
}

/** The only way to try a key at the service: whoever can try without end can guess, from the operator's address. */
export interface KeyTrials {
  /** Tries a key, unless the guild tries one already or has tried five in the last 60 seconds. */
  run(by: Trier, key: Secret): Promise<GamesOutcome | TooSoon>;
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
    async run({ guildId, user, receivedAt }, key) {
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
        return await listing.tryKey(key, { guildId, memberId: user.id, receivedAt });
      } finally {
        tried.isRunning = false;
      }
    },
  };
}
