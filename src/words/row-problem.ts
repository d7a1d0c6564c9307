import type { RowProblem } from '../server-lists/row.ts';
import { escapeCode } from './escape.ts';
import { escapedValues, problemText } from './problem.ts';
import type { Translate } from './words.ts';

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
        problem.usual === undefined ? 'bulk.problem.port-missing' : 'bulk.problem.port-missing-usual',
        {
          ...values,
        },
      );
    case 'wrong-type':
      return t(`bulk.problem.wrong-type.${problem.expected}`, values);
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
      return t(`bulk.problem.${problem.code}`, values);
    default:
      return problemText(problem, t);
  }
}
