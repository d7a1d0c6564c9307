import type { Selectable } from 'kysely';
import { AFTER_START_MS, createJob } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../numbers.ts';
import type { OnlyOne } from '../storage/only-one.ts';
import type { Store } from '../storage/store.ts';
import type { PresenceTable } from '../storage/tables.ts';
import type { ApiKeys } from './api-keys.ts';
import { type Deletion, guildsWithValues } from './deletion.ts';

/** From this many absences on, one after the other, the bot counts as removed. */
const ABSENCES_UNTIL_REMOVED = 2;
/** More than this many guilds, and more than this share, do not leave at once: something is wrong with the list. */
const MASS_DEPARTURE = { guilds: 10, share: 0.2 };
/** The key of the value that says which application the store is used with, and since when. */
const APPLICATION = 'application:current';

export interface MembershipDeps {
  readonly store: Pick<Store, 'tables' | 'values'>;
  readonly deletion: Pick<Deletion, 'guild'>;
  readonly keys: Pick<ApiKeys, 'status' | 'delete'>;
  /** The guilds that have submitted anything, or are about to. */
  readonly submissions: { guilds(): AsyncIterable<string> };
  /** Every guild the bot user is in, or an error. */
  readonly listGuilds: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Whether Discord says that the guild is unknown or closed to the bot; an error when it says neither that nor the contrary. */
  readonly isForeign: (guildId: string, signal: AbortSignal) => Promise<boolean>;
  /** @returns whether the error means that Discord could not be reached; it has then been logged */
  readonly tellUnreachable: (error: unknown, pauseMs: number) => boolean;
  /** The id of the application that the token is of. */
  readonly applicationId: () => Promise<string>;
  /** Whether the clock is right; otherwise nothing is noted or deleted. */
  readonly isClockRight: () => Promise<boolean>;
  readonly onlyOne: OnlyOne;
  readonly checkEveryMs: number;
  /** How long what is kept beside the key outlives the bot's removal from a guild. */
  readonly graceMs: number;
  /** How long after the start the first check is. */
  readonly afterStartMs?: number | undefined;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export type Membership = ReturnType<typeof createMembership>;

type Presence = Selectable<PresenceTable>;

/**
 * Finds out by asking which guilds the bot was removed from, since without intents nobody tells it. A guild that is
 * absent in two lists in a row loses its key, and after a time of grace everything else. A guild can have the commands
 * without the bot user, and is then in no list: it keeps everything until nobody has used a command for the time of
 * grace. Nothing is deleted before Discord has said that this very guild is unknown.
 */
export function createMembership(deps: MembershipDeps) {
  const { store, deletion, keys, submissions, checkEveryMs, graceMs, logger, now } = deps;
  const { afterStartMs = AFTER_START_MS } = deps;
  const job = createJob({ firstMs: afterStartMs, everyMs: checkEveryMs, run: checkOrWrite });
  const { stopping } = job;
  /** The latest list that this process has read, and the one before. */
  let listed = new Set<string>();
  let listedBefore = listed;
  /** When a command was last used in each guild that is in no list; written with the next check. */
  const uses = new Map<string, number>();
  /** Guilds in no list for which Discord was asked whether the bot itself is there. */
  const asked = new Set<string>();

  /** One process checks for all; the others only write down which guilds used a command. */
  async function checkOrWrite(): Promise<void> {
    try {
      const isDone = await deps.onlyOne('departures', checkEveryMs, check);
      if (!isDone) await writeUses();
    } catch (error) {
      logger.warn({ err: error }, 'which guilds use the bot could not be written; will try again');
    }
  }

  async function check(): Promise<void> {
    try {
      const guilds = await deps.listGuilds(stopping);
      listedBefore = listed;
      listed = new Set(guilds);
      for (const guildId of listed) uses.delete(guildId);
      if (listed.size === 0) {
        logger.warn({}, 'Discord lists no guild of this bot; the data of all guilds stays as it is');
        return;
      }
      if ((await deps.isClockRight()) && (await isApplicationKnown())) await compare();
    } catch (error) {
      if (stopping.aborted || deps.tellUnreachable(error, checkEveryMs)) return;
      logger.warn({ err: error }, 'the check for guilds that the bot has left did not end; will try again');
    }
  }

  /** With the token of another application the bot would seem to have left every guild. */
  async function isApplicationKnown(): Promise<boolean> {
    const applicationId = await deps.applicationId();
    let known = Object(await store.values.get(APPLICATION));
    if (known.id !== applicationId) {
      // The first application need not wait.
      known = { id: applicationId, since: known.id === undefined ? 0 : now() };
      await store.values.set(APPLICATION, known);
    }
    if (now() - known.since >= graceMs) return true;
    const until = new Date(known.since + graceMs).toISOString();
    logger.warn(
      { applicationId, until },
      'this token is of another application than before; until then no data is deleted of guilds that it is not in',
    );
    return false;
  }

  async function compare(): Promise<void> {
    await writeUses();
    const rows = await store.tables().selectFrom('presence').selectAll().execute();
    const presences = new Map(rows.map((row) => [row.guild_id, row]));
    const held = new Set(await guildsWithValues(store));
    for await (const guildId of submissions.guilds()) held.add(guildId);

    for (const [guildId, { used_at }] of presences) {
      // What was used a moment ago may be about to save something.
      const isInUse = uses.has(guildId) || (used_at !== null && now() - used_at < TOKEN_LIVES_MS);
      if (listed.has(guildId) || (!held.has(guildId) && !isInUse)) await forget(guildId, used_at);
    }
    const absent = [...held].filter((guildId) => !listed.has(guildId));
    const vanished = absent.filter((guildId) => !presences.has(guildId)).length;
    const present = held.size - absent.length;
    const isListDoubted = areTooMany(vanished, present + vanished);
    for (const guildId of absent) {
      stopping.throwIfAborted();
      await judge(guildId, presences.get(guildId), isListDoubted);
    }
  }

  function areTooMany(vanished: number, of: number): boolean {
    if (vanished <= MASS_DEPARTURE.guilds || vanished <= MASS_DEPARTURE.share * of) return false;
    logger.error(
      { vanished, of },
      'too many guilds are missing at once in the list from Discord: is this the token of another bot? ' +
        'Nothing of them is deleted unless they are still missing after DEPARTURE_GRACE_DAYS',
    );
    return true;
  }

  /**
   * Records an absence, and deletes what is due.
   * @param isListDoubted too many guilds are absent for the first time
   */
  async function judge(guildId: string, known: Presence | undefined, isListDoubted: boolean): Promise<void> {
    const wasListDoubted = known === undefined ? isListDoubted : known.is_doubted === 1;
    const usedAt = known?.used_at ?? null;
    const wasListed = known?.was_listed === 1 || listedBefore.has(guildId);
    let absentSince = known?.absent_since ?? now();
    let absences = (known?.absences ?? 0) + 1;
    if (usedAt !== null && usedAt > absentSince) {
      absentSince = usedAt;
      absences = 1;
    }
    // Not what may have been written since it was read: that it was used, and that the bot was there.
    const counted = {
      absent_since: absentSince,
      absences,
      is_doubted: wasListDoubted ? 1 : 0,
      ...(wasListed && { was_listed: 1 }),
    };
    await savePresence(guildId, counted);
    if (absences < ABSENCES_UNTIL_REMOVED) return;
    const isOver = now() - absentSince >= graceMs;
    if (!isOver && wasListDoubted) return;
    // The uses that other processes write down include those before the bot was removed.
    const hasCommands = usedAt !== null && (!wasListed || usedAt >= absentSince);
    if (!isOver && hasCommands) return;
    const hasKey = (await keys.status(guildId)) !== undefined;
    if (!isOver && !hasKey) return;
    if (!(await isGone(guildId, usedAt))) return;
    // Somebody may have used a command meanwhile, here or at another process.
    if (uses.has(guildId) || (await usedAtOf(guildId)) !== usedAt) return;
    if (isOver) {
      await deletion.guild(guildId);
      logger.info({ guildId }, 'the bot has not been in a guild for long: all its data was deleted');
    } else if (await keys.delete(guildId)) {
      logger.info({ guildId }, 'the bot is no longer in a guild: its API key was deleted');
    }
  }

  /** Whether Discord itself says that the bot is not in the guild. */
  async function isGone(guildId: string, usedAt: number | null): Promise<boolean> {
    if (stopping.aborted) return false;
    try {
      if (await deps.isForeign(guildId, stopping)) return true;
      logger.warn({ guildId }, 'a guild is missing in the list from Discord although the bot is in it');
      await forget(guildId, usedAt);
    } catch (error) {
      if (stopping.aborted) return false;
      logger.warn(
        { err: error, guildId },
        'Discord does not say whether the bot is still in a guild; its data stays as it is',
      );
    }
    return false;
  }

  /** Inserts a presence, or updates these parts of a known one. */
  async function savePresence(guildId: string, parts: Partial<Presence>): Promise<void> {
    await store
      .tables()
      .insertInto('presence')
      .values({ ...unlisted(guildId), ...parts })
      .onConflict((conflict) => conflict.column('guild_id').doUpdateSet(parts))
      .execute();
  }

  async function usedAtOf(guildId: string): Promise<number | null | undefined> {
    const of = store.tables().selectFrom('presence').select('used_at').where('guild_id', '=', guildId);
    return (await of.executeTakeFirst())?.used_at;
  }

  /** Forgets a presence, unless another process has written a use since it was read. */
  async function forget(guildId: string, usedAt: number | null): Promise<void> {
    await store
      .tables()
      .deleteFrom('presence')
      .where('guild_id', '=', guildId)
      .where('used_at', 'is not distinct from', usedAt)
      .execute();
  }

  async function writeUses(): Promise<void> {
    for (const [guildId, at] of uses) {
      await savePresence(guildId, { used_at: at });
      // It may have been used again meanwhile.
      if (uses.get(guildId) === at) uses.delete(guildId);
    }
  }

  /** The bot may come and go between two lists: asking at the first use is the only way to know that it was there. */
  async function askForBot(guildId: string): Promise<void> {
    try {
      if (asked.has(guildId)) return;
      asked.add(guildId);
      if (await deps.isForeign(guildId, stopping)) return;
      await savePresence(guildId, { was_listed: 1 });
    } catch (error) {
      if (!stopping.aborted)
        logger.warn({ err: error, guildId }, 'whether the bot is in a guild is not known');
    }
  }

  return {
    name: 'membership',
    /** Notes an interaction that the guild's own installation authorised: the guild has the commands. Cheap. */
    used(guildId: string): void {
      if (listed.has(guildId)) return;
      uses.set(guildId, now());
      void askForBot(guildId);
    },
    /** Whether the bot itself is in a guild, by the latest list that this process has read. */
    hasBot: (guildId: string): boolean => listed.has(guildId),
    /** Notes that the bot could not post in a guild: until the next list it counts as absent. */
    lacksBot: (guildId: string): void => void listed.delete(guildId),
    /** Makes a check, or waits for the one that runs. Never throws. */
    check: job.run,
    start: job.start,
    async stop() {
      await job.stop();
      await writeUses().catch((error: unknown) => {
        logger.warn({ err: error }, 'which guilds use the bot could not be written');
      });
    },
  };
}

/** A guild that is in no list yet. */
const unlisted = (guildId: string): Presence => ({
  guild_id: guildId,
  used_at: null,
  absent_since: null,
  absences: 0,
  was_listed: 0,
  is_doubted: 0,
});
