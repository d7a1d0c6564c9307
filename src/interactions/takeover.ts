import type { Logger } from '../logger.ts';
import { isAbandoned } from '../storage/leases.ts';
import type { Store } from '../storage/store.ts';
import { GuildLocked, StoreError } from '../storage/store-error.ts';
import type { Submissions } from '../submissions/submissions.ts';

export interface TakeoverDeps {
  readonly store: Pick<Store, 'tables' | 'inGuild'>;
  readonly processId: string;
  /** Ends abandoned submissions, so that their outcomes can be told. */
  readonly submissions: Pick<Submissions, 'abandonedGuilds' | 'endAbandoned'>;
  /** Tells, in the background, of the interactions that this process owns and is not at work on. */
  readonly tellUnreplied: () => Promise<void>;
  /** Called once something was taken over, whose messages elsewhere may be out of date. */
  readonly onTakenOver: () => void;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Takes over what is abandoned, guild by guild, and has the members told. A guild that is locked, or a member who
 * could not be told, is tried again at the next call. The first call comes at the start, before any interaction is taken.
 * @returns the function that does it, until the signal is aborted; it throws a StoreError while the store is away
 */
export function createTakeover({
  store,
  processId,
  submissions,
  tellUnreplied,
  onTakenOver,
  logger,
}: TakeoverDeps) {
  async function abandonedGuilds(): Promise<ReadonlySet<string>> {
    const found = await store
      .tables()
      .selectFrom('interactions')
      .select('guild_id')
      .where('encrypted', 'is not', null)
      .where(isAbandoned(store, processId))
      .execute();
    return new Set([...found.map(({ guild_id }) => guild_id), ...(await submissions.abandonedGuilds())]);
  }

  /**
   * Takes over what is abandoned in a guild. A previous process that still runs finds that out in its next
   * transaction of the guild, and sends nothing more.
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
    await tellUnreplied();
    for (const guildId of guilds) {
      if (stopping.aborted) return;
      try {
        await store.inGuild(guildId, () => claim(guildId), { ifFree: true });
      } catch (error) {
        if (error instanceof GuildLocked) continue;
        // The database is away: each of the other guilds would wait for it, too.
        if (error instanceof StoreError) throw error;
        logger.error({ err: error, guildId }, 'what is abandoned in a guild could not be taken over');
      }
      await tellUnreplied();
    }
    if (guilds.size > 0) onTakenOver();
  };
}
