import { isIP } from 'node:net';
import { formatAddress, isLabel, unlabelled, withoutLabel } from '../addresses/address.ts';
import { addressesIn, type FoundAddress, isAboutOther } from '../addresses/addresses-in.ts';
import { hasWords, withoutEnds } from '../addresses/pasted-text.ts';
import { LONGEST_NAME } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { hasOwnPort, readCells } from './csv.ts';
import { type Field, fieldCalled } from './field-names.ts';
import { type NamedGame, namedGame, SEVERAL, trimmed } from './named-game.ts';
import { type NamedNumber, namedNumbers, withoutNumbers } from './named-numbers.ts';
import {
  gameOf,
  LOWEST_BARE_PORT,
  type RawRow,
  sanitised,
  sanitisedAddress,
  type TypedRow,
  unclearPort,
  withPort,
} from './row.ts';

/** The known games, and the default game for rows without a game. */
export interface GameReading extends GameIndex {
  /** The alias of the default game. */
  readonly defaultGame?: string | undefined;
}

interface FoundServer {
  readonly kind: 'server';
  readonly row: RawRow;
  /** The game named next to the server. */
  readonly beside?: NamedGame | undefined;
  /** The words next to the server, if they might be the name of an unknown game. */
  readonly words: string;
}

/** A line that contains ports but no server. */
interface Ports {
  readonly kind: 'ports';
  readonly numbers: readonly NamedNumber[];
}

/** A line without a server or a port. */
interface Words {
  readonly kind: 'words';
  readonly game: NamedGame | undefined;
  readonly isHeading: boolean;
}

type Part = FoundServer | Ports | Words;

export interface TextRows {
  readonly rows: readonly RawRow[];
  /** Whether the text names a game that the service doesn't list. */
  readonly namesNewGame: boolean;
}

