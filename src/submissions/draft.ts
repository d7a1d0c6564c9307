import { formatAddress } from '../addresses/address.ts';
import type { FoundAddresses } from '../addresses/find-addresses.ts';
import type { ServerSubmission } from '../listing/contract.ts';
import type { Row } from '../server-lists/read-list.ts';
import { type GameReading, readRow } from '../server-lists/row.ts';

/** A row that the guild has submitted before. */
export interface Former {
  /** Its place among the rows of the draft. */
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
  readonly former: readonly Former[];
  readonly includesFormer: boolean;
}

export type ReadyRow = Extract<Row, { readonly ok: true }>;
export type RejectedRow = Extract<Row, { readonly problem: unknown }>;
export type RepeatedRow = Extract<Row, { readonly duplicateOf: number }>;

export const isReady = (row: Row): row is ReadyRow => row.ok;
export const isRejected = (row: Row): row is RejectedRow => 'problem' in row;
export const isRepeated = (row: Row): row is RepeatedRow => 'duplicateOf' in row;

/** The rows that go out when the draft is submitted. Several rows may stand on one line, as in JSON. */
export function rowsToSend({ rows, former, includesFormer }: Draft): readonly ReadyRow[] {
  const left = new Set(includesFormer ? [] : former.map(({ row }) => row));
  return rows.filter((row, place): row is ReadyRow => row.ok && !left.has(place));
}

/** What is left of a draft of which only some of {@link rowsToSend} are to be submitted. */
export function restOf(draft: Draft, isLeft: (place: number) => boolean): Draft {
  const rows = rowsToSend(draft).filter((_, place) => isLeft(place));
  const places = new Map<Row | undefined, number>(rows.map((row, place) => [row, place]));
  const former = draft.former.flatMap((each) => {
    const row = places.get(draft.rows[each.row]);
    return row === undefined ? [] : [{ ...each, row }];
  });
  return { ...draft, rows, former };
}

export const lacksGame = (row: Row): row is RejectedRow =>
  isRejected(row) && row.problem.code === 'game-missing';

/** The addresses of a message as rows that lack a game; those that were refused come last. */
export function rowsOfAddresses({ found, refused }: FoundAddresses): readonly Row[] {
  const empty = { port: '', queryPort: '', game: '' };
  const rows = [
    ...found.map((address) => ({ text: formatAddress(address), problem: { code: 'game-missing' } as const })),
    ...refused.map((problem) => ({ text: 'host' in problem ? problem.host : '', problem })),
  ];
  return rows.map(({ text, problem }, i) => {
    return { line: i + 1, text, ok: false, problem, typed: { ...empty, server: text } };
  });
}

/** The rows with a game for those that lack one; what has become the same as an earlier row is a repetition. */
export function withGame(rows: readonly Row[], games: GameReading): readonly Row[] {
  const firstLines = new Map<string, number>();
  return rows.map((row) => {
    const read = lacksGame(row) ? reread(row, games) : row;
    if (!read.ok) return read;
    const key = keyOf(read.submission);
    const duplicateOf = firstLines.get(key);
    if (duplicateOf !== undefined) return { ...read, ok: false, duplicateOf };
    firstLines.set(key, read.line);
    return read;
  });
}

function reread({ line, text, typed }: RejectedRow, games: GameReading): Row {
  const reading = readRow(typed, games);
  return reading.ok
    ? { line, text, ok: true, submission: reading.submission }
    : { line, text, ok: false, problem: reading.problem, typed };
}

const keyOf = ({ server, port, queryPort, game }: ServerSubmission) =>
  JSON.stringify([server, port, queryPort, game]);
