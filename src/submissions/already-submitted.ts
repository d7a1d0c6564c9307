import { sql } from 'kysely';
import type { ServerSubmission } from '../listing/contract.ts';
import { addressOf, isReady, type Row } from '../server-lists/row.ts';
import { ENTRY_COLUMNS, entryOf, type HistoryEntry } from './history.ts';
import type { SubmissionStoreBase } from './store-deps.ts';
import { MAX_RUN_MS } from './submissions.ts';

/** A server that the guild has already submitted, and that the service has accepted or may have received. */
export interface EarlierSubmission extends HistoryEntry {
  readonly isYours: boolean;
}

export type AlreadySubmitted = ReturnType<typeof createAlreadySubmitted>;

export function createAlreadySubmitted({ store: { tables }, now }: SubmissionStoreBase) {
  const ofGuild = (guildId: string, addresses: readonly string[]) =>
    tables()
      .selectFrom('servers')
      .where('servers.guild_id', '=', guildId)
      .where('servers.address', 'in', addresses);

  /** SQL condition for servers that the service accepted or may have received, and that are no longer in flight. */
  const mayBeReceived =
    () => sql<boolean>`(servers.outcome in ('accepted', 'unknown') or (servers.outcome is null
    and servers.sent_at is not null and servers.reserved_at <= ${now() - MAX_RUN_MS}))`;

  /** Sorts from oldest to newest, because `find` keeps the last submission at each address. */
  function latestOfEachGameAt(guildId: string, addresses: readonly string[]) {
    const latest = ofGuild(guildId, addresses)
      .where(mayBeReceived())
      .groupBy(['address', 'game'])
      .select(({ fn }) => ['address', 'game', fn.max('reserved_at').as('reserved_at')]);
    return (
      tables()
        .selectFrom(latest.as('latest'))
        // A cross join prevents SQLite from changing the join order.
        .crossJoin('servers')
        .innerJoin('submissions', 'submissions.id', 'servers.submission_id')
        .where('servers.guild_id', '=', guildId)
        .whereRef('servers.address', '=', 'latest.address')
        .whereRef('servers.game', '=', 'latest.game')
        .where(mayBeReceived())
        // The plus sign keeps SQLite from using the index by `reserved_at`, because all servers of a list share it.
        .where(sql<boolean>`+servers.reserved_at = latest.reserved_at`)
        .orderBy('latest.reserved_at')
        .select(ENTRY_COLUMNS)
        .select('servers.address')
        .execute()
    );
  }

  return {
    /**
     * Returns one of the servers if another submission of the guild is currently sending it, or might be because its
     * outcome couldn't be saved.
     */
    async inFlight(
      guildId: string,
      servers: readonly ServerSubmission[],
    ): Promise<ServerSubmission | undefined> {
      const found = await ofGuild(guildId, servers.map(addressOf))
        .where('outcome', 'is', null)
        .where('reserved_at', '>', now() - MAX_RUN_MS)
        .select('address')
        .executeTakeFirst();
      return servers.find((server) => addressOf(server) === found?.address);
    },
    /**
     * Returns, by row, the latest submission of each server that the guild has already submitted: of the same game if there
     * is one, or else of any game at this address.
     */
    async find(
      { guildId, userId }: { readonly guildId: string; readonly userId: string },
      rows: readonly Row[],
    ): Promise<ReadonlyMap<Row, EarlierSubmission>> {
      const ready = rows.filter(isReady);
      const addresses = ready.map(({ submission }) => addressOf(submission));
      // PostgreSQL rejects an empty `IN` list.
      const latest = addresses.length > 0 ? await latestOfEachGameAt(guildId, addresses) : [];
      const found = new Map<string, EarlierSubmission>();
      for (const row of latest) {
        const earlier = { ...entryOf(row), isYours: row.user_id === userId };
        found.set(row.address, earlier).set(keyOf(row.address, row.game), earlier);
      }
      const alreadySubmitted = new Map<Row, EarlierSubmission>();
      for (const row of ready) {
        const address = addressOf(row.submission);
        const before = found.get(keyOf(address, row.submission.game)) ?? found.get(address);
        if (before) alreadySubmitted.set(row, before);
      }
      return alreadySubmitted;
    },
  };
}

const keyOf = (address: string, game: string): string => `${address} ${game}`;
