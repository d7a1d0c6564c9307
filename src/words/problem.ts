import { formatAddress } from '../addresses/address.ts';
import type { SubmissionProblem } from '../server-lists/submission.ts';
import { escapeCode } from './escape.ts';
import type { Translate } from './words.ts';

/** The port in an example where no usual one is known. */
const EXAMPLE_PORT = 27015;

/** The values of a problem, with every text fit to be shown between backticks. */
export function escapedValues(problem: object, most?: number): Readonly<Record<string, unknown>> {
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
