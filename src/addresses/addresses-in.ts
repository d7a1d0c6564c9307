import {
  type Address,
  type AddressProblem,
  endsInAddressLabel,
  gameOfLink,
  MAX_ADDRESS_TEXT_LENGTH,
  parseAddress,
} from './address.ts';
import { withoutEnds } from './pasted-text.ts';

export interface FoundAddress {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Absent if the text can't be a game server's address. */
  readonly address?: Address;
  /** The game that the link launches; '' if the address isn't a game link or several games use its scheme. */
  readonly game: string;
  /**
   * Whether this is certainly a server: a game link, an IP address or a labelled name. Unlabelled names might be websites.
   */
  readonly isServer: boolean;
}

const WORD = /[^\s,;|<>(){}"'`*~=?]+/gu;
/**
 * Characters that can't be the first or last character of an address. Expects `plainText`, which removes symbols
 * outside names.
 */
const MARKS_AROUND = { start: /[$+^]|[^\p{L}\p{N}\p{S}[:]/u, end: /[$+^]|[^\p{L}\p{N}\p{S}\]]/u };
/** A label directly followed by its address, such as `IP:8.8.8.8:27015`. IPv6 never has a dot before its second colon. */
const LABEL_IN_WORD = /^[^.:[\]]{0,100}:(?=\[|[^:]{0,300}\.)/u;
/** Square brackets around a host with a port, or around words with one. Those of IPv6 have no dot before the second colon. */
const BRACKET = /\[(?=[\p{L}\p{N}-]{1,63}\.[\p{L}\p{N}.-]{1,253}:\d)|(?<=\.[\p{L}\p{N}-]{1,63}:\d{1,6})\]/gu;
/** A tag such as `[b]`, `[color=red]` or `[EU]`, which can be directly next to an address, unlike the `[dot]` in a name. */
const TAG = /(?<![\p{L}\p{N}])\[\p{L}{1,20}(?:=["'#]?[\p{L}\p{N}]{1,20}["']?)?\]|\[\/\p{L}{1,20}\]/gu;
/** The label in front of a version number, which can look like an IPv4 address. */
const VERSION_LABEL =
  /(?:ver[sz]\p{L}{1,5}|wersja|верс[иі]я|sürüm|バージョン|버전|版本|เวอร์ชัน|phiên bản|build|patch|update|client|(?<![a-z])v(?:er)?)[^\p{L}\p{N}]{0,8}$/iu;
const HOST = /^[\p{L}\p{N}.-]{1,253}\.[a-z]{2,20}$/iu;

/** As in `play .example.com`. Sentences have more words. */
const LABEL_IN_FRONT = /^\s{0,20}(?<label>\p{L}[\p{L}\p{N}-]{0,62}(?: {1,3}\.|\. {1,3}))$/u;

/** Removes links and host names, because the words in them are rarely meaningful. */
export const withoutHosts = (words: string): string =>
  words
    .split(/\s+/u)
    .filter((word) => !word.includes('://') && !HOST.test(word))
    .join(' ');

/**
 * Finds the addresses in a line of text, such as `1.2.3.4:27015`, `[v6]:port`, `play.example.com:25565` or
 * `steam://connect/…`, and returns them in order. Expects plain text without passwords.
 */
export function addressesIn(line: string): readonly FoundAddress[] {
  const found: FoundAddress[] = [];
  let previousEnd = 0;
  const text = line.replace(BRACKET, ' ').replace(TAG, (tag) => ' '.repeat(tag.length));
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (word.length > MAX_ADDRESS_TEXT_LENGTH || !/[.:]/u.test(word)) continue;
    const game = gameOfLink(word);
    if (game === undefined && /:\/\/|@/u.test(word)) continue;
    const typed = game === undefined ? withoutEnds(word, MARKS_AROUND).replace(LABEL_IN_WORD, '') : word;
    const result = parseAddress(typed);
    if (!result.ok && !isMeant(result.problem, typed)) continue;
    const start = index + word.lastIndexOf(typed);
    const end = start + typed.length;
    const before = line.slice(previousEnd, start);
    previousEnd = end;
    const isName = /\.\p{L}/u.test(typed);
    const label = isName ? LABEL_IN_FRONT.exec(line.slice(0, start))?.groups?.label : undefined;
    if (label !== undefined) {
      // Without its first label, the name would be another server's.
      const whole = { start: start - label.length, end };
      found.push({ ...whole, text: line.slice(whole.start, end), game: '', isServer: true });
      continue;
    }
    const address = result.ok ? result.address : undefined;
    const isNumber = /^[\d.]+$|:/u.test(address?.host ?? '');
    const isVersion = isNumber && address?.port === undefined && VERSION_LABEL.test(before);
    if (isVersion) continue;
    const isServer = game !== undefined || isNumber || endsInAddressLabel(before);
    found.push({ start, end, text: typed, game: game ?? '', isServer, ...(address && { address }) });
  }
  return found;
}

/**
 * Whether text that isn't a public address was probably meant as one. Program code such as `a::b` and versions such as
 * `1.20.4` weren't.
 */
function isMeant(problem: AddressProblem, text: string): boolean {
  switch (problem.code) {
    case 'not-public':
      return problem.range !== 'reserved' && problem.host !== '::';
    case 'reserved-name':
      return /:\d/u.test(text);
    case 'ipv4-form':
      return /x/u.test(problem.host);
    default:
      return problem.code.startsWith('port-');
  }
}
