import { isHalted, type NotSent, type Outcome, type ServerSubmission } from '../listing/contract.ts';
import type { Ended } from '../submissions/order.ts';
import { escapeText } from './escape.ts';
import type { KnownGames } from './games.ts';
import { describe, type ServerEmbed, serverEmbed } from './look.ts';
import { failureText, serviceWords } from './service.ts';
import { type Reader, wordsFor } from './words.ts';

/** How the submission of one server ended. */
export function outcomeText(reader: Reader, outcome: Outcome, what: string): string {
  const { t, mention } = reader;
  switch (outcome.kind) {
    case 'accepted':
      return t('addserver.accepted', { message: escapeText(serviceWords(outcome.message, t)), what });
    case 'rejected': {
      const said = t('addserver.rejected', { message: escapeText(serviceWords(outcome.message, t)), what });
      if (!outcome.known) return said;
      const next = { setkey: mention('setkey'), games: mention('games') };
      return `${said}\n${t(`addserver.next.${outcome.known}`, next)}`;
    }
    case 'not-sent':
      return t('addserver.notSent', { reason: notSentText(reader, outcome), what });
    case 'unknown':
      return t('addserver.unknown', { reason: failureText(outcome, t), what });
  }
}

/** Why a server was not sent. */
function notSentText({ t, mention }: Reader, outcome: NotSent): string {
  return isHalted(outcome)
    ? t(`list.report.notSent.${outcome.reason}`, { setkey: mention('setkey') })
    : failureText(outcome, t);
}

/** How a server of a list ended, to be said once for all that ended alike. */
export function listOutcomeText({ t, mention }: Reader, outcome: Outcome): string {
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      return t('list.report.says', {
        message: escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE),
      });
    case 'unknown':
      return t('list.report.unknownText', { reason: failureText(outcome, t) });
    case 'not-sent':
      return isHalted(outcome)
        ? t(`list.report.notSent.${outcome.reason}`, { setkey: mention('setkey') })
        : t('list.report.notSent.failure', { reason: failureText(outcome, t) });
  }
}

/** UTF-16 units of the service's words in a report of a list. */
const LONGEST_MESSAGE = 400;

/** What became of servers that were being submitted when the bot ended; of what is not known yet nothing was sent. */
export function afterRestartText(
  { t }: Pick<Reader, 't'>,
  done: {
    readonly servers: readonly ServerSubmission[];
    readonly outcomes: readonly (Outcome | undefined)[];
  },
  games: KnownGames,
): string {
  const { servers, outcomes } = done;
  const [server] = servers;
  if (server && servers.length === 1) {
    const [outcome] = outcomes;
    const message = outcome && 'message' in outcome ? escapeText(serviceWords(outcome.message, t)) : '';
    return t(`resume.one.${outcome?.kind ?? 'not-sent'}`, { message, what: describe(t, server, games) });
  }
  const lines = (['accepted', 'rejected', 'unknown', 'not-sent'] as const).flatMap((kind) => {
    const count = servers.filter((_, index) => (outcomes[index]?.kind ?? 'not-sent') === kind).length;
    return count > 0 ? [t(`resume.many.${kind}`, { count })] : [];
  });
  return [t('resume.many.heading'), ...lines].join('\n');
}

/**
 * What everybody in the channel is told, in the guild's language, of the servers that were sent for review; nothing
 * where there are none, or the guild does not want it.
 */
export function announcementOf(
  { user, guildLocale }: { readonly user: { readonly id: string }; readonly guildLocale: string },
  { announce, servers, outcomes }: Pick<Ended, 'announce' | 'servers' | 'outcomes'>,
  games: KnownGames,
): { readonly content: string; readonly embeds: readonly ServerEmbed[] } | undefined {
  const accepted = servers.filter((_, index) => outcomes[index]?.kind === 'accepted');
  if (!announce || accepted.length === 0) return undefined;
  const t = wordsFor(guildLocale);
  const lines = accepted.map((server) => describe(t, server, games));
  return {
    content: t('announcement', { userId: user.id, count: accepted.length }),
    embeds: [serverEmbed(t, 'accepted', lines, MOST_ANNOUNCED)],
  };
}

/** Servers that an announcement names. */
const MOST_ANNOUNCED = 10;
