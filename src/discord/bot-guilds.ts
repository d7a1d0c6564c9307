import { DiscordAPIError, Routes } from 'discord.js';
import type { DiscordApi } from './api.ts';

/** The most that Discord lists at once (Discord docs: Users Resource, "Get Current User Guilds"). */
const PAGE = 200;
/** How long Discord is asked about one guild, in milliseconds. */
export const ASK_GUILD_MS = 2_000;
/** Codes of refusals that are about the bot's account or network, not about a guild (JSON Error Codes). */
const ABOUT_THE_BOT = { from: 40_000, below: 50_000 };

/**
 * The ids of all guilds that the bot is a member of, those with an outage included. It throws rather than lacking some: the
 * bot would seem to have been removed there. It reads up to an empty page, since more may come behind a page that is not
 * full (discord-api-docs#5886).
 */
export async function listGuilds(
  api: Pick<DiscordApi, 'get'>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const all: string[] = [];
  for (;;) {
    // The order is documented with `after` only (discord-api-docs#625).
    const query = new URLSearchParams({ limit: String(PAGE), after: all.at(-1) ?? '0' });
    const page = idsOf(await api.get(Routes.userGuilds(), { query, signal }));
    if (page.length === 0) return all;
    for (const id of page) {
      const previous = all.at(-1);
      if (previous !== undefined && BigInt(id) <= BigInt(previous)) {
        throw new Error('Discord lists the guilds of this bot in another order than it documents');
      }
      all.push(id);
    }
  }
}

/**
 * Whether Discord says that the bot is no member of a guild: the guild is unknown or closed to it. Discord was wrong once
 * (discord-api-docs#8445), so nothing follows from this alone.
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

function idsOf(page: unknown): readonly string[] {
  const guilds: readonly unknown[] = Array.isArray(page) ? page : [undefined];
  return guilds.map((guild) => {
    const { id } = Object(guild);
    if (typeof id !== 'string' || !/^\d{1,20}$/.test(id)) {
      throw new Error('Discord did not answer with a list of guilds');
    }
    return id;
  });
}
