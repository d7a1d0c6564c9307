import { DiscordAPIError, Routes } from 'discord.js';
import type { DiscordApi } from './api.ts';

/** How long Discord is asked about one guild, in milliseconds. */
export const ASK_GUILD_MS = 2_000;
/** Codes of refusals that are about the bot's account or network, not about a guild (JSON Error Codes). */
const ABOUT_THE_BOT = { from: 40_000, below: 50_000 };

/**
 * Whether Discord says that the bot is no member of a guild: the guild is unknown or closed to it. Discord was wrong once
 * (discord-api-docs#8445), so nothing is deleted for this alone.
 * @throws when Discord says neither, as in an outage
 */
export async function isForeign(
  api: Pick<DiscordApi, 'get'>,
  guildId: string,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await api.get(Routes.guild(guildId), { signal });
    return false;
  } catch (error) {
    if (error instanceof DiscordAPIError && isAboutGuild(error)) return true;
    throw error;
  }
}

/** @throws when Discord does not say it soon, or the bot user is not there */
export async function readGuildName(api: Pick<DiscordApi, 'get'>, guildId: string): Promise<string> {
  const guild = await api.get(Routes.guild(guildId), { signal: AbortSignal.timeout(ASK_GUILD_MS) });
  return String(Object(guild).name);
}

/** Discord's code of an error; an answer that is not Discord's own, such as a proxy's page, has none. */
function isAboutGuild({ status, code }: DiscordAPIError): boolean {
  if ((status !== 403 && status !== 404) || typeof code !== 'number') return false;
  return code < ABOUT_THE_BOT.from || code >= ABOUT_THE_BOT.below;
}
