import { type Address, formatAddress, isMeantAsAddress, parseAddress } from '../addresses/address.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { type Columns, columnsOf } from './csv.ts';
import { EMPTY_ROW, gameOf, type RawRow, type RowProblem, shown, type TypedRow } from './row.ts';

/**
 * An object as rows: with the listing API's field names (§2.1), in any spelling, and one for each of its `ports`. Where it
 * has a `gameport`, as in Steam's lists, the port in its address is the one for queries.
 */
export function rowsOfElement(value: unknown, line: number, games: GameIndex): readonly RawRow[] {
  if (!isObject(value)) return [{ line, typed: EMPTY_ROW, problem: { code: 'not-an-object' } }];
  const fields = Object.entries(value);
  const columns = columnsOf(fields.map(([name]) => name));
  let problem: RowProblem | undefined;

  function read(field: keyof Columns, expected: 'text' | 'number'): string {
    const [name = field, content] = fields[columns[field]] ?? [];
    if (content === undefined || content === null) return '';
    if (typeof content === 'string' || typeof content === 'number') return shown(String(content));
    problem ??= { code: 'wrong-type', field: shown(name), expected };
    return '';
  }

  const [, several] = fields.find(([name]) => name.toLowerCase() === 'ports') ?? [];
  const ports = Array.isArray(several) ? several.filter((port) => typeof port === 'number').map(String) : [];
  const kind = columns.game < 0 ? read('type', 'text') : '';
  const typed: TypedRow = {
    server: read('server', 'text'),
    port: read('port', 'number'),
    queryPort: read('queryPort', 'number'),
    // A type may be of anything.
    game: gameOf(kind, games) === undefined ? read('game', 'text') : kind,
  };
  const gamePort = read('gamePort', 'number');
  const parsed = parseAddress(typed.server);
  const row = gamePort !== '' && parsed.ok ? withGamePort(typed, parsed.address, gamePort) : typed;
  const rows = ports.length > 0 && row.port === '' ? ports.map((port) => ({ ...row, port })) : [row];
  return rows.map((each) => (problem ? { line, typed: each, problem } : { line, typed: each }));
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withGamePort(typed: TypedRow, { host, port }: Address, gamePort: string): TypedRow {
  const queryPort = typed.queryPort || String(port ?? '');
  return { ...typed, server: formatAddress({ host }), port: gamePort, queryPort };
}

/** Where something is in a text, counted from 1; the column in UTF-16 units. */
interface Position {
  readonly line: number;
  readonly column: number;
}

interface JsonElement {
  /** Where it begins. */
  readonly line: number;
  readonly value: unknown;
}

type JsonElements =
  | { readonly ok: true; readonly elements: readonly JsonElement[] }
  | { readonly ok: false; readonly at: Position };

/** What is deeper in a text is not looked at. */
const MAX_DEPTH = 20;

/**
 * The servers of a JSON text at any depth, with the line each begins on, or where the text stops being JSON: objects with
 * an address, texts that are one, and whatever is an element of the outermost array. JSON.parse says no places: its messages
 * quote the text instead, with all that is in it.
 */
export function jsonElements(text: string): JsonElements {
  /** Of each value. */
  const lines: number[] = [];
  /** The brackets that are not closed. */
  const open: string[] = [];
  let expected: Expected | undefined = 'value';
  for (const token of tokensOf(text)) {
    if (token.kind === 'end' && expected === 'nothing') break;
    const isValue = expected.startsWith('value') && open.length <= MAX_DEPTH && token.kind !== ']';
    expected = expectedAfter(token.kind, expected, open);
    if (expected === undefined) return { ok: false, at: token.at };
    if (isValue) lines.push(token.at.line);
  }
  const value: unknown = JSON.parse(text);
  const places = lines.values();
  return { ok: true, elements: elementsIn(value, Array.isArray(value) ? 'list' : 'element', 0, places) };
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
  if (typeof value === 'string') {
    const result = parseAddress(value);
    return result.ok && result.address.port !== undefined;
  }
  if (!isObject(value)) return false;
  const { server } = columnsOf(Object.keys(value));
  const text: unknown = Object.values(value)[server];
  return typeof text === 'string' && isMeantAsAddress(text);
}

/** What may come next. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';

/** What may come after a token; `undefined` where the token itself may not come. Keeps account of the open brackets. */
function expectedAfter(token: string, expected: Expected, open: string[]): Expected | undefined {
  const afterValue = () => (open.length > 0 ? 'comma-or-end' : 'nothing');

  if (token === closingOf(open.at(-1)) && expected.endsWith('-or-end')) {
    open.pop();
    return afterValue();
  }
  switch (expected) {
    case 'value':
    case 'value-or-end':
      if (token === 'string' || token === 'scalar') return afterValue();
      if (token !== '[' && token !== '{') return undefined;
      open.push(token);
      return token === '[' ? 'value-or-end' : 'key-or-end';
    case 'key':
    case 'key-or-end':
      return token === 'string' ? 'colon' : undefined;
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'comma-or-end':
      if (token !== ',') return undefined;
      return open.at(-1) === '[' ? 'value' : 'key';
    case 'nothing':
      return undefined;
  }
}

const closingOf = (bracket: string | undefined): string => (bracket === '[' ? ']' : '}');

interface Token {
  /** A sign of JSON, or what stands there; `other` is no JSON. */
  readonly kind: string;
  readonly at: Position;
}

const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const SCALAR = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`;
const TOKEN = String.raw`([ \t\r\n]*)(?:(${STRING})|(${SCALAR})|([[\]{}:,])|($)|)`;

/** The parts of a text up to its end, or for ever the place where it is no JSON. */
function* tokensOf(text: string): Generator<Token> {
  const expression = new RegExp(TOKEN, 'y');
  let line = 1;
  let lineStart = 0;
  for (;;) {
    const from = expression.lastIndex;
    const [, space = '', string, scalar, sign, end] = expression.exec(text) ?? [];
    // A string of JSON has no line breaks in it.
    for (const { 0: lineBreak, index } of space.matchAll(/\r\n?|\n/g)) {
      line += 1;
      lineStart = from + index + lineBreak.length;
    }
    yield {
      kind: sign ?? kindOf(string, scalar, end),
      at: { line, column: from + space.length - lineStart + 1 },
    };
  }
}

function kindOf(string: string | undefined, scalar: string | undefined, end: string | undefined): string {
  if (string !== undefined) return 'string';
  if (scalar !== undefined) return 'scalar';
  return end === undefined ? 'other' : 'end';
}
