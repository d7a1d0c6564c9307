import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import type { Ended } from '../submissions/order.ts';
import { escapeText } from './escape.ts';
import type { KnownGames } from './games.ts';
import { describe, type ServerEmbed, serverEmbed } from './look.ts';
import { failureText, listAbout, renewText, serviceWords } from './service.ts';
import type { Reader, Translate } from './words.ts';

/** How the submission of one server ended; which server it is stands in the embed. */
export function outcomeText(reader: Reader, outcome: Outcome, server: ServerSubmission): string {
  const { t, mention } = reader;
  switch (outcome.kind) {
    case 'accepted':
      return t('addserver.accepted', { message: escapeText(serviceWords(outcome.message, t)) });
    case 'rejected': {
      const said = t('addserver.rejected', { message: escapeText(serviceWords(outcome.message, t)) });
      if (outcome.known === undefined) return said;
      const next =
        outcome.known === 'invalidKey'
          ? invalidKeyText(reader)
          : t(`addserver.next.${outcome.known}`, { games: mention('games') });
      return `${said}\n${next}`;
    }
    case 'not-sent': {
      const said = t('addserver.notSent', { reason: failureText(outcome, t) });
      return outcome.reason === 'key' ? `${said}\n${invalidKeyText(reader)}` : said;
    }
    case 'unknown':
      return t('addserver.unknown', {
        reason: failureText(outcome, t),
        ...listAbout(reader, server),
      });
  }
}

/** How a server of a list ended, to be said once for all that ended alike. */
export function listOutcomeText(reader: Reader, outcome: Outcome): string {
  const { t } = reader;
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      return t('list.report.says', {
        message: escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE),
      });
    case 'unknown':
      return t('list.report.unknownText', { reason: failureText(outcome, t) });
    case 'not-sent': {
      const said = t('list.report.notSentText', { reason: failureText(outcome, t) });
      return outcome.reason === 'key' ? `${said} ${invalidKeyText(reader)}` : said;
    }
  }
}

/** That the service refuses the guild's key, and what the one who reads it can do. */
export const invalidKeyText = (reader: Reader): string =>
  `${reader.t('addserver.next.invalidKey')} ${renewText(reader)}`;

/** UTF-16 units of the service's words in a report of a list. */
const LONGEST_MESSAGE = 400;

/** What became of servers that were being submitted when the bot ended; of what is not known yet nothing was sent. */
export function afterRestartText(
  reader: Pick<Reader, 't' | 'pages'>,
  done: {
    readonly servers: readonly ServerSubmission[];
    readonly outcomes: readonly (Outcome | undefined)[];
  },
): string {
  const { t } = reader;
  const { servers, outcomes } = done;
  const [server] = servers;
  if (server && servers.length === 1) {
    const [outcome] = outcomes;
    const message = outcome && 'message' in outcome ? escapeText(serviceWords(outcome.message, t)) : '';
    return t(`resume.one.${outcome?.kind ?? 'not-sent'}`, {
      message,
      ...listAbout(reader, server),
    });
  }
  const lines = (['accepted', 'rejected', 'unknown', 'not-sent'] as const).flatMap((kind) => {
    const count = servers.filter((_, index) => (outcomes[index]?.kind ?? 'not-sent') === kind).length;
    return count > 0 ? [t(`resume.many.${kind}`, { count })] : [];
  });
  return [t('resume.many.heading'), ...lines].join('\n');
}

/** The same as a text alone, for where no embed stands beside it. */
export function toldAfterRestart(
  reader: Pick<Reader, 't' | 'pages'>,
  done: Parameters<typeof afterRestartText>[1],
  games: KnownGames,
): string {
  const one = done.servers.length === 1 ? done.servers : [];
  return [afterRestartText(reader, done), ...one.map((server) => describe(reader.t, server, games))].join(
    '\n',
  );
}

/**
 * What everybody in the channel is told, in the guild's language, of the servers that were sent for review; nothing
 * where there are none, or the guild does not want it.
 */
export function announcementOf(
  { user, guildT: t }: { readonly user: { readonly id: string }; readonly guildT: Translate },
  { announce, servers, outcomes }: Pick<Ended, 'announce' | 'servers' | 'outcomes'>,
  games: KnownGames,
): { readonly content: string; readonly embeds: readonly ServerEmbed[] } | undefined {
  const accepted = servers.filter((_, index) => outcomes[index]?.kind === 'accepted');
  if (!announce || accepted.length === 0) return undefined;
  const lines = accepted.map((server) => describe(t, server, games));
  return {
    content: t('announcement', { userId: user.id, count: accepted.length }),
    embeds: [serverEmbed(t, 'accepted', lines, MOST_ANNOUNCED)],
  };
}

/** Servers that an announcement names. */
const MOST_ANNOUNCED = 10;
