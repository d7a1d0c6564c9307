import { z } from 'zod';
import type { ServerSubmission } from '../listing/contract.ts';
import type { Store } from '../storage/store.ts';
import { createTurns } from '../storage/turns.ts';
import { formatAddress } from './address.ts';
import type { DeskStep } from './desk.ts';
import { type Ending, endingOf, endingSchema } from './ending.ts';
import { submissionSchema } from './submission.ts';

/** Addresses that are remembered for each guild; the one that was not submitted for longest goes. */
const MAX_ADDRESSES = 1_000;

const entrySchema = submissionSchema.extend({
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Discord's id; empty once the member was forgotten, like the name. */
  userId: z.string(),
  userName: z.string(),
  ...endingSchema.shape,
});
/** How one server that a member submitted ended. */
export type LedgerEntry = Readonly<z.infer<typeof entrySchema>>;

const recordSchema = z.object({ v: z.literal(1), entries: z.array(entrySchema) });

/** What each guild has submitted. Every method throws a StoreError when the store fails. */
export interface Ledger {
  /** Adds entries, the last one being the newest. */
  record(guildId: string, entries: readonly LedgerEntry[]): Promise<void>;
  /** The latest entry of each address that was accepted or may have been received, under the address as text. */
  find(
    guildId: string,
    addresses: readonly { readonly server: string; readonly port: number }[],
  ): Promise<ReadonlyMap<string, LedgerEntry>>;
  /**
   * Newest first, of at most 1,000 addresses: the latest entry of each, and the latest that was accepted or is
   * unknown where that is another one.
   */
  list(guildId: string): Promise<readonly LedgerEntry[]>;
  /** Takes a member's id and name out of the entries; how many there were. */
  forgetMember(guildId: string, userId: string): Promise<number>;
  deleteGuild(guildId: string): Promise<void>;
}

/**
 * A guild's entries are one record: a request of 100 servers is then one write and one flush to the disk, and the
 * oldest are found without an index. With 1,000 entries that blocks the process for 7 ms, and for 20 with the longest messages (measured).
 */
export function createLedger({
  store,
}: {
  readonly store: Pick<Store, 'get' | 'set' | 'delete' | 'setAside'>;
}): Ledger {
  const inTurn = createTurns();

  async function list(guildId: string): Promise<readonly LedgerEntry[]> {
    const stored = await store.get(place(guildId));
    if (stored === undefined) return [];
    const record = recordSchema.safeParse(stored);
    if (record.success) return record.data.entries;
    await store.setAside(place(guildId), stored, 'it is not a record of this version');
    return [];
  }

  const save = (guildId: string, entries: readonly LedgerEntry[]) =>
    store.set(place(guildId), { v: 1, entries });

  return {
    record: (guildId, entries) =>
      inTurn(guildId, async () => {
        await save(guildId, worthKeeping([...entries.toReversed(), ...(await list(guildId))]));
      }),
    async find(guildId, addresses) {
      const wanted = new Set(addresses.map(addressOf));
      const found = new Map<string, LedgerEntry>();
      for (const entry of await list(guildId)) {
        const address = addressOf(entry);
        if (mayBeListed(entry) && wanted.has(address) && !found.has(address)) found.set(address, entry);
      }
      return found;
    },
    list,
    forgetMember: (guildId, userId) =>
      inTurn(guildId, async () => {
        const entries = await list(guildId);
        const count = entries.filter((entry) => entry.userId === userId).length;
        const without = (entry: LedgerEntry) =>
          entry.userId === userId ? { ...entry, userId: '', userName: '' } : entry;
        if (count > 0) await save(guildId, entries.map(without));
        return count;
      }),
    deleteGuild: (guildId) =>
      inTurn(guildId, async () => {
        await store.delete(place(guildId));
      }),
  };
}

/** Refuses what this guild has submitted before, unless that is wanted, and notes how every server ended. */
export function ledgerStep(
  ledger: Pick<Ledger, 'record' | 'find'>,
  now: () => number = Date.now,
): DeskStep & Required<Pick<DeskStep, 'admit' | 'settled'>> {
  return {
    name: 'ledger',
    async admit({ guildId, servers, again = false }) {
      const before = again ? new Map() : await ledger.find(guildId, servers);
      return before.size > 0 ? { code: 'submitted-before', entries: [...before.values()] } : undefined;
    },
    settled: ({ guildId, user, servers }, outcome) =>
      ledger.record(guildId, entriesOf({ user, servers, ending: endingOf(outcome), at: now() })),
  };
}

/** An entry for each server of one request. */
export function entriesOf(about: {
  readonly user: { readonly id: string; readonly name: string };
  readonly servers: readonly ServerSubmission[];
  readonly ending: Ending;
  /** Milliseconds since 1970. */
  readonly at: number;
}): readonly LedgerEntry[] {
  const { user, servers, ending, at } = about;
  return servers.map((server) => ({ ...server, ...ending, at, userId: user.id, userName: user.name }));
}

const place = (guildId: string) => `ledger:${guildId}`;
const addressOf = ({ server, port }: { readonly server: string; readonly port: number }) =>
  formatAddress({ host: server, port });
const mayBeListed = ({ outcome }: LedgerEntry) => outcome === 'accepted' || outcome === 'unknown';

/** Of entries that are newest first: see {@link Ledger.list}. A later refusal does not undo an acceptance. */
function worthKeeping(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const seen = new Map<string, { mayBeListed: boolean }>();
  return entries.filter((entry) => {
    const address = addressOf(entry);
    const known = seen.get(address);
    if (known === undefined) {
      if (seen.size === MAX_ADDRESSES) return false;
      seen.set(address, { mayBeListed: mayBeListed(entry) });
      return true;
    }
    if (known.mayBeListed || !mayBeListed(entry)) return false;
    known.mayBeListed = true;
    return true;
  });
}
