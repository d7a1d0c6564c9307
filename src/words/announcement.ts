import type { Context } from '../discord/command.ts';
import { wordsFor } from './words.ts';

/**
 * What everybody in the channel is told of servers that were sent for review, in the guild's language.
 * @param what the one server as text; with several, only their number is said
 */
export function announcementText(
  { user, guildLocale }: Pick<Context, 'user' | 'guildLocale'>,
  { count, what }: { readonly count: number; readonly what: string },
): string {
  const t = wordsFor(guildLocale);
  const userId = user.id;
  return count === 1 ? t('announcement.one', { userId, what }) : t('announcement.many', { userId, count });
}
