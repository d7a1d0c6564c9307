import { z } from 'zod';
import {
  type AddressProblem,
  checkPort,
  formatAddress,
  HIGHEST_PORT,
  LOWEST_PORT,
  MAX_ADDRESS_TEXT,
  MAX_NAME_LENGTH,
  parseAddress,
  parsePort,
} from '../addresses/address.ts';
import { hasWords, plainText, unwrapped, withoutPasswords } from '../addresses/pasted-text.ts';
import { usualPort } from '../addresses/registries.ts';
import type { ServerSubmission } from '../listing/contract.ts';
import type { Secret } from '../secret.ts';
import { clipped } from '../visible-line.ts';

/** One server as it stood in the text, without passwords; '' for what was not there. */
export interface TypedRow {
  readonly server: string;
  readonly port: string;
  readonly queryPort: string;
  readonly game: string;
}

/** What can be wrong with one server that was typed. */
export type ServerProblem = SubmissionProblem | { readonly code: 'game-unknown'; readonly game: string };

export type RowProblem =
  | ServerProblem
  /** A line of a draft of which no more is kept than that it was refused. */
  | { readonly code: 'not-kept' }
  /** Words, but none of them is an address. */
  | { readonly code: 'no-address' }
  /** The guild lets only some games be submitted; by its alias. */
  | { readonly code: 'game-not-allowed'; readonly game: string }
  | { readonly code: 'line-too-long'; readonly length: number; readonly most: number }
  /** More cells than the header or the form of a line has. */
  | { readonly code: 'too-many-cells'; readonly found: number; readonly most: number }
  /** An element of a JSON array that is neither an object nor a text. */
  | { readonly code: 'not-an-object' }
  /** A JSON field with a value of the wrong kind, such as a list. */
  | { readonly code: 'wrong-type'; readonly field: string; readonly expected: 'text' | 'number' };

/** How the games in the text are understood. */
export interface GameReading {
  /** The alias for rows that name no game. */
  readonly defaultGame?: string;
  /** The alias for an alias or a display name. */
  findGame(text: string): string | undefined;
}

/** A row before duplicates are looked for. `problem` wins over whatever `typed` would give. */
export interface RawRow {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly typed: TypedRow;
  readonly problem?: RowProblem;
}

export type Reading =
  | { readonly ok: true; readonly submission: ServerSubmission }
  | { readonly ok: false; readonly problem: ServerProblem };

/** One server of the text. `line` counts from 1; `text` is what to show, without passwords. */
export type Row = {
  readonly line: number;
  readonly text: string;
} /** `typed` is what stood there, of a server that is submitted for itself. */ & (
  | { readonly ok: true; readonly submission: ServerSubmission; readonly typed?: TypedRow }
  /** `typed` is what stood there, for the file of those that were refused. */
  | { readonly ok: false; readonly problem: RowProblem; readonly typed: TypedRow }
  /** The line where the same submission stood first; it is sent once. */
  | { readonly ok: false; readonly duplicateOf: number; readonly submission: ServerSubmission }
);

/** How much of a cell or line is kept; an address may be as long. Whoever shows it fits it to the place. */
const KEPT = MAX_ADDRESS_TEXT;

export const EMPTY_ROW: TypedRow = { server: '', port: '', queryPort: '', game: '' };

/** What was typed of a row, or what says the same. */
export function typedOf(row: Row | undefined): TypedRow {
  if (row === undefined) return EMPTY_ROW;
  if ('typed' in row && row.typed) return row.typed;
  if (!('submission' in row)) return EMPTY_ROW;
  const { server: host, port, queryPort, game } = row.submission;
  const query = queryPort === undefined ? '' : String(queryPort);
  return { server: formatAddress({ host, port }), port: '', queryPort: query, game };
}

/** A cell or line as it may be shown and stored: no passwords, one line, not endless. It is cut before it is read, too. */
export const shown = (text: string): string =>
  clipped(
    withoutPasswords(
      plainText(clipped(text.trim(), 2 * KEPT))
        .replace(/\s+/g, ' ')
        .trim(),
    ),
    KEPT,
  );

/** The address of a web page and no more: nothing in it is a password, and who typed it sees what they typed. */
const WEB_PAGE = /^https?:\/\/[\w.-]+\/[\w./-]*$/iu;

/** What was typed of one server as it may be kept, to be corrected: without passwords. */
export function keptRow({ server, port, queryPort, game }: TypedRow): TypedRow {
  const address = server.trim();
  return {
    server: WEB_PAGE.test(address) ? address : shown(address),
    port: shown(port),
    queryPort: shown(queryPort),
    game: shown(game),
  };
}

/** A row in one line, for a person. */
export const rowText = ({ server, port, game, queryPort }: TypedRow): string =>
  [server, port, game, queryPort].filter((part) => part !== '').join(' ');

/** The alias for a game as written, with or without markup around it. */
export const gameOf = (text: string, { findGame }: GameReading): string | undefined =>
  text === '' ? undefined : (findGame(text) ?? findGame(unwrapped(text)));

/** The games by their alias or name. */
export interface Games {
  find(text: string): { readonly alias: string } | undefined;
}

/** The service's games; see the catalog of `src/listing`. */
export interface Catalog extends Games {
  list(): { readonly fresh: boolean };
  refresh(key: Secret): Promise<unknown>;
}

/** What is taken for an alias that we do not know: all of the specification (§2.3) are much shorter. */
const ALIAS = /^[\w.-]{1,50}$/;

/**
 * Reads what was typed of one server. Where its game is not known the service is asked for its games, unless they are
 * fresh. Only the service knows which games it takes: while its list is unknown, what may be an alias is one.
 * @param keyOf what the service is asked with; without one it is not
 */
