import type { Call } from '../src/discord/command.ts';
import { escapeText, LONGEST_NAME } from '../src/discord/escape.ts';
import type { AddOutcome, Game, ServerSubmission } from '../src/listing/contract.ts';
import { formatAddress } from '../src/submissions/address.ts';
import { failureText } from './failure-text.ts';
import { serviceWords } from './service-words.ts';

/** A submission as members read it: the game's name and the address. */
export function describe(t: Call['t'], game: Game, { server, port, queryPort }: ServerSubmission): string {
  const values = {
    name: escapeText(game.name, LONGEST_NAME),
    address: formatAddress({ host: server, port }),
  };
  return queryPort === undefined
    ? t('addserver.submitted', values)
    : t('addserver.submittedQuery', { ...values, queryPort });
}

/** How the submission of one server ended. */
export function outcomeText({ t, mention }: Call, outcome: AddOutcome, what: string): string {
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
      return t('addserver.notSent', { reason: failureText(outcome, t), what });
    default:
      return t('addserver.unknown', { reason: failureText(outcome, t), what });
  }
}
