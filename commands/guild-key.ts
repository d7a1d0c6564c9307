import type { Call } from '../src/discord/command.ts';
import type { ApiKeys } from '../src/guilds/api-keys.ts';
import type { Secret } from '../src/secret.ts';
import { UserError } from '../src/user-error.ts';
import { refusalText } from './refusal-text.ts';

export type GuildKeys = Pick<ApiKeys, 'get' | 'isRefused'>;

/**
 * The guild's key, to submit with.
 * @throws UserError when it has none, or one that the service has refused
 */
export async function guildKey(call: Call, keys: GuildKeys): Promise<Secret> {
  const { guildId, t, mention } = call;
  const key = await keys.get(guildId);
  if (!key) throw new UserError(t('addserver.noKey', { setkey: mention('setkey') }));
  // Before the games list may be asked for with it.
  if (await keys.isRefused(guildId)) throw new UserError(refusalText({ code: 'key-invalid' }, call));
  return key;
}
