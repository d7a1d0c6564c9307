import type { Logger } from '../logger.ts';
import type { PresenceRecords } from './presence-records.ts';

/** By then Discord has the acknowledgement, for which it waits 3 seconds, so that a write holds none of them up. */
const WRITE_AFTER_MS = 3_000;
/** A time that was written is written anew after this time at the earliest; what counts are days. */
const WRITE_EVERY_MS = 3_600_000;

export interface GuildUsesDeps {
  readonly records: Pick<PresenceRecords, 'uses' | 'setUse'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * When members last used a command in guilds that are in no list: these have the commands without the bot user
 * (scope `applications.commands` alone). Of guilds in the list, which are most, nothing is kept and nothing written.
 */
export interface GuildUses {
  /** An interaction has come that the guild's own installation authorised. In memory; it is written seconds later. */
  used(guildId: string): void;
  /** When that was last, as far as it is known; `undefined`: not since the guild was last in a list. */
  at(guildId: string): number | undefined;
  /** Reads what a former run has written. */
  load(): Promise<void>;
  /** Takes a list of guilds with the bot user: what was known of them counts no more. */
  listed(guilds: ReadonlySet<string>): void;
  /** The bot user was found in a guild that the list lacks, or the guild's data is about to be deleted. */
  forget(guildId: string): void;
  /** Writes what is still to be written. Never throws. */
  flush(): Promise<void>;
}

export function createGuildUses({ records, logger, now }: GuildUsesDeps): GuildUses {
  let inList: ReadonlySet<string> = new Set();
  const uses = new Map<string, number>();
  const written = new Map<string, number>();
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const guilds = [...waiting];
    waiting.clear();
    // At the same time, so that all are one commit.
    await Promise.all(guilds.map(write));
  }

  async function write(guildId: string): Promise<void> {
    const at = uses.get(guildId);
    if (at === undefined) return;
    written.set(guildId, at);
    try {
      await records.setUse(guildId, at);
    } catch (error) {
      written.delete(guildId);
      logger.warn({ err: error, guildId }, 'that a guild uses the bot could not be written; will try again');
    }
  }

  return {
    used(guildId) {
      if (inList.has(guildId)) return;
      const at = now();
      uses.set(guildId, at);
      const last = written.get(guildId);
      if (last !== undefined && Math.abs(at - last) < WRITE_EVERY_MS) return;
      waiting.add(guildId);
      timer ??= setTimeout(() => void flush(), WRITE_AFTER_MS).unref();
    },
    at: (guildId) => uses.get(guildId),
    async load() {
      for (const [guildId, at] of await records.uses()) {
        if (!uses.has(guildId) && !inList.has(guildId)) uses.set(guildId, at);
      }
    },
    listed(guilds) {
      inList = guilds;
      // What is written since then must be later than the absence that a check finds.
      written.clear();
      for (const guildId of guilds) uses.delete(guildId);
    },
    forget(guildId) {
      uses.delete(guildId);
      written.delete(guildId);
    },
    flush,
  };
}
