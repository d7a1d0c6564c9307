import type { Outcome } from '../listing/contract.ts';
import type { Ended } from '../submissions/pipeline.ts';
import { type ListingPages, pageAbout } from './listing-pages.ts';
import { sentences } from './sentences.ts';
import { describe, type KnownGames, type ServerEmbed, serverEmbed, signed } from './servers.ts';
import type { Translate } from './words.ts';

/**
 * What everybody in the channel is told, in the guild's language, of the servers that were sent for review; nothing
 * where there are none, or the guild does not want it.
 */
export function announcementOf(
  { user, guildT: t }: { readonly user: { readonly id: string }; readonly guildT: Translate },
  { announce, servers, outcomes }: Pick<Ended, 'announce' | 'servers' | 'outcomes'>,
  games: KnownGames,
): { readonly content: string; readonly embed: ServerEmbed } | undefined {
  const accepted = servers.filter((_, index) => outcomes[index]?.kind === 'accepted');
  if (!announce || accepted.length === 0) return undefined;
  const lines = accepted.map((server) => describe(t, server, games));
  return {
    content: t('announcement', { userId: user.id, count: accepted.length }),
    embed: serverEmbed(t, 'accepted', lines, MOST_ANNOUNCED),
  };
}

/** Servers that an announcement names. */
const MOST_ANNOUNCED = 10;

/**
 * How many ended alike, and what was said of them: the service's words, escaped, or why there are none; with what to do
 * next unless it goes into a log.
 */
export function endedText(
  t: Translate,
  { kind, count, said }: { readonly kind: Outcome['kind']; readonly count: number; readonly said: string },
): string {
  return signed(kind, sentences(`**${t(`ended.many.${kind}`, { count })}**`, saidText(t, kind, said)));
}

/** What was said of servers that ended so, as a sentence. */
export const saidText = (t: Translate, kind: Outcome['kind'], said: string): string =>
  kind === 'accepted' || kind === 'rejected' ? t('ended.says', { message: said }) : said;

/** The page on which to look for servers of which nobody knows what became: of the one, or of the list. */
export function pageOfUnknown(
  reader: { readonly pages: ListingPages },
  { servers, outcomes }: Pick<Ended, 'servers' | 'outcomes'>,
): string | undefined {
  const [first, ...others] = servers.filter((_, index) => outcomes[index]?.kind === 'unknown');
  return first && pageAbout(reader, others.length === 0 ? first : undefined);
}
