import { parsedJson } from '../text/json.ts';

/** Values nested deeper than this are ignored. */
const MAX_DEPTH = 20;

export interface Place {
  /** The line number, counted from 1. */
  readonly line: number;
  /** The number of UTF-16 units in front of the value. */
  readonly at: number;
}

export type JsonNode = Place &
  (
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'number'; readonly text: string }
    /** One of `null`, `true` and `false`. */
    | { readonly kind: 'nothing' }
    | { readonly kind: 'list'; readonly items: readonly JsonNode[] }
    | { readonly kind: 'object'; readonly fields: readonly JsonField[] }
  );
export type JsonField = readonly [name: string, node: JsonNode];

/**
 * Parses JSON text into values with their positions. Also accepts the spellings of JavaScript and Python, comments, missing
 * commas, missing brackets at the end, and several objects, as a list. Leaves out the contents of values that are nested too
 * deeply.
 * @returns undefined for text that isn't JSON
 */
export function jsonTree(given: string): JsonNode | undefined {
  if (!START.test(given)) return undefined;
  const text = isJson(given) ? given : asJson(given);
  if (isJson(text)) return treeOf(text);
  if (!/^\s*(?:\[\s*)?\{/u.test(text)) return undefined;
  const mended = withEnds(withCommas(text));
  // Stays on the same line, because values have line numbers.
  return [mended, `[${mended}]`].filter(isJson).map(treeOf)[0];
}

function treeOf(json: string): JsonNode | undefined {
  const tokens = tokensOf(json);
  const first = tokens.next().value;
  return first && nodeOf(first, tokens);
}

/** Comments can be in front of the first value. */
const START = /^\s*(?:\/\/[^\r\n]*[\r\n]\s*)?(?:\[\s*(?:\/\/[^\r\n]*[\r\n]\s*)?[\]{["']|\{)/u;
/** A string, which may lack its closing quote, a comment, a word outside strings, or a comma that no value follows. */
const SPELLING =
  /"(?:[^"\\]|\\.)*"?|[“”„][^“”„"\r\n]*[“”„]|\/\/[^\r\n]*|'(?:[^'\\]|\\.)*'?|(?<![\p{N}.])[\p{L}_$][\p{L}\p{N}_$]*|,(?=\s*[\]}])/gsu;
const WORDS: ReadonlyMap<string, string> = new Map([
  ...['null', 'true', 'false'].map((word) => [word, word] as const),
  ['None', 'null'],
  ['True', 'true'],
  ['False', 'false'],
]);

/** A comment that may be more than words, such as an object. */
const MORE_THAN_WORDS = /[{}[\]":]|\.\S/u;

/** Writes other quotes, keys without quotes and Python's constants as JSON does. Removes comments and trailing commas. */
const asJson = (text: string): string =>
  text.replace(SPELLING, (found) => {
    if (found === ',') return '';
    if (found.startsWith('//')) return MORE_THAN_WORDS.test(found) ? found : '';
    if (/^[“”„]/u.test(found)) return `"${found.slice(1, -1)}"`;
    if (found.startsWith('"')) return found;
    return found.startsWith("'") ? inDoubleQuotes(found) : (WORDS.get(found) ?? `"${found}"`);
  });

const inDoubleQuotes = (text: string): string =>
  `"${text.slice(1, -1).replace(/\\.|"/gsu, (found) => QUOTES.get(found) ?? found)}"`;

const QUOTES: ReadonlyMap<string, string> = new Map([
  ["\\'", "'"],
  ['"', '\\"'],
]);

const isJson = (text: string): boolean => parsedJson(text) !== undefined;

/** A string or the end of another value, and the beginning of a value directly behind it. */
const VALUE_END = /(?:"(?:[^"\\]|\\.)*"?|[\]}\p{L}\p{N}])(?=(\s*["{[])?)/gsu;
const withCommas = (text: string): string =>
  text.replace(VALUE_END, (end, next) => (next === undefined ? end : `${end},`));

function withEnds(text: string): string {
  const ends: string[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') ends.push('}');
    else if (token === '[') ends.push(']');
    else if (token === ends.at(-1)) ends.pop();
  }
  return text + ends.toReversed().join('');
}

/** Begins a value, or ends a list or an object. */
interface JsonToken extends Place {
  readonly text: string;
  /** The key in front of the value. Only meaningful for a field's value. */
  readonly key: string;
}

const TOKEN =
  /(?<key>"(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"|[[\]{}]|(?<lineBreak>\r\n?|\n)|[^\s"[\]{}:,]+/gu;

/** Yields the tokens of valid JSON in document order, because JSON.parse neither returns positions nor keeps the order. */
function* tokensOf(json: string): Generator<JsonToken, undefined> {
  let line = 1;
  let depth = 0;
  let key = '';
  for (const { 0: text, index, groups } of json.matchAll(TOKEN)) {
    if (groups?.key !== undefined) {
      key = JSON.parse(text);
    } else if (groups?.lineBreak !== undefined) {
      line += 1;
    } else {
      if (isEnd(text)) depth -= 1;
      if (depth <= MAX_DEPTH) yield { text, key, line, at: index };
      if (text === '[' || text === '{') depth += 1;
    }
  }
}

const isEnd = (text: string): boolean => text === ']' || text === '}';

/** Consumes the tokens inside a list or an object too. */
function nodeOf({ text, line, at }: JsonToken, tokens: Iterator<JsonToken, undefined>): JsonNode {
  switch (text[0]) {
    case '"':
      return { line, at, kind: 'text', text: JSON.parse(text) };
    case '[':
      return listOf({ line, at }, tokens);
    case '{':
      return { line, at, kind: 'object', fields: withoutReplaced(fieldsOf(tokens)) };
    case 'n':
    case 't':
    case 'f':
      return { line, at, kind: 'nothing' };
    default:
      return { line, at, kind: 'number', text: String(Number(text)) };
  }
}

const listOf = (place: Place, tokens: Iterator<JsonToken, undefined>): JsonNode => ({
  ...place,
  kind: 'list',
  items: fieldsOf(tokens).map(([, item]) => item),
});

/** Consumes the tokens up to the end of the surrounding list or object. */
function fieldsOf(tokens: Iterator<JsonToken, undefined>): readonly JsonField[] {
  const fields: JsonField[] = [];
  let token = tokens.next().value;
  while (token && !isEnd(token.text)) {
    fields.push([token.key, nodeOf(token, tokens)]);
    token = tokens.next().value;
  }
  return fields;
}

/**
 * Removes repeated scalar values. Only the last one counts, as in JSON.parse. Objects and lists are kept, because each of
 * them may contain other servers.
 */
function withoutReplaced(fields: readonly JsonField[]): readonly JsonField[] {
  const last = new Map(fields);
  return fields.filter(
    ([name, node]) => node.kind === 'object' || node.kind === 'list' || last.get(name) === node,
  );
}
