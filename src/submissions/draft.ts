import { formatAddress, parseAddress } from '../addresses/address.ts';
import {
  type Failure,
  KNOWN_ERRORS,
  type KnownError,
  type NotSent,
  type Outcome,
  type Unknown,
} from '../listing/contract.ts';
import {
  keptRow,
  type Reading,
  type Row,
  type RowProblem,
  rowText,
  type TypedRow,
} from '../server-lists/row.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';

/** A row that the guild has submitted before. */
export interface PreviousRow {
  /** Its index among the rows of the draft. */
  readonly row: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Empty once the member had it deleted. */
  readonly userName: string;
  /** It was the member who asks. */
  readonly isYours?: boolean;
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
export type RefusedRow = Extract<Row, { readonly problem: unknown }>;
type RepeatedRow = Extract<Row, { readonly duplicateOf: number }>;

export const isReady = (row: Row): row is ReadyRow => row.ok;
export const isRefusedRow = (row: Row): row is RefusedRow => 'problem' in row;
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

/** The rows that go out when the draft is submitted. Several rows may stand on one line, as in JSON. */
export function rowsToSend({ rows, previous, includesPrevious }: Draft): readonly ReadyRow[] {
  const left = new Set(includesPrevious ? [] : previous.map(({ row }) => row));
  return rows.filter((row, index): row is ReadyRow => row.ok && !left.has(index));
}

/**
 * What is left of a draft of which only some of {@link rowsToSend} went: those, and the lines that are not ready. What
 * was left out since it was submitted before, and what repeats another line, is no part of it.
 */
export function restOf(draft: Draft, isLeft: (index: number) => boolean): Draft {
  const left = new Set<Row>(rowsToSend(draft).filter((_, index) => isLeft(index)));
  const rows = draft.rows.filter((row) => left.has(row) || isRefusedRow(row));
  const indices = new Map(rows.map((row, index) => [row, index]));
  const previous = draft.previous.flatMap((each) => {
    const before = draft.rows[each.row];
    const row = before && indices.get(before);
    return row === undefined ? [] : [{ ...each, row }];
  });
  return { ...draft, rows, previous };
}

export const lacksGame = (row: Row): row is RefusedRow =>
  isRefusedRow(row) && row.problem.code === 'game-missing';

/** What was found in a message is submitted once its game was chosen. */
export const asksForGame = ({ source, rows }: Draft): boolean => source === 'message' && rows.some(lacksGame);

/**
 * Whether a server becomes part of a draft of its own once it has ended: what was refused or not sent, and what a limit
 * held up and so has no outcome; one server for itself also when nobody knows, to be asked for again.
 */
export const isLeft = ({ source }: Pick<Draft, 'source'>, outcome: Outcome | undefined): boolean =>
  outcome?.kind !== 'accepted' && (source === 'options' || outcome?.kind !== 'unknown');

/** Of what was typed only refused lines are kept, and so many characters of them a draft. */
const MOST_KEPT = 4_000;

/** The part of a draft that is in a row of the table of servers. */
type DraftServer = Pick<
  ServersTable,
  'position' | 'line' | 'host' | 'port' | 'query_port' | 'game' | 'address' | 'submitted_before'
>;
/** The part of a draft that is in its row of the table of submissions. */
type DraftLines = Pick<SubmissionsTable, 'source' | 'again' | 'refused_lines' | 'repeated_lines'>;

/**
 * A refused line: number, what is wrong, and its cells up to the last that is not empty; without these it was not kept.
 * With `null` for what is wrong it is a server of the draft: what was typed of it, where it is the only one.
 */
type RefusedLine = readonly [line: number, problem?: RowProblem | null, cells?: readonly string[]];
/** As it was stored before, with what to show of it. */
type OlderLine = readonly [line: number, text: string, problem: RowProblem | null, typed: TypedRow];
/** A line that says the same as the server at a position. */
type RepeatedLine = readonly [line: number, position: number];

/** A draft as it is stored: servers, those that lack only a game too, and apart from them the lines that are none. */
export function draftToStore({ source, rows, previous, includesPrevious }: Draft): {
  readonly lines: DraftLines;
  readonly servers: readonly DraftServer[];
} {
  const before = new Set(previous.map(({ row }) => row));
  const servers = rows.flatMap((row, index) => {
    const server = serverOf(row);
    return server ? [{ ...server, line: row.line, submitted_before: before.has(index) ? 1 : 0 }] : [];
  });
  const positioned = servers.map((server, position) => ({ ...server, position }));
  const repeated = rows.filter(isRepeated).map(({ line, submission, duplicateOf }): RepeatedLine => {
    const address = formatAddress({ host: submission.server, port: submission.port });
    return [line, positioned.findIndex((each) => each.line === duplicateOf && each.address === address)];
  });
  const refused = keptLines([
    ...rows.filter(isRefusedRow).filter((row) => !lacksGame(row)),
    ...rows.filter(isReady).flatMap((row) => (row.typed ? [{ line: row.line, typed: row.typed }] : [])),
  ]);
  return {
    lines: {
      source,
      again: includesPrevious ? 1 : 0,
      refused_lines: refused.length === 0 ? null : JSON.stringify(refused),
      repeated_lines: repeated.length === 0 ? null : JSON.stringify(repeated),
    },
    servers: positioned,
  };
}

/** The reverse of {@link draftToStore}. What is known of previous submissions is only which servers they concern. */
export function storedDraft(
  { source, again, refused_lines, repeated_lines }: DraftLines,
  servers: readonly DraftServer[],
): Draft {
  const list = <Line>(json: string | null): readonly Line[] => (json === null ? [] : JSON.parse(json));
  const refused = list<RefusedLine | OlderLine>(refused_lines).map(refusedLine);
  const typedOfLine = new Map(
    refused.flatMap(({ line, problem, typed }) => (problem === null ? [[line, typed] as const] : [])),
  );
  const rows: { readonly row: Row; readonly isPrevious: boolean }[] = [
    ...servers.map((server) => {
      const [row, typed] = [rowOf(server), typedOfLine.get(server.line)];
      return { row: typed ? { ...row, typed } : row, isPrevious: server.submitted_before === 1 };
    }),
    ...list<RepeatedLine>(repeated_lines).flatMap(([line, position]) => {
      const first = servers[position];
      const row = first && rowOf(first);
      return row?.ok
        ? [{ row: { ...row, ok: false as const, line, duplicateOf: row.line }, isPrevious: false }]
        : [];
    }),
    ...refused.flatMap(({ problem, ...line }) =>
      problem === null ? [] : [{ row: { ...line, ok: false as const, problem }, isPrevious: false }],
    ),
  ];
  const sorted = rows.toSorted((one, other) => one.row.line - other.row.line);
  return {
    source,
    rows: sorted.map(({ row }) => row),
    previous: sorted.flatMap(({ isPrevious }, row) =>
      isPrevious ? [{ row, at: 0, userName: '', outcome: 'accepted' as const }] : [],
    ),
    includesPrevious: again === 1,
  };
}

function serverOf(row: Row): Omit<DraftServer, 'position' | 'line' | 'submitted_before'> | undefined {
  if (isReady(row)) {
    const { server: host, port, queryPort, game } = row.submission;
    return { host, port, query_port: queryPort ?? null, game, address: formatAddress({ host, port }) };
  }
  if (!lacksGame(row)) return undefined;
  const { typed } = row;
  const parsed = parseAddress(typed.server);
  // It lacks nothing but a game, so it is an address.
  if (!parsed.ok) return undefined;
  const { host, port = Number(typed.port) } = parsed.address;
  const query_port = typed.queryPort === '' ? null : Number(typed.queryPort);
  return { host, port, query_port, game: '', address: formatAddress({ host, port }) };
}

function rowOf({ line, host, port, query_port, game }: DraftServer): Row {
  const text = formatAddress({ host, ...(port > 0 && { port }) });
  if (game === '') {
    const typed = { server: text, port: '', queryPort: query_port === null ? '' : String(query_port), game };
    return { line, text, ok: false, problem: { code: 'game-missing' }, typed };
  }
  const queryPart = query_port === null ? {} : { queryPort: query_port };
  return { line, text, ok: true, submission: { server: host, port, ...queryPart, game } };
}

/** As many of the lines as may be kept, and of the others that there were some. */
function keptLines(
  rows: readonly (Pick<RefusedRow, 'line' | 'typed'> & { readonly problem?: RowProblem })[],
): readonly RefusedLine[] {
  let left = MOST_KEPT;
  return rows.map(({ line, problem = null, typed: { server, port, queryPort, game } }) => {
    if (problem?.code === 'not-kept') return [line];
    const cells = [server, port, queryPort, game];
    const whole: RefusedLine = [
      line,
      problem,
      cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1),
    ];
    // A whole text that could not be read is one, and was measured.
    left -= rows.length === 1 ? server.length : JSON.stringify(whole).length;
    return left >= 0 ? whole : [line];
  });
}

