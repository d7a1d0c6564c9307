import { API_KEYS, sealContext } from '../guilds/api-keys.ts';
import { interactionContext } from '../interactions/record.ts';
import type { SealedRecord } from '../storage/encryption.ts';
import type { Store } from '../storage/store.ts';

/**
 * Sees one sealed value.
 * @param name what a message calls it
 * @param sealed a {@link SealedRecord}, unless it is damaged
 * @returns what to store in its place; `undefined`: it stays
 */
type Look = (name: string, sealed: unknown, context: string) => SealedRecord | undefined;

/** Goes through everything that is sealed: the API keys and the unanswered interactions. Bots may run meanwhile. */
export async function eachSealed(
  { tables, values, inGuild }: Pick<Store, 'tables' | 'values' | 'inGuild'>,
  look: Look,
): Promise<void> {
  for (const guildId of await values.ids(API_KEYS)) {
    const name = `${API_KEYS}:${guildId}`;
    await inGuild(guildId, async () => {
      const stored = await values.get(name);
      // The guild's key was removed meanwhile.
      if (stored === undefined) return;
      const value = Object(stored);
      const sealed = look(name, value.sealed, sealContext(guildId));
      if (sealed) await values.set(name, { ...value, sealed });
    });
  }

  const unanswered = await tables()
    .selectFrom('interactions')
    .select(['id', 'guild_id', 'sealed'])
    .where('sealed', 'is not', null)
    .execute();
  for (const { id, guild_id, sealed: before } of unanswered) {
    const sealed = look(`interaction ${id}`, parsed(before ?? ''), interactionContext(guild_id, id));
    if (!sealed) continue;
    await tables()
      .updateTable('interactions')
      .set({ sealed: JSON.stringify(sealed) })
      .where('id', '=', id)
      // The interaction may have been answered meanwhile.
      .where('sealed', '=', before)
      .execute();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
