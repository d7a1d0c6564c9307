import type { Context } from '../src/discord/command.ts';
import type { ApiKeys } from '../src/guilds/api-keys.ts';
import type { Secret } from '../src/secret.ts';
import { UserError } from '../src/user-error.ts';
import { refusalText } from '../src/words/refusal.ts';

export type GuildKeys = Pick<ApiKeys, 'usable'>;

/**
 * The guild's key, to submit with.
 * @throws UserError when it has none, or one that cannot be opened or that the service has refused
 */
export async function guildKey(context: Context, keys: GuildKeys): Promise<Secret> {
  const key = await keys.usable(context.guildId);
  if (typeof key !== 'string') return key;
  throw new UserError(refusalText({ code: key }, context));
}
