import { DEFAULTS, type GuildSettings } from '../guilds/settings.ts';
import { createBoundedMap } from '../pacing/bounded-map.ts';
import type { Translate, WordsFor } from '../words/words.ts';

/**
 * Returns the bot's translations for messages that everyone in a guild can read. Uses the language chosen by the guild's
 * admins, or else the guild's Discord locale. Never throws.
 * @param discordLocale the guild's Discord locale, if known. Defaults to the last locale that this process received, or
 * else the stored locale
 */
export type GuildWords = (guildId: string, discordLocale?: string) => Promise<Translate>;

const MAX_CACHED_GUILDS = 10_000;

export function createGuildWords(deps: {
  readonly settings: Pick<GuildSettings, 'getOrUnreadable'>;
  readonly wordsFor: WordsFor;
}) {
  const { settings, wordsFor } = deps;
  const latestLocales = createBoundedMap<string>(MAX_CACHED_GUILDS);

  const guildWords: GuildWords = async (guildId, discordLocale) => {
    const found = await settings.getOrUnreadable(guildId).catch(() => 'unreadable' as const);
    const { language, locale } = found === 'unreadable' ? DEFAULTS : found;
    return wordsFor(language ?? discordLocale ?? latestLocales.get(guildId) ?? locale);
  };
  return { guildWords, hear: latestLocales.set };
}
