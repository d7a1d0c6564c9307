import { z } from 'zod';
import type { AddOutcome } from '../listing/contract.ts';
import { type Store, StoreError } from '../storage/store.ts';
import { formatAddress } from './address.ts';
import type { DeskStep, Order } from './desk.ts';
import { submissionSchema } from './submission.ts';

/** Addresses that are remembered for each guild; the one that was not submitted for longest goes. */
const MAX_ADDRESSES = 1_000;
/** Code points of the service's words that are kept: the specification's own messages have at most 45. */
const MAX_MESSAGE = 300;

const entrySchema = submissionSchema.extend({
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Discord's id; empty once the member was forgotten, like the name. */
  userId: z.string(),
  userName: z.string(),
  /** `unknown`: it was sent, and may have been received. */
  outcome: z.enum(['accepted', 'rejected', 'unknown', 'not-sent']),
  /** The service's words, cut to 300 code points. */
  message: z.exactOptional(z.string()),
});
/** How one server that a member submitted ended. */
export type LedgerEntry = Readonly<z.infer<typeof entrySchema>>;

const recordSchema = z.object({ v: z.literal(1), entries: z.array(entrySchema) });

/** What each guild has submitted. Every method throws a {@link StoreError} when the store fails. */
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
export function createLedger({ store }: { readonly store: Pick<Store, 'get' | 'set' | 'delete'> }): Ledger {
  /** The last change of each guild that is under way: changes of one record must follow one another. */
  const lastChange = new Map<string, Promise<unknown>>();

  function inTurn<Result>(guildId: string, change: () => Promise<Result>): Promise<Result> {
    const result = (lastChange.get(guildId) ?? Promise.resolve()).then(change);
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (lastChange.get(guildId) === settled) lastChange.delete(guildId);
      });
    lastChange.set(guildId, settled);
    return result;
  }

  async function list(guildId: string): Promise<readonly LedgerEntry[]> {
    const stored = await store.get(place(guildId));
    if (stored === undefined) return [];
    const record = recordSchema.safeParse(stored);
    if (!record.success)
      throw new StoreError(`the ledger of guild ${guildId} is not a record of this version`);
    return record.data.entries;
  }

  const save = (guildId: string, entries: readonly LedgerEntry[]) =>
    store.set(place(guildId), { v: 1, entries });

  return {
    record: (guildId, entries) =>
      inTurn(guildId, async () => {
        const added = entries.map(withShortMessage).reverse();
        await save(guildId, worthKeeping([...added, ...(await list(guildId))]));
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

/** Notes how every server ended, whatever the outcome. */
export function ledgerStep(ledger: Pick<Ledger, 'record'>, now: () => number = Date.now): DeskStep {
  return {
    name: 'ledger',
    settled: ({ guildId, user, servers }: Order, outcome) =>
      ledger.record(
        guildId,
        servers.map((server) => ({
          ...server,
          at: now(),
          userId: user.id,
          userName: user.name,
          ...howItEnded(outcome),
        })),
      ),
  };
}

/** An answer that could not be understood leaves open what the service did, as no answer does. */
function howItEnded(outcome: AddOutcome): Pick<LedgerEntry, 'outcome' | 'message'> {
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      return { outcome: outcome.kind, message: outcome.message };
    case 'not-sent':
      return { outcome: 'not-sent' };
    default:
      return { outcome: 'unknown' };
  }
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

function withShortMessage(entry: LedgerEntry): LedgerEntry {
  const { message } = entry;
  if (message === undefined || message.length <= MAX_MESSAGE) return entry;
  return { ...entry, message: [...message].slice(0, MAX_MESSAGE).join('') };
}
