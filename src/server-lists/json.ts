import { formatAddress, isMeantAsAddress, parseAddress } from '../addresses/address.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { type Columns, columnsOf, hasOwnPort } from './csv.ts';
import {
  EMPTY_ROW,
  gameOf,
  type RawRow,
  type RowProblem,
  shown,
  shownAddress,
  type TypedRow,
  withPort,
} from './row.ts';

/**
 * An object as rows: with the listing API's field names (§2.1), in any spelling, and one for each of its `ports` if its
 * address can be read. Where it has a `gameport`, as in Steam's lists, the port in its address is the one for queries.
 */
export function rowsOfElement(value: unknown, line: number, games: GameIndex): readonly RawRow[] {
  if (!isObject(value)) return [{ line, typed: EMPTY_ROW, problem: { code: 'not-an-object' } }];
  const fields = Object.entries(value);
  const columns = columnsOf(fields.map(([name]) => name));
  let problem: RowProblem | undefined;

  function read(field: keyof Columns, expected: 'text' | 'number'): string {
    const [name = field, content] = fields[columns[field]] ?? [];
    if (content === undefined || content === null) return '';
    const show = field === 'server' ? shownAddress : shown;
    if (typeof content === 'string' || typeof content === 'number') return show(String(content));
    problem ??= { code: 'wrong-type', field: shown(name), expected };
    return '';
  }

  const [, several] = fields.find(([name]) => name.toLowerCase() === 'ports') ?? [];
  const ports = new Set(Array.isArray(several) ? several.filter((port) => typeof port === 'number') : []);
  const kind = columns.game < 0 ? read('type', 'text') : '';
  const typed: TypedRow = {
    server: read('server', 'text'),
    port: read('port', 'number'),
    queryPort: read('queryPort', 'number'),
    // A type may be of anything.
    game: gameOf(kind, games) === undefined ? read('game', 'text') : kind,
  };
  const gamePort = read('gamePort', 'number');
  const row = gamePort === '' ? typed : withPort({ ...typed, port: '' }, gamePort, true);
  const parsed = parseAddress(row.server);
  if (ports.size === 0 || row.port !== '' || !parsed.ok) return [{ line, typed: row, problem }];
  // The address alone: what was typed around it would be kept with each port.
  const server = formatAddress(parsed.address);
  return Array.from(ports, (port) => ({ line, typed: { ...row, server, port: String(port) }, problem }));
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface JsonElement {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly value: unknown;
}

/** What is deeper in a text is not looked at. */
const MAX_DEPTH = 20;

/**
 * The servers of a JSON text at any depth, with the line each begins on: objects with an address, texts that are one, and
 * whatever is an element of the outermost array.
 * @returns undefined for what is no JSON
 */
export function jsonElements(text: string): readonly JsonElement[] | undefined {
  if (!/^\s*(?:\[\s*[\]{["]|\{)/u.test(text)) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return elementsIn(value, Array.isArray(value) ? 'list' : 'element', 0, linesOfValues(text));
}

/** A string before a colon is a name, all else the beginning of a value, or a bracket that closes. */
const TOKEN = /"(?:[^"\\]|\\.)*"(?<colon>\s*:)?|[[\]{}]|[^\s"[\]{}:,]+/gu;

/** The line of each value in valid JSON, in the order of the text; JSON.parse says no places. */
function* linesOfValues(text: string): Generator<number, undefined> {
  let line = 1;
  let from = 0;
  let depth = 0;
  for (const { 0: token, index, groups } of text.matchAll(TOKEN)) {
    line += text.slice(from, index).split(/\r\n?|\n/u).length - 1;
    from = index;
    if (token === ']' || token === '}') depth -= 1;
    else if (groups?.colon === undefined && depth <= MAX_DEPTH) yield line;
    if (token === '[' || token === '{') depth += 1;
  }
}

/** @param lines those of the value and of all that is in it, in the order of the text */
function elementsIn(
  value: unknown,
  kind: 'list' | 'element' | 'inside',
  depth: number,
  lines: Iterator<number>,
): readonly JsonElement[] {
  const element = { line: lines.next().value ?? 1, value };
  const isList = Array.isArray(value);
  const children = depth < MAX_DEPTH && (isList || isObject(value)) ? Object.values(value) : [];
  const inside = children.flatMap((child) =>
    elementsIn(child, kind === 'list' ? 'element' : 'inside', depth + 1, lines),
  );
  if (kind === 'list') return inside;
  if (isServer(value)) return [element];
  return inside.length > 0 || kind === 'inside' ? inside : [element];
}

/** Whether a value is a server by itself, right or wrong: an object that names an address, or a text with a port. */
function isServer(value: unknown): boolean {
  if (typeof value === 'string') return hasOwnPort(value);
  if (!isObject(value)) return false;
  const { server } = columnsOf(Object.keys(value));
  const text: unknown = Object.values(value)[server];
  return typeof text === 'string' && isMeantAsAddress(text);
}
