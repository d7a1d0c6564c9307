import { isAboutKey, type Outcome } from '../listing/contract.ts';
import {
  isReady,
  isRefused,
  type Reading,
  type ReadyRow,
  type Row,
  type TypedRow,
} from '../server-lists/row.ts';
import type { Limited } from './limits.ts';

/** Servers that a member is about to submit: one JSON document in a row of the table of submissions (see drafts.ts). */
export interface Draft {
  /** Where the servers stood: in the options of a command, the lines of a text, or a message of Discord. */
  readonly source: 'options' | 'text' | 'message';
  readonly rows: readonly Row[];
  /** How many lines had words but no server. */
  readonly noise?: number;
  /** Whether servers that the guild has already submitted are submitted again. */
  readonly includesAlreadySubmitted: boolean;
  readonly typed?: TypedText;
}

/** Which lines are edited: those that are not ready, or all, as after servers were rejected or not sent. */
export type Editing = 'refused' | 'all';

/** A text that could not be read as a list, to be corrected in the modal that it was typed in. */
export interface TypedText {
  readonly text: string;
  /** The game of lines that name none; may be empty. */
  readonly game: string;
  /** The modal of a whole list, or a modal in which lines of the draft are edited. */
  readonly window: 'paste' | Editing;
}

/** A draft of one server, which is a list of one. @param typed without passwords, since it is stored */
export function draftOfOne(typed: TypedRow, reading: Reading): Draft {
  const row: Row = reading.ok
    ? { kind: 'ready', line: 1, submission: reading.submission, typed }
    : { kind: 'refused', line: 1, problem: reading.problem, typed };
  return { source: 'options', rows: [row], includesAlreadySubmitted: false };
}

/**
 * The rows that are sent when the draft is submitted.
 * @param alreadySubmitted the rows that the guild has already submitted
 */
export function rowsToSend(
  { rows, includesAlreadySubmitted }: Draft,
  alreadySubmitted: ReadonlyMap<Row, unknown>,
): readonly ReadyRow[] {
  return rows.filter(isReady).filter((row) => includesAlreadySubmitted || !alreadySubmitted.has(row));
}

export const withRows = (draft: Draft, rows: readonly Row[]): Draft => ({ ...draft, rows });

export const withoutTyped = ({ typed: _typed, ...draft }: Draft): Draft => draft;

/** A draft from the store; `undefined` if it cannot be read. */
export function draftFromStore(text: string): Draft | undefined {
  const draft = fromStore<Draft>(text);
  return Array.isArray(draft?.rows) ? draft : undefined;
}

/** A draft with the rows of it that are submitted. */
export interface Run {
  readonly draft: Draft;
  /** The rows that are submitted. The place of a row in this list is the position of its server in the table. */
  readonly rows: readonly ReadyRow[];
  /** Ready rows that a limit keeps from being submitted now. */
  readonly limitedRows: readonly ReadyRow[];
  readonly limited?: Limited | undefined;
}

/** A {@link Run} as it is stored: instead of rows it has their places in the draft, counted from 0. */
interface StoredRun {
  /** How many rows are submitted. It comes first, so that it can be read by itself. */
  readonly count: number;
  readonly draft: Draft;
  readonly rows: readonly number[];
  readonly limitedRows: readonly number[];
  readonly limited?: Limited | undefined;
}

export function runToStore({ draft, rows, limitedRows, limited }: Run): string {
  const numbers = new Map<Row, number>(draft.rows.map((row, number) => [row, number]));
  const numbersOf = (some: readonly Row[]) => some.flatMap((row) => numbers.get(row) ?? []);
  const run: StoredRun = {
    count: rows.length,
    draft,
    rows: numbersOf(rows),
    limitedRows: numbersOf(limitedRows),
    limited,
  };
  return JSON.stringify(run);
}

/** Characters at the beginning of a stored run in which its count stands. */
export const COUNT_UP_TO = 20;

/** How many servers a stored run submits. @param start its first {@link COUNT_UP_TO} characters */
export const storedCount = (start: string): number => Number(/^\{"count":(\d+)/u.exec(start)?.[1] ?? 0);

/** The reverse of {@link runToStore}; `undefined` if the stored text cannot be read. */
export function runFromStore(text: string): Run | undefined {
  const stored = fromStore<StoredRun>(text);
  if (!Array.isArray(stored?.draft?.rows)) return undefined;
  const { draft, rows, limitedRows, limited } = stored;
  const readyRows = (numbers: readonly number[]) =>
    numbers.flatMap((number) => draft.rows[number] ?? []).filter(isReady);
  return { draft, rows: readyRows(rows), limitedRows: readyRows(limitedRows), limited };
}

/**
 * The draft of what remains after a submission: servers that were not accepted, rows that a limit held back, lines that
 * are not ready, and servers that have stayed unconfirmed.
 * @param outcomes by the position of the server
 */
export function remainderOf(run: Run, outcomes: readonly (Outcome | undefined)[]): Draft {
  const { draft, rows, limitedRows } = run;
  const remaining = rows.flatMap((row, index) => {
    const outcome = outcomes[index];
    if (outcome?.kind === 'accepted') return [];
    return outcome?.kind === 'unknown' ? { ...row, unconfirmed: outcome } : row;
  });
  return withRows(
    withoutTyped(draft),
    [...remaining, ...limitedRows, ...unconfirmedRows(run), ...draft.rows.filter(isRefused)].toSorted(
      (one, other) => one.line - other.line,
    ),
  );
}

/** The rows that are unconfirmed since an earlier submission, and that this one has not submitted. */
export function unconfirmedRows({ draft, rows, limitedRows }: Run): readonly UnconfirmedRow[] {
  const submitted = new Set<Row>([...rows, ...limitedRows]);
  return draft.rows.filter(isUnconfirmed).filter((row) => !submitted.has(row));
}

type UnconfirmedRow = ReadyRow & Required<Pick<ReadyRow, 'unconfirmed'>>;

const isUnconfirmed = (row: Row): row is UnconfirmedRow => isReady(row) && row.unconfirmed !== undefined;

/**
 * What a moderator has approved and was not sent, or was held back by a limit, or not accepted because of the guild's key.
 * @param outcomes by the position of the server
 */
export function unsentOf({ draft, rows, limitedRows }: Run, outcomes: readonly (Outcome | undefined)[]): Run {
  const unsent = rows.filter((_, index) => {
    const outcome = outcomes[index];
    return outcome !== undefined && (outcome.kind === 'not-sent' || isAboutKey(outcome));
  });
  const waiting = [...unsent, ...limitedRows];
  return { draft: withRows(draft, waiting), rows: waiting, limitedRows: [] };
}

function fromStore<Kept>(text: string): Kept | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
