import { DiscordAPIError, Routes } from 'discord.js';
import type { DiscordApi } from './api.ts';

export const GUILD_TIMEOUT_MS = 2_000;
/** Range of error codes that concern the bot's account or network rather than a guild (JSON Error Codes). */
const ABOUT_THE_BOT = { from: 40_000, below: 50_000 };

/**
 * Whether Discord reports that the bot isn't in a guild, because the guild is unknown or the bot has no access to it.
 * Discord has been wrong about this (discord-api-docs#8445), so this alone doesn't justify deleting data.
 * @throws if Discord's answer isn't clear, for example in an outage
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

/** @throws if Discord doesn't respond in time, or if the bot user isn't in the guild */
export async function readGuildName(api: Pick<DiscordApi, 'get'>, guildId: string): Promise<string> {
  const guild = await api.get(Routes.guild(guildId), { signal: AbortSignal.timeout(GUILD_TIMEOUT_MS) });
  return String(Object(guild).name);
}

/** Checks the type of the code, because other responses, such as a proxy's error page, don't have an error code. */
function isAboutGuild({ status, code }: DiscordAPIError): boolean {
  if ((status !== 403 && status !== 404) || typeof code !== 'number') return false;
  return code < ABOUT_THE_BOT.from || code >= ABOUT_THE_BOT.below;
}
