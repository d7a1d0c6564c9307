import { type AddressProblem, formatAddress, MAX_ADDRESS_TEXT, parseAddress } from '../addresses/address.ts';
import { hasWords, plainText, unwrapped, withoutPasswords } from '../addresses/pasted-text.ts';
import { parsePort } from '../addresses/port.ts';
import { usualPort } from '../addresses/usual-ports.ts';
import { LONGEST_NAME, type ServerSubmission, type UnknownOutcome } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { clipped } from '../one-line.ts';

/** One server as it stood in the text, without passwords; '' for what was not there. */
export interface TypedRow {
  readonly server: string;
  readonly port: string;
  readonly queryPort: string;
  readonly game: string;
}

interface UnknownGame {
  readonly code: 'game-unknown';
  readonly game: string;
}

/** What can be wrong with one server. */
export type RowProblem =
  | AddressProblem
  | { readonly code: 'game-missing' }
  | UnknownGame
  /** The port behind the host and the one given beside it differ. */
  | { readonly code: 'port-conflict'; readonly inServer: number; readonly port: number }
  /** No port at all. `usual` is the port such servers usually have, where it is known. */
  | { readonly code: 'port-missing'; readonly host: string; readonly game: string; readonly usual?: number }
  /** Words, but none of them is an address. */
  | { readonly code: 'no-address' }
  /** The guild lets only some games be submitted; by its alias. */
  | { readonly code: 'game-not-allowed'; readonly game: string }
  /** Its member has submitted it already, and a moderator has not decided yet. */
  | { readonly code: 'waiting-already' }
  | { readonly code: 'line-too-long'; readonly length: number; readonly most: number }
  /** A number where a query port can stand, but more likely of players. */
  | { readonly code: 'query-port-unlikely'; readonly port: string }
  /** More cells than the header or the form of a line has. */
  | { readonly code: 'too-many-cells'; readonly found: number; readonly most: number }
  /** An element of a JSON array that is neither an object nor a text. */
  | { readonly code: 'not-an-object' }
  /** A JSON field with a value of the wrong kind, such as a list. */
  | { readonly code: 'wrong-type'; readonly field: string; readonly expected: 'text' | 'number' };

/** A row before repeated ones are looked for. `problem` wins over whatever `typed` would give. */
export interface RawRow {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly typed: TypedRow;
  readonly problem?: RowProblem | undefined;
  /** The alias of the game that words beside it may mean. */
  readonly near?: string | undefined;
}

export type Reading =
  | { readonly ok: true; readonly submission: ServerSubmission }
  | { readonly ok: false; readonly problem: RowProblem };

/** One server of the text. */
export type Row = ReadyRow | InvalidRow | RepeatedRow;

/** What a server lookup filled in, or that Steam lists the typed port as a query port. */
export const FOUND = ['game', 'port', 'queryPort', 'isQueryPort'] as const;
export type Found = (typeof FOUND)[number];

interface RowParts {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly found?: readonly Found[];
}

/** It can be submitted. */
export interface ReadyRow extends RowParts {
  readonly kind: 'ready';
  readonly submission: ServerSubmission;
  /** What stood there, of a server that is submitted for itself. */
  readonly typed?: TypedRow;
  /** The outcome of its submission, where that is unknown: it is not submitted again with the others. */
  readonly unconfirmed?: UnknownOutcome;
}

export interface InvalidRow extends RowParts {
  readonly kind: 'invalid';
  readonly problem: RowProblem;
  /** What stood there, to be corrected. */
  readonly typed: TypedRow;
  /** The alias of the game that words beside it may mean. */
  readonly near?: string;
  /** The address in what was typed as one, where other words stand around it. */
  readonly address?: string;
}

/** It says the same as an earlier row, and is not sent. */
export interface RepeatedRow extends RowParts {
  readonly kind: 'repeated';
  /** The line of the earlier row. */
  readonly firstLine: number;
  readonly submission: ServerSubmission;
}

export const isReady = (row: Row): row is ReadyRow => row.kind === 'ready';
export const isInvalid = (row: Row): row is InvalidRow => row.kind === 'invalid';
export const isRepeated = (row: Row): row is RepeatedRow => row.kind === 'repeated';
/** Nothing is wrong with it but that it names no game. */
export const lacksGame = (row: Row): row is InvalidRow =>
  row.kind === 'invalid' && row.problem.code === 'game-missing';

export const hasUnknownGame = (row: Row): row is InvalidRow & { readonly problem: UnknownGame } =>
  row.kind === 'invalid' && row.problem.code === 'game-unknown';

/** How much of a cell is kept, in UTF-16 units, if it is no address. Names and aliases of games are no longer. */
const LONGEST_CELL = LONGEST_NAME;

export const EMPTY_ROW: TypedRow = { server: '', port: '', queryPort: '', game: '' };

/** The address of a server as text. */
export const addressOf = ({ server: host, port }: Pick<ServerSubmission, 'server' | 'port'>): string =>
  formatAddress({ host, port });

/** A row on another line. Whether it repeats another row has to be found anew there. */
export const onLine = (row: Row, line: number): Row =>
  row.kind === 'repeated' ? { kind: 'ready', line, submission: row.submission } : { ...row, line };

