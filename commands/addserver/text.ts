import type { NoKey } from '../../src/guilds/api-keys.ts';
import type { Game, Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import { keptRow, LONGEST_ALIAS, type ServerProblem, type TypedRow } from '../../src/server-lists/row.ts';
import { escapeText } from '../../src/words/escape.ts';
import { unknownGame } from '../../src/words/games.ts';
import { nextForKey } from '../../src/words/keys.ts';
import { listAbout } from '../../src/words/listing-pages.ts';
import { notReadyText, type ProblemText, problemText } from '../../src/words/problem.ts';
import { sentences } from '../../src/words/sentences.ts';
import { gameNamed, type KnownGames, serverLine, signed } from '../../src/words/servers.ts';
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
  const said = signed(outcome.kind, oneEnded(reader, server, outcome));
  if (keyProblem) return `${said}\n${nextForKey(reader, keyProblem)}`;
  const next = nextText(reader, outcome);
  return next === undefined ? said : `${said}\n${next}`;
}

function oneEnded(reader: Reader, server: ServerSubmission, outcome: Outcome): string {
  const { t } = reader;
  switch (outcome.kind) {
    case 'accepted':
      return t('ended.says', { message: escapeText(serviceWords(outcome.message, t)) });
    case 'rejected': {
      const message = escapeText(serviceWords(outcome.message, t));
      return sentences(t('ended.one.rejected'), t('ended.says', { message }));
    }
    case 'not-sent':
      return sentences(t('ended.one.not-sent'), failureText(outcome, t), t('ended.next.not-sent'));
    case 'unknown':
      return sentences(
        t('ended.one.unknown'),
        failureText(outcome, t),
        t('ended.next.unknown', { count: 1, ...listAbout(reader, server) }),
      );
  }
}

/** What to do about a refusal that the specification knows. */
function nextText({ t, mention }: Reader, outcome: Outcome): string | undefined {
  if (outcome.kind !== 'rejected') return undefined;
  switch (outcome.known) {
    case 'emptyList':
      return t('addserver.next.emptyList');
    case 'serverMissing':
    case 'gameMissing':
      return t('addserver.correct');
    case 'gameInvalid':
      return t('addserver.next.gameInvalid', { games: mention('games') });
    default:
      return undefined;
  }
}

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

/** What somebody typed of a game server, as it may be shown: without passwords. */
export function typedLine(t: Translate, typed: TypedRow, games: KnownGames): string {
  const { server, port, queryPort, game } = keptRow(typed);
  // "play.example.com:27015", but "play.example.com:1 27015" where there are two.
  const separator = /[\s:]/.test(server) ? ' ' : ':';
  const address = [server, port].filter((part) => part !== '').join(separator);
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort });
}
