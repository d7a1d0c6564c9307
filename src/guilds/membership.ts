import { setTimeout as sleep } from 'node:timers/promises';
import { createJob } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { chunksOf } from '../pacing/chunks.ts';
import { MINUTE_MS } from '../pacing/durations.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { Store } from '../storage/store.ts';
import type { GuildDeparturesTable } from '../storage/tables.ts';
import { type Deletion, guildsWithStoredData } from './deletion.ts';

/** Delay after asking Discord about a guild, in milliseconds. Discord allows 50 requests per second. */
const PAUSE_MS = 250;
const ROWS_PER_STATEMENT = 500;
/** How often each process saves uses, in milliseconds, so that the process that runs the check knows them. */
const SAVED_EVERY_MS = MINUTE_MS;
/** Storage key for the id of the application that the data belongs to. */
const APPLICATION = 'application:current';

export interface MembershipDeps {
  readonly store: Pick<Store, 'tables' | 'values' | 'inGuild' | 'cutLog'>;
  readonly deletion: Pick<Deletion, 'guild'>;
  readonly submissions: { guilds(): AsyncIterable<string> };
  /** Whether Discord reports the guild as unknown or inaccessible to the bot. Throws if the response is inconclusive. */
  readonly isForeign: (guildId: string, signal: AbortSignal) => Promise<boolean>;
  /** Logs a failure. The bot tries again after `waitMs` milliseconds. */
  readonly logFailure: (error: unknown, waitMs: number, text: string) => void;
  readonly applicationId: () => Promise<string>;
  /** If not, no data is deleted. */
  readonly isClockRight: () => Promise<boolean>;
  readonly claimJob: ClaimJob;
  readonly checkEveryMs: number;
  /** How long a guild's data is kept if nothing indicates that the guild still uses the bot, in milliseconds. */
  readonly graceMs: number;
  readonly pauseMs?: number;
  readonly logger: Logger;
  readonly now?: () => number;
}

/**
 * Creates the job that deletes the data of guilds that removed the bot. Without intents, Discord doesn't report a removal.
 * If no member has used the bot in a guild during the grace period, the job asks Discord about that guild. If Discord
 * reports it as unknown or inaccessible, all of its data is deleted; otherwise, the grace period starts again. A guild can
 * have the commands without the bot user, and keeps its data while the commands are used. Uses are saved within a minute.
 */
