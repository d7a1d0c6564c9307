import type { ServerSubmission } from '../listing/contract.ts';
import { isReady, isRepeated, type ReadyRow, type Row } from '../server-lists/row.ts';
import type { DraftsTable } from '../storage/tables.ts';
import { isAboutKey, type ServerOutcome } from './outcome.ts';
import type { SubmittedServer } from './submissions.ts';

/** A draft: the lines that a member edits and submits (see drafts.ts). */
export interface Draft {
  /** How it was entered: into the fields for one server, as the lines of a text, or in words among which they were found. */
  readonly source: 'options' | 'text' | 'message';
  readonly rows: readonly Row[];
  /** How many lines had words but no server. */
  readonly noise?: number;
  /** Whether servers that the guild has already submitted are submitted again. */
  readonly includesAlreadySubmitted: boolean;
  /** The channel of the panel that it was entered with. */
  readonly panelChannelId?: string | undefined;
  readonly typed?: TypedText;
}

/** Which lines are edited: those that are not ready, or all, as after servers were rejected or not sent. */
export type Editing = 'invalid' | 'all';

/** A text that could not be read as a list, to be corrected in the modal that it was typed in. */
export interface TypedText {
  readonly text: string;
  /** The game of lines that name none; may be empty. */
  readonly game: string;
  /** The modal of a whole list, or a modal in which lines of the draft are edited. */
  readonly modal: 'paste' | Editing;
}

/**
 * Whether it is submitted as soon as it can be. What was read out of a text is shown first, since nobody may have looked at what
 * was found in it.
 */
export const isSubmittedImmediately = ({ source }: Pick<Draft, 'source'>): boolean => source === 'options';

export const onlyRow = ({ rows: [row, ...others] }: Pick<Draft, 'rows'>): Row | undefined =>
  others.length === 0 ? row : undefined;

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

export const draftToStore = ({ source, ...lines }: Draft) => ({ source, lines: JSON.stringify(lines) });

/** The reverse of {@link draftToStore}; `undefined` if it cannot be read. */
export function draftFromStore({ source, lines }: Pick<DraftsTable, 'source' | 'lines'>): Draft | undefined {
  try {
    const draft = JSON.parse(lines ?? '');
    return Array.isArray(draft?.rows) ? { ...draft, source } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What stays in a draft while it is submitted.
 * @param rows those that are submitted, and those that a limit holds back
 */
export function whileSubmitted(draft: Draft, rows: readonly ReadyRow[]): Draft {
  const submitted = new Set<Row>(rows);
  const stay = draft.rows.filter((row) => submitted.has(row) || !isReady(row) || isUnconfirmed(row));
  return withRows(withoutTyped(draft), stay);
}

/**
 * What stays in a draft after a submission of it: all but the servers that were accepted, and lines that the report has
 * counted as repeated or without a server. After a submission that a moderator has approved, only those that were not sent, or
 * not taken because of the key.
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

/** Whether nothing is left in a draft that could be corrected or submitted. */
export const isDone = ({ rows, typed }: Draft): boolean => rows.every(isRepeated) && typed === undefined;

/** The lines of a draft that are none of these servers. */
export function otherRows(
  { rows }: Draft,
  servers: readonly Pick<SubmittedServer, 'line' | 'server'>[],
): readonly Row[] {
  const places = new Set(servers.map(({ line, server }) => placeOf(line, server)));
  return rows.filter((row) => !isReady(row) || !places.has(placeOf(row.line, row.submission)));
}

/** The draft with another row in place of one of these servers. */
export const withCorrected = (draft: Draft, { line, server }: SubmittedServer, row: ReadyRow): Draft =>
  withRows(
    draft,
    draft.rows.map((each) =>
      isReady(each) && placeOf(each.line, each.submission) === placeOf(line, server) ? row : each,
    ),
  );

/** Several servers may stand on one line, and a line that says the same as an earlier one is never ready. */
const placeOf = (line: number, server: ServerSubmission): string => JSON.stringify([line, server]);

/** The service has not decided on the server: it was not sent, or the guild's key was rejected. */
export const isUnsent = (outcome: ServerOutcome): boolean =>
  outcome.kind === 'not-sent' || isAboutKey(outcome);

type UnconfirmedRow = ReadyRow & Required<Pick<ReadyRow, 'unconfirmed'>>;

/** It may have been received in an earlier submission. */
export const isUnconfirmed = (row: Row): row is UnconfirmedRow =>
  isReady(row) && row.unconfirmed !== undefined;
