import type { ServerSubmission } from '../listing/contract.ts';
import { isReady, isRepeated, type ReadyRow, type Row } from '../server-lists/row.ts';
import type { DraftsTable } from '../storage/tables.ts';
import { isAboutKey, type ServerOutcome } from './outcome.ts';
import type { SubmittedServer } from './submissions.ts';

/** A draft: lines that a member edits and submits (see drafts.ts). */
export interface Draft {
  readonly id: string;
  /**
   * How the draft was entered: in the fields for one server, as lines of text, or in prose that the bot searched for
   * servers.
   */
  readonly source: 'options' | 'text' | 'message';
  readonly rows: readonly Row[];
  /** How many lines contained words but no server. */
  readonly noise?: number;
  /** Whether servers that the guild already submitted are submitted again. */
  readonly includesAlreadySubmitted?: boolean;
  /** The channel of the panel that the draft was started from. */
  readonly panelChannelId?: string | undefined;
  readonly typed?: TypedText;
}

/**
 * Which lines to edit. `invalid`: those that aren't ready. `all`: every line, for example after servers were rejected or
 * not sent.
 */
export type Editing = 'invalid' | 'all';

/** Text that could not be read as a list. The member can correct it in the same modal. */
export interface TypedText {
  readonly text: string;
  /** The game for lines that don't name one; can be empty. */
  readonly game: string;
  /** The modal that it was typed into: the one for a whole list, or the one for editing lines of the draft. */
  readonly modal: 'paste' | Editing;
}

/**
 * Whether a draft is submitted as soon as it is ready. Servers that were found in a text are shown first, because the
 * member may not have checked them.
 */
export const isSubmittedImmediately = ({ source }: Pick<Draft, 'source'>): boolean => source === 'options';

export const onlyRow = ({ rows: [row, ...others] }: Pick<Draft, 'rows'>): Row | undefined =>
  others.length === 0 ? row : undefined;

/**
 * Returns the rows that are sent when the draft is submitted.
 * @param alreadySubmitted the rows that the guild already submitted
 */
export function rowsToSend(
  { rows, includesAlreadySubmitted }: Draft,
  alreadySubmitted: ReadonlyMap<Row, unknown>,
): readonly ReadyRow[] {
  return rows.filter(isReady).filter((row) => includesAlreadySubmitted || !alreadySubmitted.has(row));
}

export const withRows = (draft: Draft, rows: readonly Row[]): Draft => ({ ...draft, rows });

export const withoutTyped = ({ typed: _typed, ...draft }: Draft): Draft => draft;

export const draftToStore = ({ id, source, ...lines }: Draft) => ({
  id,
  source,
  lines: JSON.stringify(lines),
});

/** The reverse of {@link draftToStore}; `undefined` if the lines can't be read. */
export function draftFromStore({
  id,
  source,
  lines,
}: Pick<DraftsTable, 'id' | 'source' | 'lines'>): Draft | undefined {
  try {
    const draft = JSON.parse(lines ?? '');
    return Array.isArray(draft?.rows) ? { ...draft, id, source } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the part of a draft that stays in it while it is being submitted.
 * @param rows the submitted rows, and the rows that a limit holds back
 */
export function whileSubmitted(draft: Draft, rows: readonly ReadyRow[]): Draft {
  const submitted = new Set<Row>(rows);
  const stay = draft.rows.filter((row) => submitted.has(row) || !isReady(row) || isUnconfirmed(row));
  return withRows(withoutTyped(draft), stay);
}

/**
 * Returns the part of a draft that stays in it after its submission. Drops accepted servers, and lines that the report
 * counted as repeated or as having no server. After an approved submission, keeps only servers that weren't sent or were
 * rejected because of the key.
 */
export function afterSubmission(
  draft: Draft,
  servers: readonly SubmittedServer[],
  isApproved: boolean,
): Draft {
  const outcomes = new Map(servers.map(({ line, server, outcome }) => [placeOf(line, server), outcome]));
  const stay = draft.rows.flatMap((row) => {
    if (isRepeated(row)) return [];
    const outcome = isReady(row) ? outcomes.get(placeOf(row.line, row.submission)) : undefined;
    if (outcome === undefined) return row;
    const isDecided = isApproved ? !isUnsent(outcome) : outcome.kind === 'accepted';
    if (isDecided) return [];
    return outcome.kind === 'unknown' ? { ...row, unconfirmed: outcome } : row;
  });
  return withRows({ ...draft, noise: 0 }, stay);
}

/** Whether every line of a draft has been corrected and submitted. */
export const isDone = ({ rows, typed }: Draft): boolean => rows.every(isRepeated) && typed === undefined;

/** Returns the lines of a draft that don't belong to these servers. */
export function otherRows(
  { rows }: Draft,
  servers: readonly Pick<SubmittedServer, 'line' | 'server'>[],
): readonly Row[] {
  const places = new Set(servers.map(({ line, server }) => placeOf(line, server)));
  return rows.filter((row) => !isReady(row) || !places.has(placeOf(row.line, row.submission)));
}

/** Replaces the row of one of these servers in a draft. */
export const withCorrected = (draft: Draft, { line, server }: SubmittedServer, row: ReadyRow): Draft =>
  withRows(
    draft,
    draft.rows.map((each) =>
      isReady(each) && placeOf(each.line, each.submission) === placeOf(line, server) ? row : each,
    ),
  );

/** Identifies a ready row. One line can contain several servers, and a line that repeats an earlier one is never ready. */
const placeOf = (line: number, server: ServerSubmission): string => JSON.stringify([line, server]);

/** Whether the service hasn't decided about the server, because it wasn't sent, or the service rejected the guild's key. */
export const isUnsent = (outcome: ServerOutcome): boolean =>
  outcome.kind === 'not-sent' || isAboutKey(outcome);

type UnconfirmedRow = ReadyRow & Required<Pick<ReadyRow, 'unconfirmed'>>;

/** Whether the service may have received the server in an earlier submission. */
export const isUnconfirmed = (row: Row): row is UnconfirmedRow =>
  isReady(row) && row.unconfirmed !== undefined;
