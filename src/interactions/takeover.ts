import type { Logger } from '../logger.ts';
import { isAbandoned } from '../storage/leases.ts';
import type { Store } from '../storage/store.ts';
import { LockedGuildError, StoreError } from '../storage/store-error.ts';
import type { Submissions } from '../submissions/submissions.ts';

export interface TakeoverDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  readonly processId: string;
  /** Finds and ends submissions that no process is still sending, so that the bot can report their outcomes. */
  readonly submissions: Pick<Submissions, 'guildIdsWithAbandoned' | 'endAbandoned'>;
  /** Notifies members, in the background, about interactions that this process owns but isn't currently handling. */
  readonly notifyUnreplied: () => Promise<void>;
  /** Messages in log channels may be out of date after a takeover. */
  readonly onTakenOver: () => void;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Creates the function that takes over the abandoned work of dead processes, one guild at a time, and notifies the members.
 * Also ends submissions whose outcomes this process couldn't save. The next call retries locked guilds and failed
 * notifications. The first call happens at startup, before the bot accepts interactions.
 * @returns a function that runs until its signal is aborted, and throws a StoreError if the store is unavailable
 */
export function createTakeover(deps: TakeoverDeps) {
  const { store, processId, submissions, notifyUnreplied } = deps;

  async function abandonedGuilds(): Promise<ReadonlySet<string>> {
    const found = await store
      .tables()
      .selectFrom('interactions')
      .select('guild_id')
      .where('encrypted', 'is not', null)
      .where(isAbandoned(store, processId))
      .execute();
    return new Set([
      ...found.map(({ guild_id }) => guild_id),
      ...(await submissions.guildIdsWithAbandoned()),
    ]);
  }

  /**
   * Takes over a guild's abandoned work. If the previous process is still running, it notices the takeover in its next
   * transaction for the guild and stops sending.
   */
  async function claim(guildId: string): Promise<void> {
    await store
      .tables()
      .updateTable('interactions')
      .set({ process_id: processId })
      .where('guild_id', '=', guildId)
      .where('encrypted', 'is not', null)
      .where(isAbandoned(store, processId))
      .execute();
    await submissions.endAbandoned(guildId);
  }

  return async function takeOver(stopping: AbortSignal): Promise<void> {
    const guilds = await abandonedGuilds();
    await notifyUnreplied();
    for (const guildId of guilds) {
      if (stopping.aborted) return;
      try {
        await store.inGuild(guildId, () => claim(guildId), { ifFree: true });
      } catch (error) {
        if (error instanceof LockedGuildError) continue;
        // Without the database, all remaining guilds would fail in the same way.
        if (error instanceof StoreError) throw error;
        deps.logger.error(
          { err: error, guildId },
          "could not take over a dead process's work in a guild; will retry",
        );
      }
      await notifyUnreplied();
    }
    if (guilds.size > 0) deps.onTakenOver();
  };
}
