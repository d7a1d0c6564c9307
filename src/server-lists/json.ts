import type { Pauses } from '../pauses.ts';
import { columnsOf, unreadRow } from './csv.ts';
import { EMPTY_ROW, type RawRow, type RowProblem, shown, type TypedRow } from './row.ts';

/** Fields of an object; an export of a database has some dozens. */
const MAX_FIELDS = 100;

/** An element of a JSON array as a row: an object with the listing API's field names (§2.1), in any spelling. */
export function rowOfElement(value: unknown, line: number): RawRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return unreadRow(line, '', { code: 'not-an-object' });
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) {
    return unreadRow(line, '', { code: 'too-many-cells', found: entries.length, most: MAX_FIELDS });
  }
  const columns = columnsOf(entries.map(([name]) => name));
  let problem: RowProblem | undefined;
  const read = (field: keyof TypedRow, expected: 'text' | 'number'): string => {
    const [name = field, content = ''] = entries[columns[field]] ?? [];
    if (content === null || content === '') return '';
    if (typeof content === 'string' || typeof content === 'number') return shown(String(content));
    problem ??= { code: 'wrong-type', field: shown(name), expected };
    return '';
  };
  const typed: TypedRow = {
    ...EMPTY_ROW,
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
  /** Characters of the text up to the next one. */
  readonly length: number;
  readonly value: unknown;
}

type JsonElements =
  | { readonly ok: true; readonly elements: readonly JsonElement[] }
  | { readonly ok: false; readonly at: Position };

/** What a token costs, in characters to read: half a microsecond was measured. */
const TOKEN_WORK = 1;

const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const SCALAR = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`;
const TOKEN = `[ \\t\\r\\n]*(?:(${STRING})|(${SCALAR})|([[\\]{}:,])|$)`;

/**
 * The elements of a JSON array with the line each begins on, or where the text stops being JSON. A single object
 * is read as an array of one. JSON.parse says neither: its messages quote the text instead, with all that is in it.
 */
export async function jsonElements(text: string, pauses: Pauses): Promise<JsonElements> {
  const starts: number[] = [];
  const open: string[] = [];
  /** What may come: a value, a value or `]`, a key or `}`, a key, a colon, `,` or the closing bracket, the end. */
  let next: 'value' | 'value-or-end' | 'key-or-end' | 'key' | 'colon' | 'comma' | 'nothing' = 'value';
  // One for each text, since others are read while this one pauses.
  const tokens = new RegExp(TOKEN, 'y');
  for (;;) {
    const from = tokens.lastIndex;
    const token = tokens.exec(text);
    if (!token) return { ok: false, at: positionOf(text, skipSpace(text, from)) };
    const [whole, string, scalar, mark] = token;
    await pauses(TOKEN_WORK);
    const at = tokens.lastIndex - whole.trimStart().length;
    const inside = open.at(-1);
    const takesValue = next === 'value' || next === 'value-or-end';
    if (takesValue && (string ?? scalar ?? (mark === '[' || mark === '{' ? mark : undefined)) !== undefined) {
      if (open.length === 1 && open[0] === '[') starts.push(at);
      if (mark) open.push(mark);
      next =
        mark === '[' ? 'value-or-end' : mark === '{' ? 'key-or-end' : open.length > 0 ? 'comma' : 'nothing';
    } else if ((next === 'key' || next === 'key-or-end') && string !== undefined) next = 'colon';
    else if (next === 'colon' && mark === ':') next = 'value';
    else if (next === 'comma' && mark === ',') next = inside === '[' ? 'value' : 'key';
    else if (closes(mark, inside) && (next === 'comma' || next.endsWith('-or-end'))) {
      open.pop();
      next = open.length > 0 ? 'comma' : 'nothing';
    } else if (next === 'nothing' && tokens.lastIndex === text.length && !mark && !string && !scalar) break;
    else return { ok: false, at: positionOf(text, at) };
  }
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) return { ok: true, elements: [{ line: 1, length: text.length, value }] };
  const lines = linesOf(text, starts);
  return {
    ok: true,
    elements: value.map((element: unknown, index) => {
      const length = (starts[index + 1] ?? text.length) - (starts[index] ?? 0);
      return { line: lines[index] ?? 1, length, value: element };
    }),
  };
}

const closes = (mark: string | undefined, inside: string | undefined) =>
  (mark === ']' && inside === '[') || (mark === '}' && inside === '{');

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++;
  return at;
}

/** The line of each of the ascending offsets. */
function linesOf(text: string, offsets: readonly number[]): number[] {
  const lineEnd = /\r\n?|\n/g;
  let line = 1;
  let end = lineEnd.exec(text);
  return offsets.map((offset) => {
    for (; end && end.index < offset; end = lineEnd.exec(text)) line++;
    return line;
  });
}

function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset).split(/\r\n?|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
