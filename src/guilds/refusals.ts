import type { Logger } from '../logger.ts';
import { HOUR_MS } from '../numbers.ts';

/** Refusals of more guilds than this, and of more than this share of all, are no wrong keys but an error of the service. */
const MASS_REFUSAL = { guilds: 10, share: 0.2 };

export interface RefusalsDeps {
  /** How many guilds have a key. */
  readonly countKeys: () => Promise<number>;
  /** Called when so many keys are refused at once that none is believed to be wrong. */
  readonly onDoubt: () => void;
  readonly logger: Pick<Logger, 'error'>;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

export type Refusals = ReturnType<typeof createRefusals>;

/** Watches how many keys the service refuses for the first time within an hour. */
export function createRefusals(deps: RefusalsDeps) {
  const { countKeys, onDoubt, logger, now = () => performance.now() } = deps;
  /** When each guild's key was refused, oldest first. */
  const refusedAt = new Map<string, number>();
  let isDoubted = false;
  let doubted: readonly string[] = [];

  async function look(): Promise<void> {
    for (const [guildId, at] of refusedAt) if (now() - at > HOUR_MS) refusedAt.delete(guildId);
    const wasDoubted = isDoubted;
    isDoubted =
      refusedAt.size > MASS_REFUSAL.guilds && refusedAt.size > MASS_REFUSAL.share * (await countKeys());
    if (wasDoubted || !isDoubted) return;
    doubted = [...refusedAt.keys()];
    logger.error(
      { refused: refusedAt.size },
      'the listing service refuses the keys of too many guilds at once: none is marked as refused, and submissions are ' +
        'held back as while the service is down',
    );
    onDoubt();
  }

  return {
    /** Notes that a guild's key is refused for the first time. @returns whether refusals are doubted now */
    async note(guildId: string): Promise<boolean> {
      refusedAt.delete(guildId);
      refusedAt.set(guildId, now());
      await look();
      return isDoubted;
    },
    /** Notes that a guild's key was accepted. */
    forget: (guildId: string): void => void refusedAt.delete(guildId),
    areDoubted: (): boolean => isDoubted,
    /** The guilds of a doubt that has begun since the last call; the marks of their keys are to be taken away. */
    takeDoubted(): readonly string[] {
      const taken = doubted;
      doubted = [];
      return taken;
    },
  };
}
