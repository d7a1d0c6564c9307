import { AFTER_START_MS, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Store } from '../storage/store.ts';
import type { ApiKeys } from './api-keys.ts';
import { type Absence, createPresenceRecords, type GuildData, type PresenceRecords } from './guild-data.ts';

/** From this many absences on, one after the other, the bot counts as removed. */
const ENOUGH = 2;
/** More than this many guilds, and more than this share, do not leave at once: the token is of another bot. */
const MASS = { guilds: 10, share: 0.2 };

const STOP_WITHIN_MS = 1_000;

export interface MembershipDeps {
  readonly store: Store;
  readonly data: Pick<GuildData, 'held' | 'delete' | 'forgetMember'>;
  readonly keys: Pick<ApiKeys, 'status' | 'delete'>;
  /** Every guild the bot user is in, or an error. */
  readonly listGuilds: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Whether Discord says that the guild is unknown or closed to the bot; an error when it says neither that nor the contrary. */
  readonly isForeign: (guildId: string, signal: AbortSignal) => Promise<boolean>;
  /** The id of the application that the token is of. */
  readonly applicationId: () => string;
  /** Whether this process looks after the guild. */
  readonly isOurs: (guildId: string) => boolean;
  readonly checkEveryMs: number;
  /** How long what is kept beside the key outlives the bot's removal from a guild. */
  readonly graceMs: number;
  /** A check that runs when the bot stops may end within this time; what is still open then waits for the next. */
  readonly stopWithinMs?: number | undefined;
  /** When it first checks after its start. */
  readonly afterStartMs?: number | undefined;
  readonly logger: Logger;
  readonly now?: () => number;
}

/**
 * Finds out by asking which guilds the bot was removed from, since without intents nobody tells it. A guild that is
 * absent in two checks in a row loses its key, and after a time of grace everything else. One whose members use the
 * commands all the same has them without the bot user, which is in no list: it keeps everything until nobody has used
 * them for the time of grace. Nothing is deleted before Discord has said of the very guild that it is unknown.
 * It checks soon after its start, and has to be started after the connection to Discord.
 */
export interface Membership extends Part {
  /** An interaction has come that the guild's own installation authorised: it has the commands. Costs next to nothing. */
  used(guildId: string): void;
  /** One check, or the one that runs. It never throws. */
  check(): Promise<void>;
}

export function createMembership(deps: MembershipDeps): Membership {
  const { store, checkEveryMs, graceMs, logger, now = Date.now } = deps;
  const { stopWithinMs = STOP_WITHIN_MS, afterStartMs = AFTER_START_MS } = deps;
  const records = createPresenceRecords(store);
  const uses = createGuildUses({ records, logger, now });
  const stopping = new AbortController();
  const { signal } = stopping;
  const state: MembershipState = { ...deps, records, uses, signal, now, refusals: 0 };
  let first: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    let guilds: readonly string[];
    try {
      guilds = await deps.listGuilds(signal);
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error }, 'the guilds of this bot could not be read from Discord; will try again');
      return;
    }
    const listed = new Set(guilds);
    if (listed.size > 0) uses.listed(listed);
    else
      logger.warn(
        {},
        'Discord lists no guild of this bot; the data of those that could be in it stays as it is',
      );
    try {
      const id = deps.applicationId();
      // With the token of another bot every guild looks as if it had been left.
      const since = await records.applicationSince(id, now());
      if (since === undefined || now() - since >= graceMs) return await compare(state, listed);
      const until = new Date(since + graceMs).toISOString();
      logger.warn(
        { applicationId: id, until },
        'this token is of another application than before; until then no data is deleted of guilds that it is not in',
      );
    } catch (error) {
      logger.error({ err: error }, 'the check for guilds that the bot has left did not end; will try again');
    }
  }

  function check(): Promise<void> {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    name: 'membership',
    used: uses.used,
    check,
    async start() {
      first = setTimeout(() => void check(), afterStartMs).unref();
      timer = setInterval(() => void check(), checkEveryMs).unref();
    },
    async stop() {
      clearTimeout(first);
      clearInterval(timer);
      const patience = setTimeout(() => stopping.abort(), stopWithinMs);
      await running;
      clearTimeout(patience);
      await uses.flush();
    },
  };
}

interface MembershipState extends Omit<MembershipDeps, 'now'> {
  readonly records: PresenceRecords;
  readonly uses: GuildUses;
  /** Aborted when the bot stops. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** How many lists were refused because too many guilds were missing in them. */
  refusals: number;
}

