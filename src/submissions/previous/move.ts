import { randomUUID } from 'node:crypto';
import type { Part } from '../../lifecycle.ts';
import type { Logger } from '../../logger.ts';
import {
  createCollection,
  type Encryption,
  type Kind,
  UndecryptableError,
} from '../../storage/collection.ts';
import type { Database } from '../../storage/database.ts';
import type { Store } from '../../storage/store.ts';
import { INSERTED_AT_ONCE } from '../record.ts';
import {
  begunAt,
  draftOfOffer,
  draftRows,
  historyRows,
  type Moved,
  overRows,
  type PastEntries,
  pastEntries,
  runningRows,
  sentRows,
} from './rows.ts';
import {
  AREAS,
  type Area,
  BATCHES,
  type Batch,
  type Entry,
  entrySchema,
  JOURNAL,
  type JournalEntry,
  LEDGERS,
  OFFERS,
  type PreviousOffer,
  type PreviousRun,
  previousCarriedSchema,
  RUNS,
  type User,
} from './shapes.ts';

interface MoveDeps {
  readonly database: Store & Pick<Database, 'tables' | 'inGuild' | 'keys'>;
  readonly encryption: Pick<Encryption, 'open'>;
  /** What the interactions in their table are sealed for; it was the same in 0.1. */
  readonly interactionContext: (guildId: string, interactionId: string) => string;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

interface Journaled {
  readonly entry: JournalEntry;
  readonly user: User | undefined;
}

/**
 * Moves what version 0.1 kept of submissions into the tables, at the first start: guild by guild, each as a whole, so
 * that a start that is cut off is gone on with. A record that cannot be read is set aside, and tried again at the next
 * start. It comes after the encryption, whose keys say whose interactions they are, and before whoever goes on with
 * them.
 */
export function createPreviousRecords(deps: MoveDeps): Part {
  const { database, logger } = deps;
  return {
    name: 'records of 0.1',
    async start() {
      const guilds = await find(database);
      let moved = 0;
      for (const [guildId, ids] of guilds) {
        try {
          await database.inGuild(guildId, () => moveGuild(guildId, ids, deps));
          moved += 1;
        } catch (error) {
          // All of it is still there, and nobody else has to do without the bot.
          logger.error(
            { err: error, guildId },
            'what version 0.1 kept of a guild was not moved; it stays for the next start',
          );
        }
      }
      if (moved > 0) logger.info({ guilds: moved }, 'what version 0.1 kept of submissions was moved');
    },
  };
}

/** The ids of every guild's records, by area. */
async function find(
  database: MoveDeps['database'],
): Promise<ReadonlyMap<string, ReadonlyMap<Area, readonly string[]>>> {
  const guilds = new Map<string, Map<Area, string[]>>();
  for (const area of AREAS) {
    for await (const key of database.keys(`${area}:`)) {
      const id = key.slice(area.length + 1);
      const guildId = id.split(':')[0] ?? '';
      const areas = guilds.get(guildId) ?? new Map<Area, string[]>();
      areas.set(area, [...(areas.get(area) ?? []), id]);
      guilds.set(guildId, areas);
    }
  }
  return guilds;
}

async function moveGuild(
  guildId: string,
  ids: ReadonlyMap<Area, readonly string[]>,
  deps: MoveDeps,
): Promise<void> {
  const { database } = deps;
  const { takeAll, takeLedger } = createReading(database);
  const entries = await takeLedger(guildId);
  const past = pastEntries(entries);
  const waiting = await moveInteractions(await takeAll(JOURNAL, ids.get('journal')), guildId, deps);
  const users = [...waiting.values()].flatMap(({ user }) => user ?? []);
  const names = new Map([
    ...entries.toReversed().map(({ userId, userName }) => [userId, userName] as const),
    ...users.map(({ id, name }) => [id, name] as const),
  ]);
  const records = {
    offers: await takeAll(OFFERS, ids.get('offer')),
    batches: await takeAll(BATCHES, ids.get('batches')),
    runs: await takeAll(RUNS, ids.get('batch-runs')),
  };
  for (const moved of drafts(guildId, records, { waiting, past, names })) await insert(database, moved);
  for (const { entry, user } of waiting.values()) {
    if (entry.sent.length === 0) continue;
    // Its own name may be that of a draft.
    const base = { id: randomUUID(), guildId, user, createdAt: entry.at };
    await insert(database, sentRows(base, { journal: entry, past }));
  }
  for (const moved of historyRows(guildId, past.left)) await insert(database, moved);
  for (const id of ids.get('quota') ?? []) await database.delete(`quota:${id}`);
}

/** Interactions that were not answered: as they are, since they are sealed. */
async function moveInteractions(
  journal: ReadonlyMap<string, JournalEntry>,
  guildId: string,
  deps: MoveDeps,
): Promise<Map<string, Journaled>> {
  const found = new Map<string, Journaled>();
  for (const entry of journal.values()) {
    const { interactionId: id, at: taken_at, sealed } = entry;
    await deps.database.tables
      .insertInto('interactions')
      .values({ id, guild_id: guildId, taken_at, sealed: JSON.stringify(sealed) })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    found.set(id, { entry, user: userOf(entry, deps) });
  }
  return found;
}

function userOf(
  { guildId, interactionId, sealed }: JournalEntry,
  { encryption, interactionContext }: MoveDeps,
): User | undefined {
  try {
    const text = encryption.open(sealed, interactionContext(guildId, interactionId));
    return previousCarriedSchema.safeParse(JSON.parse(text)).data?.user;
  } catch (error) {
    // Whoever answers interactions says so; what it has sent is known all the same.
    if (error instanceof UndecryptableError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Drafts, and lists that were being submitted; it takes the interactions that it knows out of `waiting`. */
function* drafts(
  guildId: string,
  records: {
    readonly offers: ReadonlyMap<string, PreviousOffer>;
    readonly batches: ReadonlyMap<string, Batch>;
    readonly runs: ReadonlyMap<string, PreviousRun>;
  },
  about: {
    readonly waiting: Map<string, Journaled>;
    readonly past: PastEntries;
    names: ReadonlyMap<string, string>;
  },
): Generator<Moved> {
  const { waiting, past, names } = about;
  const baseOf = (id: string, record: { readonly userId: string; readonly until: number }) => {
    const user = { id: record.userId, name: names.get(record.userId) ?? null };
    return { id, guildId, user, createdAt: begunAt(record) };
  };
  for (const [id, batch] of records.batches) {
    const run = records.runs.get(id);
    if (run === undefined) yield draftRows(baseOf(id, batch), batch);
    else if (waiting.delete(run.by)) yield runningRows(baseOf(id, batch), batch, { run, past });
    else yield overRows(baseOf(id, batch), run.by);
  }
  for (const [id, offer] of records.offers) {
    const { takenBy } = offer;
    const journal = takenBy === undefined ? undefined : waiting.get(takenBy)?.entry;
    if (takenBy === undefined || journal?.sent.length === 0) {
      yield draftRows(baseOf(id, offer), draftOfOffer(offer));
    } else if (journal) {
      waiting.delete(takenBy);
      yield sentRows(baseOf(id, offer), { journal, past });
    } else yield overRows(baseOf(id, offer), takenBy);
  }
}

async function insert({ tables }: Pick<Database, 'tables'>, { submission, servers }: Moved): Promise<void> {
  const { numInsertedOrUpdatedRows } = await tables
    .insertInto('submissions')
    .values(submission)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  // It was moved before: a record that was set aside can come again.
  if (numInsertedOrUpdatedRows !== 1n) return;
  for (let from = 0; from < servers.length; from += INSERTED_AT_ONCE) {
    const some = servers.slice(from, from + INSERTED_AT_ONCE);
    await tables.insertInto('servers').values(some).execute();
  }
}

/** Takes records out of the store, unless they cannot be read. */
function createReading(store: Store) {
  async function takeAll<Value extends object>(
    kind: Kind<Value>,
    ids: readonly string[] = [],
  ): Promise<ReadonlyMap<string, Value>> {
    const records = createCollection({ store, ...kind });
    const found = new Map<string, Value>();
    for (const id of ids) {
      const record = await records.take(id);
      if (record !== undefined) found.set(id.split(':')[1] ?? '', record);
    }
    return found;
  }

  /** The entries of a guild, newest first; those that cannot be read are set aside without the others. */
  async function takeLedger(guildId: string): Promise<readonly Entry[]> {
    const ledgers = createCollection({ store, ...LEDGERS });
    const { entries = [] } = (await ledgers.take(guildId)) ?? {};
    const read = entries.map((entry) => entrySchema.safeParse(entry).data);
    const unreadable = { entries: entries.filter((_, index) => !read[index]) };
    if (unreadable.entries.length > 0) {
      await ledgers.set(guildId, unreadable);
      await ledgers.setAside(
        guildId,
        unreadable,
        'these entries are damaged, or of another version of the bot',
      );
    }
    return read.filter((entry) => entry !== undefined);
  }

  return { takeAll, takeLedger };
}
