import { createBoundedMap } from '../bounded-map.ts';
import { DEFAULTS, type GuildSettings } from '../guilds/settings.ts';
import type { Translate, WordsFor } from '../words/words.ts';

/**
 * Returns words for texts that everyone in a guild reads, in the language that its admins chose. Uses Discord's language
 * for the guild if they haven't chosen one, or if the settings can't be read. Never throws.
 * @param discordLocale Discord's locale of the guild, if known. Otherwise, the latest one that this process received is
 * used, or the one from the last change or submission
 */
export type GuildWords = (guildId: string, discordLocale?: string) => Promise<Translate>;

/** The maximum number of guilds whose language a process caches. */
const MOST_HEARD = 10_000;

export function createGuildWords(deps: {
  readonly settings: Pick<GuildSettings, 'getOrUnreadable'>;
  readonly wordsFor: WordsFor;
}) {
  const { settings, wordsFor } = deps;
  /** Discord's locale in the latest interaction of each guild. */
  const heard = createBoundedMap<string>(MOST_HEARD);

  const guildWords: GuildWords = async (guildId, discordLocale) => {
    const found = await settings.getOrUnreadable(guildId).catch(() => 'unreadable' as const);
    const { language, locale } = found === 'unreadable' ? DEFAULTS : found;
    return wordsFor(language ?? discordLocale ?? heard.get(guildId) ?? locale);
  };
  return { guildWords, hear: heard.set };
}
