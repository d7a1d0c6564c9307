/** Values nested deeper than this are ignored. */
const MAX_DEPTH = 20;

/** The position in the text where a value begins. */
export interface Place {
  /** The line number, counted from 1. */
  readonly line: number;
  /** The number of values that come before this one. */
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
 * Parses JSON text into values with their positions. Leaves out the contents of values that are nested too deeply.
 * @returns undefined for text that isn't JSON
 */
export function jsonTree(text: string): JsonNode | undefined {
  if (!/^\s*(?:\[\s*[\]{["]|\{)/u.test(text)) return undefined;
  try {
    return nodeOf(JSON.parse(text), placesOfValues(text));
  } catch {
    return undefined;
  }
}

/** Matches a token. A string followed by a colon is a key. Any other token starts a value or closes a bracket. */
const TOKEN = /"(?:[^"\\]|\\.)*"(?<colon>\s*:)?|[[\]{}]|[^\s"[\]{}:,]+/gu;

/** Yields the position of each value in valid JSON, in document order. JSON.parse doesn't return positions. */
function* placesOfValues(text: string): Generator<Place, undefined> {
  let line = 1;
  let at = 0;
  let from = 0;
  let depth = 0;
  for (const { 0: token, index, groups } of text.matchAll(TOKEN)) {
    line += text.slice(from, index).split(/\r\n?|\n/u).length - 1;
    from = index;
    if (token === ']' || token === '}') depth -= 1;
    else if (groups?.colon === undefined && depth <= MAX_DEPTH) yield { line, at: at++ };
    if (token === '[' || token === '{') depth += 1;
  }
}

/** @param places the positions of the value and of all values inside it, in document order */
function nodeOf(value: unknown, places: Iterator<Place>, depth = 0): JsonNode {
  const place = places.next().value ?? { line: 1, at: 0 };
  if (typeof value === 'string') return { ...place, kind: 'text', text: value };
  if (typeof value === 'number') return { ...place, kind: 'number', text: String(value) };
  if (typeof value !== 'object' || value === null) return { ...place, kind: 'nothing' };
  const isDeep = depth >= MAX_DEPTH;
  if (Array.isArray(value)) {
    const items = isDeep ? [] : value;
    return { ...place, kind: 'list', items: items.map((item) => nodeOf(item, places, depth + 1)) };
  }
  const fields = isDeep ? [] : Object.entries(value);
  return {
    ...place,
    kind: 'object',
    fields: fields.map(([name, item]) => [name, nodeOf(item, places, depth + 1)]),
  };
}
