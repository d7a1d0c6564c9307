import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** What is in the bot's store, as another process reads it from the file. */
export interface Stored {
  /** Every key, in order. */
  readonly keys: readonly string[];
  /** What was left in the journal: submissions whose end the bot has not told yet. */
  readonly journal: readonly string[];
  /** How a server ended by the guild's ledger, the newest entry first; empty when it is not in there. */
  ended(guildId: string, server: string): readonly string[];
}

interface Ledger {
  readonly entries: readonly { readonly server: string; readonly outcome: string }[];
}

/** @param data the folder of the bot's database */
export function readStored(data: string): Stored {
  const database = new DatabaseSync(join(data, 'bot.sqlite'), { readOnly: true });
  try {
    const rows = database.prepare('SELECT key, value FROM keyv ORDER BY key').all();
    const values = new Map(rows.map(({ key, value }) => [String(key), String(value)]));
    const keys = [...values.keys()];
    return {
      keys,
      journal: keys.filter((key) => key.startsWith('journal:')),
      ended(guildId, server) {
        const value = values.get(`ledger:${guildId}`);
        if (value === undefined) return [];
        const ledger = (JSON.parse(value) as { value: Ledger }).value;
        return ledger.entries.filter((entry) => entry.server === server).map(({ outcome }) => outcome);
      },
    };
  } finally {
    database.close();
  }
}
