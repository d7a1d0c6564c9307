import { formatAddress } from '../addresses/address.ts';
import { finishedRow, withRepeats } from '../server-lists/read-list.ts';
import {
  EMPTY_ROW,
  type GameReading,
  keptRow,
  type Reading,
  type Row,
  rowText,
  type TypedRow,
} from '../server-lists/row.ts';
import type { History } from './history.ts';

/** A row that the guild has submitted before. */
export interface PreviousRow {
  /** Its index among the rows of the draft. */
  readonly row: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Empty once the member had it deleted. */
  readonly userName: string;
  readonly outcome: 'accepted' | 'unknown';
}

/** Servers that a member is about to submit. */
export interface Draft {
  /** Where they stood: in the options of a command, the lines of a text, or a message of Discord. */
  readonly source: 'options' | 'text' | 'message';
  readonly rows: readonly Row[];
  /** Rows that were submitted before, and whether they are to be submitted all the same. */
  readonly previous: readonly PreviousRow[];
  readonly includesPrevious: boolean;
}

export type ReadyRow = Extract<Row, { readonly ok: true }>;
export type RejectedRow = Extract<Row, { readonly problem: unknown }>;
type RepeatedRow = Extract<Row, { readonly duplicateOf: number }>;

export const isReady = (row: Row): row is ReadyRow => row.ok;
export const isRejected = (row: Row): row is RejectedRow => 'problem' in row;
export const isRepeated = (row: Row): row is RepeatedRow => 'duplicateOf' in row;

/** A draft of one server, which is a list of one; what was typed is kept without passwords. */
export function draftOfOne(typed: TypedRow, reading: Reading): Draft {
  const kept = keptRow(typed);
  const row: Row =
    !reading.ok && reading.problem.code === 'game-unknown'
      ? { line: 1, text: '', typed: kept, ok: false, problem: { ...reading.problem, game: kept.game } }
      : { line: 1, text: '', typed: kept, ...reading };
  return { source: 'options', rows: [row], previous: [], includesPrevious: false };
}

/** Of a draft that is carried out no more is stored than is needed for that. */
export const withoutTyped = (draft: Draft): Draft => ({
  ...draft,
  rows: draft.rows.map((row) => {
    if (!row.ok) return row;
    const { typed: _, ...rest } = row;
    return rest;
  }),
});

/** What was typed of the one server of a draft, or what says the same. */
export function typedOf({ rows: [row] }: Draft): TypedRow {
  if (row === undefined) return EMPTY_ROW;
  if ('typed' in row && row.typed) return row.typed;
  if (!('submission' in row)) return EMPTY_ROW;
  const { server: host, port, queryPort, game } = row.submission;
  const query = queryPort === undefined ? '' : String(queryPort);
  return { server: formatAddress({ host, port }), port: '', queryPort: query, game };
}

/** The rows that go out when the draft is submitted. Several rows may stand on one line, as in JSON. */
export function rowsToSend({ rows, previous, includesPrevious }: Draft): readonly ReadyRow[] {
  const left = new Set(includesPrevious ? [] : previous.map(({ row }) => row));
  return rows.filter((row, index): row is ReadyRow => row.ok && !left.has(index));
}

/** Which of the rows the guild has submitted before. */
export async function previousOf(
  guildId: string,
  rows: readonly Row[],
  history: Pick<History, 'find'>,
): Promise<readonly PreviousRow[]> {
  const addresses = rows.filter(isReady).map(({ submission: { server: host, port } }) => ({ host, port }));
  const found = await history.find(guildId, addresses);
  return rows.flatMap((row, index) => {
    if (!row.ok) return [];
    const { server: host, port } = row.submission;
    const entry = found.get(formatAddress({ host, port }));
    if (!entry) return [];
    const { at, userName } = entry;
    return [
      { row: index, at, userName, outcome: entry.outcome === 'accepted' ? 'accepted' : 'unknown' } as const,
    ];
  });
}

/**
 * What is left of a draft of which only some of {@link rowsToSend} went: those, and the lines that are not ready. What
 * was left out since it was submitted before, and what repeats another line, is no part of it.
 */
export function restOf(draft: Draft, isLeft: (index: number) => boolean): Draft {
  const left = new Set<Row>(rowsToSend(draft).filter((_, index) => isLeft(index)));
  const rows = draft.rows.filter((row) => left.has(row) || isRejected(row));
  const indices = new Map(rows.map((row, index) => [row, index]));
  const previous = draft.previous.flatMap((each) => {
    const before = draft.rows[each.row];
    const row = before && indices.get(before);
    return row === undefined ? [] : [{ ...each, row }];
  });
  return { ...draft, rows, previous };
}

export const lacksGame = (row: Row): row is RejectedRow =>
  isRejected(row) && row.problem.code === 'game-missing';

/** What was found in a message is submitted once its game was chosen. */
export const asksForGame = ({ source, rows }: Draft): boolean => source === 'message' && rows.some(lacksGame);

/** The refused rows with the game that was meant for rows that name none, so that it is not lost with the others. */
export const withDefaultGame = (rows: readonly Row[], game: string): readonly Row[] =>
  rows.map((row) => {
    if (!isRejected(row) || row.typed.game !== '' || UNREAD.has(row.problem.code)) return row;
    const typed = { ...row.typed, game };
    return { ...row, typed, text: rowText(typed) };
  });

/** Of these nothing is known of what stood where. */
const UNREAD: ReadonlySet<RejectedRow['problem']['code']> = new Set([
  'no-address',
  'line-too-long',
  'not-an-object',
]);

/** The rows with a game for those that lack one. */
export const withGame = (rows: readonly Row[], games: GameReading): readonly Row[] =>
  withRepeats(
    rows.map((row) =>
      lacksGame(row) ? finishedRow({ line: row.line, text: row.text, typed: row.typed }, games) : row,
    ),
  );

/** The rows, of which those whose game may not be submitted here are refused; absent: all games may be. */
export const withAllowed = (rows: readonly Row[], allowed: readonly string[] | undefined): readonly Row[] =>
  allowed === undefined
    ? rows
    : rows.map((row) => (row.ok && !allowed.includes(row.submission.game) ? forbidden(row) : row));

function forbidden({ line, text, submission }: ReadyRow): RejectedRow {
  const { server: host, port, queryPort, game } = submission;
  const query = queryPort === undefined ? '' : String(queryPort);
  const typed = { server: formatAddress({ host, port }), port: '', queryPort: query, game };
  return {
    line,
    text: text || rowText(typed),
    ok: false,
    problem: { code: 'game-not-allowed', game },
    typed,
  };
}
