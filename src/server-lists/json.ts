import { columnsOf } from './csv.ts';
import { EMPTY_ROW, type RawRow, type RowProblem, shown, type TypedRow } from './row.ts';

/** An element of a JSON array as a row: an object with the listing API's field names (§2.1), in any spelling. */
export function rowOfElement(value: unknown, line: number): RawRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { line, typed: EMPTY_ROW, problem: { code: 'not-an-object' } };
  }
  const fields = Object.entries(value);
  const columns = columnsOf(fields.map(([name]) => name));
  let problem: RowProblem | undefined;

  function read(field: keyof TypedRow, expected: 'text' | 'number'): string {
    const [name = field, content] = fields[columns[field]] ?? [];
    if (content === undefined || content === null) return '';
    if (typeof content === 'string' || typeof content === 'number') return shown(String(content));
    problem ??= { code: 'wrong-type', field: shown(name), expected };
    return '';
  }

  const typed: TypedRow = {
    server: read('server', 'text'),
    port: read('port', 'number'),
    queryPort: read('queryPort', 'number'),
    game: read('game', 'text'),
  };
  return problem ? { line, typed, problem } : { line, typed };
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

/**
 * The elements of a JSON array with the line each begins on, or where the text stops being JSON. A single object
 * is read as an array of one. JSON.parse says neither: its messages quote the text instead, with all that is in it.
 */
export function jsonElements(text: string): JsonElements {
  const lines: number[] = [];
  /** The brackets that are not closed. */
  const open: string[] = [];
  let expected: Expected | undefined = 'value';
  for (const token of tokensOf(text)) {
    if (token.kind === 'end' && expected === 'nothing') break;
    const isElement = open.length === 1 && open[0] === '[' && expected.startsWith('value');
    expected = expectedAfter(token.kind, expected, open);
    if (expected === undefined) return { ok: false, at: token.at };
    if (isElement) lines.push(token.at.line);
  }
  const value: unknown = JSON.parse(text);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return { ok: true, elements: values.map((each, index) => ({ line: lines[index] ?? 1, value: each })) };
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