/** What was typed of a row, or what says the same. */
export function typedOf(row: Row | undefined): TypedRow {
  if (row === undefined) return EMPTY_ROW;
  if (row.kind === 'invalid') return row.typed;
  if (row.kind === 'ready' && row.typed) return row.typed;
  const { queryPort, game } = row.submission;
  const query = queryPort === undefined ? '' : String(queryPort);
  return { server: addressOf(row.submission), port: '', queryPort: query, game };
}

/** A cell or line as it may be shown and stored: no passwords, one line, not endless. It is cut before it is read, too. */
export const sanitised = (text: string, most = LONGEST_CELL): string =>
  clipped(
    withoutPasswords(
      plainText(clipped(text.trim(), 2 * most))
        .replace(/\s+/g, ' ')
        .trim(),
    ),
    most,
  );

/** As {@link sanitised}, of a cell that may be an address. Whoever shows it fits it to the place. */
export const sanitisedAddress = (text: string): string => sanitised(text, MAX_ADDRESS_TEXT);

/**
 * A row with a port from beside its address, or from another line. Beside the port of the game, the one in the address is
 * for queries.
 */
export function withPort(typed: TypedRow, port: string, isOfGame = false): TypedRow {
  const parsed = parseAddress(typed.server);
  const beside = parsePort(port);
  if (!parsed.ok || !beside.ok) return { ...typed, port };
  const { host, port: inServer = beside.port } = parsed.address;
  if (inServer !== beside.port && !isOfGame) return { ...typed, port };
  const queryPort = typed.queryPort || (inServer === beside.port ? '' : String(inServer));
  return { ...typed, server: formatAddress({ host, port: beside.port }), port: '', queryPort };
}

/** A smaller number that nothing calls a port is a year, or one of players or slots. */
export const LOWEST_BARE_PORT = 2100;

/**
 * A number that a text calls a port, where it is not clear whose. It is no port, so that neither it nor the usual one is
 * submitted before the member has corrected it.
 */
export const unclearPort = (port: string): string => (port.startsWith('?') ? port : `?${port}`);

/** The address of a web page and no more: nothing in it is a password, and who typed it sees what they typed. */
const WEB_PAGE = /^https?:\/\/[\w.-]+\/[\w./-]*$/iu;

/** What was typed of one server as it may be kept, to be corrected: without passwords. */
export function rowWithoutPasswords({ server, port, queryPort, game }: TypedRow): TypedRow {
  const address = server.trim();
  return {
    server: WEB_PAGE.test(address) ? address : sanitisedAddress(address),
    port: sanitised(port),
    queryPort: sanitised(queryPort),
    game: sanitised(game),
  };
}

/** A row in one line, for a person. */
export const rowText = ({ server, port, game, queryPort }: TypedRow): string =>
  [server, port, game, queryPort].filter((part) => part !== '').join(' ');

/** The alias for a game as written, with or without markup around it. */
export const gameOf = (text: string, games: Pick<GameIndex, 'find'>): string | undefined =>
  (games.find(text) ?? games.find(unwrapped(text)))?.alias;

/**
 * A typed row as a submission, or why not. The port may stand behind the host, beside it, or in both places if it is
 * the same; a query port equal to the port is left out (specification §2.1).
 * @param game the alias of its game, if the game is known
 */
export function readRow(typed: TypedRow, game: string | undefined): Reading {
  const beside = typed.port === '' ? undefined : parsePort(typed.port, 'port');
  if (beside && !beside.ok) return beside;
  const query = typed.queryPort === '' ? undefined : parsePort(typed.queryPort, 'query_port');
  if (query && !query.ok) return query;
  const parsed = parseAddress(typed.server);
  if (!parsed.ok) return parsed;
  const { host, port: inServer } = parsed.address;
  if (inServer !== undefined && beside && beside.port !== inServer) {
    return invalid({ code: 'port-conflict', inServer, port: beside.port });
  }
  if (!hasWords(typed.game)) return invalid({ code: 'game-missing' });
  if (game === undefined) return invalid({ code: 'game-unknown', game: typed.game });
  const port = inServer ?? beside?.port;
  if (port === undefined) {
    const usual = usualPort(game);
    return invalid({ code: 'port-missing', host, game, ...(usual !== undefined && { usual }) });
  }
  const queryPort = query && query.port !== port ? { queryPort: query.port } : {};
  return { ok: true, submission: { server: host, port, ...queryPort, game } };
}

/** What else is wrong with what was typed, each part seen by itself; {@link readRow} says the first thing only. */
export function furtherProblems(typed: TypedRow, first: RowProblem): readonly RowProblem[] {
  const parts = [
    typed.server === '' ? undefined : parseAddress(typed.server),
    typed.port === '' ? undefined : parsePort(typed.port, 'port'),
    typed.queryPort === '' ? undefined : parsePort(typed.queryPort, 'query_port'),
  ];
  return parts.flatMap((part) =>
    part && !part.ok && part.problem.code !== first.code ? [part.problem] : [],
  );
}

const invalid = (problem: RowProblem): Reading => ({ ok: false, problem });
