import { formatAddress, parseAddress } from '../addresses/address.ts';
import type { FoundAddresses } from '../addresses/find-addresses.ts';
import type { ServerSubmission } from '../listing/contract.ts';
import type { Row } from '../server-lists/read-list.ts';
import {
  EMPTY_ROW,
  type GameReading,
  keptRow,
  type Reading,
  type RowProblem,
  readRow,
  type TypedRow,
} from '../server-lists/row.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';
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
type RejectedRow = Extract<Row, { readonly problem: unknown }>;
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

/** What is left of a draft of which only some of {@link rowsToSend} are to be submitted. */
export function restOf(draft: Draft, isLeft: (index: number) => boolean): Draft {
  const rows = rowsToSend(draft).filter((_, index) => isLeft(index));
  const indices = new Map<Row | undefined, number>(rows.map((row, index) => [row, index]));
  const previous = draft.previous.flatMap((each) => {
    const row = indices.get(draft.rows[each.row]);
    return row === undefined ? [] : [{ ...each, row }];
  });
  return { ...draft, rows, previous };
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
 * A refused line: number, what to show of it, what is wrong, and its cells; without the last two it was not kept. With
 * `null` for what is wrong it is a server of the draft: what was typed of it, where it is the only one.
 */
type RefusedLine = readonly [line: number, text?: string, problem?: RowProblem | null, typed?: TypedRow];
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
  const typed = rows.filter(isReady).flatMap((row) => (row.typed ? [{ ...row, typed: row.typed }] : []));
  const refused = keptLines([...rows.filter(isRejected).filter((row) => !lacksGame(row)), ...typed]);
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
  const refused = list<RefusedLine>(refused_lines);
  const typedOfLine = new Map(
    refused.flatMap(([line, , problem, typed]) => (problem === null && typed ? [[line, typed]] : [])),
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
    ...refused.flatMap(([line, text = '', problem, typed = EMPTY_ROW]) => {
      if (problem === null) return [];
      const said = problem ?? { code: 'not-kept' as const };
      return { row: { line, text, ok: false as const, problem: said, typed }, isPrevious: false };
    }),
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
  rows: readonly (RejectedRow | (ReadyRow & { readonly typed: TypedRow }))[],
): readonly RefusedLine[] {
  let left = MOST_KEPT;
  return rows.map(({ line, text, typed, ...row }) => {
    const whole: RefusedLine = [line, text, 'problem' in row ? row.problem : null, typed];
    left -= JSON.stringify(whole).length;
    return left >= 0 ? whole : [line];
  });
}
