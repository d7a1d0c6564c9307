import { dropOldest } from '../drop-oldest.ts';

/** Milliseconds that a key rests after a 429 that names no time. */
const USUAL_MS = 1_000;
/** However long the service asks for: it may be wrong, and the guild's members wait. */
const LONGEST_MS = 10 * 60_000;
/** Guilds that are remembered at once; the one that began to rest first goes. */
const MOST_RESTING = 10_000;

/** The service asked to be spared for a time with a guild's key (429 and `Retry-After`): nothing leaves with it meanwhile. */
export interface Rests {
  /** @param ms what the service asked for, if it did */
  rest(guildId: string, ms: number | undefined): void;
  /** Milliseconds that are left; 0 without a rest. */
  left(guildId: string): number;
  /** The guild has another key. */
  end(guildId: string): void;
}

/** @param now milliseconds of a clock that nobody sets */
export function createRests(now: () => number = () => performance.now()): Rests {
  const until = new Map<string, number>();
  return {
    rest(guildId, ms = USUAL_MS) {
      until.set(guildId, now() + Math.min(ms, LONGEST_MS));
      dropOldest(until, MOST_RESTING);
    },
    left(guildId) {
      const left = (until.get(guildId) ?? 0) - now();
      if (left <= 0) until.delete(guildId);
      return Math.max(0, Math.ceil(left));
    },
    end: (guildId) => void until.delete(guildId),
  };
}
