import { isIP } from 'node:net';
import {
  endsInAddressLabel,
  formatAddress,
  parseAddress,
  unlabelled,
  withoutAddressLabel,
} from '../addresses/address.ts';
import { addressesIn, type FoundAddress } from '../addresses/addresses-in.ts';
import { beforePasswords, hasWords, withoutEnds } from '../addresses/pasted-text.ts';
import { MAX_GAME_NAME_LENGTH } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { lacksPort, readCells } from './csv.ts';
import { type Field, fieldCalled, GAME_FIELDS } from './field-names.ts';
import {
  type AddressPurpose,
  isHostOfOther,
  isJoined,
  isSetting,
  purposeOf,
  shapeOfLine,
  textsAround,
} from './list-shape.ts';
import { type NamedGame, namedGame, SEVERAL, trimmed } from './named-game.ts';
import { type NamedNumber, namedNumbers, withoutNumbers } from './named-numbers.ts';
import {
  EMPTY_ROW,
  gameOf,
  MAX_WORDS_BESIDE_LENGTH,
  MIN_BARE_PORT,
  type RawRow,
  sanitised,
  sanitisedAddress,
  type TypedRow,
  unclearPort,
  withPort,
} from './row.ts';

export interface GameReading extends GameIndex {
  readonly defaultGame?: string | undefined;
}

/** A link to something else or an email address, or a name that isn't valid. */
type Stray = 'link' | 'name';

interface FoundServer {
  readonly kind: 'server';
  readonly row: RawRow;
  readonly beside?: NamedGame | undefined;
  /** The words next to the server, if they might be the name of an unknown game. */
  readonly words: string;
  /** The name of the field that the address is the value of, or ''. */
  readonly label: string;
  /** What the line consists of, if it may not have been meant as a game server. See {@link withoutStrays}. */
  readonly stray?: Stray | undefined;
}

interface Ports {
  readonly kind: 'ports';
  readonly numbers: readonly NamedNumber[];
}

/**
 * An address that the text describes as something else than a game server. `unclear`: only the section's heading does, so the
 * address is offered.
 */
interface Aside {
  readonly kind: 'aside';
  readonly purpose: AddressPurpose | 'unclear';
  readonly row: RawRow;
}

interface Words {
  readonly kind: 'words';
  readonly game: NamedGame | undefined;
  readonly isHeading: boolean;
  /** The name of the record's field that names the game, or ''. */
  readonly label: string;
  /** Whether a field names the game, even outside records. */
  readonly isGameField: boolean;
}

type Part = FoundServer | Ports | Words | Aside;

export interface TextRows {
  readonly rows: readonly RawRow[];
  /** The numbers of lines whose only addresses aren't game servers. */
  readonly leftOut: readonly number[];
  readonly namesUnknownGame: boolean;
}

