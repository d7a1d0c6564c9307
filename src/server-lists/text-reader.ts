import { formatAddress, isLabel, unlabelled, withoutLabel } from '../addresses/address.ts';
import { addressesIn, type FoundAddress, isAboutOther } from '../addresses/addresses-in.ts';
import { hasWords } from '../addresses/pasted-text.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { readCells } from './csv.ts';
import { type NamedGame, namedGame, SEVERAL, trimmed } from './named-game.ts';
import {
  EMPTY_ROW,
  gameOf,
  LOWEST_BARE_PORT,
  type RawRow,
  shown,
  shownAddress,
  type TypedRow,
  withPort,
} from './row.ts';

/** How the games in a text are understood. */
export interface GameReading extends GameIndex {
  /** The alias for rows that name no game. */
  readonly defaultGame?: string | undefined;
}

/** What the text has of a server. */
interface Found {
  readonly row: RawRow;
  /** What the words beside it name. */
  readonly beside?: NamedGame | undefined;
  /** These words; none where it was read by its columns. */
  readonly words: string;
  /** Each puts the ports of a line below in. */
  readonly below: ((typed: TypedRow) => TypedRow)[];
}

/** A line without a server. */
interface Words {
  readonly game: NamedGame | undefined;
  readonly isHeading: boolean;
}

export interface TextRows {
  readonly rows: readonly RawRow[];
  /** Whether the text names a game that is not known. */
  readonly namesNewGame: boolean;
}