function refusedLine(stored: RefusedLine | OlderLine) {
  const [line] = stored;
  if (isOlder(stored)) {
    const [, text, problem, typed] = stored;
    return { line, text, problem, typed };
  }
  const [
    ,
    problem = { code: 'not-kept' as const },
    [server = '', port = '', queryPort = '', game = ''] = [],
  ] = stored;
  const typed = { server, port, queryPort, game };
  return { line, text: rowText(typed), problem, typed };
}

const isOlder = (stored: RefusedLine | OlderLine): stored is OlderLine => typeof stored[1] === 'string';

/** Of what had left when the bot was stopped. */
export const INTERRUPTED: Unknown = {
  kind: 'unknown',
  reason: 'aborted',
  detail: 'the bot was stopped while it waited for the answer',
};

/** Code points of the service's words that are kept: the specification's own messages have at most 45. */
const MAX_MESSAGE = 300;

/** The part of an outcome that is in a server's row. */
type StoredOutcome = Pick<ServersTable, 'outcome' | 'message' | 'reason'>;

export function outcomeToStore(outcome: Outcome): StoredOutcome {
  if ('message' in outcome) {
    const message = [...outcome.message].slice(0, MAX_MESSAGE).join('');
    return { outcome: outcome.kind, message, reason: null };
  }
  const { kind, ...why } = outcome;
  return { outcome: kind, message: null, reason: JSON.stringify(why) };
}

/** The reverse of {@link outcomeToStore}; `undefined` when the server has not ended. */
export function outcomeOf({ outcome, message, reason }: StoredOutcome): Outcome | undefined {
  const said = message ?? '';
  switch (outcome) {
    case null:
      return undefined;
    case 'accepted':
      return { kind: 'accepted', message: said };
    case 'rejected': {
      const known = (Object.keys(KNOWN_ERRORS) as KnownError[]).find((error) => KNOWN_ERRORS[error] === said);
      return { kind: 'rejected', message: said, ...(known && { known }) };
    }
    // Version 0.1 kept no reason.
    case 'not-sent':
      return { reason: 'bot', ...reasonOf<NotSent>(reason), kind: outcome };
    case 'unknown':
      return { reason: 'reset', ...reasonOf<Unknown>(reason), kind: outcome };
  }
}

const reasonOf = <Ended extends Failure>(json: string | null): Omit<Ended, 'kind'> | undefined =>
  json === null ? undefined : JSON.parse(json);
