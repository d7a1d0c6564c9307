import type { Game } from '../../src/listing/contract.ts';
import type { GameIndex } from '../../src/listing/game-search.ts';
import { LONGEST_ALIAS } from '../../src/server-lists/read-one.ts';
import { keptRow, type ServerProblem, type TypedRow } from '../../src/server-lists/row.ts';
import { unknownGame } from '../../src/words/games.ts';
import { notReadyText, type ProblemText, problemText } from '../../src/words/problem.ts';
import { gameNamed, serverLine, signed } from '../../src/words/servers.ts';
import type { Reader, Translate } from '../../src/words/words.ts';

/**
 * What is wrong with what was typed.
 * @param near the games that may have been meant
 * @param isListKnown whether the service's own list of games could be read
 */
export function unusableText(
  reader: Reader,
  problem: ServerProblem,
  { near, isListKnown }: { readonly near: readonly Game[]; readonly isListKnown: boolean },
): string {
  const { t } = reader;
  if (problem.code !== 'game-unknown') return notReady(t, problemText(problem, t));
  if (problem.game === '') return notReady(t, problemText({ code: 'game-missing' }, t));
  const unknown = unknownGame(reader, problem.game, near);
  return notReady(
    t,
    isListKnown ? unknown : { short: unknown.short, help: t('problem.help.alias', { most: LONGEST_ALIAS }) },
  );
}

const notReady = (t: Translate, problem: ProblemText): string => signed('not-sent', notReadyText(problem, t));

/** What was typed of a game server, as it may be shown: without passwords. */
export function typedLine(t: Translate, typed: TypedRow, games: GameIndex): string {
  const { server, port, queryPort, game } = keptRow(typed);
  // "play.example.com:27015", but "play.example.com:1 27015" where there are two.
  const separator = /[\s:]/.test(server) ? ' ' : ':';
  const address = [server, port].filter((part) => part !== '').join(separator);
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort });
}
