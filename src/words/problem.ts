import { formatAddress } from '../addresses/address.ts';
import { MAX_PORT, MIN_PORT } from '../addresses/port.ts';
import { EXAMPLE_PORT } from '../addresses/usual-ports.ts';
import { isUnclearPort, type RowProblem } from '../server-lists/row.ts';
import { escapeCode } from './escape.ts';
import { sentences } from './sentences.ts';
import type { Translate } from './words.ts';

/** Addresses the user who typed the game server. */
export interface ProblemText {
  /** Follows the address; only a few words. */
  readonly short: string;
  /** A sentence with the solution, unless it's obvious. */
  readonly help?: string | undefined;
}

/** The only game whose servers don't need a port, because it can be in an SRV record. */
const MINECRAFT = 'minecraft';
const MAX_QUOTED_LENGTH = 60;

export function problemText(
  problem: RowProblem,
  t: Translate,
  maxValueLength = MAX_QUOTED_LENGTH,
): ProblemText {
  const values = valuesOf(problem, maxValueLength);
  const plain = t(`problem.short.${shortKey(problem)}`, values);
  const usual = problem.code === 'port-missing' ? problem.usual : undefined;
  const short = usual === undefined ? plain : withUsualPort(plain, usual, t);
  const help = helpKey(problem);
  return help === undefined ? { short } : { short, help: t(`problem.help.${help}`, values) };
}

export const withUsualPort = (short: string, usual: number | string, t: Translate): string =>
  t('problem.withUsual', { short, usual });

/** Address ranges with their own explanations. Other ranges are described as special. */
const EXPLAINED_RANGES = ['private', 'loopback', 'shared'] as const;

function shortKey(problem: RowProblem) {
  switch (problem.code) {
    case 'no-address':
      return 'server-missing';
    case 'name-too-long':
      return 'address-too-long';
    case 'not-public':
      return EXPLAINED_RANGES.find((range) => range === problem.range) ?? 'reserved';
    case 'reserved-name':
      return problem.zone === 'localhost' ? 'loopback' : problem.code;
    case 'port-not-a-number':
      return isUnclearPort(problem.port) ? 'unclear-port' : 'bad-port';
    case 'port-too-low':
    case 'port-too-high':
      return 'bad-port';
    case 'wrong-type':
      return `not-${problem.expected}` as const;
    default:
      return problem.code;
  }
}

function helpKey(problem: RowProblem) {
  switch (problem.code) {
    case 'server-missing':
    case 'single-label':
      return 'address';
    case 'not-an-address':
    case 'web-address':
    case 'unknown-scheme':
    case 'symbols':
      return 'host-and-port';
    case 'look-alikes':
      return problem.meant === undefined ? 'letters' : 'near';
    case 'script':
      return 'letters';
    case 'ipv6-brackets':
      return 'brackets';
    case 'ipv4-form':
      return 'ipv4';
    case 'not-public':
    case 'reserved-name':
      return 'public';
    case 'service-name':
      return 'service-name';
    case 'port-not-a-number':
      return isUnclearPort(problem.port) ? 'unclear-port' : undefined;
    case 'port-conflict':
      return 'one-port';
    case 'port-missing':
      if (problem.usual === undefined) return 'port';
      return problem.game === MINECRAFT ? 'srv' : undefined;
    case 'game-missing':
      return 'game';
    case 'game-not-allowed':
      return 'not-allowed';
    case 'host-blocked':
      return problem.canUnblock === true ? 'unblock' : 'blocked';
    default:
      return undefined;
  }
}

function valuesOf(problem: RowProblem, maxValueLength: number): Readonly<Record<string, unknown>> {
  const entries = Object.entries(problem).map(([name, value]) => [
    name,
    typeof value === 'string' ? escapeCode(value, maxValueLength) : value,
  ]);
  const example =
    problem.code === 'port-missing'
      ? escapeCode(formatAddress({ host: problem.host, port: EXAMPLE_PORT }), maxValueLength)
      : '';
  const near =
    problem.code === 'look-alikes' && problem.meant !== undefined
      ? `\`${escapeCode(problem.meant, maxValueLength)}\``
      : '';
  return { ...Object.fromEntries(entries), example, near, lowest: MIN_PORT, highest: MAX_PORT };
}

export const notReadyText = ({ short, help }: ProblemText, t: Translate): string =>
  sentences(t('addserver.notReady', { short }), help);

export const unsubmittedLineText = ({ short, help }: ProblemText, t: Translate): string =>
  sentences(t('addserver.toFix', { short }), help);

export const notUsedText = ({ short, help }: ProblemText, t: Translate): string =>
  sentences(t('addserver.notUsed', { short }), help);

export const submissionUnchangedText = ({ short, help }: ProblemText, t: Translate): string =>
  sentences(t('approval.unchanged', { short }), help);

/** Formats the problem for use after a server's address or in a file's cell. */
export const wholeText = ({ short, help }: ProblemText, t: Translate): string =>
  help === undefined ? short : t('problem.withHelp', { short, help });
