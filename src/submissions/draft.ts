import { isReady, type Reading, type ReadyRow, type Row, type TypedRow } from '../server-lists/row.ts';

/** Servers that a member is about to submit. It is stored as one document. */
export interface Draft {
  /** Where they stood: in the options of a command, the lines of a text, or a message of Discord. */
  readonly source: 'options' | 'text' | 'message';
  readonly rows: readonly Row[];
  /** How many lines had words in them, and no server. */
  readonly noise?: number;
  /** Whether servers that the guild has submitted before are submitted again. */
  readonly includesDuplicates: boolean;
}

/** A draft of one server, which is a list of one. `typed` is kept as it may be stored: without passwords. */
export function draftOfOne(typed: TypedRow, reading: Reading): Draft {
  const row: Row = reading.ok
    ? { kind: 'ready', line: 1, submission: reading.submission, typed }
    : { kind: 'refused', line: 1, problem: reading.problem, typed };
  return { source: 'options', rows: [row], includesDuplicates: false };
}

/**
 * The rows that go out when the draft is submitted.
 * @param duplicates the rows that the guild has submitted before
 */
export function rowsToSend(
  { rows, includesDuplicates }: Draft,
  duplicates: ReadonlyMap<Row, unknown>,
): readonly ReadyRow[] {
  return rows.filter(isReady).filter((row) => includesDuplicates || !duplicates.has(row));
}

/** A draft with these rows alone. */
export const withRows = (draft: Draft, rows: readonly Row[]): Draft => ({ ...draft, rows });

/** A draft that was stored; `undefined` when the record cannot be read any more. */
export function draftFromStore(text: string): Draft | undefined {
  try {
    const draft = JSON.parse(text) as Draft | null;
    return Array.isArray(draft?.rows) ? draft : undefined;
  } catch {
    return undefined;
  }
}
