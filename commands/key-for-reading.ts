import type { ApiKeys } from '../src/guilds/api-keys.ts';
import type { Secret } from '../src/secret.ts';

/**
 * The guild's key for refreshing the games list, or none; none too when the service has refused it. A key that
 * cannot be read must not keep anyone from looking at the list; commands that need it say so themselves.
 */
export async function keyForReading(
  keys: Pick<ApiKeys, 'get' | 'isRefused'>,
  guildId: string,
): Promise<Secret | undefined> {
  try {
    return (await keys.isRefused(guildId)) ? undefined : await keys.get(guildId);
  } catch {
    return undefined;
  }
}
