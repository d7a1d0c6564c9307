import { formatAddress } from '../addresses/address.ts';
import type { RowProblem } from '../server-lists/row.ts';
import { escapeCode } from './escape.ts';
import type { Translate } from './words.ts';

/** What is wrong with a game server, for whoever typed it. */
export interface ProblemText {
  /** In a few words, to be put behind the address. */
  readonly short: string;
  /** A sentence about what to do; empty where that is clear. */
  readonly help: string;
}

/** The port in an example where no usual one is known. */
const EXAMPLE_PORT = 27015;
/** Its servers are the only ones that a name without a port is enough for: an SRV record may say the port. */
const MINECRAFT = 'minecraft';
/** UTF-16 units of what was typed, in a text about it. */
const LONGEST_VALUE = 60;

/** @param most UTF-16 units of each value that is repeated */
export function problemText(problem: RowProblem, t: Translate, most = LONGEST_VALUE): ProblemText {
  const values = valuesOf(problem, most);
  switch (problem.code) {
    case 'not-public':
      return { short: t(`problem.not-public.${problem.range}`), help: t('problem.not-public.help') };
    case 'wrong-type':
      return { short: t(`problem.wrong-type.${problem.expected}`, values), help: '' };
    case 'port-missing': {
      const key = portMissingKey(problem);
      return { short: t(`problem.${key}.short`, values), help: t(`problem.${key}.help`, values) };
    }
    default:
      return {
        short: t(`problem.${problem.code}.short`, values),
        help: t(`problem.${problem.code}.help`, values),
      };
  }
}

function portMissingKey({ usual, game }: Extract<RowProblem, { readonly code: 'port-missing' }>) {
  if (usual === undefined) return 'port-missing';
  return game === MINECRAFT ? 'port-missing-minecraft' : 'port-missing-usual';
}

/** The values of a problem, with every text fit to be shown between backticks. */
function valuesOf(problem: RowProblem, most: number): Readonly<Record<string, unknown>> {
  const entries = Object.entries(problem).map(([name, value]) => [
    name,
    typeof value === 'string' ? escapeCode(value, most) : value,
  ]);
  const example =
    problem.code === 'port-missing'
      ? escapeCode(formatAddress({ host: problem.host, port: EXAMPLE_PORT }), most)
      : '';
  return { ...Object.fromEntries(entries), example };
}