const PORT_LIST =
  /["']?ports["']?\s{0,4}[:=]>?\s{0,4}[[(]?\s{0,4}(\d{1,5}(?:\s{0,4},\s{0,4}\d{1,5}){0,99})/iu;
/** Two or more additional ports after the first, as in `host:27015, 27016, 27017`. */
const MORE_PORTS = /^(?:\s{0,4}[,+&]\s{0,4}\d{4,5}(?![\d.:])){2,99}/u;
/** A number where a port would be. Doesn't match numbers in brackets, which are usually slots. */
const NUMBER_BEHIND = /^[\s`*_"'|,;:]{1,12}(?<port>[+?-]?\d[\p{L}\p{N}]{0,11})(?![.:\p{L}\p{N}])/u;

/** A number after an address that looks like a port, but might be something else, as in `8.8.8.8 [28015]`. */
const NUMBER_AROUND = /^[\s\p{P}\p{S}]{1,12}(?<port>\d{4,5})(?![\d.:\p{L}]|\s{1,4}\p{L})/u;

/** The beginning of a heading. The section below it might not be about game servers. */
const HEADING =
  /^\s*(?:#|\*\*|__|\[[^\]]{1,60}\]\s*$|["']?(?:name|title|hostname)["']?\s*[:=])|[:{[(]["'*_\s]*$/iu;
/** A key directly in front of its value, such as `database = ` or `"rcon": "`. */
const KEY =
  /(?<![\p{L}\p{M}\p{N}_.-])(?<key>[\p{L}\p{M}\p{N}_.-]{1,60})["'*_]{0,4}\s{0,4}(?:[:=]|=>)>?\s{0,4}["'*_`]{0,4}$/u;
/** Keys or tags of a file format. Words that contain any of them aren't a game's name. */
const FORMAT = /[:=<>"{}]|^\s*\p{L}+\d{1,3}\s*$/u;
/** A quoted CSV cell. Its quotes don't count as part of a file format. */
const QUOTED_CELL = /([,;|\t])\s{0,4}"([^"]*)"/gu;
/** The start or end of an object, for lines that contain several objects. */
const BOUNDARY = /[{}]|\/>|<\p{L}{1,40}\s/u;
/** The number or bullet of a list item. */
const ITEM = /^\s*(?:[-*•‣>]|\d{1,4}[.)])\s+/u;
const LINK_MARKUP = /\[url=|<a\b[^<>]{0,200}href=["']?/giu;
/** Maximum number of words in the name of an unknown game. */
const MOST_UNKNOWN_WORDS = 4;
/** Prefixes that are common in the host names of game servers. */
const USUAL_NAME = /^(?:play|mc|join|connect|game|server|srv|pvp)\d{0,3}\./iu;

/**
 * Creates a parser that finds servers in text, line by line. It collects the addresses first. After the last line, it adds
 * the games, and the ports from lines without an address.
 * @param source in a message, a host name without a port only counts as a server after a label, because most host names are
 * websites
 */
export function createTextParser(games: GameReading, source: 'list' | 'message') {
  const isMessage = source === 'message';
  const parts: Part[] = [];
  let hasServer = false;
  /** Whether the current section is about something else, such as voice servers. */
  let isOther = false;
  let lineAbove = '';

  function addServer(server: Omit<FoundServer, 'kind'>): void {
    parts.push({ kind: 'server', ...server });
    hasServer = true;
  }

  function readServers(text: string, line: number): boolean {
    const numbers = namedNumbers(text);
    const all = placedIn(text, numbers, games);
    // Text such as "play.example.com (8.8.8.8:27015)" describes one server, so most addresses without a port are ignored.
    const portedHosts = new Set(all.filter(hasPort).map(({ address }) => address?.host));
    const isIgnored = ({ address }: FoundAddress, index: number) =>
      portedHosts.size > 0 && (portedHosts.has(address?.host) || !isSeparate(all, index, text));
    const found = all.filter(
      (each, index) => hasPort(each) || (!isIgnored(each, index) && isServer(each, text)),
    );
    if (isOther) return false;
    for (const { targets, game, beside: around, isUnclear } of withWords(
      found,
      withoutNumbers(text, numbers),
    )) {
      const plain = around.map((part) => withoutLabel(part.replace(ITEM, '')));
      const words = plain.map(trimmed).filter(hasWords);
      const named = game === '' ? gameBeside(words, around.join(' '), games) : gameCalled(game, games);
      const beside = isUnclear && named && game === '' ? SEVERAL : named;
      const isName =
        !around.some((part) => FORMAT.test(part.replace(ITEM, '').replace(QUOTED_CELL, '$1$2'))) &&
        (named !== undefined || fieldCalled(words.join(' ')) === undefined);
      for (const typed of targets) {
        addServer({ row: { line, typed }, beside, words: isName ? words.join(' ') : '' });
      }
    }
    return found.length > 0;
  }

  function isServer(found: FoundAddress, text: string): boolean {
    if (found.isServer || (!isMessage && USUAL_NAME.test(found.text))) return true;
    const isAlone = !hasWords(text.slice(0, found.start)) && !hasWords(text.slice(found.end));
    return isAlone && isLabel(lineAbove);
  }

  const add = (row: RawRow, beside?: NamedGame): void => addServer({ row, beside, words: '' });

  function readMeant(text: string, line: number): boolean {
    const row = isOther ? undefined : readCells(cellsOfWords(text, games), line, games);
    if (row === undefined) return false;
    const { server, game } = row.typed;
    if ((game === '' && (isMessage || VERSION.test(server))) || isVariable(server)) return false;
    add(row);
    return true;
  }

  /** Reads a line with the ports of a server that is mentioned above or below it. */
  function readPorts(text: string): boolean {
    const numbers = isOther ? [] : namedNumbers(text).filter(({ field }) => field !== 'other');
    if (numbers.length === 0) return false;
    parts.push({ kind: 'ports', numbers });
    return hasServer;
  }

  function readWords(text: string): false {
    const game = namedGame(text, games);
    const isHeading = HEADING.test(text);
    if (isHeading) isOther = game === undefined && (isAboutOther(text) || isOtherField(text));
    parts.push({ kind: 'words', game, isHeading });
    return false;
  }

  return {
    /** @returns whether the line contains anything that belongs to a server */
    read(text: string, line: number): boolean {
      // The line is a comment in program code.
      if (/^\s*\/\//u.test(text)) return true;
      const isRead = readServers(text, line) || readPorts(text) || readMeant(text, line) || readWords(text);
      lineAbove = text;
      return isRead;
    },
    /** Reads a comment, which can only name the game of the lines below it. */
    readComment: (text: string): boolean => (/^\s*#/u.test(text) ? !readWords(text) : true),
    /** Adds a row that was read from named columns. */
    add,
    /** Returns all rows, in the order of the text. */
    rows: () => withGames(withPortsOfLines(parts), games, isMessage),
  };
}

const isOtherField = (words: string): boolean => fieldCalled(trimmed(words))?.field === 'other';

/**
 * First pass: gives the servers the ports on lines without an address. A server normally gets the ports below it. If there
 * are ports above the first server, the assignment is unambiguous only with one port and one server.
 */
function withPortsOfLines(parts: readonly Part[]): readonly (FoundServer | Words)[] {
  /** The ports above the first server, followed by those between the first and second server, and so on. */
  const between: NamedNumber[][] = [[]];
  for (const part of parts) {
    if (part.kind === 'server') between.push([]);
    else if (part.kind === 'ports') between.at(-1)?.push(...part.numbers);
  }
  const ports = new Set(
    between
      .flat()
      .filter(isOfPlayers)
      .map(({ text }) => text),
  );
  const isBelow = !between[0]?.some(isOfPlayers);
  const isOne = between.length === 2 && ports.size === 1;
  const lines = Map.groupBy(
    parts.filter((part) => part.kind === 'server'),
    ({ row }) => row.line,
  );
  let index = 0;
  return parts.flatMap((part) => {
    if (part.kind !== 'server') return part.kind === 'words' ? part : [];
    const above = between[index] ?? [];
    index += 1;
    const below = between[index] ?? [];
    const clear = isBelow || !lacksPort(part.row.typed) ? below : [...above, ...below];
    // Ports below a line with several servers might belong to any of them.
    const isAlone = lines.get(part.row.line)?.length === 1;
    const numbers = (isBelow || isOne) && isAlone ? clear : clear.map(unclear);
    return { ...part, row: { ...part.row, typed: withNumbers(part.row.typed, numbers) } };
  });
}

const lacksPort = ({ server, port }: TypedRow): boolean => port === '' && !hasOwnPort(server);

const isOfPlayers = ({ field }: NamedNumber): boolean => field === 'port' || field === 'gamePort';

const unclear = (number: NamedNumber): NamedNumber => ({ ...number, field: 'unclearPort' });

/** Adds labelled ports to a server's typed text. */
function withNumbers(typed: TypedRow, numbers: readonly NamedNumber[]): TypedRow {
  if (numbers.length === 0) return typed;
  const called = (field: Field) => numbers.filter((number) => number.field === field).map(({ text }) => text);
  const queryPort = typed.queryPort || (called('queryPort').find((text) => Number(text) > 0) ?? '');
  const whole = { ...typed, queryPort };
  const [ofGame] = called('gamePort');
  if (ofGame !== undefined) return withPort(whole, ofGame, true);
  const [port, ...others] = new Set(called('port'));
  if (port !== undefined && (others.length === 0 || !lacksPort(typed))) return withPort(whole, port);
  const doubtful = port ?? called('unclearPort')[0];
  return doubtful === undefined || !lacksPort(typed) ? whole : { ...whole, port: unclearPort(doubtful) };
}

/** Second pass: assigns a game to each server. */
function withGames(
  parts: readonly (FoundServer | Words)[],
  games: GameReading,
  isMessage: boolean,
): TextRows {
  const servers: (FoundServer & { readonly gameAbove: NamedGame | undefined })[] = [];
  // Collects the games from all lines without a server.
  const [first, ...others] = parts.flatMap((part) => (part.kind === 'words' ? (part.game ?? []) : []));
  const isOfAll = first?.kind === 'named' && others.every((other) => isSame(first, other));
  const documentGame = isOfAll ? first : undefined;
  let gameAbove: NamedGame | undefined;
  let isGameBelow = false;
  let hasUnnamed = false;
  for (const part of parts) {
    if (part.kind === 'server') {
      servers.push({ ...part, gameAbove });
      hasUnnamed ||= part.beside === undefined;
      continue;
    }
    const { game, isHeading } = part;
    // A heading without a known game might name another game, so the game above it no longer applies.
    const isOver =
      game === undefined && isHeading && gameAbove !== undefined && servers.at(-1)?.gameAbove === gameAbove;
    // If there is no game before the first server, each game may be named below its servers.
    isGameBelow ||= game !== undefined && gameAbove === undefined && hasUnnamed;
    gameAbove = isOver || isGameBelow ? SEVERAL : (game ?? gameAbove);
  }

  let namesNewGame = false;
  const rows = servers.map(({ row, beside, gameAbove, words }) => {
    const { typed } = row;
    if (hasWords(typed.game) || row.problem?.code === 'not-an-object') return row;
    const isName = isMessage || words === '' || words.split(/\s+/u).length > MOST_UNKNOWN_WORDS;
    const known = beside ?? gameAbove ?? documentGame;
    const named = known ?? (isName ? undefined : { kind: 'unknown' as const, name: words });
    namesNewGame ||= named?.kind === 'unknown';
    const { defaultGame } = games;
    const game = defaultGame === undefined ? named : orDefault(beside, gameAbove, defaultGame);
    const near = game?.kind === 'doubtful' ? game.alias : undefined;
    return { ...row, typed: { ...typed, game: sanitised(gameName(game)) }, near };
  });
  return { rows, namesNewGame };
}

/** Returns the default game, unless the text names a different game for the server. */
function orDefault(
  beside: NamedGame | undefined,
  gameAbove: NamedGame | undefined,
  alias: string,
): NamedGame {
  if (beside?.kind === 'named' || beside?.kind === 'unknown' || beside?.kind === 'several') return beside;
  if (beside && beside.alias !== alias) return beside.kind === 'doubtful' ? beside : SEVERAL;
  return isSure(gameAbove) && gameAbove.alias !== alias ? SEVERAL : { kind: 'named', alias };
}

/** Splits a line of words into cells: an address, possibly a port, and a game in front of them or after them. */
function cellsOfWords(line: string, games: GameIndex): readonly string[] {
  const words = unlabelled(line.replace(ITEM, '')).split(/\s+/u).filter(hasWords);
  const inFront = gameOf(trimmed(words.slice(0, -1).join(' ')), games);
  if (inFront !== undefined) return [inFront, words.at(-1) ?? ''];
  const [first = '', ...behind] = words;
  const port = /^\d+$/u.test(behind[0] ?? '') ? (behind.shift() ?? '') : '';
  const game = trimmed(behind.join(' '));
  return [first, port, gameOf(game, games) ?? game];
}

/** A number such as `1.20.4` on its own is a version. */
const VERSION = /^\d+(?:\.\d+){0,2}$/u;

/** Whether the text is the name of a console variable such as `server.ip` or `rcon.port`. No host name ends like this. */
function isVariable(text: string): boolean {
  const last = /\.(?<last>ip|\w{0,12}port)$/iu.exec(text)?.groups?.last;
  return last !== undefined && fieldCalled(last) !== undefined;
}

/** An address with its ports and its position in the text. */
interface PlacedAddress extends FoundAddress {
  /** One row for each of the host's ports. */
  readonly targets: readonly TypedRow[];
  /** The position where the ports end. */
  readonly behind: number;
}

const hasPort = ({ targets }: PlacedAddress): boolean =>
  targets.some(({ server, port }) => (port !== '' && !port.startsWith('?')) || /:\d+$/u.test(server));

/**
 * Whether an address without a port belongs to a different server than the addresses next to it: it's in another object, or
 * it's an item in a list of IP addresses.
 */
function isSeparate(all: readonly PlacedAddress[], index: number, text: string): boolean {
  return [index, index + 1].every((next) => {
    const [one, other] = [all[next - 1], all[next]];
    if (one === undefined || other === undefined) return true;
    const between = text.slice(one.behind, other.start);
    const areItems = isIP(one.address?.host ?? '') > 0 && isIP(other.address?.host ?? '') > 0;
    return /[{}]|\/>/u.test(between) || (areItems && /[,;&]/u.test(between) && !hasWords(between));
  });
}

/** Finds the addresses in a line and assigns ports to each. */
function placedIn(text: string, numbers: readonly NamedNumber[], games: GameIndex): readonly PlacedAddress[] {
  const plain = withoutNumbers(text, numbers);
  const found = addressesIn(text).filter(({ start, text: address }, index, all) => {
    if (isVariable(address)) return false;
    const before = text.slice(all[index - 1]?.end ?? 0, start).slice(-80);
    const key = /[:=]/u.test(before) ? KEY.exec(before)?.groups?.key : undefined;
    return key === undefined || fieldCalled(key)?.field !== 'other';
  });
  const own = numbersByAddress(text, found, numbers);
  return found.map((each, index) => {
    const previous = found[index - 1]?.end ?? 0;
    const next = found[index + 1]?.start;
    return withPorts(each, { text, plain, previous, next }, own[index] ?? [], games);
  });
}

/** Assigns each number in a line to the address in front of it or, if that's in a different object, to the next address. */
function numbersByAddress(
  text: string,
  found: readonly FoundAddress[],
  numbers: readonly NamedNumber[],
): readonly (readonly NamedNumber[])[] {
  const isFirst = (number: NamedNumber) => isOfPlayers(number) && number.start < (found[0]?.start ?? 0);
  const areTogether = !BOUNDARY.test(text.slice(found[0]?.end, found.at(-1)?.start));
  // A port in front of several addresses might belong to all of them.
  if (found.length > 1 && areTogether && numbers.some(isFirst)) return found.map(() => numbers.map(unclear));

  const owned = found.map((): NamedNumber[] => []);
  for (const number of numbers) {
    const next = found.findIndex(({ start }) => start >= number.end);
    const previous = next < 0 ? found.length - 1 : next - 1;
    const isBeside = (from = 0, to = 0) => !BOUNDARY.test(text.slice(from, to));
    const isOfPrevious = previous >= 0 && isBeside(found[previous]?.end, number.start);
    const isOfNext = next >= 0 && isBeside(number.end, found[next]?.start);
    const isClear = isOfPrevious || isOfNext;
    owned[isOfPrevious || next < 0 ? previous : next]?.push(isClear ? number : unclear(number));
  }
  return owned;
}

interface Line {
  readonly text: string;
  /** The text with the labelled ports blanked out. */
  readonly plain: string;
  /** The position where the previous address ends. */
  readonly previous: number;
  /** The position where the next address begins. */
  readonly next: number | undefined;
}

/** @param numbers the numbers that belong to this address */
function withPorts(
  found: FoundAddress,
  { text, plain, previous, next }: Line,
  numbers: readonly NamedNumber[],
  games: GameIndex,
): PlacedAddress {
  const { address } = found;
  const isBare = address !== undefined && address.port === undefined;
  const server = address ? formatAddress(address) : sanitisedAddress(found.text);
  const bare: TypedRow = { server, port: '', queryPort: '', game: '' };
  const after = text.slice(found.end, next);

  const list = isBare ? PORT_LIST.exec(after) : MORE_PORTS.exec(after);
  if (list) {
    const typed = withNumbers(
      bare,
      numbers.filter(({ field }) => field === 'queryPort'),
    );
    const ports = new Set((list[1] ?? list[0]).match(/\d{1,5}/gu));
    const host = address && { ...typed, server: formatAddress({ host: address.host }) };
    const others = host ? [...ports].map((port) => withPort(host, port)) : [];
    return {
      ...found,
      targets: isBare ? others : [typed, ...others],
      behind: found.end + list.index + list[0].length,
    };
  }

  const called = numbers.map((number) => (isNear(found, number, text) ? number : unclear(number)));
  // A number directly after an address is its port, even if the line contains other ports.
  const direct = called.find((number) => isPlain(number) && textBetween(found, number, text) === '');
  const own = called.filter((number) => number === direct || !isPlain(number) || (isBare && !direct));
  const typed = withNumbers(bare, own);
  const isKnown = typed.port !== '' || !isBare || typed.server !== server;
  const behind = plain.slice(found.end, next);
  const port = isKnown && isBare ? undefined : portBehind(behind, isBare, games);
  const [around = '', unsure = ''] = isKnown || port ? [] : (NUMBER_AROUND.exec(behind) ?? []);
  if (Number(unsure) >= LOWEST_BARE_PORT) {
    const targets = [{ ...typed, port: unclearPort(unsure) }];
    return { ...found, targets, behind: found.end + around.length };
  }
  const number = port?.groups?.port ?? '';
  const isOfColumn =
    Number(number) < LOWEST_BARE_PORT && isNamed(plain, { start: found.start, previous }, games);
  return {
    ...found,
    targets: [port ? withPort(typed, isOfColumn ? unclearPort(number) : number) : typed],
    behind: found.end + (port?.[0].length ?? 0),
  };
}

/** Whether the words in front of an address aren't a label or a game, as in a list of names, addresses and players. */
function isNamed(
  plain: string,
  { start, previous }: Pick<FoundAddress, 'start'> & Pick<Line, 'previous'>,
  games: GameIndex,
): boolean {
  // A game's name can contain dots, so a part of it can look like the previous address.
  const [words = '', name = ''] = [previous, Math.max(0, start - LONGEST_NAME)].map((from) =>
    trimmed(withoutLabel(plain.slice(from, start).replace(ITEM, ''))),
  );
  return /\p{L}/u.test(words) && gameOf(words, games) === undefined && gameOf(name, games) === undefined;
}

const isPlain = ({ field }: NamedNumber): boolean => field === 'port' || field === 'unclearPort';

/** Words that can come between a port and its host, as in "open port 25565 on play.example.com". */
const NEAR = /^(?:on|at|of|for|auf|bei|von|sur|en|em|su|na|op|på|ip|host|address|server)?$/iu;

/** Whether a number belongs to an address. A bare host name might be a website, so a number must be next to it to count. */
const isNear = (found: FoundAddress, number: NamedNumber, text: string): boolean =>
  found.isServer || found.address?.port !== undefined || NEAR.test(textBetween(found, number, text));

function textBetween({ start, end }: FoundAddress, number: NamedNumber, text: string): string {
  const between = number.start < start ? text.slice(number.end, start) : text.slice(end, number.start);
  return withoutEnds(between, { start: /[^\p{L}\p{N}]/u, end: /[^\p{L}\p{N}]/u });
}

/** Finds a port without a label after an address. Ignores a number that begins a game's name, as in "7 Days to Die". */
function portBehind(after: string, isBare: boolean, games: GameIndex): RegExpExecArray | undefined {
  const number = NUMBER_BEHIND.exec(after);
  if (number === null || gameOf(trimmed(after), games) !== undefined) return undefined;
  const [all, text = ''] = number;
  const rest = trimmed(after.slice(all.length));
  const isLarge = /^\d+$/u.test(text) && Number(text) >= LOWEST_BARE_PORT;
  const isGameOrNothing = !hasWords(rest) || gameOf(rest, games) !== undefined;
  const isPort = isGameOrNothing ? isBare || isLarge : isBare && isLarge;
  return isPort ? number : undefined;
}

/**
 * Pairs each address in a line with the words in front of it, or with the words after it if the line begins with an
 * address. If there are words only between addresses, it's unclear which address they belong to.
 */
function withWords(found: readonly PlacedAddress[], text: string) {
  const [first, second] = found;
  const inFront = text.slice(0, first?.start).replace(ITEM, '').replace(LINK_MARKUP, '');
  const between = text.slice(first?.behind, second?.start).replace(LINK_MARKUP, '');
  const isNext = /[:=(][^\p{L}\p{N}]{0,5}$/u.test(between);
  const isFirst = found.length > 1 && !isNext && !hasWords(withoutLabel(inFront));
  const isUnclear = isFirst && !hasWords(text.slice(found.at(-1)?.behind));
  return found.map((each, index) => {
    const before = text.slice(found[index - 1]?.behind ?? 0, each.start);
    const after = text.slice(each.behind, found[index + 1]?.start);
    const isLast = index === found.length - 1;
    const beside = isFirst ? [after, isUnclear ? before : ''] : [before, isLast ? after : ''];
    return { ...each, beside, isUnclear };
  });
}

/**
 * @param words the words next to an address, split into parts
 * @param text the same words, unsplit and unchanged
 */
function gameBeside(words: readonly string[], text: string, games: GameIndex): NamedGame | undefined {
  const whole = new Set([...words, words.join(' ')].flatMap((part) => gameOf(part, games) ?? []));
  const [alias] = whole;
  if (alias === undefined) return namedGame(text, games);
  return whole.size === 1 ? { kind: 'named', alias } : SEVERAL;
}

function gameCalled(name: string, games: GameIndex): NamedGame {
  const alias = gameOf(name, games);
  return alias === undefined ? { kind: 'unknown', name } : { kind: 'named', alias };
}

const isSame = (one: NamedGame, other: NamedGame): boolean =>
  isSure(one) && isSure(other) && one.alias === other.alias;

const isSure = (named: NamedGame | undefined): named is NamedGame & { readonly alias: string } =>
  named?.kind === 'named' || named?.kind === 'mentioned';

/** Returns the game as text for the game field, or '' if the member has to choose one. */
function gameName(named: NamedGame | undefined): string {
  if (isSure(named)) return named.alias;
  return named?.kind === 'unknown' ? named.name : '';
}
