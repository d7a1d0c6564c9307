import { formatAddress } from '../addresses/address.ts';
import type { Game, Outcome } from '../listing/contract.ts';
import { MAX_FILE_BYTES, type UnreadableList } from '../server-lists/read-list.ts';
import {
  keptRow,
  type Repair,
  type RowProblem,
  repairsOf,
  type ServerProblem,
  type SubmissionProblem,
  type TypedRow,
} from '../server-lists/row.ts';
import type { Refusal } from '../submissions/checks.ts';
import { DRAFT_LIVES_MS } from '../submissions/record.ts';
import { gameLabels, gamesText } from './games.ts';
import { gameNamed, type KnownGames, serverLine } from './outcome.ts';
import { escapeCode, escapeText, LONGEST_ESCAPED_NAME, type Reader, type Translate } from './words.ts';

/** The port in an example where no usual one is known. */
const EXAMPLE_PORT = 27015;

/** Its servers are the only ones that a name without a port is enough for: an SRV record may say the port. */
const MINECRAFT = 'minecraft';

/** The values of a problem, with every text fit to be shown between backticks. */
function escapedValues(problem: object, most?: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(problem).map(([name, value]) => [
      name,
      typeof value === 'string' ? escapeCode(value, most) : value,
    ]),
  );
}

/** What is wrong with a submission, as a sentence for whoever typed it. */
function problemText(problem: SubmissionProblem, t: Translate): string {
  const values = escapedValues(problem);
  switch (problem.code) {
    case 'not-public':
      return t(`problem.not-public.${problem.range}`, values);
    case 'port-missing': {
      const { host, usual, game } = problem;
      if (usual !== undefined) {
        return t(
          game === MINECRAFT ? 'problem.port-missing-minecraft' : 'problem.port-missing-usual',
          values,
        );
      }
      return t('problem.port-missing', { ...values, example: formatAddress({ host, port: EXAMPLE_PORT }) });
    }
    default:
      return t(`problem.${problem.code}`, values);
  }
}

/**
 * What is wrong with the one server of /addserver.
 * @param isListKnown whether the service's own list of games could be read
 */
export function singleProblemText(
  { t, mention }: Reader,
  problem: ServerProblem,
  { near, isListKnown }: { readonly near: readonly Game[]; readonly isListKnown: boolean },
): string {
  if (problem.code !== 'game-unknown') {
    return t('addserver.notReady', { problem: problemText(problem, t) });
  }
  if (problem.game === '') return t('addserver.notReady', { problem: t('problem.game-missing') });
  const game = escapeText(problem.game, LONGEST_ESCAPED_NAME);
  if (!isListKnown) return t('addserver.noAlias', { game });
  return near.length === 0
    ? t('addserver.unknownGame', { game, games: mention('games') })
    : t('addserver.unknownGameNear', { game, near: gamesText(near) });
}

/** How much of a line a reason repeats. */
const MOST_TEXT = 60;

/**
 * What is wrong with a row of a list, to be put behind its line number. Where `/addserver` speaks of options, or
 * explains at length, a list has words of its own.
 * @param server the address as it was typed
 */
export function rowProblemText(problem: RowProblem, server: string, t: Translate): string {
  const values = { ...escapedValues(problem, MOST_TEXT), text: escapeCode(server, MOST_TEXT) };
  switch (problem.code) {
    case 'port-missing':
      return t(
        problem.usual === undefined ? 'list.problem.port-missing' : 'list.problem.port-missing-usual',
        {
          ...values,
        },
      );
    case 'wrong-type':
      return t(`list.problem.wrong-type.${problem.expected}`, values);
    case 'server-missing':
    case 'not-an-address':
    case 'web-address':
    case 'unknown-scheme':
    case 'port-not-a-number':
    case 'port-too-low':
    case 'port-too-high':
    case 'port-conflict':
    case 'game-missing':
    case 'game-unknown':
    case 'game-not-allowed':
    case 'no-address':
    case 'line-too-long':
    case 'too-many-cells':
    case 'not-an-object':
    case 'not-kept':
      return t(`list.problem.${problem.code}`, values);
    default:
      return problemText(problem, t);
  }
}

