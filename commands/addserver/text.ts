import type { NoKey } from '../../src/guilds/api-keys.ts';
import type { Game, Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import { keptRow, type ServerProblem, type TypedRow } from '../../src/server-lists/row.ts';
import { escapeText, LONGEST_ESCAPED_NAME } from '../../src/words/escape.ts';
import { gamesText } from '../../src/words/games.ts';
import { nextForKey } from '../../src/words/keys.ts';
import { listAbout } from '../../src/words/listing-pages.ts';
import { problemText } from '../../src/words/problem.ts';
import { gameNamed, type KnownGames, serverLine } from '../../src/words/servers.ts';
import { failureText, serviceWords } from '../../src/words/service.ts';
import type { Reader, Translate } from '../../src/words/words.ts';

/**
 * How the submission of one server ended; which server it is stands in the embed.
 * @param keyProblem why the guild has no key to submit with by now, where that is why it ended so
 */
export function outcomeText(
  reader: Reader,
  server: ServerSubmission,
  outcome: Outcome,
  keyProblem: NoKey | undefined,
): string {
  const { t } = reader;
  const said = saidText(reader, server, outcome);
  if (keyProblem) return `${said}\n${nextForKey(reader, keyProblem)}`;
  if (outcome.kind !== 'rejected' || outcome.known === undefined || outcome.known === 'invalidKey')
    return said;
  return `${said}\n${t(`addserver.next.${outcome.known}`, { games: reader.mention('games') })}`;
}

function saidText(reader: Reader, server: ServerSubmission, outcome: Outcome): string {
  const { t } = reader;
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      return t(`addserver.${outcome.kind}`, { message: escapeText(serviceWords(outcome.message, t)) });
    case 'not-sent':
      return t('addserver.notSent', { reason: failureText(outcome, t) });
    case 'unknown':
      return t('addserver.unknown', { reason: failureText(outcome, t), ...listAbout(reader, server) });
  }
}

/**
 * What is wrong with what was typed.
 * @param near the games that may have been meant
 * @param isListKnown whether the service's own list of games could be read
 */
export function notReadyText(
  { t, mention }: Reader,
  problem: ServerProblem,
  { near, isListKnown }: { readonly near: readonly Game[]; readonly isListKnown: boolean },
): string {
  if (problem.code !== 'game-unknown') {
    return notReady(t, problem);
  }
  if (problem.game === '') return notReady(t, { code: 'game-missing' });
  const game = escapeText(problem.game, LONGEST_ESCAPED_NAME);
  if (!isListKnown) return t('addserver.noAlias', { game });
  if (near.length === 0) return t('addserver.unknownGame', { game, games: mention('games') });
  return t('addserver.unknownGameNear', { game, near: gamesText(near) });
}

function notReady(t: Translate, problem: ServerProblem): string {
  const { short, help } = problemText(problem, t);
  return t('addserver.notReady', { short, help }).trimEnd();
}

/** What somebody typed of a game server, as it may be shown: without passwords. */
export function typedLine(t: Translate, typed: TypedRow, games: KnownGames): string {
  const { server, port, queryPort, game } = keptRow(typed);
  // "play.example.com:27015", but "play.example.com:1 27015" where there are two.
  const separator = /[\s:]/.test(server) ? ' ' : ':';
  const address = [server, port].filter((part) => part !== '').join(separator);
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort });
}
