import { Secret } from '../secret.ts';
import type { Encryption } from '../storage/encryption.ts';
import type { Store } from '../storage/store.ts';
import { createTurns } from '../storage/turns.ts';
import type { DeskStep, Order } from './desk.ts';
import { endingOf } from './ending.ts';
import {
  type CarriedInteraction,
  carriedSchema,
  type JournalRecord,
  recordSchema,
  SEALED_INTERACTIONS,
  type SentRequest,
} from './journal-record.ts';
import { entriesOf, type Ledger } from './ledger.ts';

export interface JournalDeps {
  readonly store: Pick<Store, 'get' | 'set' | 'delete' | 'entries'>;
  readonly encryption: Pick<Encryption, 'seal' | 'open'>;
  readonly ledger: Pick<Ledger, 'record'>;
  readonly logger: JournalLogger;
  readonly now?: () => number;
}

export interface JournalLogger {
  error(details: object, message: string): void;
}

/** An interaction that a former run of the bot has not answered. */
export interface LeftOver {
  readonly interaction: CarriedInteraction;
  /** When it was noted, in milliseconds since 1970. */
  readonly at: number;
  /** Empty: `ready`, nothing of it has left the machine. */
  readonly sent: readonly SentRequest[];
  /** All servers of the order, with those that were not sent; 0 when it had not been admitted. */
  readonly wanted: number;
}

/**
 * What is on its way. An entry is `ready` from before its interaction is acknowledged, `sending` from before its
 * first request leaves, and gone once the member has been answered. Every method throws a StoreError when the store
 * fails.
 */
export interface Journal {
  /** Reads what a former run has left. */
  start(): Promise<void>;
  /** False when this very interaction is in the journal already. */
  remember(interaction: CarriedInteraction): Promise<boolean>;
  forget(interactionId: string): Promise<void>;
  /** What a former run has left in these guilds. Requests without an answer go to the ledger as unknown. */
  leftOver(isOurs: (guildId: string) => boolean): Promise<readonly LeftOver[]>;
  /** What an interaction has sent so far, also before a crash; for commands that go on where they stopped. */
  sent(interactionId: string): readonly SentRequest[];
  readonly step: DeskStep & Required<Pick<DeskStep, 'admit' | 'sending' | 'settled'>>;
}

interface Entry {
  readonly key: string;
  readonly fixed: Omit<JournalRecord, 'sent' | 'wanted'>;
  wanted: number;
  readonly sent: { request: SentRequest; readonly order?: Order }[];
}

export function createJournal({ store, encryption, ledger, logger, now = Date.now }: JournalDeps): Journal {
  const entries = new Map<string, Entry>();
  /** Ids of the latest entries that were forgotten: a second delivery may come late. */
  const gone = new Set<string>();
  /** Ids of entries that a former run has left. */
  const left = new Set<string>();
  const inTurn = createTurns();

  const save = (entry: Entry) =>
    inTurn(entry.key, () =>
      store.set(
        entry.key,
        { ...entry.fixed, wanted: entry.wanted, sent: entry.sent.map(({ request }) => request) },
        KEPT_MS,
      ),
    );

  function read(key: string, value: unknown): void {
    const parsed = recordSchema.safeParse(value);
    if (!parsed.success) {
      logger.error({ key }, 'an entry of the journal is not of this version; it stays as it is');
      return;
    }
    const { sent, wanted, ...fixed } = parsed.data;
    entries.set(fixed.interactionId, { key, fixed, wanted, sent: sent.map((request) => ({ request })) });
    left.add(fixed.interactionId);
  }

  async function settle(entry: Entry): Promise<LeftOver | undefined> {
    const { guildId, interactionId, at, sealed } = entry.fixed;
    const interaction = open(guildId, interactionId, sealed);
    if (!interaction) return undefined;
    const unanswered = entry.sent.filter(({ request }) => request.outcome === undefined);
    for (const one of unanswered) one.request = { ...one.request, outcome: 'unknown' };
    if (unanswered.length > 0) {
      const servers = unanswered.flatMap(({ request }) => request.servers);
      const about = { user: interaction.user, servers, ending: { outcome: 'unknown' as const }, at };
      await ledger.record(guildId, entriesOf(about));
      await save(entry);
    }
    return { interaction, at, wanted: entry.wanted, sent: entry.sent.map(({ request }) => request) };
  }

  function open(guildId: string, interactionId: string, sealed: unknown): CarriedInteraction | undefined {
    try {
      const text = encryption.open(sealed, context(guildId, interactionId));
      const { token, ...carried } = carriedSchema.parse(JSON.parse(text));
      return { ...carried, guildId, interactionId, token: new Secret(token) };
    } catch (error) {
      logger.error({ err: error, guildId, interactionId }, 'an entry of the journal cannot be read');
      return undefined;
    }
  }

  return {
    async start() {
      for await (const [key, value] of store.entries(PREFIX)) read(key, value);
    },
    async remember({ guildId, interactionId, token, ...carried }) {
      if (entries.has(interactionId) || gone.has(interactionId)) return false;
      const plain = JSON.stringify({ ...carried, token: token.reveal() });
      const sealed = encryption.seal(plain, context(guildId, interactionId));
      const entry: Entry = {
        key: `${PREFIX}${guildId}:${interactionId}`,
        fixed: { v: 1, at: now(), guildId, interactionId, sealed },
        wanted: 0,
        sent: [],
      };
      entries.set(interactionId, entry);
      try {
        await save(entry);
        return true;
      } catch (error) {
        entries.delete(interactionId);
        throw error;
      }
    },
    async forget(interactionId) {
      const entry = entries.get(interactionId);
      if (!entry) return;
      await inTurn(entry.key, () => store.delete(entry.key));
      entries.delete(interactionId);
      left.delete(interactionId);
      gone.add(interactionId);
      const [oldest] = gone;
      if (gone.size > MOST_GONE && oldest !== undefined) gone.delete(oldest);
    },
    async leftOver(isOurs) {
      const ours = [...left].flatMap((id) => entries.get(id) ?? []).filter((e) => isOurs(e.fixed.guildId));
      const settled = await Promise.all(ours.map(settle));
      for (const { fixed } of ours) left.delete(fixed.interactionId);
      return settled.filter((one) => one !== undefined);
    },
    sent: (interactionId) => entries.get(interactionId)?.sent.map(({ request }) => request) ?? [],
    step: {
      name: 'journal',
      async admit({ interactionId, servers }) {
        const entry = entries.get(interactionId);
        const before = entry?.sent.reduce((sum, { request }) => sum + request.servers.length, 0) ?? 0;
        if (entry) entry.wanted = before + servers.length;
        return undefined;
      },
      async sending(order) {
        const entry = entries.get(order.interactionId);
        if (!entry) return;
        const one = { request: { servers: [...order.servers] }, order };
        entry.sent.push(one);
        await save(entry).catch((error: unknown) => {
          entry.sent.splice(entry.sent.indexOf(one), 1);
          throw error;
        });
      },
      async settled(order, outcome) {
        const entry = entries.get(order.interactionId);
        const one = entry?.sent.find((sent) => sent.order === order);
        if (!entry || !one) return;
        one.request = { ...one.request, ...endingOf(outcome) };
        await save(entry);
      },
    },
  };
}

const PREFIX = SEALED_INTERACTIONS.prefix;
const MOST_GONE = 10_000;
/** For entries that nobody ever settles, such as those of guilds that the bot has left: 30 days. */
const KEPT_MS = 30 * 24 * 3600_000;
const context = (guildId: string, interactionId: string) =>
  SEALED_INTERACTIONS.context(`${guildId}:${interactionId}`);
