import { formatAddress } from '../addresses/address.ts';
import { MAX_FILE_BYTES, type UnreadableList } from '../server-lists/read-list.ts';
import type { RowProblem } from '../server-lists/row.ts';
import type { SubmissionProblem } from '../server-lists/submission.ts';
import { escapeCode } from './escape.ts';
import type { Translate } from './words.ts';

/** The port in an example where no usual one is known. */
const EXAMPLE_PORT = 27015;

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
export function problemText(problem: SubmissionProblem, t: Translate): string {
  const values = escapedValues(problem);
  switch (problem.code) {
    case 'not-public':
      return t(`problem.not-public.${problem.range}`, values);
    case 'port-missing': {
      const { host, usual } = problem;
      const example = formatAddress({ host, port: usual ?? EXAMPLE_PORT });
      return t(usual === undefined ? 'problem.port-missing' : 'problem.port-missing-usual', {
        ...values,
        example,
      });
    }
    default:
      return t(`problem.${problem.code}`, values);
  }
}

/** How much of a line a reason repeats. */
const MOST_TEXT = 60;

/**
 * What is wrong with a row of a list, to be put behind its line number. Where `/addserver` speaks of options, or
 * explains at length, a list has words of its own.
 * @param text the row as it was typed
 */
export function rowProblemText(problem: RowProblem, text: string, t: Translate): string {
  const values = { ...escapedValues(problem, MOST_TEXT), text: escapeCode(text, MOST_TEXT) };
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
