import type { Logger } from '../logger.ts';

/** Refusals of more guilds than this, and of more than this share of all, are no wrong keys but an error of the service. */
const MASS = { guilds: 10, share: 0.2 };
const WINDOW_MS = 3_600_000;

export interface RefusalsDeps {
  /** How many guilds have a key. */
  readonly countKeys: () => Promise<number>;
  /** So many keys are refused at once that none is believed to be wrong. */
  readonly onDoubt: () => void;
  readonly logger: Pick<Logger, 'error'>;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

export type Refusals = ReturnType<typeof createRefusals>;

/** Watches how many keys the service refuses for the first time within an hour. */
export function createRefusals(deps: RefusalsDeps) {
  const { countKeys, onDoubt, logger, now = () => performance.now() } = deps;
  /** By guild, in the order of their times. */
  const refusedAt = new Map<string, number>();
  let isDoubted = false;
  let doubted: readonly string[] = [];

  async function look(): Promise<void> {
    for (const [guildId, at] of refusedAt) if (now() - at > WINDOW_MS) refusedAt.delete(guildId);
    const wasDoubted = isDoubted;
    isDoubted = refusedAt.size > MASS.guilds && refusedAt.size > MASS.share * (await countKeys());
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
    /** The guild's key was refused, and was not before. @returns whether that is to be doubted */
    async note(guildId: string): Promise<boolean> {
      refusedAt.delete(guildId);
      refusedAt.set(guildId, now());
      await look();
      return isDoubted;
    },
    /** The guild's key was accepted. */
    forget: (guildId: string): void => void refusedAt.delete(guildId),
    areDoubted: (): boolean => isDoubted,
    /** The guilds of a doubt that has begun since this was asked last: what was marked of their keys is to be lifted. */
    takeDoubted(): readonly string[] {
      const taken = doubted;
      doubted = [];
      return taken;
    },
  };
}
