import {
  type Address,
  type AddressProblem,
  formatAddress,
  isGameLink,
  MAX_ADDRESS_TEXT,
  parseAddress,
} from '../addresses/address.ts';
import { plainText, withoutEnds, withoutPasswordWords } from '../addresses/pasted-text.ts';
import { parsePort } from '../addresses/port.ts';
import { readList, withRepeats } from './read-list.ts';
import { EMPTY_ROW, type Games, type Row, typedOf } from './row.ts';

interface FoundAddresses {
  /** In the order of the text, each once; without a port only where the text makes clear that it is a server. */
  readonly found: readonly Address[];
  /** Meant as addresses, but not of the internet, or with an impossible port; each once. */
  readonly refused: readonly AddressProblem[];
}

/** What stands between addresses in running text and markup. Brackets are not in it: IPv6 needs them. */
const BETWEEN = /[\s,;|<>(){}"'`*~=]+/u;
/** What an address neither begins nor ends with. */
const MARKS_AROUND = { start: /[^\p{L}\p{N}[:]/u, end: /[^\p{L}\p{N}\]]/u };
/** Custom emoji, mentions and timestamps of Discord. */
const DISCORD_MARKUP = /<(?:a?:\w+:|[@#][!&]?|t:)[\d:tTdDfFRs]+>/gu;

/**
 * The servers in a message: first the lines that name a game, as a list has them, then every other address, which lacks
 * its game, then what was meant as an address and cannot be one. See {@link findAddresses}.
 */
export function rowsOfMessage(text: string, games: Games): readonly Row[] {
  const listed = rowsWithGame(text, games);
  const inLists = new Set(listed.map((row) => normalized(typedOf(row).server)));
  const { found, refused } = findAddresses(text);
  const withoutGame = found.map(formatAddress).filter((address) => !inLists.has(address));
  const rows: readonly Row[] = [
    ...listed,
    ...withoutGame.map((address) => rowOf(address, { code: 'game-missing' })),
    ...refused.map((problem) => rowOf('host' in problem ? problem.host : '', problem)),
  ];
  return withRepeats(rows.map((row, index) => ({ ...row, line: index + 1 })));
}

/** The lines that a list could have, where they name a game that is known. */
function rowsWithGame(text: string, games: Games): readonly Row[] {
  const list = readList(text.replace(DISCORD_MARKUP, ' '), games);
  if (list.kind !== 'rows') return [];
  return list.rows.filter((row) => {
    if (row.kind === 'refused') return row.problem.code === 'port-missing';
    return row.kind === 'ready';
  });
}

const rowOf = (text: string, problem: AddressProblem | { readonly code: 'game-missing' }): Row => ({
  kind: 'refused',
  line: 0,
  problem,
  typed: { ...EMPTY_ROW, server: text },
});

function normalized(server: string): string {
  const parsed = parseAddress(server);
  return parsed.ok ? formatAddress(parsed.address) : server;
}

/**
 * The server addresses in the text of a message, its embeds and code blocks: `1.2.3.4:27015`, `[v6]:port`,
 * `play.example.com:25565`, `steam://connect/…`, `minecraft://…`, `connect …`, `1.2.3.4 Port: 27015`. A name
 * without a port is none unless a game's link or `connect` says so: most of them are web sites. Passwords are
 * dropped. Takes time linear in the length of the text.
 */
function findAddresses(text: string): FoundAddresses {
  const words = withoutPasswordWords(plainText(text).replace(DISCORD_MARKUP, ' '))
    .split(BETWEEN)
    .filter(Boolean);
  const found: Address[] = [];
  const refused: AddressProblem[] = [];
  for (const [index, word] of words.entries()) {
    if (word.length > MAX_ADDRESS_TEXT || !/[.:]/u.test(word)) continue;
    const isGame = isGameLink(word);
    if (!isGame && /:\/\/|@/u.test(word)) continue;
    const result = parseAddress(isGame ? word : withoutEnds(word, MARKS_AROUND));
    if (!result.ok) {
      if (isMeant(result.problem)) refused.push(result.problem);
      continue;
    }
    const isServer = isGame || isNumeric(result.address.host) || isConnect(words[index - 1]);
    const address = withPortAfter(result.address, words.slice(index + 1, index + 3));
    if (address.port !== undefined || isServer) found.push(address);
  }
  return { found: folded(found), refused: once(refused, (problem) => JSON.stringify(problem)) };
}

const isNumeric = (host: string) => host.includes(':') || /^[\d.]+$/u.test(host);
const isConnect = (word: string | undefined) => /^[+/]?connect$/iu.test(word ?? '');
/** `a::b` is an unassigned IPv6 address, but more often a piece of a program. */
const isMeant = (problem: AddressProblem) =>
  problem.code === 'not-public'
    ? problem.range !== 'reserved' && problem.host !== '::'
    : problem.code.startsWith('port-');

/** The port of `1.2.3.4 27015` and `play.example.com Port: 27015`. */
function withPortAfter(address: Address, [next = '', afterNext = '']: readonly string[]): Address {
  if (address.port !== undefined) return address;
  const labelled = /^port:?$/iu.test(next) ? afterNext : /^port:(\d+)$/iu.exec(next)?.[1];
  const written = labelled ?? (isNumeric(address.host) ? next : '');
  const port = parsePort(withoutEnds(written.replace(/^:/u, ''), { end: /[.!?]/u }));
  return port.ok ? { ...address, port: port.port } : address;
}

/** Each address once; one without a port not at all when the same host comes with one. */
function folded(addresses: readonly Address[]): Address[] {
  const withPort = new Set(addresses.filter(({ port }) => port !== undefined).map(({ host }) => host));
  return once(
    addresses.filter(({ host, port }) => port !== undefined || !withPort.has(host)),
    formatAddress,
  );
}

function once<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
