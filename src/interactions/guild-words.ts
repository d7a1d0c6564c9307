import { DEFAULTS, type GuildSettings } from '../guilds/settings.ts';
import type { Translate, WordsFor } from '../words/words.ts';

/**
 * The words for what everybody in a guild reads, in the language that its admins have chosen; otherwise in Discord's, as also
 * where the settings cannot be read. Never throws.
 * @param discordLocale Discord's name of the guild's language, where it is at hand; otherwise the one of the last change counts
 */
export type GuildWords = (guildId: string, discordLocale?: string) => Promise<Translate>;

export function createGuildWords(deps: {
  readonly settings: Pick<GuildSettings, 'getOrUnreadable'>;
  readonly wordsFor: WordsFor;
}): GuildWords {
  const { settings, wordsFor } = deps;
  return async (guildId, discordLocale) => {
    const found = await settings.getOrUnreadable(guildId).catch(() => 'unreadable' as const);
    const { language, locale } = found === 'unreadable' ? DEFAULTS : found;
    return wordsFor(language ?? discordLocale ?? locale);
  };
}