/** Compares a list of Discord's with the guilds of which anything is kept. */
async function compare(state: MembershipState, listed: ReadonlySet<string>): Promise<void> {
  const { records, uses, data, isOurs, logger } = state;
  await uses.load();
  const held = await data.held();
  const known = await records.absences();
  // An empty list says nothing of guilds that could be in it.
  const mayJudge = (guildId: string) => listed.size > 0 || uses.at(guildId) !== undefined;
  const absent = [...held].filter((id) => isOurs(id) && !listed.has(id) && mayJudge(id));
  const vanished = absent.filter((id) => !known.has(id) && uses.at(id) === undefined).length;
  const present = [...held].filter((id) => isOurs(id) && listed.has(id)).length;
  if (vanished > MASS.guilds && vanished > MASS.share * (present + vanished)) {
    state.refusals += 1;
    logger.error(
      { vanished, of: present + vanished, refusals: state.refusals },
      'too many guilds are missing at once in the list from Discord: is this the token of another bot? ' +
        'The data of all guilds stays as it is',
    );
    return;
  }
  // Back again, or nothing is left to delete.
  const outdated = new Set([...known.keys(), ...(await records.uses()).keys()].filter(isOurs));
  for (const id of outdated) if (listed.has(id) || !held.has(id)) await records.forget(id);
  for (const id of absent) await judge(state, id, known.get(id));
}

/** Records an absence, and deletes what it is time to delete. */
async function judge(state: MembershipState, guildId: string, known: Absence | undefined): Promise<void> {
  const { records, uses, data, keys, graceMs, logger, now } = state;
  const usedAt = uses.at(guildId);
  const isUsedSince = usedAt !== undefined && usedAt > (known?.since ?? Number.NEGATIVE_INFINITY);
  const since = isUsedSince ? usedAt : (known?.since ?? now());
  const absences = isUsedSince ? 1 : (known?.absences ?? 0) + 1;
  await records.setAbsence(guildId, { since, absences });
  if (absences < ENOUGH) return;
  const isOver = now() - since >= graceMs;
  if (!isOver && (usedAt !== undefined || (await keys.status(guildId)) === undefined)) return;
  if (!(await isGone(state, guildId))) return;
  // Somebody may have used a command while Discord was asked.
  if (uses.at(guildId) !== usedAt) return;
  uses.forget(guildId);
  if (isOver) {
    await data.delete(guildId);
    logger.info({ guildId }, 'the bot has not been in a guild for long: all its data was deleted');
  } else if (await keys.delete(guildId)) {
    logger.info({ guildId }, 'the bot is no longer in a guild: its API key was deleted');
  }
}

/** Whether Discord itself says so. Otherwise nothing is deleted. */
async function isGone(state: MembershipState, guildId: string): Promise<boolean> {
  const { records, uses, isForeign, signal, logger } = state;
  if (signal.aborted) return false;
  try {
    if (await isForeign(guildId, signal)) return true;
    logger.warn({ guildId }, 'a guild is missing in the list from Discord although the bot is in it');
    uses.forget(guildId);
    await records.forget(guildId);
  } catch (error) {
    if (signal.aborted) return false;
    logger.warn(
      { err: error, guildId },
      'Discord does not say whether the bot is still in a guild; its data stays as it is',
    );
  }
  return false;
}

/** By then Discord has the acknowledgement, for which it waits 3 seconds, so that a write holds none of them up. */
const WRITE_AFTER_MS = 3_000;
/** A time that was written is written anew after this time at the earliest; what counts are days. */
const WRITE_EVERY_MS = 3_600_000;

interface GuildUsesDeps {
  readonly records: Pick<PresenceRecords, 'uses' | 'setUse'>;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * When members last used a command in guilds that are in no list: these have the commands without the bot user
 * (scope `applications.commands` alone). Of guilds in the list, which are most, nothing is kept and nothing written.
 */
interface GuildUses {
  /** An interaction has come that the guild's own installation authorised. In memory; it is written seconds later. */
  used(guildId: string): void;
  /** When that was last, as far as it is known; `undefined`: not since the guild was last in a list. */
  at(guildId: string): number | undefined;
  /** Reads what a previous run has written. */
  load(): Promise<void>;
  /** Takes a list of guilds with the bot user: what was known of them counts no more. */
  listed(guilds: ReadonlySet<string>): void;
  /** The bot user was found in a guild that the list lacks, or the guild's data is about to be deleted. */
  forget(guildId: string): void;
  /** Writes what is still to be written. Never throws. */
  flush(): Promise<void>;
}

function createGuildUses({ records, logger, now }: GuildUsesDeps): GuildUses {
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