export async function readOneWithGames(
  typed: TypedRow,
  games: Catalog,
  keyOf: () => Promise<Secret | undefined>,
): Promise<Reading> {
  if (!games.find(typed.game) && !games.list().fresh) {
    const key = await keyOf();
    if (key) await games.refresh(key);
  }
  const isPossible = !games.list().fresh && ALIAS.test(typed.game);
  const alias = games.find(typed.game)?.alias ?? (isPossible ? typed.game : undefined);
  // The game comes first: which port is missing depends on it.
  if (alias === undefined) return { ok: false, problem: { code: 'game-unknown', game: typed.game } };
  return readRow({ ...typed, game: '' }, { defaultGame: alias, findGame: (text) => games.find(text)?.alias });
}

/** A typed row as a submission, or why not. */
export function readRow(typed: TypedRow, games: GameReading): Reading {
  const port = typed.port === '' ? undefined : parsePort(typed.port, 'port');
  if (port && !port.ok) return port;
  const queryPort = typed.queryPort === '' ? undefined : parsePort(typed.queryPort, 'query_port');
  if (queryPort && !queryPort.ok) return queryPort;
  const named = hasWords(typed.game);
  const alias = named ? gameOf(typed.game, games) : games.defaultGame;
  // What is wrong with the address comes first, and is the same whatever the game.
  const result = parseSubmission({
    server: typed.server,
    ...(port && { port: port.port }),
    ...(queryPort && { queryPort: queryPort.port }),
    game: alias ?? (named ? typed.game : ''),
  });
  if (!result.ok || alias !== undefined) return result;
  return { ok: false, problem: { code: 'game-unknown', game: clipped(typed.game, 100) } };
}

const portSchema = z.int().min(LOWEST_PORT).max(HIGHEST_PORT);

/** A submission that was valid when it was made: what comes back from the store is checked with it. */
export const submissionSchema = z.object({
  server: z.string().min(1).max(MAX_NAME_LENGTH),
  port: portSchema,
  queryPort: z.exactOptional(portSchema),
  game: z.string().min(1),
}) satisfies z.ZodType<ServerSubmission>;

/** What a person typed for one server. `game` is an alias that was looked up before. */
interface TypedSubmission {
  readonly server: string;
  readonly port?: number;
  readonly queryPort?: number;
  readonly game: string;
}

export type SubmissionProblem =
  | AddressProblem
  | { readonly code: 'game-missing' }
  /** The port behind the host and the one given beside it differ. */
  | { readonly code: 'port-conflict'; readonly inServer: number; readonly port: number }
  /** No port at all. `usual` is the port such servers usually have, where it is known. */
  | { readonly code: 'port-missing'; readonly host: string; readonly game: string; readonly usual?: number };

export type SubmissionResult =
  | { readonly ok: true; readonly submission: ServerSubmission }
  | { readonly ok: false; readonly problem: SubmissionProblem };

const refused = (problem: SubmissionProblem): SubmissionResult => ({ ok: false, problem });

/**
 * One submission from what was typed. The port may stand behind the host, beside it, or in both places if it is
 * the same; a query port equal to the port is left out (specification §2.1).
 */
export function parseSubmission({ server, port, queryPort, game }: TypedSubmission): SubmissionResult {
  const parsed = parseAddress(server);
  if (!parsed.ok) return parsed;
  const { host, port: inServer } = parsed.address;
  const beside = port === undefined ? undefined : checkPort(port);
  if (beside && !beside.ok) return beside;
  if (inServer !== undefined && beside && beside.port !== inServer) {
    return refused({ code: 'port-conflict', inServer, port: beside.port });
  }
  const query = queryPort === undefined ? undefined : checkPort(queryPort, 'query_port');
  if (query && !query.ok) return query;
  if (game === '') return refused({ code: 'game-missing' });
  const agreed = inServer ?? beside?.port;
  if (agreed === undefined) {
    const usual = usualPort(game);
    return refused({ code: 'port-missing', host, game, ...(usual !== undefined && { usual }) });
  }
  const queryPart = query && query.port !== agreed ? { queryPort: query.port } : {};
  return { ok: true, submission: { server: host, port: agreed, ...queryPart, game } };
}

/** What can be put in place of what was typed: a value for a field of it; '' leaves the field out. */
export interface Repair {
  readonly field: 'game' | 'port' | 'queryPort';
  readonly value: string;
}

/** What is obvious to do about a problem, likeliest first; most problems only the person can solve. */
export function repairsOf(problem: ServerProblem): readonly Repair[] {
  switch (problem.code) {
    // Never filled in unasked: an SRV record of the name may say another.
    case 'port-missing':
      return problem.usual === undefined ? [] : [portOf(problem.usual)];
    case 'port-conflict':
      return [portOf(problem.inServer), portOf(problem.port)];
    case 'ipv6-brackets':
      return [portOf(problem.port)];
    case 'port-not-a-number':
    case 'port-too-low':
    case 'port-too-high':
      return problem.field === 'query_port' ? [{ field: 'queryPort', value: '' }] : [];
    default:
      return [];
  }
}

const portOf = (port: number | string): Repair => ({ field: 'port', value: String(port) });

/** What was typed with something else in a field. A port is then the only one, wherever one stood before. */
export function repaired(typed: TypedRow, { field, value }: Repair): TypedRow {
  if (field !== 'port') return { ...typed, [field]: value };
  const parsed = parseAddress(typed.server);
  if (parsed.ok) return { ...typed, server: formatAddress({ host: parsed.address.host }), port: value };
  const server = parsed.problem.code === 'ipv6-brackets' ? parsed.problem.host : typed.server;
  return { ...typed, server, port: value };
}
