import { lettersLabel, type RowPlace } from './row.ts';

const NUMBER = /^\d{1,6}$/;
const ONE_PART = /^\d+[a-z]*(?:\s*[-–]\s*\d+)?$/iu;

interface SelectedLines {
  readonly kind: 'selected';
  readonly indices: ReadonlySet<number>;
}

export interface NotSelected {
  readonly kind: 'not-selected';
  readonly typed: string;
  /** Whether the text could name lines of another list. */
  readonly isWellFormed: boolean;
  /** The indices of the servers that the text could mean. Empty if no line matches. */
  readonly possible: readonly number[];
}

/** Gives the servers of a line different places. Version 0.4.0 stored only the number of the line. */
export function withParts<Server extends RowPlace>(servers: readonly Server[]): readonly Server[] {
  const counts = new Map<number, number>();
  return servers.map((server) => {
    const count = (counts.get(server.line) ?? 0) + 1;
    counts.set(server.line, count);
    return server.part === undefined && count > 1 ? { ...server, part: count } : server;
  });
}

/**
 * Parses a list of line numbers that a moderator typed, such as `3, 7-9, 12b`. If line 12 has several servers, `12` is
 * ambiguous, and `12a` is the first of them.
 * @returns the servers, or the first part of the text that doesn't select any
 */
export function linesNamed(typed: string, places: readonly RowPlace[]): SelectedLines | NotSelected {
  const indices = new Set<number>();
  for (const part of partsOf(typed)) {
    const found = indicesOf(part, places);
    const isRange = !NUMBER.test(part);
    if (found.length === 0 || (found.length > 1 && !isRange)) {
      return { kind: 'not-selected', typed: part, isWellFormed: ONE_PART.test(part), possible: found };
    }
    for (const index of found) indices.add(index);
  }
  return { kind: 'selected', indices };
}

export const partsNamingOnlyOthers = (
  typed: string,
  others: readonly RowPlace[],
  places: readonly RowPlace[],
): readonly string[] =>
  partsOf(typed).filter((part) => indicesOf(part, places).length === 0 && indicesOf(part, others).length > 0);

const partsOf = (typed: string): readonly string[] =>
  typed
    .split(/[,;、，]/u)
    .map((part) => part.trim())
    .filter(Boolean);

/** Finds the servers that one part of the text names: a line, a single server of a line, or a range of lines. */
function indicesOf(text: string, places: readonly RowPlace[]): readonly number[] {
  const indices = (isNamed: (place: RowPlace) => boolean) =>
    places.flatMap((place, index) => (isNamed(place) ? index : []));
  const [from = '', to = from, ...more] = text.split(/[-–]/u).map((each) => each.trim());
  if (NUMBER.test(from) && NUMBER.test(to) && more.length === 0) {
    const first = Math.min(Number(from), Number(to));
    const last = Math.max(Number(from), Number(to));
    return indices(({ line }) => first <= line && line <= last);
  }
  return indices((place) => lettersLabel(place) === text.toLowerCase());
}
