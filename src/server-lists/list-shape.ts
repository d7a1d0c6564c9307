import { isIPv4 } from 'node:net';
import { parseAddress, withoutAddressLabel } from '../addresses/address.ts';
import { addressesIn, type FoundAddress } from '../addresses/addresses-in.ts';
import { hasWords, withoutEnds } from '../addresses/pasted-text.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { type Cell, isGameCell } from './cells.ts';
import { describedBy, type Field, fieldCalled, isNameOfOther, speaksOfPeople } from './field-names.ts';
import { trimmed } from './named-game.ts';
import { EMPTY_ROW, gameOf, type TypedRow } from './row.ts';

/**
 * Whether the bot may choose the game servers in a text.
 * - `list`: every address is a game server.
 * - `unsure`: some are, and the member chooses among the others.
 * - `people`: the text is a log or a list of people, so the member chooses every server.
 */
export type Shape = 'list' | 'unsure' | 'people';

const SHAPES: readonly Shape[] = ['list', 'unsure', 'people'];

export const worstOf = (shapes: Iterable<Shape>): Shape =>
  SHAPES[Math.max(0, ...Array.from(new Set(shapes), (shape) => SHAPES.indexOf(shape)))] ?? 'list';

/** The beginning of a line in a log: a time, a date, or a bracket with a level. */
const LOG =
  /^[\s>*"'#(-]{0,8}(?:L |\[|<\d{1,3}>)?\s?(?:\d{1,2}:\d\d(?::\d\d)?(?![\d:.a-f])|\d{4}[-/.]\d\d?[-/.]\d\d?(?![\d.])|\d\d?[-/]\d\d?[-/]\d{2,4}(?![\d.:])|\d\d?\.\d\d?\.\d{4}(?!\d)|(?:\p{L}{2,4},? )?\p{L}{3,4} {1,2}\d{1,2} \d\d?:\d\d|\d{10}(?:\d{3})?(?:\.\d{1,9})?[\s,\]:]|[^[\]]{0,40}\b(?:trace|debug|info|notice|warn|warning|error|fatal|severe)\b[^[\]]{0,10}\])/iu;
/** The beginning of a line in a log without a time: a level, or a player as in `"Name<2><`. */
const LEVEL =
  /^\s{0,8}(?:(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|SEVERE)[\s:]|"[^"]{1,64}<\d{1,5}><)/u;
/**
 * A bracket with the name of a program's module. Only the rest of the line distinguishes it from a tag such as `[surf]`.
 */
const MODULE = /^\s{0,8}\[[a-z][\w :./-]{1,40}\]/u;
/** A time with seconds, or a date with a time, anywhere in a line. */
const STAMP = /(?<![\d.:])\d{1,2}:\d\d:\d\d(?![\d:.])|\d{4}-\d\d-\d\d|\d\d?\/\w{3}\/\d{4}/u;
/** Identifies a person: a Steam ID, a UUID, a hash or an account. The Steam IDs of game servers are different. */
const IDENTITY =
  /(?<!\d)7656119\d{10}(?!\d)|STEAM_\d:\d:\d|\[U:\d:\d|(?<![\da-f])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\da-f])|(?<![\da-f])[\da-f]{32}(?![\da-f])|(?:steam|license2?|xbl|live|discord|fivem):\w{6,40}/iu;

export const isIdentity = (text: string): boolean => IDENTITY.test(text);

/** A person's own address, in the bot's languages. */
const MY_IP =
  /(?<![\p{L}\p{N}])(?:my|your|his|her|their|home|meine?|deine?|mon|ton|mi|tu|meu|minha|mio|mijn|min|din|moj[ae]?|mój|můj|moje|мой|моя|мій|моя|benim|saját|saya)(?: (?:public|external|home|own|wan|öffentliche|externe|pública|publique|pubblico|публичный|внешний))? (?:ips?|айпи)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])ip(?:-ul)? (?:saya|meu|của tôi|adresim|címem)|(?:私の|自分の|我的|내 |ของฉัน)\s?ip|ip\s?(?:ของฉัน)/iu;
const JOINS = /(?:^|["'`+/.]\s{0,4})connect\s{1,4}["'`]?$/iu;
const LINK = /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s)\]>"']+|discord\.gg\/\S+/giu;
/** A number of players or slots, in front of its word or behind it. */
const COUNT_OF =
  /\d{1,4}(?:\/\d{1,4})?\)? {0,2}(?:\p{L}{1,12} )?(?:players?|slots?|users?|clients?|spieler|joueurs|jugadores|graczy|игроков)(?!\p{L})/giu;