export interface PastedLine {
  readonly number: number;
  /** The line as it was pasted, with passwords. It only shows what kind of text the line is. */
  readonly raw: string;
  /** See `linesLikeServers`. */
  readonly isLikeServers: boolean;
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
  /^\s*(?:>\s{0,3}){0,3}(?:#|\*\*|__|\[[^\]]{1,60}\]\s*$|["']?(?:name|title|hostname)["']?\s*[:=])|[:{[(]["'*_\s]*$/iu;
/** Keys or tags of a file format, or a tag in brackets. Words that contain any of them aren't a game's name. */
const FORMAT = /[:=<>"{}[\]]|^\s*\p{L}+\d{1,3}\s*$/u;
/** The start or end of an object, for lines that contain several objects. */
const BOUNDARY = /[{}]|<\p{L}{1,40}\s/u;
/** The end of an object that another object or value follows. The object's game and ports aren't those of the next one. */
const OBJECT_END = /\}\s{0,9}(?:,|(?=[[({]))|[\])]\s{0,9},(?=\s{0,9}[[({])|\/>/u;
/** The name of a field at the end of a text, in front of the field's value. */
const FIELD_IN_FRONT =
  /(?<![\p{L}\p{N}_ -])[ -]*(?<name>[\p{L}_][\p{L}\p{N}_ -]{0,30})["'`]?\s{0,4}(?:=>|[:=])[\s"'`([]{0,6}$/u;
/** A field with a value, rather than the name of the objects below. */
const FIELD =
  /^\W{0,10}(?<name>[\p{L}_][\p{L}\p{N}_ -]{0,30})["'`]?\s{0,4}(?:=>|[:=])\s{0,4}(?![[({]\s*$)\S/u;
/** Quotes, equals signs, bullets and indentation, which fields of records have, but usually not a heading such as `Game: Rust`. */
const RECORD = /["`=]|(?<!\p{L})'|'(?!\p{L})|^(?:\s{2}|\t|\s*-\s)/u;
const ITEM = /^\s*(?:[-*•‣>]|\d{1,4}[.)])\s+/u;
const LINK_MARKUP = /\[url=/giu;
const LINK_OR_HOST = /:\/\/|[\p{L}\p{N}-]\.\p{L}{2}/u;
const MAX_UNKNOWN_GAME_WORDS = 4;
const MAX_HEADING_WORDS = 6;
const MAX_GAME_OF_PORT_LENGTH = 30;
/** A remark in brackets, such as a version. */
const IN_BRACKETS = /\([^()]*\)/g;
const USUAL_HOST_PREFIX = /^(?:play|mc)\d{0,3}\./iu;

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
  /** Whether the last server has no port yet, so that a line below might have it. */
  let lacksPortAbove = false;
  /** Whether the current section is about something else, such as voice servers. */
  let isOther = false;
  /** Whether that section has contained a link or a host, so that its next address might be something else again. */
  let hasValue = false;
  let lineAbove = '';
  /** The last line without an address or a port. */
  let heading = '';
  let gameOfHeading: NamedGame | undefined;
  /** The addresses in a configuration might be anything. */
  let isConfiguration = false;
  /** The servers that a link or a command joins, unless it's in a log. */
  const joined = new Set<string>();

  function addServer(server: Omit<FoundServer, 'kind'>): void {
    parts.push({ kind: 'server', ...server });
    hasServer = true;
    lacksPortAbove = lacksPort(server.row.typed);
  }

  /**
   * @param isOffer whether to read host names without a port or label, which are offered if the line or the heading directly
   * above names their game
   */
  function readServers(text: string, line: PastedLine, isOffer = false): boolean {
    const numbers = namedNumbers(text);
    const placed = placedIn(text, numbers, games);
    if (placed.length > 0) isOther &&= !isSure(namedAround(text, placed, games));
    const fronts = placed.map((each, index) => text.slice(placed[index - 1]?.behind ?? 0, each.start));
    const purposes = placed.map((each, index) => {
      const front = fronts[index] ?? '';
      const purpose = purposeOf(front, text.slice(each.end, placed[index + 1]?.start));
      const isServerIn = !isHostOfOther(each.text) && (!isOther || isJoined(each, text));
      if (purpose !== 'server' || isServerIn) return purpose;
      const isValue = !hasValue && isAddressField(front);
      return isOther && !isValue && isPublicWithPort(each) && !isHostOfOther(each.text) ? 'unclear' : 'other';
    });
    const words = wordsAround(line.raw);
    const isRead = !isOffer && addAsides(text, line, placed, purposes, words);
    const all = placed.filter((_, index) => purposes[index] === 'server');
    // Text such as "play.example.com (8.8.8.8:27015)" describes one server, so most addresses without a port are ignored.
    const portedHosts = new Set(all.filter(hasPort).map(({ address }) => address?.host));
    const isIgnored = ({ address }: FoundAddress, index: number) =>
      portedHosts.size > 0 && (portedHosts.has(address?.host) || !isSeparate(all, index, text));
    const areAll = !isMessage && isListOfAddresses(text, placed);
    const found = all.filter(
      (each, index) =>
        isOffer ||
        hasPort(each) ||
        areAll ||
        (!isIgnored(each, index) && (line.isLikeServers || isServer(each, text))),
    );
    if (found.length === 0) return isRead;
    const plain = withoutNumbers(text, numbers);
    const servers = withWords(found, plain, placed, games).map((each) => ({ ...each, ...namesIn(each) }));
    const namesGame = servers.some(({ beside }) => isSure(beside));
    const shape = shapeOfLine(
      { raw: line.raw, text: plain, addresses: placed, servers, heading, namesGame },
      games,
    );
    const around = textsAround(plain, placed).join('').replaceAll(IN_BRACKETS, '');
    const isBelowGame = isSure(gameOfHeading) && lineAbove === heading && !hasWords(around);
    if (isOffer && (shape !== 'list' || !servers.every(({ beside }) => isBelowGame || isSure(beside))))
      return false;
    // The next port belongs to the server above.
    if (isOffer && lacksPortAbove) {
      for (const each of servers) {
        const game = isSure(each.beside) ? each.beside : gameOfHeading;
        addAside('unclear', each, line, words, isSure(game) ? game.alias : undefined);
      }
      return true;
    }
    const label = FIELD_IN_FRONT.exec(text.slice(0, found[0]?.start))?.groups?.name ?? '';
    for (const { targets, beside, name, ...address } of servers) {
      const isDoubtful = isOffer || (shape === 'list' && mayBeCut(address, text, placed));
      for (const typed of targets) {
        if (shape !== 'people' && isJoined(address, plain)) joined.add(typed.server);
        const row = {
          line: line.number,
          typed,
          shape: isDoubtful ? 'unsure' : shape,
          findWords: () => words(typed.server),
        };
        addServer({ row, beside, words: name, label });
      }
    }
    // A host name without a port might be another server if the words in front of it name another game.
    const known = new Set(
      servers.map(({ beside }) => (beside && 'alias' in beside ? beside.alias : undefined)),
    );
    const used = new Set(found);
    for (const [index, each] of placed.entries()) {
      if (purposes[index] !== 'server' || used.has(each)) continue;
      const front = fronts[index] ?? '';
      const game = sureOf(namedGame(front, games), front);
      if (isSure(game) && !known.has(game.alias)) addAside('unclear', each, line, words, game.alias);
    }
    return true;
  }

  function addAsides(
    text: string,
    line: PastedLine,
    placed: readonly PlacedAddress[],
    purposes: readonly Aside['purpose'][],
    words: (server: string) => string,
  ): boolean {
    const asides = placed.flatMap((each, index) => {
      const purpose = purposes[index] ?? 'server';
      return purpose !== 'server' && (hasPort(each) || isServer(each, text)) ? { purpose, each } : [];
    });
    for (const { purpose, each } of asides) addAside(purpose, each, line, words);
    return asides.length > 0;
  }

  function addAside(
    purpose: Aside['purpose'],
    { targets }: PlacedAddress,
    { number }: PastedLine,
    words: (server: string) => string,
    gameInText?: string,
  ): void {
    for (const typed of targets) {
      const findWords = () => words(typed.server);
      const row: RawRow = { line: number, typed, shape: 'unsure', gameInText, findWords };
      parts.push({ kind: 'aside', purpose, row });
    }
  }

  function namesIn({ game, beside: around, isUnclear }: ReturnType<typeof withWords>[number]) {
    const plain = around.map((part) => withoutAddressLabel(part.replace(ITEM, '')));
    const words = plain.map(trimmed).filter(hasWords);
    const nextTo = around.join(' ');
    const named = game === '' ? sureOf(gameBeside(words, nextTo, games), nextTo) : gameCalled(game, games);
    const beside = isUnclear && named && game === '' ? SEVERAL : named;
    const isName =
      !around.some((part) => FORMAT.test(part)) &&
      (named !== undefined || fieldCalled(words.join(' ')) === undefined);
    return { beside, name: isName ? words.join(' ') : '' };
  }

  function isServer(found: FoundAddress, text: string): boolean {
    if (found.isServer || (!isMessage && USUAL_HOST_PREFIX.test(found.text))) return true;
    const front = text.slice(0, found.start);
    const back = text.slice(found.end);
    if (!hasWords(front) && !hasWords(back) && endsInAddressLabel(lineAbove)) return true;
    // In a list of servers of one game, a host name doesn't need a label.
    return !isMessage && isSure(gameOfHeading) && front.length <= MAX_GAME_NAME_LENGTH && !hasWords(back);
  }

  const add = (row: RawRow, beside?: NamedGame, stray?: Stray): void =>
    addServer({ row, beside, words: '', label: '', stray });

  function readMeant(text: string, { number, raw }: PastedLine): boolean {
    const row = isOther ? undefined : readCells(cellsOfWords(text, games), number, games);
    if (row === undefined) return false;
    const { server, game } = row.typed;
    if ((game === '' && (isMessage || VERSION.test(server))) || isVariable(server)) return false;
    add(row, undefined, game === '' ? strayOf(server, raw) : undefined);
    return true;
  }

  /** Reads the ports of a server that is mentioned above or below the line. */
  function readPorts(text: string): boolean {
    const numbers = isOther ? [] : namedNumbers(text).filter(({ field }) => field !== 'other');
    if (numbers.length === 0) return false;
    lacksPortAbove = false;
    parts.push({
      kind: 'ports',
      numbers: numbers.map((each, index) => ({ ...each, game: gameOfPort(text, numbers, index) })),
    });
    return hasServer;
  }

  /** Finds the game or edition that the label of a port names, as in "Bedrock port: 19132". */
  function gameOfPort(text: string, numbers: readonly NamedNumber[], index: number): string | undefined {
    const { start = 0, end = 0 } = numbers[index] ?? {};
    const from = Math.max(numbers[index - 1]?.end ?? 0, start - MAX_GAME_OF_PORT_LENGTH);
    const words = text.slice(from, end).match(/[\p{L}\p{N}]{1,40}/gu) ?? [];
    const names = words.flatMap((word, at) => [word, `${word} ${words[at + 1] ?? ''}`.trim()]);
    return names.flatMap((name) => gameOf(name, games) ?? [])[0];
  }

  /** @returns whether the words certainly name a game */
  function readWords(text: string, raw = text): boolean {
    const isHeading = HEADING.test(text);
    const named = namedGame(text, games);
    const game = isHeading ? named : sureOf(named, text);
    const isLinkOrHost = LINK_OR_HOST.test(text);
    // A field with a link or a host is not a heading.
    if (isHeading) isOther = game === undefined && !isLinkOrHost && isFieldOfOther(text);
    else if (game?.kind === 'named') isOther = false;
    hasValue = isOther && !isHeading && (hasValue || isLinkOrHost);
    if (isHeading || game !== undefined) gameOfHeading = game;
    heading = text;
    isConfiguration ||= isSetting(text);
    const name = (game && FIELD.exec(text)?.groups?.name) ?? '';
    const isGameField = GAME_FIELDS.has(fieldCalled(name)?.field);
    parts.push({ kind: 'words', game, isHeading, label: RECORD.test(raw) ? name : '', isGameField });
    return isSure(game);
  }

  return {
    /**
     * @param text the line without passwords
     * @returns whether the line contains anything that belongs to a server
     */
    read(text: string, line: PastedLine): boolean {
      // The line is a comment in program code.
      if (/^\s*\/\//u.test(text)) return true;
      const isRead =
        readServers(text, line) ||
        readPorts(text) ||
        readMeant(text, line) ||
        readServers(text, line, true) ||
        readWords(text, line.raw);
      lineAbove = text;
      return isRead;
    },
    /** Reads a comment, which can only name the game of the lines below it. */
    readComment(text: string): void {
      if (/^\s*#/u.test(text)) readWords(text);
    },
    add,
    /** Returns the unclear addresses last. */
    rows(): TextRows {
      const { parts: servers, leftOut } = withQueryPorts(withPortsOfLines(withoutStrays(parts), games));
      const read = withGames(withRecordEnds(servers), games, isMessage);
      const rows = read.rows.map((row) => {
        if (joined.has(row.typed.server)) return { ...row, shape: 'list' as const };
        return isConfiguration && row.shape === 'list' ? { ...row, shape: 'unsure' as const } : row;
      });
      const offered = parts.flatMap((part) =>
        part.kind === 'aside' && part.purpose === 'unclear' ? part.row : [],
      );
      return { ...read, rows: [...rows, ...offered], leftOut };
    },
  };
}

/** Doubts a game that a sentence mentions, because the sentence might be about another one. */
const sureOf = (game: NamedGame | undefined, text: string): NamedGame | undefined =>
  game?.kind === 'mentioned' && trimmed(text).split(/\s+/u).length > MAX_HEADING_WORDS
    ? { kind: 'doubtful', alias: game.alias }
    : game;

const isFieldOfOther = (heading: string): boolean => fieldCalled(trimmed(heading))?.field === 'other';

/** Whether the text in front of an address only says that it's an address, as in `IP: `. */
function isAddressField(front: string): boolean {
  const ends = /[^\p{L}\p{N}]/u;
  const called = fieldCalled(withoutEnds(front, { start: ends, end: ends }));
  return called?.field === 'server' && called.rank < 2;
}

function namedAround(
  text: string,
  addresses: readonly PlacedAddress[],
  games: GameIndex,
): NamedGame | undefined {
  const words = textsAround(text, addresses).join(' ');
  return sureOf(namedGame(words, games), words);
}

const EMAIL = /^\s*(?:mailto:)?[^\s@:/]{1,64}@[^\s@:/]{1,253}$/iu;

function strayOf(server: string, raw: string): Stray | undefined {
  if (EMAIL.test(raw.trimEnd())) return 'link';
  const parsed = parseAddress(server);
  if (parsed.ok) return undefined;
  const { code } = parsed.problem;
  if (code === 'unknown-scheme' || code === 'web-address') return 'link';
  return code === 'bad-name' ? 'name' : undefined;
}

/** Sets strays aside if the text has a server. A name next to a server's line is more likely to be a mistyped address. */
function withoutStrays(parts: readonly Part[]): readonly Part[] {
  const isServer = (part: Part | undefined) => part?.kind === 'server' && part.stray === undefined;
  if (!parts.some(isServer)) return parts;
  return parts.map((part, index) => {
    if (part.kind !== 'server' || part.stray === undefined) return part;
    const isMistyped = part.stray === 'name' && [index - 1, index + 1].some((at) => isServer(parts[at]));
    return isMistyped ? part : { kind: 'aside', purpose: 'other', row: part.row };
  });
}

/**
 * First pass: gives the servers the ports on lines without an address. A server normally gets the ports below it. If there
 * are ports above the first server, the assignment is unambiguous only with one port and one server.
 */
function withPortsOfLines(
  parts: readonly Part[],
  games: GameReading,
): readonly (FoundServer | Words | Aside)[] {
  /** The ports above the first server, followed by those between the first and second server, and so on. */
  const between: NamedNumber[][] = [[]];
  for (const part of parts) {
    if (isOwner(part)) between.push([]);
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
  return parts.flatMap((part): readonly (FoundServer | Words | Aside)[] => {
    if (part.kind === 'ports') return [];
    if (isOwner(part) && part.kind === 'aside') index += 1;
    if (part.kind !== 'server') return [part];
    const above = between[index] ?? [];
    index += 1;
    const below = between[index] ?? [];
    const clear = isBelow || !lacksPort(part.row.typed) ? below : [...above, ...below];
    // Ports below a line with several servers might belong to any of them.
    const isAlone = lines.get(part.row.line)?.length === 1;
    const numbers = (isBelow || isOne) && isAlone ? clear : clear.map(unclear);
    return withPortsOfGames(part, numbers, games);
  });
}

const isOwner = (part: Part): boolean =>
  part.kind === 'server' || (part.kind === 'aside' && part.purpose === 'other' && lacksPort(part.row.typed));

/**
 * Gives a server the ports on lines of their own. A port that names another game, such as `Bedrock Port: 19132`, belongs to
 * another server on the same host.
 */
function withPortsOfGames(
  part: FoundServer,
  numbers: readonly NamedNumber[],
  { defaultGame }: GameReading,
): readonly FoundServer[] {
  const game = isSure(part.beside) ? part.beside.alias : undefined;
  const others = new Map<string, string>();
  for (const number of numbers) {
    const isOther = number.game !== undefined && number.game !== game && number.field !== 'queryPort';
    if (isOther && number.game !== undefined) others.set(number.game, number.text);
  }
  const own = numbers.filter((number) => number.game === undefined || !others.has(number.game));
  const server = { ...part, row: { ...part.row, typed: withNumbers(part.row.typed, own) } };
  const parsed = parseAddress(part.row.typed.server);
  if (others.size === 0 || !parsed.ok) return [server];
  const { host } = parsed.address;
  const found = [...others].map(([alias, port]): FoundServer => {
    const typed = { ...EMPTY_ROW, server: formatAddress({ host }), port };
    return { ...part, row: { ...part.row, typed }, beside: { kind: 'named', alias } };
  });
  const isCovered = game === undefined && (defaultGame === undefined || others.has(defaultGame));
  return isCovered && lacksPort(server.row.typed) ? found : [server, ...found];
}

/** Gives servers the ports of query addresses on the same host. */
function withQueryPorts(parts: readonly (FoundServer | Words | Aside)[]): {
  readonly parts: readonly (FoundServer | Words)[];
  readonly leftOut: readonly number[];
} {
  const ports = new Map<Part, string>();
  const used = new Set<Part>();
  const placeOf = ({ server, port }: TypedRow) => {
    const parsed = parseAddress(server);
    return parsed.ok ? { host: parsed.address.host, port: String(parsed.address.port ?? port) } : undefined;
  };
  const withoutQueryPort = Map.groupBy(
    parts.filter((part) => part.kind === 'server' && part.row.typed.queryPort === ''),
    (part) => (part.kind === 'server' ? placeOf(part.row.typed)?.host : undefined),
  );
  for (const part of parts) {
    const query = part.kind === 'aside' && part.purpose === 'query' ? placeOf(part.row.typed) : undefined;
    const server = query && query.port !== '' ? withoutQueryPort.get(query.host)?.shift() : undefined;
    if (server === undefined || query === undefined) continue;
    ports.set(server, query.port);
    used.add(part);
  }
  const servers = parts.flatMap((part) => {
    if (part.kind !== 'server') return part.kind === 'words' ? part : [];
    const queryPort = ports.get(part) ?? part.row.typed.queryPort;
    return { ...part, row: { ...part.row, typed: { ...part.row.typed, queryPort } } };
  });
  const lines = new Set(servers.flatMap((part) => (part.kind === 'server' ? part.row.line : [])));
  const asides = parts.flatMap((part) =>
    part.kind === 'aside' && part.purpose !== 'unclear' && !used.has(part) ? part.row.line : [],
  );
  return { parts: servers, leftOut: [...new Set(asides)].filter((line) => !lines.has(line)) };
}

/** Returns a function that finds the words around an address in a line, without passwords. */
function wordsAround(raw: string): (server: string) => string {
  let known: ReadonlyMap<string, string> | undefined;
  function find(): ReadonlyMap<string, string> {
    const line = beforePasswords(raw.trim());
    const found = addressesIn(line);
    return new Map(
      found.map(({ start, end, address }, index) => {
        const front = line.slice(found[index - 1]?.end ?? 0, start).slice(-2 * MAX_WORDS_BESIDE_LENGTH);
        const behind = line.slice(end, found[index + 1]?.start).slice(0, 2 * MAX_WORDS_BESIDE_LENGTH);
        const words = withoutEnds(`${front} ${behind}`.replace(/[\s"'`*|]+/gu, ' '), WORDS_ENDS);
        return [address?.host ?? '', sanitised(words, MAX_WORDS_BESIDE_LENGTH)];
      }),
    );
  }
  return (server) => {
    known ??= find();
    const parsed = parseAddress(server);
    return (parsed.ok && known.get(parsed.address.host)) || '';
  };
}

const WORDS_ENDS = { start: /[^\p{L}\p{N}[(]/u, end: /[^\p{L}\p{N})\]!]/u };

const isOfPlayers = ({ field }: NamedNumber): boolean => field === 'port' || field === 'gamePort';

const unclear = (number: NamedNumber): NamedNumber => ({ ...number, field: 'unclearPort' });

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

const RECORD_END: Words = { kind: 'words', game: SEVERAL, isHeading: false, label: '', isGameField: false };

/** Ends a record where its fields begin again. The game in a record's field isn't the game of the next record. */
function withRecordEnds(parts: readonly (FoundServer | Words)[]): readonly (FoundServer | Words)[] {
  const labels = new Set<string>();
  let isGameOfRecord = false;
  return parts.flatMap((part) => {
    const { label } = part;
    const isNext = labels.has(label);
    if (isNext) labels.clear();
    if (label !== '') labels.add(label);
    if (part.kind === 'words' && part.game) isGameOfRecord = label !== '';
    return part.kind === 'server' && isNext && isGameOfRecord ? [RECORD_END, part] : [part];
  });
}

function withGames(
  parts: readonly (FoundServer | Words)[],
  games: GameReading,
  isMessage: boolean,
): Omit<TextRows, 'leftOut'> {
  const servers: (FoundServer & { readonly gameAbove: NamedGame | undefined })[] = [];
  const [first, ...others] = parts.flatMap((part) => (part.kind === 'words' ? (part.game ?? []) : []));
  const isOfAll = first?.kind === 'named' && others.every((other) => isSame(first, other));
  const documentGame = isOfAll ? first : undefined;
  let gameAbove: NamedGame | undefined;
  let isGameBelow = false;
  let hasUnnamed = false;
  // If fields name the games, a server without a game doesn't have the default game.
  const hasGames = parts.some((part) => part.kind === 'words' && part.isGameField);
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
    // Without a game before the first server, each game may be named below its servers.
    isGameBelow ||= game !== undefined && gameAbove === undefined && hasUnnamed;
    gameAbove = isOver || isGameBelow ? SEVERAL : (game ?? gameAbove);
  }

  let namesUnknownGame = false;
  const rows = servers.map(({ row, beside, gameAbove, words }) => {
    const { typed } = row;
    if (hasWords(typed.game) || row.problem?.code === 'not-an-object')
      return { ...row, gameInText: gameOf(typed.game, games) ?? typed.game };
    const isName = isMessage || words === '' || words.split(/\s+/u).length > MAX_UNKNOWN_GAME_WORDS;
    const known = beside ?? gameAbove ?? documentGame;
    const named = known ?? (isName ? undefined : { kind: 'unknown' as const, name: words });
    namesUnknownGame ||= named?.kind === 'unknown';
    const { defaultGame } = games;
    const isOfText = defaultGame === undefined || (hasGames && !isSure(gameAbove));
    const game = isOfText ? named : orDefault(beside, gameAbove, defaultGame);
    const near = game?.kind === 'doubtful' ? game.alias : undefined;
    const gameInText = isSure(known) ? known.alias : undefined;
    return { ...row, typed: { ...typed, game: sanitised(gameName(game)) }, near, gameInText };
  });
  return { rows, namesUnknownGame };
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

const VERSION = /^\d+(?:\.\d+){0,2}$/u;

/** Whether the text is the name of a console variable such as `server.ip` or `rcon.port`. Host names don't end like this. */
function isVariable(text: string): boolean {
  const last = /\.(?<last>ip|\w{0,12}port)$/iu.exec(text)?.groups?.last;
  return last !== undefined && fieldCalled(last) !== undefined;
}

interface PlacedAddress extends FoundAddress {
  /** One row per port of the host. */
  readonly targets: readonly TypedRow[];
  readonly behind: number;
}

const isPublicWithPort = (each: PlacedAddress): boolean => each.address !== undefined && hasPort(each);

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
    // A short word such as "or" separates two servers.
    const isWord = /^[\s*`_"']{1,6}\p{L}{1,4}[\s*`_"']{1,6}$/u.test(between);
    return isWord || /[{}]|\/>/u.test(between) || (areItems && /[,;&]/u.test(between) && !hasWords(between));
  });
}

/** Whether a space might have split a host name at the beginning of a line, as in `play.exam ple.com:25565`. */
function mayBeCut(found: FoundAddress, text: string, placed: readonly PlacedAddress[]): boolean {
  const front = placed.find(({ end }) => end === found.start - 1 && text[end] === ' ');
  const part = front?.address?.host;
  const host = found.address?.host ?? '';
  if (front === undefined || part === undefined || hasPort(front)) return false;
  if (isIP(part) > 0 || isIP(host) > 0) return false;
  return !host.endsWith(`.${part}`) && !hasWords(text.slice(0, front.start).replace(ITEM, ''));
}

/** Whether a line consists of at least three addresses, so that each is a server of its own. */
const isListOfAddresses = (text: string, all: readonly PlacedAddress[]): boolean =>
  all.length > 2 && textsAround(text, all).every((each) => /^[\s,;]*$/u.test(each));

function placedIn(text: string, numbers: readonly NamedNumber[], games: GameIndex): readonly PlacedAddress[] {
  const plain = withoutNumbers(text, numbers);
  const found = addressesIn(text).filter(({ text: address }) => !isVariable(address));
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
  readonly plain: string;
  readonly previous: number;
  readonly next: number | undefined;
}

function withPorts(
  found: FoundAddress,
  { text, plain, previous, next }: Line,
  numbersOfAddress: readonly NamedNumber[],
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
      numbersOfAddress.filter(({ field }) => field === 'queryPort'),
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

  const called = numbersOfAddress.map((number) => (isNear(found, number, text) ? number : unclear(number)));
  // A number directly after an address is its port, even if the line contains other ports.
  const direct = called.find((number) => isPlain(number) && textBetween(found, number, text) === '');
  const own = called.filter((number) => number === direct || !isPlain(number) || (isBare && !direct));
  const typed = withNumbers(bare, own);
  const isKnown = typed.port !== '' || !isBare || typed.server !== server;
  const behind = plain.slice(found.end, next);
  const port = isKnown && isBare ? undefined : portBehind(behind, isBare, games);
  const [around = '', unsure = ''] = isKnown || port ? [] : (NUMBER_AROUND.exec(behind) ?? []);
  if (Number(unsure) >= MIN_BARE_PORT) {
    const targets = [{ ...typed, port: unclearPort(unsure) }];
    return { ...found, targets, behind: found.end + around.length };
  }
  const number = port?.groups?.port ?? '';
  const isOfColumn =
    Number(number) < MIN_BARE_PORT && isNamed(plain, { start: found.start, previous }, games);
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
  const [words = '', name = ''] = [previous, Math.max(0, start - MAX_GAME_NAME_LENGTH)].map((from) =>
    trimmed(withoutAddressLabel(plain.slice(from, start).replace(ITEM, ''))),
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

/** Finds a port without a label after an address. A small number might begin a game's name, as in "7 Days to Die". */
function portBehind(after: string, isBare: boolean, games: GameIndex): RegExpExecArray | undefined {
  const number = NUMBER_BEHIND.exec(after);
  if (number === null) return undefined;
  const [all, text = ''] = number;
  const rest = trimmed(after.slice(all.length));
  const isLarge = /^\d+$/u.test(text) && Number(text) >= MIN_BARE_PORT;
  const isGameOrNothing = !hasWords(rest) || gameOf(rest, games) !== undefined;
  const isPort = isGameOrNothing ? isBare || isLarge : isBare && isLarge;
  return isPort ? number : undefined;
}

/**
 * Pairs each address in a line with the words in front of it, or with the words after it if the line begins with an
 * address. If there are words only between addresses, it's unclear which address they belong to. Words in an object belong to
 * the address in that object. Words in front of an address that isn't a server belong to it if the words behind it name a game
 * of their own. A game in brackets behind an address belongs to that address.
 */
function withWords(
  found: readonly PlacedAddress[],
  text: string,
  placed: readonly PlacedAddress[],
  games: GameIndex,
) {
  const [first, second] = found;
  const inFront = text.slice(0, first?.start).replace(ITEM, '').replace(LINK_MARKUP, '');
  const between = text.slice(first?.behind, second?.start).replace(LINK_MARKUP, '');
  const isNext = /[:=(][^\p{L}\p{N}]{0,5}$/u.test(between);
  const areObjects = OBJECT_END.test(text.slice(first?.behind, found.at(-1)?.start));
  const isFirst = found.length > 1 && !areObjects && !isNext && !hasWords(withoutAddressLabel(inFront));
  const ends = new Map(placed.map((each, index) => [each, placed[index - 1]?.behind]));
  const gamesBehind = found.map(({ behind }) => bracketBehind(text.slice(behind), games));
  const isAnyBehind = gamesBehind.some((game) => game !== undefined);
  const areBehind = found.length > 1 && isAnyBehind && !isSure(namedGame(inFront, games));
  const isUnclear = isFirst && !hasWords(text.slice(found.at(-1)?.behind));
  return found.map((each, index) => {
    const wordsFrom = (from = 0) => text.slice(from, each.start).split(OBJECT_END).at(-1) ?? '';
    const whole = wordsFrom(found[index - 1]?.behind);
    const nearest = wordsFrom(ends.get(each));
    const before = nearest !== whole && namedGame(nearest, games) !== undefined ? nearest : whole;
    const [after = ''] = text.slice(each.behind, found[index + 1]?.start).split(OBJECT_END, 1);
    const isLast = index === found.length - 1;
    if (areBehind)
      return { ...each, beside: [gamesBehind[index] ?? (isLast ? after : '')], isUnclear: false };
    if (areObjects) return { ...each, beside: [before, after.split('{', 1).join()], isUnclear };
    const beside = isFirst ? [after, isUnclear ? before : ''] : [before, isLast ? after : ''];
    return { ...each, beside, isUnclear };
  });
}

/** Returns the game in brackets directly behind an address, as in `8.8.8.8:28015 (Rust)`. */
function bracketBehind(text: string, games: GameIndex): string | undefined {
  const inside = /^[\s"'`*_]{0,6}[([](?<inside>[^()[\]]{1,60})[)\]]/u.exec(text)?.groups?.inside ?? '';
  return gameOf(trimmed(inside), games) === undefined ? undefined : inside;
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
