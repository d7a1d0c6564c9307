import { setTimeout as sleep } from 'node:timers/promises';
import { chunksOf } from '../chunks.ts';
import { createJob } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { Store } from '../storage/store.ts';
import type { GuildDeparturesTable } from '../storage/tables.ts';
import { type Deletion, guildsWithStoredData } from './deletion.ts';

/** The pause after asking Discord about a guild, in milliseconds. Discord allows 50 requests a second. */
const PAUSE_MS = 250;
/** The number of rows that one statement writes. */
const ROWS_PER_STATEMENT = 500;
/** The key under which the id of the application that uses the store is saved. */
const APPLICATION = 'application:current';

export interface MembershipDeps {
  readonly store: Pick<Store, 'tables' | 'values'>;
  readonly deletion: Pick<Deletion, 'guild'>;
  /** The guilds with submissions or drafts. */
  readonly submissions: { guilds(): AsyncIterable<string> };
  /**
   * Returns whether Discord reports that the guild is unknown or closed to the bot. Throws an error if Discord's response
   * is unclear.
   */
  readonly isForeign: (guildId: string, signal: AbortSignal) => Promise<boolean>;
  /** Logs a failure. The bot tries again after `waitMs` milliseconds. */
  readonly logFailure: (error: unknown, waitMs: number, text: string) => void;
  /** Returns the id of the token's application. */
  readonly applicationId: () => Promise<string>;
  /** Whether the clock is right. If it isn't, no data is deleted. */
  readonly isClockRight: () => Promise<boolean>;
  readonly claimJob: ClaimJob;
  readonly checkEveryMs: number;
  /** How long a guild's data is kept without a sign that the guild still uses the bot. */
  readonly graceMs: number;
  readonly pauseMs?: number;
  readonly logger: Logger;
  readonly now?: () => number;
}

/**
 * Creates the job that deletes the data of guilds that the bot was removed from. Without intents, Discord doesn't notify
 * the bot of its removal. So if no member has used the bot in a guild during the grace period, the job asks Discord about
 * the guild. If the guild is unknown to Discord or closed to the bot, all its data is deleted. Otherwise the grace period
 * restarts. A guild can have the commands without the bot user, and keeps its data while they are used.
 */
export function createMembership(deps: MembershipDeps) {
  const { store, deletion, submissions, checkEveryMs, graceMs, logger } = deps;
  const { pauseMs = PAUSE_MS, now = () => Date.now() } = deps;
  // The job doesn't run at startup, when members are waiting.
  const job = createJob({ firstMs: checkEveryMs, everyMs: checkEveryMs, run: checkOrWrite });
  const { stopping } = job;
  /** When a command was last used in each guild. The next check saves these times. */
  const uses = new Map<string, number>();

  /** Checks guilds in one process for all. The other processes only save where commands were used. */
  async function checkOrWrite(): Promise<void> {
    try {
      await writeUses();
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
    const known = new Set(rows.map((row) => row.guild_id));
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

  /**
   * Restarts the grace period of all guilds if the token belongs to another application, because all guilds are unknown to
   * a new application.
   */
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

  /** Asks Discord about a guild, then deletes its data or restarts its grace period. */
  async function ask(guildId: string): Promise<void> {
    try {
      if (await deps.isForeign(guildId, stopping)) {
        await deletion.guild(guildId);
        logger.info({ guildId }, 'the bot is no longer in a guild; deleted all data of the guild');
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

  const restartGrace = (guildIds: readonly string[]): Promise<void> =>
    save(guildIds.map((guild_id) => ({ guild_id, unused_since: now() })));

  async function writeUses(): Promise<void> {
    const written = [...uses];
    await save(written.map(([guild_id, unused_since]) => ({ guild_id, unused_since })));
    for (const [guildId, usedAt] of written) {
      // Another command may have been used in the guild since then.
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
    /** Records an interaction that the guild's own installation authorised. This proves that the guild has the commands. */
    used: (guildId: string): void => void uses.set(guildId, now()),
    /** Runs a check, or waits for one that is already running. Never throws. */
    check: job.run,
    start: job.start,
    async stop() {
      await job.stop();
      await writeUses().catch((error: unknown) => {
        logger.warn({ err: error }, 'could not save which guilds use the bot');
      });
    },
  };
}