const OF_COUNT =
  /(?:players?|users?|clients?|spieler|joueurs|jugadores|gracze|игроки)(?: online)?[\s:=(]{1,4}\d{1,4}(?: ?\/ ?\d{1,4})?/giu;
/** Signs that appear in program code, settings and logs, but not in lists. */
const CODE = /[{}\\$]|\w\(['"]|<\/?[a-z]|&&|::|->|\/(?:tcp|udp)\b|[^\s=]=|=[^\s=]/iu;
const LOOK = /\[\/?(?:[bius]|color|size|font|center)(?:=[^[\]]{1,40})?\]/giu;
const SEPARATOR = /[|•·\t;,()[\]"`*~_<>“”]+| +[-–—~] +|[:：➜→»]+| {3,}/u;
const ITEM = /^(?:\s|[>*_•‣·-]|#?\d{1,4}[.):](?=\s))+/iu;
/** Words that lead from a sentence to an address. */
const INTO =
  /(?<!\p{L})(?:on|at|from|to|with|via|by|of|for|is|was|und|and|or|von|bei|auf|de|en|sur|na|от|на|с)["'\s(`]{0,4}$/iu;
const SENTENCE = /\p{L}{2}["')]{0,2}[.!?…]["')]{0,2}\s+\p{L}|\p{Ll}{2}[.…]["')]{0,2}\s*$/u;
const MAX_WORDS = { name: 7, besideAddress: 14, label: 3 };
/** Ports from here on are given to clients (IANA: dynamic ports). 27005 is the port of Source clients. */
const MIN_CLIENT_PORT = 49_152;
const SOURCE_CLIENT_PORT = 27_005;

/** Removes links and numbers of players, which don't describe an address. */
const withoutCounts = (text: string): string =>
  text.replace(LINK, ' ').replace(COUNT_OF, ' ').replace(OF_COUNT, ' ');

const countWords = (text: string): number => text.match(/[\p{L}\p{N}'’]+/gu)?.length ?? 0;
const isAddressField = (field: Field | undefined): boolean => field === 'server' || field === 'gamePort';

/** A setting with a value that a list of servers doesn't have. */
const SETTING =
  /^(?:- {0,3})?["']?[a-z][\w.-]{0,60}["']? {0,4}(?:[:=]|=>) {0,4}["']?(?:true|false|null|none)["']?[,;]?$/iu;
/** A variable of a program with its value, as in `sv_lan 0` and `"database" "bans"`. */
const VARIABLE =
  /^(?:sets? )?["']?(?<key>[a-z][\w.]{0,60})(?:["']?\s{1,20}|["']? {0,4}= {0,4})(?<value>-?\d+(?:\.\d+)?|"[^"]*")[,;]?$/iu;

export function isSetting(line: string): boolean {
  const text = line.trim();
  if (SETTING.test(text)) return true;
  const { key = '', value = '' } = VARIABLE.exec(text)?.groups ?? {};
  const field = fieldCalled(key)?.field;
  return field === undefined ? key.includes('_') : field === 'other' && value.startsWith('"');
}

/**
 * Finds the indices of lines without a port that have the form of a neighbouring line with a port: a name, a separator such
 * as `|`, and a host at the end.
 */
export function linesLikeServers(lines: readonly string[]): ReadonlySet<number> {
  const like = new Set<number>();
  let run: { readonly index: number; readonly separator: string; readonly hasPort: boolean }[] = [];
  function endRun(): void {
    if (run.some(({ hasPort }) => hasPort)) {
      for (const { index } of run.filter(({ hasPort }) => !hasPort)) like.add(index);
    }
    run = [];
  }
  for (const [index, line] of lines.entries()) {
    if (!hasWords(line)) continue;
    const entry = nameAndHost(line);
    if (entry?.separator !== run[0]?.separator) endRun();
    if (entry) run.push({ index, ...entry });
  }
  endRun();
  return like;
}

function nameAndHost(line: string): { readonly separator: string; readonly hasPort: boolean } | undefined {
  const [found, ...others] = addressesIn(line);
  if (found?.address === undefined || others.length > 0 || hasWords(line.slice(found.end))) return undefined;
  const front = line.slice(0, found.start);
  const name = withoutEnds(front, { end: /[^\p{L}\p{N}]/u });
  const separator = front.slice(name.length).replace(/[\s"'`*_~()[\]<>]+/gu, '');
  return separator === '' || !hasWords(name) || isNameOfOther(trimmed(name))
    ? undefined
    : { separator, hasPort: found.address.port !== undefined };
}

export type AddressPurpose = 'server' | 'query' | 'other';

const purposeOfField = (field: Field | undefined): AddressPurpose | undefined => {
  if (field === 'other') return 'other';
  return field === 'queryPort' ? 'query' : undefined;
};

/**
 * Finds the purpose of an address in the words next to it, as in `Query: 8.8.8.8:27016` and `8.8.8.8:27016 (query)`.
 * @param front the text between the previous address and this one
 * @param behind the text between this address and the next one
 */
export function purposeOf(front: string, behind: string): AddressPurpose {
  const inBrackets = /^["'`*_\s]{0,6}[([](?<label>[^()[\]]{1,60})[)\]]/u.exec(behind)?.groups?.label ?? '';
  if (hasWords(inBrackets)) {
    const field = fieldCalled(inBrackets)?.field;
    if (purposeOfField(field) !== undefined && countWords(inBrackets) <= MAX_WORDS.label)
      return purposeOfField(field) ?? 'server';
  }
  if (isSettingOfOther(front)) return 'other';
  const before = front.slice(-120).replace(ITEM, '');
  const parts = before
    .replace(/(?<=["'])\s?,\s?(?=["'])|["'`*_\s:：=>➜→(<]{1,12}$/gu, '')
    .split(/[|•·\t;,()[\]{}<>]| {3,}| [-–—/] /u);
  const label = trimmedEnds(parts.at(-1) ?? '');
  if (label === '') return 'server';
  const isKey = /(?:[:：=]|=>|➜|→|["'`],?)["'`*_\s(<]{0,6}$/u.test(before);
  const words = countWords(label);
  if (isKey && words <= MAX_WORDS.label) {
    if (/^(?:steam|peer)$/iu.test(label)) return 'query';
    return purposeOfField(fieldCalled(label)?.field) ?? 'server';
  }
  if (isKey) return isNameOfOther(label.split(/\s/u, 1)[0] ?? '') ? 'other' : 'server';
  const last = label.split(/\s+/u).slice(-MAX_WORDS.label);
  for (let from = 0; from < last.length; from++) {
    const name = last.slice(from).join(' ');
    if (isNameOfOther(name)) return 'other';
    if (from === 0 && words <= MAX_WORDS.label && fieldCalled(name)?.field === 'queryPort') return 'query';
  }
  return 'server';
}

/** Whether a line is a setting of something else, such as `mysql_connection_string "server=8.8.8.8"`. */
export function isSettingOfOther(front: string): boolean {
  const key = /^\s*(?:sets?r?\s{1,4})?["']?(?<key>[\w.-]{0,40}_[\w.-]{1,40})["']?[\s=:]/u.exec(front)?.groups
    ?.key;
  return key !== undefined && fieldCalled(key)?.field === 'other';
}

const trimmedEnds = (text: string): string =>
  text.replace(/^[^\p{L}\p{N}]+/u, '').replace(/[^\p{L}\p{N}]{1,20}$/u, '');

export const isHostOfOther = (host: string): boolean =>
  /^(?:ts3?|teamspeak|mumble|discord|www)\./u.test(host);

/** Headings that are about people without naming them. */
const LIST_OF_PEOPLE =
  /^[\s#*>_-]*(?:currently |now )?(?:online|whitelist(?:ed)?|allowlist|ops)(?:\W+\d+)*\W*$/iu;

export function isOfPeople(heading: string): boolean {
  if (MY_IP.test(heading) || LIST_OF_PEOPLE.test(heading)) return true;
  const words = withoutCounts(heading);
  return countWords(heading) <= MAX_WORDS.name && speaksOfPeople(words);
}

export interface ShapedLine {
  readonly raw: string;
  /** The line without passwords, with labelled ports blanked out. */
  readonly text: string;
  /** All addresses in the line, and the positions where their ports end. */
  readonly addresses: readonly (FoundAddress & { readonly behind: number })[];
  /** The addresses that become rows, with the values read for each. */
  readonly servers: readonly (FoundAddress & { readonly targets: readonly TypedRow[] })[];
  readonly heading: string;
  readonly namesGame: boolean;
}

export function shapeOfLine(line: ShapedLine, games: GameIndex): Shape {
  const { servers, text, heading, addresses } = line;
  if (LOG.test(line.raw) || LEVEL.test(line.raw)) return 'people';
  if (servers.every((server) => isJoined(server, text))) return 'list';
  if (IDENTITY.test(line.raw) || MY_IP.test(line.raw) || isOfPeople(heading)) return 'people';
  const words = withoutCounts(textsAround(text, addresses).join(' '));
  // Parts of IPv6 addresses can look like a time.
  if (STAMP.test(words)) return 'people';
  if (speaksOfPeople(words)) return 'people';
  if (isEntry(line, games)) return 'list';
  return MODULE.test(line.raw) ? 'people' : 'unsure';
}

export const isJoined = ({ game, text: address, start }: FoundAddress, text: string): boolean =>
  game !== '' ||
  /^(?:steam|minecraft):/iu.test(address) ||
  JOINS.test(text.slice(Math.max(0, start - 40), start));

export function textsAround(
  text: string,
  addresses: readonly { readonly start: number; readonly behind: number }[],
): readonly string[] {
  const ends = [0, ...addresses.map(({ behind }) => behind)];
  return ends.map((end, index) => text.slice(end, addresses[index]?.start));
}

/** Whether a line is one server, with only a name, a game, labelled ports, slots or links next to it. */
function isEntry({ text, addresses, servers, namesGame }: ShapedLine, games: GameIndex): boolean {
  const isGameOrNothing = (words: string) => !hasWords(words) || gameOf(trimmed(words), games) !== undefined;
  const around = textsAround(text, addresses).map((words) => words.replace(LOOK, ' '));
  const [first] = servers;
  if (first === undefined) return false;
  if (isGlued(text, first) || isPlayer(text, first)) return false;
  const targets = new Set(servers.map((server) => server.address?.host ?? server.text));
  const ports = new Set(servers.flatMap(({ address }) => address?.port ?? []));
  if (targets.size > 1 || ports.size > 1) return around.map(withoutField).every(isGameOrNothing);
  const at = addresses.findIndex(({ start }) => start === first.start);
  const before = around
    .slice(0, at + 1)
    .join(' ')
    .replace(ITEM, '');
  const after = around.slice(at + 1).join(' ');
  const name = withoutField(before);
  const isLabelled = name !== before;
  if (isIPv4(first.address?.host ?? '') && !isLabelled && !namesGame) {
    const [target = EMPTY_ROW] = first.targets;
    const read = parseAddress(target.server);
    const port = Number((read.ok && read.address.port) || target.port);
    if (port >= MIN_CLIENT_PORT || port === SOURCE_CLIENT_PORT) return false;
    if (port === 0 && hasWords(name + after)) return false;
  }
  if (isGameOrNothing(name) && isGameOrNothing(after)) return true;
  if (CODE.test(name) || CODE.test(after) || SENTENCE.test(name) || SENTENCE.test(after)) return false;
  const counts = partsOf(`${name} | ${after}`).map(countWords);
  if (counts.some((count) => count > MAX_WORDS.name)) return false;
  if (counts.reduce((sum, count) => sum + count, 0) > MAX_WORDS.besideAddress) return false;
  return isNameInFront(name, isLabelled || namesGame) && isNameBehind(isLabelled ? '' : name, after);
}

const MAX_LABEL_LENGTH = 80;

/** Removes the label of an address, such as `IP:` and `"server_ip" => "`. */
function withoutField(before: string): string {
  const end = before.replace(/["'`*_\s:：=>➜→(<]{1,12}$/u, '');
  const words = end.slice(-MAX_LABEL_LENGTH).split(/\s+/u);
  for (const word of words.slice(-MAX_WORDS.label)) {
    const at = end.lastIndexOf(word);
    const label = trimmedEnds(end.slice(at));
    if (label !== '' && isAddressField(fieldCalled(label)?.field)) return end.slice(0, at);
  }
  return withoutAddressLabel(before);
}

/** Whether an address is part of something longer, such as `name[/8.8.8.8:1]`. */
function isGlued(text: string, { start, end }: FoundAddress): boolean {
  return (
    /[\p{L}\p{N}/@\\.$%^+-]$|[\p{L}\p{N}][[(]$/u.test(text.slice(Math.max(0, start - 8), start)) ||
    /^["'`)\]]{0,2}[\p{L}\p{N}/@\\#$%^]/u.test(text.slice(end, end + 4))
  );
}

/** Whether a line is a player in a game's `status`: a number, a score or time, and a rate or the like next to the address. */
function isPlayer(text: string, { address, start, end }: FoundAddress): boolean {
  const front = text.slice(0, start);
  const isRow = /^[\s#]{0,8}\d{1,4}\s{1,8}(?:-?\d{1,6}|\d{1,3}:\d\d)\s/u.test(front);
  const isBesideNumber = /\s\d{1,7}\s{1,20}$/u.test(front) || /^\s{1,40}\d{1,7}(?!\S)/u.test(text.slice(end));
  // In QuakeWorld, the name is in the line above, and the rate, ping and lost packets are behind the address.
  const isAboveNumbers = /^(?:\s{1,20}\d{1,6}){2}\s{1,20}\d{1,3}\.\d\d\s*$/u.test(text.slice(end));
  return address?.port !== undefined && ((isRow && isBesideNumber) || (!hasWords(front) && isAboveNumbers));
}

/** Whether the words in front of an address are a name, rather than the beginning of a sentence. */
function isNameInFront(name: string, isLabelled: boolean): boolean {
  if (!hasWords(name)) return true;
  if (INTO.test(name) || /(?<!\p{L})(?:from|by)(?!\p{L})/iu.test(name)) return false;
  const parts = partsOf(name).map((part) => part.split(/\s+/u));
  const isSentence = (words: readonly string[]) =>
    words.length > MAX_WORDS.label && words.filter(isLower).length >= 0.75 * words.length;
  if (parts.some(isSentence)) return false;
  const end = name.trimEnd();
  const isSeparate = isLabelled || /[^\p{L}\p{N}]$/u.test(end) || /\t| {3}/u.test(name.slice(end.length));
  const last = parts.at(-1) ?? [];
  return isSeparate || last.length < 2 || !isLower(last.at(-1) ?? '');
}

const isLower = (word: string): boolean => /^\p{Ll}+$/u.test(word);

const partsOf = (words: string): readonly string[] =>
  words
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter(hasWords);

/** Whether the words behind an address are a name or a note, rather than the rest of a sentence. */
function isNameBehind(name: string, after: string): boolean {
  if (!hasWords(after) || /^\s*[^\p{L}\p{N}\s]|^(?:\t| {3,})/u.test(after)) return true;
  const [first = ''] = partsOf(after);
  return !hasWords(name) && !/^\p{Ll}+ \p{Ll}/u.test(first);
}

export const shapeOfPath = (path: readonly string[]): Shape =>
  path.some((name) => describedBy(name) === 'person' || isOfPeople(name)) ? 'people' : 'list';

/** @param path the names of the fields around the object, or the heading above the table */
export function shapeOfRecord(cells: readonly Cell[], path: readonly string[], games: GameIndex): Shape {
  if (shapeOfPath(path) === 'people') return 'people';
  const filled = cells.filter(({ text }) => text.trim() !== '');
  const fieldOf = ({ name }: Cell) => fieldCalled(name)?.field;
  const ports = filled.filter((cell) => fieldOf(cell) === 'port');
  const isLogin = (name: string) => ports.length > 1 && /^user(?:name)?$/iu.test(name);
  const isFree = (cell: Cell) => fieldOf(cell) === undefined || /game|type|name/u.test(fieldOf(cell) ?? '');
  const namesGame = filled.some((cell) => isFree(cell) && gameOf(cell.text, games) !== undefined);
  const isServer =
    namesGame || filled.some((cell) => fieldOf(cell) === 'queryPort' || SERVER_ONLY_FIELD.test(cell.name));
  for (const { name, text } of filled) {
    const isCount = /^\W*\d+(?:\W+\d+)?\W*$/u.test(text) && /s$|^\P{ASCII}+$/iu.test(name);
    if (describedBy(name) === 'person' && !isLogin(name) && !isCount) return 'people';
    if (IDENTITY.test(text) && !text.includes('://') && !(isServer && /id$/iu.test(name))) return 'people';
  }
  // A game column names a game even if the game is unknown, because of a typo for example.
  if (isServer || filled.some(isGameCell)) return 'list';
  // Deeply nested fields without a known meaning come from the dump of a panel or an API.
  if (path.filter((name) => fieldCalled(name) === undefined).length > MAX_UNKNOWN_NAMES_IN_PATH)
    return 'unsure';
  const isKnown = ({ name, text }: Cell) =>
    text.includes('://') ||
    name.trim() === '' ||
    fieldCalled(name) !== undefined ||
    describedBy(name) !== undefined;
  return cells.every(isKnown) ? 'list' : 'unsure';
}

const MAX_UNKNOWN_NAMES_IN_PATH = 2;

const SERVER_ONLY_FIELD = /max.?players|^map|gamedir|app.?id/iu;