export function createMembership(deps: MembershipDeps) {
  const { store, deletion, submissions, checkEveryMs, graceMs, logger } = deps;
  const { pauseMs = PAUSE_MS, now = () => Date.now() } = deps;
  // The job doesn't run at startup, because members may be waiting for replies then.
  const job = createJob({ firstMs: checkEveryMs, everyMs: checkEveryMs, run: checkOrRetry });
  const saving = createJob({ firstMs: SAVED_EVERY_MS, everyMs: SAVED_EVERY_MS, run: saveUsesOrRetry });
  const { stopping } = job;
  /** When a command was last used in each guild. Only contains times that haven't been saved yet. */
  const uses = new Map<string, number>();

  /** Checks for guilds that the bot has left, in one of the processes. */
  async function checkOrRetry(): Promise<void> {
    await saving.run();
    try {
      await deps.claimJob('departures', checkEveryMs, check);
    } catch (error) {
      if (stopping.aborted) return;
      deps.logFailure(
        error,
        checkEveryMs,
        'could not finish checking for guilds that the bot has left; will retry',
      );
    }
  }

  async function check(): Promise<void> {
    if (!(await deps.isClockRight())) return;
    await noteApplication();
    const rows = await store
      .tables()
      .selectFrom('guild_departures')
      .selectAll()
      .orderBy('unused_since')
      .execute();
    // Restarts a grace period that seems to begin in the future, because the clock was ahead.
    const known = new Set(rows.filter((row) => row.unused_since <= now()).map((row) => row.guild_id));
    const held = new Set(await guildsWithStoredData(store));
    for await (const guildId of submissions.guilds()) held.add(guildId);
    await restartGrace([...held].filter((guildId) => !known.has(guildId)));

    const due = rows.filter((row) => now() - row.unused_since >= graceMs);
    for (const { guild_id: guildId } of due) {
      stopping.throwIfAborted();
      if (held.has(guildId)) await ask(guildId);
      else await store.tables().deleteFrom('guild_departures').where('guild_id', '=', guildId).execute();
    }
  }

  /** Restarts every guild's grace period if the application changes, because the new one might not be in the guilds yet. */
  async function noteApplication(): Promise<void> {
    const id = await deps.applicationId();
    const before = Object(await store.values.get(APPLICATION)).id;
    if (before === id) return;
    await store.tables().updateTable('guild_departures').set({ unused_since: now() }).execute();
    await store.values.set(APPLICATION, { id });
    if (before === undefined) return;
    logger.warn(
      { applicationId: id },
      'this token belongs to another application; restarting the grace period of every guild',
    );
  }

  async function ask(guildId: string): Promise<void> {
    try {
      if (await deps.isForeign(guildId, stopping)) {
        if (await deleteIfUnused(guildId)) {
          logger.info({ guildId }, 'the bot is no longer in a guild; deleted all its data');
        }
      } else {
        await restartGrace([guildId]);
      }
    } catch (error) {
      stopping.throwIfAborted();
      deps.logFailure(
        error,
        checkEveryMs,
        `could not check whether the bot is still in guild ${guildId}; will retry`,
      );
    }
    await sleep(pauseMs, undefined, { signal: stopping });
  }

  /**
   * Deletes a guild's data, unless a member has used the bot in the guild since the check began.
   * @returns whether the data was deleted
   */
  async function deleteIfUnused(guildId: string): Promise<boolean> {
    const isDeleted = await store.inGuild(guildId, async () => {
      // Locks the row, so other processes can't save a use before the data is deleted.
      const { numDeletedRows } = await store
        .tables()
        .deleteFrom('guild_departures')
        .where('guild_id', '=', guildId)
        .where('unused_since', '<=', now() - graceMs)
        .executeTakeFirst();
      if (numDeletedRows === 0n || uses.has(guildId)) return false;
      await deletion.guild(guildId);
      return true;
    });
    if (isDeleted) await store.cutLog();
    return isDeleted;
  }

  const restartGrace = (guildIds: readonly string[]): Promise<void> =>
    save(guildIds.map((guild_id) => ({ guild_id, unused_since: now() })));

  async function saveUsesOrRetry(): Promise<void> {
    await saveUses().catch((error: unknown) => {
      deps.logFailure(error, SAVED_EVERY_MS, 'could not save which guilds use the bot; will retry');
    });
  }

  async function saveUses(): Promise<void> {
    const written = [...uses];
    await save(written.map(([guild_id, unused_since]) => ({ guild_id, unused_since })));
    for (const [guildId, usedAt] of written) {
      // Keeps the entry if another command has been used in the meantime.
      if (uses.get(guildId) === usedAt) uses.delete(guildId);
    }
  }

  async function save(rows: readonly GuildDeparturesTable[]): Promise<void> {
    for (const some of chunksOf(rows, ROWS_PER_STATEMENT)) {
      await store
        .tables()
        .insertInto('guild_departures')
        .values(some)
        .onConflict((conflict) =>
          conflict
            .column('guild_id')
            .doUpdateSet(({ ref }) => ({ unused_since: ref('excluded.unused_since') })),
        )
        .execute();
    }
  }

  return {
    name: 'membership',
    /** Records that a command was used in a guild that still has the application installed. */
    used: (guildId: string): void => void uses.set(guildId, now()),
    /** Runs a check, or waits for the current check. Never throws. */
    check: job.run,
    async start(): Promise<void> {
      await Promise.all([saving.start(), job.start()]);
    },
    async stop() {
      await Promise.all([saving.stop(), job.stop()]);
      await saveUses().catch((error: unknown) => {
        logger.warn({ err: error }, 'could not save which guilds use the bot');
      });
    },
  };
}
