import { DEFAULTS, type GuildSettings } from '../guilds/settings.ts';
import type { Translate, WordsFor } from '../words/words.ts';

/**
 * The words for what everybody in a guild reads, in the language that Discord gives the guild. Never throws.
 * @param discordLocale Discord's name of the guild's language, where it is at hand; otherwise the one of the last change counts
 */
export type GuildWords = (guildId: string, discordLocale?: string) => Promise<Translate>;

export function createGuildWords(deps: {
  readonly settings: Pick<GuildSettings, 'find'>;
  readonly wordsFor: WordsFor;
}): GuildWords {
  const { settings, wordsFor } = deps;
  return async (guildId, discordLocale) => {
    const found = await settings.find(guildId).catch(() => 'unreadable' as const);
    const { locale } = found === 'unreadable' ? DEFAULTS : found;
    return wordsFor(discordLocale ?? locale);
  };
}
