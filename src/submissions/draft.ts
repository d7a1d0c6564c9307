import { hash } from 'node:crypto';
import type { ServerSubmission } from '../listing/contract.ts';
import {
  isInvalid,
  isReady,
  isRepeated,
  lineLabel,
  type ReadyRow,
  type Row,
  type TypedRow,
} from '../server-lists/row.ts';
import type { DraftsTable } from '../storage/tables.ts';
import type { EarlierSubmission } from './already-submitted.ts';
import { type LineNumbers, withNumbers } from './line-numbers.ts';
import { isAboutKey, type ServerOutcome } from './outcome.ts';
import type { SubmittedServer } from './submission.ts';

/** Lines that aren't part of a submission although there is nothing to fix. */
export interface SkippedLines {
  /** Lines with words but no game server, and comments with an address. */
  readonly leftOut?: LineNumbers | undefined;
  /** Ready lines that the guild had already submitted. */
  readonly notAgain?: LineNumbers | undefined;
  readonly repeated?: LineNumbers | undefined;
  /** Addresses that the member could choose but didn't (see choices.ts). */
  readonly notChosen?: LineNumbers | undefined;
  /** The number of addresses that the member couldn't choose, because they aren't public. */
  readonly hidden?: number | undefined;
}

export const skippedIn = ({
  leftOut,
  notAgain,
  repeated,
  notChosen,
  hidden,
}: SkippedLines): SkippedLines => ({ leftOut, notAgain, repeated, notChosen, hidden });

export interface Draft extends SkippedLines {
  /** Distinguishes a draft from the reason why it isn't available (see drafts.ts). */
  readonly kind?: undefined;
  readonly id: string;
  /** How the draft was entered: in the fields for one server, as lines of text, or as prose searched for servers. */
  readonly source: 'options' | 'text' | 'message';
  readonly rows: readonly Row[];
  /** Whether the member can choose further servers (see choices.ts). */
  readonly hasChoices?: boolean;
  readonly isUnchosenGone?: boolean;
  /**
   * Whether every ready line was part of a submission, so that the history shows its outcome. Only set if the draft wasn't
   * edited after a submission ended.
   */
  readonly isTried?: boolean | undefined;
  /** Whether ready lines were held back when the member submitted the draft, for example by a limit. */
  readonly isHeldBack?: boolean;
  /** Whether no line is left. Such a draft is only kept for the numbers of the skipped lines. */
  readonly isOver?: boolean;
  /** Whether the member cancelled the draft. Such a draft is only found to undo this. */
  readonly isCancelled?: boolean;
  readonly includesAlreadySubmitted?: boolean;
  /** Applies to servers that the guild has already submitted. */
  readonly includesUnconfirmed?: boolean;
  /** Set if the member used a panel to start the draft. */
  readonly panelChannelId?: string | undefined;
  readonly typed?: TypedText | TypedFields;
}

/** Which lines to edit: `invalid` for lines that aren't ready, or `all`, for example after servers were rejected. */
export type Editing = 'invalid' | 'all';

/** Text that could not be parsed as a list. The member can reopen the modal and correct it. */
export interface TypedText {
  readonly text: string;
  /** The game for lines that don't name one; may be empty. */
  readonly game: string;
  /** The modal in which the text was typed: `paste` for a whole list, or a modal for editing the draft's lines. */
  readonly modal: 'paste' | Editing;
}

/** The values for one server that could not replace a waiting submission. The member can reopen the modal and correct them. */
export interface TypedFields {
  readonly row: TypedRow;
  readonly modal: 'fields';
}

/** Excludes servers found in text, because the member first checks them. */
export const isSubmittedImmediately = ({ source }: Pick<Draft, 'source'>): boolean => source === 'options';

export const onlyRow = ({ rows: [row, ...others] }: Pick<Draft, 'rows'>): Row | undefined =>
  others.length === 0 ? row : undefined;

export function rowsToSend(
  {
    rows,
    includesAlreadySubmitted,
    includesUnconfirmed,
  }: Pick<Draft, 'rows' | 'includesAlreadySubmitted' | 'includesUnconfirmed'>,
  alreadySubmitted: ReadonlyMap<Row, Pick<EarlierSubmission, 'outcome'>>,
): readonly ReadyRow[] {
  return rows.filter(isReady).filter((row) => {
    const before = alreadySubmitted.get(row);
    const isLeftOut = before && !(includesUnconfirmed && before.outcome.kind === 'unknown');
    return includesAlreadySubmitted || !isLeftOut;
  });
}

export const withRows = (draft: Draft, rows: readonly Row[]): Draft => ({ ...draft, rows });

export const withoutTyped = ({ typed: _typed, ...draft }: Draft): Draft => draft;

/**
 * Returns the part of an abandoned draft that lasts: its lines, without refused text and without addresses to choose from.
 * Returns `undefined` for an empty part.
 */
export function lastingPart(draft: Draft): Draft | undefined {
  const { hasChoices, ...lasting } = withoutTyped(draft);
  if (hasChoices) return { ...lasting, isUnchosenGone: true };
  return lasting.rows.length > 0 || lasting.isUnchosenGone ? lasting : undefined;
}

