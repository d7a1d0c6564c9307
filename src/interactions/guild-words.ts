import { createBoundedMap } from '../bounded-map.ts';
import { DEFAULTS, type GuildSettings } from '../guilds/settings.ts';
import type { Translate, WordsFor } from '../words/words.ts';

/**
 * The words for what everybody in a guild reads, in the language that its admins have chosen; otherwise in Discord's, as also
 * where the settings cannot be read. Never throws.
 * @param discordLocale Discord's name of the guild's language, where it is at hand; otherwise the latest that this process has heard
 * counts, then that of the last change or submission
 */
export type GuildWords = (guildId: string, discordLocale?: string) => Promise<Translate>;

/** The most guilds of which a process remembers the language. */
const MOST_HEARD = 10_000;

export function createGuildWords(deps: {
  readonly settings: Pick<GuildSettings, 'getOrUnreadable'>;
  readonly wordsFor: WordsFor;
}) {
  const { settings, wordsFor } = deps;
  /** By guild, Discord's name of its language as the latest interaction had it. */
  const heard = createBoundedMap<string>(MOST_HEARD);

  const guildWords: GuildWords = async (guildId, discordLocale) => {
    const found = await settings.getOrUnreadable(guildId).catch(() => 'unreadable' as const);
    const { language, locale } = found === 'unreadable' ? DEFAULTS : found;
    return wordsFor(language ?? discordLocale ?? heard.get(guildId) ?? locale);
  };
  return { guildWords, hear: heard.set };
}