/** Why a text cannot be read as a list at all. */
export function unreadableText(list: UnreadableList, t: Translate): string {
  switch (list.kind) {
    case 'binary':
      return t('list.file.binary');
    case 'bad-json':
      return t('list.file.badJson', { line: list.line, column: list.column });
    case 'too-many':
      return t('list.file.tooMany', { count: list.count, most: list.most });
  }
}

/** Why a file was not read. `kind`: by its name it is none of those that are read. */
export function fileProblemText(
  problem: 'kind' | 'foreign' | 'too-large' | 'unavailable',
  t: Translate,
): string {
  return problem === 'too-large'
    ? t('list.file.tooLarge', { kib: MAX_FILE_BYTES / 1024 })
    : t(`list.file.${problem}`);
}

/** A button under what became of one server, for what can be done next. */
export interface Correction {
  /** `again`: it is sent as it is. `use`: with something else in a field. `edit`: what was typed opens in a window. */
  readonly action: 'again' | 'use' | 'edit';
  readonly repair?: Repair;
  readonly label: string;
}

/** What can be done about a problem of what was typed; `near`: the games that may have been meant. */
export const correctionsOfProblem = (
  t: Translate,
  problem: ServerProblem,
  near: readonly Game[],
): readonly Correction[] => [
  ...correctionsOfGame(near),
  ...repairsOf(problem).map((repair): Correction => {
    const label =
      repair.field === 'queryPort' ? t('again.noQueryPort') : t('again.use', { value: repair.value });
    return { action: 'use', repair, label };
  }),
  edit(t),
];

/** What can be done after a refusal of ours; `near`: games that may be submitted in place of the refused one. */
export const correctionsAfterRefusal = (
  t: Translate,
  refusal: Refusal,
  near: readonly Game[],
): readonly Correction[] => [...correctionsOfGame(near), ...again(t, labelAfterRefusal(refusal)), edit(t)];

/** What can be done once a server has ended. */
export const correctionsAfter = (t: Translate, outcome: Outcome): readonly Correction[] =>
  outcome.kind === 'accepted' ? [] : [...again(t, labelAfter(outcome)), edit(t)];

type Again = 'submitAgain' | 'sendAgain' | 'tryAgain';

const edit = (t: Translate): Correction => ({ action: 'edit', label: t('again.edit') });

const again = (t: Translate, label: Again | undefined): readonly Correction[] =>
  label === undefined ? [] : [{ action: 'again', label: t(`again.${label}`) }];

const correctionsOfGame = (games: readonly Game[]): readonly Correction[] =>
  gameLabels(games).map(({ label, alias }) => ({
    action: 'use',
    repair: { field: 'game', value: alias },
    label,
  }));

/** What never arrived can go again as it is; what was refused, or perhaps received, has to be looked at first. */
function labelAfter(outcome: Outcome): Again | undefined {
  if (outcome.kind === 'rejected') return outcome.known === 'invalidKey' ? 'sendAgain' : undefined;
  if (outcome.kind !== 'not-sent') return undefined;
  return outcome.reason === 'key' || outcome.reason === 'key-dropped' ? 'sendAgain' : 'tryAgain';
}

function labelAfterRefusal(refusal: Refusal): Again | undefined {
  switch (refusal.code) {
    case 'submitted-before':
      return 'submitAgain';
    case 'key-missing':
    case 'key-unreadable':
    case 'key-invalid':
      return 'sendAgain';
    case 'member-limit':
    case 'guild-limit':
      // What was typed is kept no longer.
      return refusal.until - Date.now() < DRAFT_LIVES_MS ? 'tryAgain' : undefined;
    case 'in-flight':
    case 'service-down':
    case 'daily-quota':
      return 'tryAgain';
    case 'game-not-allowed':
      return undefined;
  }
}

/** What somebody typed of a game server, as it may be shown: without passwords. */
export function typedLine(t: Translate, typed: TypedRow, games: KnownGames): string {
  const { server, port, queryPort, game } = keptRow(typed);
  const address = [server, port].filter((part) => part !== '').join(/[\s:]/.test(server) ? ' ' : ':');
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort });
}