export const draftToStore = ({ id, source, ...lines }: Draft) => ({
  id,
  source,
  lines: JSON.stringify(lines),
});

/** Returns `undefined` if the stored lines can't be parsed. */
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
 * Returns the lines that a submission of a draft skips, including those that earlier submissions skipped.
 * @param submitted the submitted rows, including rows held back by a limit
 */
export function skippedLines(draft: Draft, submitted: readonly Row[]): SkippedLines {
  const sent = new Set(submitted);
  const before = draft.rows.filter((row) => isReady(row) && !isUnconfirmed(row) && !sent.has(row));
  return {
    ...skippedIn(draft),
    notAgain: withNumbers(draft.notAgain, before.map(lineLabel)),
    repeated: withNumbers(draft.repeated, draft.rows.filter(isRepeated).map(lineLabel)),
  };
}

/**
 * Returns the version of the draft to store while some of its rows are being submitted.
 * @param rows the submitted rows, including rows held back by a limit
 */
export function whileSubmitted(draft: Draft, rows: readonly ReadyRow[]): Draft {
  const submitted = new Set<Row>(rows);
  const stay = draft.rows.filter((row) => submitted.has(row) || isInvalid(row) || isUnconfirmed(row));
  const { hasChoices: _hasChoices, isUnchosenGone: _gone, ...submittedDraft } = withoutTyped(draft);
  return withRows({ ...submittedDraft, ...skippedLines(draft, rows) }, stay);
}

/** Returns a short hash of the rows that can be sent, to recognise whether they have changed. */
export const markOfRows = ({ rows }: Pick<Draft, 'rows'>): string =>
  hash(
    'sha256',
    JSON.stringify(rows.filter(isReady).map((row) => [lineLabel(row), row.submission])),
    'hex',
  ).slice(0, 12);

/**
 * Returns the version of the draft to store after a submission. Drops accepted servers and duplicates. After an approved
 * submission, only keeps submitted servers that were not sent, or were rejected because of the key.
 */
export function afterSubmission(
  draft: Draft,
  servers: readonly SubmittedServer[],
  isApproved: boolean,
): Draft {
  const outcomes = new Map(servers.map(({ line, server, outcome }) => [keyOf(line, server), outcome]));
  const stay = draft.rows.flatMap((row) => {
    if (isRepeated(row)) return [];
    const outcome = isReady(row) ? outcomes.get(keyOf(row.line, row.submission)) : undefined;
    if (outcome === undefined) return row;
    const isDecided = isApproved ? !isUnsent(outcome) : outcome.kind === 'accepted';
    if (isDecided) return [];
    return outcome.kind === 'unknown' ? { ...row, unconfirmed: outcome } : row;
  });
  const isTried = stay.every((row) => !isReady(row) || outcomes.has(keyOf(row.line, row.submission)));
  const after = withRows({ ...draft, isTried }, stay);
  // Only a moderator's decision changes a reply later.
  return isApproved || !isDone(after) ? after : withoutSkipped(after);
}

const withoutSkipped = (draft: Draft): Draft => ({ ...draft, ...skippedIn({}) });

/** Marks a draft as edited. If it was submitted before, drops the lines that were skipped, because the report named them. */
export const asEdited = (draft: Draft): Draft => ({
  ...(draft.isTried === undefined ? draft : withoutSkipped(draft)),
  isTried: undefined,
});

export const isDone = ({ rows, typed }: Draft): boolean => rows.every(isRepeated) && typed === undefined;

/** Only keeps the numbers of skipped lines, if there are any. */
export function whenDone(draft: Draft): Draft | undefined {
  const { id, source } = draft;
  const skipped = skippedIn(draft);
  return Object.values(skipped).some(Boolean)
    ? { id, source, ...skipped, rows: [], isOver: true }
    : undefined;
}

export function otherRows(
  { rows }: Draft,
  servers: readonly Pick<SubmittedServer, 'line' | 'server'>[],
): readonly Row[] {
  const keys = new Set(servers.map(({ line, server }) => keyOf(line, server)));
  return rows.filter((row) => !isReady(row) || !keys.has(keyOf(row.line, row.submission)));
}

export const withCorrected = (draft: Draft, { line, server }: SubmittedServer, row: ReadyRow): Draft =>
  withRows(
    draft,
    draft.rows.map((each) =>
      isReady(each) && keyOf(each.line, each.submission) === keyOf(line, server) ? row : each,
    ),
  );

/** Distinguishes servers with the same line number. */
const keyOf = (line: number, server: ServerSubmission): string => JSON.stringify([line, server]);

/** Whether the service hasn't decided on the server, because it wasn't sent or the guild's key was rejected. */
export const isUnsent = (outcome: ServerOutcome): boolean =>
  outcome.kind === 'not-sent' || isAboutKey(outcome);

type UnconfirmedRow = ReadyRow & Required<Pick<ReadyRow, 'unconfirmed'>>;

export const isUnconfirmed = (row: Row): row is UnconfirmedRow =>
  isReady(row) && row.unconfirmed !== undefined;
