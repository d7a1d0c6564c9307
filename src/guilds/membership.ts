import type { Selectable } from 'kysely';
import { chunksOf } from '../chunks.ts';
import { AFTER_START_MS, createJob } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../numbers.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { Store } from '../storage/store.ts';
import type { PresenceTable } from '../storage/tables.ts';
import type { ApiKeys } from './api-keys.ts';
import { type Deletion, guildsWithValues } from './deletion.ts';

/** How far the second absence must be from the first: as a share of the time between two checks, since no timer is exact. */
const LEAST_APART = 0.99;
/** How many presences one statement writes. */
const ROWS_AT_ONCE = 500;
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
  /** Logs why the check did not end, which is made again after so many milliseconds. */
  readonly tellFailure: (error: unknown, waitMs: number, says: string) => void;
  /** The id of the application that the token is of. */
  readonly applicationId: () => Promise<string>;
  /** Whether the clock is right; otherwise nothing is noted or deleted. */
  readonly isClockRight: () => Promise<boolean>;
  readonly claimJob: ClaimJob;
  readonly checkEveryMs: number;
  /** How long what is kept beside the key outlives the bot's removal from a guild. */
  readonly graceMs: number;
  readonly logger: Logger;
  readonly now?: () => number;
}

type Presence = Selectable<PresenceTable>;

/**
 * Finds out by asking which guilds the bot was removed from, since without intents nobody tells it. Three guards stand
 * before a guild's data: the guild must be absent in two lists in a row; Discord must say that this very guild is unknown; and
 * all but the key stays for a time of grace. A guild can have the commands without the bot user, and is then in no list: it
 * keeps everything until nobody has used a command for the time of grace.
 */
export function createMembership(deps: MembershipDeps) {
  const { store, deletion, keys, submissions, checkEveryMs, graceMs, logger, now = () => Date.now() } = deps;
  const job = createJob({ firstMs: AFTER_START_MS, everyMs: checkEveryMs, run: checkOrWrite });
  const { stopping } = job;
  /** When a command was last used in each guild; written with the next check. */
  const uses = new Map<string, number>();

  /** One process checks for all; the others only write down which guilds used a command. */
  async function checkOrWrite(): Promise<void> {
    try {
      const isDone = await deps.claimJob('departures', checkEveryMs, check);
      if (!isDone) await writeUses();
    } catch (error) {
      if (stopping.aborted) return;
      deps.tellFailure(error, checkEveryMs, 'the check for guilds that the bot has left did not end');
    }
  }

  async function check(): Promise<void> {
    const listed = new Set(await deps.listGuilds(stopping));
    for (const guildId of listed) uses.delete(guildId);
    if ((await deps.isClockRight()) && (await isApplicationKnown())) await compare(listed);
  }

  /** With the token of another application Discord would say of every guild that it is unknown. */
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

  async function compare(listed: ReadonlySet<string>): Promise<void> {
    await writeUses();
    const rows = await store.tables().selectFrom('presence').selectAll().execute();
    const presences = new Map(rows.map((row) => [row.guild_id, row]));
    const held = new Set(await guildsWithValues(store));
    for await (const guildId of submissions.guilds()) held.add(guildId);

    const present = [...held].filter((guildId) => listed.has(guildId));
    const isNew = (guildId: string) => !isNotedAsPresent(presences.get(guildId));
    await save(present.filter(isNew), PRESENT);
    const absent = [...held].filter((guildId) => !listed.has(guildId));
    const isAbsentAnew = (guildId: string) => (presences.get(guildId)?.absent_since ?? null) === null;
    await save(absent.filter(isAbsentAnew), { absent_since: now() });
    for (const known of rows) {
      stopping.throwIfAborted();
      if (!held.has(known.guild_id)) await forget(known);
      else if (!listed.has(known.guild_id)) await judge(known);
    }
  }

  /** Deletes what is due of a guild that was absent before. */
  async function judge(known: Presence): Promise<void> {
    const { guild_id: guildId, absent_since: absentSince, used_at: usedAt } = known;
    if (absentSince === null || now() - absentSince < LEAST_APART * checkEveryMs) return;
    const isOver = now() - Math.max(absentSince, usedAt ?? 0) >= graceMs;
    // The commands go with the bot user: where that was, only a use after it left shows that they are still there.
    const hasCommands = usedAt !== null && (known.was_listed === 0 || usedAt > absentSince);
    const isDue = isOver || (!hasCommands && (await keys.status(guildId)) !== undefined);
    if (!isDue || !(await isGone(guildId))) return;
    if (isOver) {
      await deletion.guild(guildId);
      logger.info({ guildId }, 'the bot has not been in a guild for long: all its data was deleted');
    } else if (await keys.delete(guildId)) {
      logger.info({ guildId }, 'the bot is no longer in a guild: its API key was deleted');
    }
  }

  /** Whether Discord itself says that the bot is not in the guild. */
  async function isGone(guildId: string): Promise<boolean> {
    try {
      if (await deps.isForeign(guildId, stopping)) return true;
      logger.warn({ guildId }, 'a guild is missing in the list from Discord although the bot is in it');
      await save([guildId], PRESENT);
    } catch (error) {
      if (stopping.aborted) return false;
      logger.warn(
        { err: error, guildId },
        'Discord does not say whether the bot is still in a guild; its data stays as it is',
      );
    }
    return false;
  }

  /** Inserts the presences of guilds, or updates these parts of known ones. */
  async function save(guildIds: readonly string[], parts: Partial<Presence>): Promise<void> {
    for (const some of chunksOf(guildIds, ROWS_AT_ONCE)) {
      await store
        .tables()
        .insertInto('presence')
        .values(some.map((guildId) => ({ ...unknown(guildId), ...parts })))
        .onConflict((conflict) => conflict.column('guild_id').doUpdateSet(parts))
        .execute();
    }
  }

  /** Forgets a guild that has nothing, unless it was used a moment ago: that may be about to save something. */
  async function forget({ guild_id: guildId, used_at: usedAt }: Presence): Promise<void> {
    if (now() - (usedAt ?? 0) < TOKEN_LIVES_MS) return;
    await store.tables().deleteFrom('presence').where('guild_id', '=', guildId).execute();
  }

  async function writeUses(): Promise<void> {
    for (const written of chunksOf([...uses], ROWS_AT_ONCE)) {
      await store
        .tables()
        .insertInto('presence')
        .values(written.map(([guildId, usedAt]) => ({ ...unknown(guildId), used_at: usedAt })))
        .onConflict((conflict) =>
          conflict.column('guild_id').doUpdateSet(({ ref }) => ({ used_at: ref('excluded.used_at') })),
        )
        .execute();
      for (const [guildId, usedAt] of written) {
        // It may have been used again meanwhile.
        if (uses.get(guildId) === usedAt) uses.delete(guildId);
      }
    }
  }

  return {
    name: 'membership',
    /** Notes an interaction that the guild's own installation authorised: the guild has the commands. Cheap. */
    used: (guildId: string): void => void uses.set(guildId, now()),
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

/** A guild of which nothing is known yet. */
const unknown = (guildId: string): Presence => ({
  guild_id: guildId,
  used_at: null,
  absent_since: null,
  was_listed: 0,
});

/** What is noted of a guild that the bot is in. */
const PRESENT = { was_listed: 1, absent_since: null, used_at: null };

const isNotedAsPresent = (known: Presence | undefined): boolean =>
  known?.was_listed === 1 && known.absent_since === null && known.used_at === null;
