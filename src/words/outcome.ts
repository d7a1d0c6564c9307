import { formatAddress } from '../addresses/address.ts';
import type { Context } from '../discord/command.ts';
import {
  type Game,
  isHalted,
  type NotSent,
  type Outcome,
  type ServerSubmission,
} from '../listing/contract.ts';
import { escapeText, LONGEST_NAME } from './escape.ts';
import { failureText } from './failure.ts';
import { serviceWords } from './service-words.ts';

/** A submission as members read it: the game's name and the address. */
export function describe(t: Context['t'], game: Game, { server, port, queryPort }: ServerSubmission): string {
  const values = {
    name: escapeText(game.name, LONGEST_NAME),
    address: formatAddress({ host: server, port }),
  };
  return queryPort === undefined
    ? t('addserver.submitted', values)
    : t('addserver.submittedQuery', { ...values, queryPort });
}

/** How the submission of one server ended. */
export function outcomeText(context: Context, outcome: Outcome, what: string): string {
  const { t, mention } = context;
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
      return t('addserver.notSent', { reason: notSentText(context, outcome), what });
    case 'unknown':
      return t('addserver.unknown', { reason: failureText(outcome, t), what });
  }
}

/** Why a server was not sent. */
function notSentText({ t, mention }: Context, outcome: NotSent): string {
  return isHalted(outcome)
    ? t(`bulk.report.notSent.${outcome.reason}`, { setkey: mention('setkey') })
    : failureText(outcome, t);
}

/** How a server of a list ended, to be said once for all that ended alike. */
export function listOutcomeText({ t, mention }: Pick<Context, 't' | 'mention'>, outcome: Outcome): string {
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      return t('bulk.report.says', {
        message: escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE),
      });
    case 'unknown':
      return t('bulk.report.unknownText', { reason: failureText(outcome, t) });
    case 'not-sent':
      return isHalted(outcome)
        ? t(`bulk.report.notSent.${outcome.reason}`, { setkey: mention('setkey') })
        : t('bulk.report.notSent.failure', { reason: failureText(outcome, t) });
  }
}

/** UTF-16 units of the service's words in a report of a list. */
const LONGEST_MESSAGE = 400;