const PORT_WORD = '(?:port|porta|puerto|porto|poort|порт|cổng|พอร์ต|ポート|포트|端口|通訊埠|連接埠|埠)';
/** A port behind an address, or in a line of its own below; not that of the next object or tag. `ofGame`: beside one for queries. */
const NAMED_PORT = new RegExp(
  `^[^\\p{L}\\p{N}{<]{0,20}(?:server[ _-]?)?(?<ofGame>game[ _-]?)?${PORT_WORD}[^\\p{L}\\p{N}]{0,12}(?<port>\\d{1,6})(?!\\d)`,
  'iu',
);
const QUERY_PORT = new RegExp(
  `(?<![\\p{L}\\p{N}])query(?:[ _-]?${PORT_WORD})?["']?[^\\p{L}\\p{N}]{1,8}(\\d{1,6})(?!\\d)`,
  'iu',
);
const PORT_LIST =
  /["']?ports["']?\s{0,4}[:=]>?\s{0,4}[[(]?\s{0,4}(\d{1,5}(?:\s{0,4},\s{0,4}\d{1,5}){0,99})/iu;
/** Two ports or more behind the first: `host:27015, 27016, 27017`. */
const MORE_PORTS = /^(?:\s{0,4}[,+&]\s{0,4}\d{4,5}(?![\d.:])){2,99}/u;
/** What stands where a port does. A number in brackets is one of slots. */
const NUMBER_BEHIND = /^[\s`*_"'|,;:]{1,12}(?<port>[+?-]?\d[\p{L}\p{N}]{0,11})(?![.:\p{L}\p{N}])/u;

/** What begins a part of a text that is about something else than the part before. */
const HEADING = /^\s*(?:#|\*\*|__|["']?(?:name|title|hostname)["']?\s*[:=])|[:{[(]["'*_\s]*$/iu;
/** The number or sign of an item of a list. */
const ITEM = /^\s*(?:[-*•‣>]|\d{1,4}[.)])\s+/u;
/** What stands before a link in markup. */
const LINK_MARKUP = /\[url=|<a\b[^<>]{0,200}href=["']?/giu;
/** Words that are a name at most, and may be a game that is not known. */
const MOST_UNKNOWN_WORDS = 4;
/** How names of game servers often begin. */
const USUAL_NAME = /^(?:play|mc|join|connect|game|server|srv|pvp)\d{0,3}\./iu;

/**
 * Reads the servers of a text line by line: their addresses first, and in the end their games.
 * @param source in a message a name without a port is no server unless the text says so: most of them are web sites
 */
export function createTextReader(games: GameReading, source: 'list' | 'message') {
  const isMessage = source === 'message';
  const parts: (Found | Words)[] = [];
  let last: Found | undefined;
  /** A port stood above the first server: whose the ports further down are is not guessed. */
  let arePortsAbove = false;
  /** The lines are about voice servers or the like. */
  let isOther = false;
  let lineAbove = '';

  function put(found: Omit<Found, 'below'>): void {
    last = { ...found, below: [] };
    parts.push(last);
  }

  function readServers(text: string, line: number): boolean {
    const all = addressesIn(text).map((found, index, { [index + 1]: next }) =>
      withPorts(found, text.slice(found.end, next?.start), games),
    );
    // "play.example.com (8.8.8.8:27015)" is one server.
    const isPortNamed = all.some(hasPort);
    const found = all.filter((each) => hasPort(each) || (!isPortNamed && isServer(each, text)));
    if (isOther) return false;
    for (const { targets, game, beside: around, isUnclear } of withWords(found, text)) {
      const words = around
        .map((part) => trimmed(withoutLabel(part.replace(ITEM, '').replace(QUERY_PORT, ' '))))
        .filter(hasWords);
      const named = game === '' ? gameBeside(words, around.join(' '), games) : gameCalled(game, games);
      const beside = isUnclear && named && game === '' ? SEVERAL : named;
      for (const typed of targets) put({ row: { line, typed }, beside, words: words.join(' ') });
    }
    return found.length > 0;
  }

  function isServer(found: FoundAddress, text: string): boolean {
    if (found.isServer || (!isMessage && USUAL_NAME.test(found.text))) return true;
    const isAlone = !hasWords(text.slice(0, found.start)) && !hasWords(text.slice(found.end));
    return isAlone && isLabel(lineAbove);
  }

  const add = (row: RawRow, beside?: NamedGame) => put({ row, beside, words: '' });

  function readMeant(text: string, line: number): boolean {
    const row = isOther ? undefined : readCells(cellsOfWords(text, games), line, games);
    if (row === undefined) return false;
    const { server, game } = row.typed;
    if (game === '' && (isMessage || VERSION.test(server))) return false;
    add(row);
    return true;
  }

  /** Reads a line with the ports of the server above it. */
  function readPorts(text: string): boolean {
    const { ofGame, port = '' } = NAMED_PORT.exec(text)?.groups ?? {};
    const queryPort = QUERY_PORT.exec(text)?.[1] ?? '';
    if (port + queryPort === '') return false;
    arePortsAbove ||= last === undefined;
    if (arePortsAbove) return false;
    last?.below.push((typed) => {
      const whole = { ...typed, queryPort: typed.queryPort || queryPort };
      return port === '' ? whole : withPort(whole, port, ofGame !== undefined);
    });
    return true;
  }

  function readWords(text: string): false {
    const game = namedGame(text, games);
    const isHeading = HEADING.test(text);
    if (isHeading) isOther = game === undefined && isAboutOther(text);
    parts.push({ game, isHeading });
    return false;
  }

  return {
    /** @returns whether something of the line belongs to a server */
    read(text: string, line: number): boolean {
      // A comment of a program.
      if (/^\s*\/\//u.test(text)) return true;
      const isRead = readServers(text, line) || readPorts(text) || readMeant(text, line) || readWords(text);
      lineAbove = text;
      return isRead;
    },
    /** A comment says at most which game comes below. */
    readComment: (text: string): boolean => (/^\s*#/u.test(text) ? !readWords(text) : true),
    /** Puts a row that was read by its columns behind those that were read so far. */
    add,
    /** All rows, in the order of the text. */
    rows: () => withGames(parts, games, isMessage),
  };
}

/** The second time that a text is gone through: each server gets its game. */
function withGames(parts: readonly (Found | Words)[], games: GameReading, isMessage: boolean): TextRows {
  const servers: (Found & { readonly gameAbove: NamedGame | undefined })[] = [];
  // What all lines without a server name.
  const [first, ...others] = parts.flatMap((part) => ('row' in part ? [] : (part.game ?? [])));
  const isOfAll = first?.kind === 'named' && others.every((other) => isSame(first, other));
  const documentGame = isOfAll ? first : undefined;
  let gameAbove: NamedGame | undefined;
  let isGameBelow = false;
  let hasUnnamed = false;
  for (const part of parts) {
    if ('row' in part) {
      servers.push({ ...part, gameAbove });
      hasUnnamed ||= part.beside === undefined;
      continue;
    }
    const { game, isHeading } = part;
    // A heading without a known game may be the name of another.
    const isOver =
      game === undefined && isHeading && gameAbove !== undefined && servers.at(-1)?.gameAbove === gameAbove;
    // If the first server has no game above it, each game may stand below its server.
    isGameBelow ||= game !== undefined && gameAbove === undefined && hasUnnamed;
    gameAbove = isOver || isGameBelow ? SEVERAL : (game ?? gameAbove);
  }

  let namesNewGame = false;
  const rows = servers.map(({ row, beside, gameAbove, words, below }) => {
    const typed = below.reduce((so, put) => put(so), row.typed);
    if (hasWords(typed.game) || row.typed === EMPTY_ROW) return { ...row, typed };
    const isName = isMessage || words === '' || words.split(/\s+/u).length > MOST_UNKNOWN_WORDS;
    const known = beside ?? gameAbove ?? documentGame;
    const named = known ?? (isName ? undefined : { kind: 'unknown' as const, name: words });
    namesNewGame ||= named?.kind === 'unknown';
    const { defaultGame } = games;
    const game = defaultGame === undefined ? named : orDefault(beside, gameAbove, defaultGame);
    const near = game?.kind === 'doubtful' ? game.alias : undefined;
    return { ...row, typed: { ...typed, game: shown(gameName(game)) }, near };
  });
  return { rows, namesNewGame };
}

/** The game for all lines, unless the text says that a server is one of another game. */
function orDefault(
  beside: NamedGame | undefined,
  gameAbove: NamedGame | undefined,
  alias: string,
): NamedGame {
  if (beside?.kind === 'named' || beside?.kind === 'unknown' || beside?.kind === 'several') return beside;
  if (beside && beside.alias !== alias) return beside.kind === 'doubtful' ? beside : SEVERAL;
  return isSure(gameAbove) && gameAbove.alias !== alias ? SEVERAL : { kind: 'named', alias };
}

/** The words of a line as cells: an address, perhaps a port, and a game behind them or in front. */
function cellsOfWords(line: string, games: GameIndex): readonly string[] {
  const words = unlabelled(line.replace(ITEM, '')).split(/\s+/u).filter(hasWords);
  const inFront = gameOf(trimmed(words.slice(0, -1).join(' ')), games);
  if (inFront !== undefined) return [inFront, words.at(-1) ?? ''];
  const [first = '', ...behind] = words;
  const port = /^\d+$/u.test(behind[0] ?? '') ? (behind.shift() ?? '') : '';
  const game = trimmed(behind.join(' '));
  return [first, port, gameOf(game, games) ?? game];
}

/** `1.20.4` by itself is a version. */
const VERSION = /^\d+(?:\.\d+){0,2}$/u;

/** An address with what stands behind it. */
interface PlacedAddress extends FoundAddress {
  /** The same host with each of its ports. */
  readonly targets: readonly TypedRow[];
  /** Where the ports end. */
  readonly behind: number;
}

const hasPort = ({ targets }: PlacedAddress): boolean =>
  targets.some(({ server, port }) => port !== '' || /:\d+$/u.test(server));

/** @param after what stands behind the address, up to the next one */
function withPorts(found: FoundAddress, after: string, games: GameIndex): PlacedAddress {
  const { address } = found;
  const queryPort = QUERY_PORT.exec(after)?.[1] ?? '';
  const isBare = address !== undefined && address.port === undefined;
  const server = address ? formatAddress(address) : shownAddress(found.text);
  const typed = { server, port: '', queryPort, game: '' };

  const list = isBare ? PORT_LIST.exec(after) : MORE_PORTS.exec(after);
  if (list) {
    const ports = new Set((list[1] ?? list[0]).match(/\d{1,5}/gu));
    const bare = address && { ...typed, server: formatAddress({ host: address.host }) };
    const others = bare ? [...ports].map((port) => withPort(bare, port)) : [];
    return {
      ...found,
      targets: isBare ? others : [typed, ...others],
      behind: found.end + list.index + list[0].length,
    };
  }
  const port = (isBare ? NAMED_PORT.exec(after) : null) ?? portBehind(after, isBare, games);
  const targets = [port ? withPort(typed, port.groups?.port ?? '') : typed];
  return { ...found, targets, behind: found.end + (port?.[0].length ?? 0) };
}

/** A port behind an address that nothing calls so: a number that is not the beginning of a game's name (7 Days to Die). */
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
 * The addresses of a line with the words that belong to each: those before it, or behind it where the line begins with one.
 * Where words stand only between addresses, nobody knows.
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

/** @param words those beside an address in parts, and as they stand in the text */
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

/** A game as a row has it typed; '' where the member is to say which. */
function gameName(named: NamedGame | undefined): string {
  if (isSure(named)) return named.alias;
  return named?.kind === 'unknown' ? named.name : '';
}
