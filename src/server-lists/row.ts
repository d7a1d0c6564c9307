import {
  type AddressProblem,
  formatAddress,
  MAX_ADDRESS_TEXT_LENGTH,
  parseAddress,
} from '../addresses/address.ts';
import { type LettersProblem, problemOfLetters } from '../addresses/name-letters.ts';
import { hasWords, plainText, unwrapped, withoutPasswords } from '../addresses/pasted-text.ts';
import { parsePort } from '../addresses/port.ts';
import { usualPort } from '../addresses/usual-ports.ts';
import { MAX_GAME_NAME_LENGTH, type ServerSubmission, type UnknownOutcome } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { shorten } from '../text/one-line.ts';
import type { Shape } from './list-shape.ts';

/** The text that a member typed for one server, without passwords. Missing parts are ''. */
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

export type RowProblem =
  | AddressProblem
  | LettersProblem
  | { readonly code: 'game-missing' }
  | UnknownGame
  /** The port in the address differs from the separate port. */
  | { readonly code: 'port-conflict'; readonly inServer: number; readonly port: number }
  /** `usual` is the game's default port, if known. */
  | { readonly code: 'port-missing'; readonly host: string; readonly game: string; readonly usual?: number }
  | { readonly code: 'no-address' }
  /** Moderators have blocked the server's host in this guild. */
  | { readonly code: 'host-blocked'; readonly canUnblock?: true }
  /** `game` is the game's alias. */
  | { readonly code: 'game-not-allowed'; readonly game: string }
  /** The member has already submitted this server, and no moderator has reviewed it yet. */
  | { readonly code: 'waiting-already' }
  | { readonly code: 'line-too-long'; readonly length: number; readonly most: number }
  /** The number where the query port would be is more likely a player count. */
  | { readonly code: 'query-port-unlikely'; readonly port: string }
  | { readonly code: 'too-many-cells'; readonly found: number; readonly most: number }
  /** An element of a JSON array is neither an object nor a string. */
  | { readonly code: 'not-an-object' }
  /** A JSON field has a value of the wrong type, such as a list. */
  | { readonly code: 'wrong-type'; readonly field: string; readonly expected: 'text' | 'number' };

/** A row that hasn't been compared with other rows yet. `problem` takes precedence over any problem found in `typed`. */
export interface RawRow extends RowPlace {
  readonly typed: TypedRow;
  readonly problem?: RowProblem | undefined;
  /** The alias of a game that the words next to the server might refer to. */
  readonly near?: string | undefined;
  /** The alias of the game that the text itself names, or the name in a cell. `typed` can also contain the default game. */
  readonly gameInText?: string | undefined;
  /** Counts as `list` if it isn't set. */
  readonly shape?: Shape | undefined;
  /** Returns the words next to the address, to recognise it by. */
  readonly findWords?: (() => string) | undefined;
}

export type ReadingResult =
  | { readonly ok: true; readonly submission: ServerSubmission }
  | { readonly ok: false; readonly problem: RowProblem };

export type Row = ReadyRow | InvalidRow | RepeatedRow;

/** The fields that a server lookup can fill in. `isQueryPort` means that Steam lists the typed port as a query port. */
export const FOUND = ['game', 'port', 'queryPort', 'isQueryPort'] as const;
export type FilledField = (typeof FOUND)[number];

export interface RowPlace {
  /**
   * The number of the line where the row begins, counted from 1. In JSON, the number of the entry: servers, and elements
   * without one, are counted in the order of the document.
   */
  readonly line: number;
  /** Set from the second server of a line on: 2, 3 and so on. */
  readonly part?: number | undefined;
}

export const placeOf = ({ line, part }: RowPlace): RowPlace => ({
  line,
  ...(part !== undefined && { part }),
});

export const inOrderOfPlaces = (one: RowPlace, other: RowPlace): number =>
  one.line - other.line || (one.part ?? 1) - (other.part ?? 1);

/** Formats a row's place for people: `12`, and `12b` for the second server of line 12. */
export const lineLabel = (place: RowPlace): string =>
  place.part === undefined ? String(place.line) : lettersLabel(place);

/** Formats a row's place with a letter even for the first server of a line: `12a`. */
export const lettersLabel = ({ line, part = 1 }: RowPlace): string => `${line}${letters(part)}`;

export function placeLabelled(label: string): RowPlace {
  const [, line, letters = ''] = /^(\d+)([a-z]*)$/u.exec(label) ?? [];
  const part = [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 96, 0);
  return { line: Number(line), ...(part > 1 && { part }) };
}

/** Counts in letters, as spreadsheets name their columns: b is 2, z is 26 and aa is 27. */
const letters = (part: number): string =>
  (part > 26 ? letters(Math.floor((part - 1) / 26)) : '') + String.fromCharCode(97 + ((part - 1) % 26));

/**
 * An address in a text that only the member can choose, because the text doesn't show that it's a game server. Everything
 * in `typed` is written next to the address. A default game or port isn't filled in.
 */
export interface Candidate extends RowPlace {
  readonly typed: TypedRow;
  /** The words next to the address, shortened and without passwords; may be empty. */
  readonly words: string;
  readonly near?: string;
}

export const MAX_WORDS_BESIDE_LENGTH = 60;

interface RowParts extends RowPlace {
  readonly found?: readonly FilledField[];
}

export interface ReadyRow extends RowParts {
  readonly kind: 'ready';
  readonly submission: ServerSubmission;
  /**
   * The text that the member typed. Only set for a server that is submitted on its own, and for a row whose query port
   * equals its port.
   */
  readonly typed?: TypedRow;
  /** Set if the outcome of submitting the row is unknown. The row is left out when the other rows are resubmitted. */
  readonly unconfirmed?: UnknownOutcome;
}

export interface InvalidRow extends RowParts {
  readonly kind: 'invalid';
  readonly problem: RowProblem;
  readonly typed: TypedRow;
  /** A game that the words next to the server might refer to, as an alias. */
  readonly near?: string;
  /** The address that was found among other words in the address field. */
  readonly address?: string;
}

/** A row that repeats an earlier row and therefore isn't sent. */
export interface RepeatedRow extends RowParts {
  readonly kind: 'repeated';
  readonly firstLine: number;
  readonly submission: ServerSubmission;
}

export const isReady = (row: Row): row is ReadyRow => row.kind === 'ready';
export const isInvalid = (row: Row): row is InvalidRow => row.kind === 'invalid';
export const isRepeated = (row: Row): row is RepeatedRow => row.kind === 'repeated';
export const lacksGame = (row: Row): row is InvalidRow =>
  row.kind === 'invalid' && row.problem.code === 'game-missing';

export const hasUnknownGame = (row: Row): row is InvalidRow & { readonly problem: UnknownGame } =>
  row.kind === 'invalid' && row.problem.code === 'game-unknown';

/** For a stored cell that isn't an address. Game names and aliases aren't longer. */
const MAX_CELL_LENGTH = MAX_GAME_NAME_LENGTH;

export const EMPTY_ROW: TypedRow = { server: '', port: '', queryPort: '', game: '' };

export const addressOf = ({ server: host, port }: Pick<ServerSubmission, 'server' | 'port'>): string =>
  formatAddress({ host, port });

/** Moves a row to a different line. The caller must recheck whether the row repeats another row. */
export function onLine(row: Row, line: number, part?: number): Row {
  const place = placeOf({ line, part });
  if (row.kind === 'repeated') return { kind: 'ready', ...place, submission: row.submission };
  const { part: _part, ...other } = row;
  return { ...other, ...place };
}

export function typedOf(row: Row | undefined): TypedRow {
  if (row === undefined) return EMPTY_ROW;
  if (row.kind === 'invalid') return row.typed;
  if (row.kind === 'ready' && row.typed) return row.typed;
  const { queryPort, game } = row.submission;
  const query = queryPort === undefined ? '' : String(queryPort);
  return { server: addressOf(row.submission), port: '', queryPort: query, game };
}

/** Makes a cell or line safe to show and store: on one line, shortened and without passwords. */
export const sanitised = (text: string, most = MAX_CELL_LENGTH): string =>
  shorten(
    withoutPasswords(
      plainText(shorten(text.trim(), 2 * most))
        .replace(/\s+/g, ' ')
        .trim(),
    ),
    most,
  );

/** Like {@link sanitised}, but for a cell that may be an address. Callers that show the result must shorten it. */
export const sanitisedAddress = (text: string): string => sanitised(text, MAX_ADDRESS_TEXT_LENGTH);

/** Adds a separate port to a row. If the new port is the game port, the port in the address becomes the query port. */
export function withPort(typed: TypedRow, port: string, isOfGame = false): TypedRow {
  const parsed = parseAddress(typed.server);
  const beside = parsePort(port);
  if (!parsed.ok || !beside.ok) return { ...typed, port };
  const { host, port: inServer = beside.port } = parsed.address;
  if (inServer !== beside.port && !isOfGame) return { ...typed, port };
  const queryPort = typed.queryPort || (inServer === beside.port ? '' : String(inServer));
  return { ...typed, server: formatAddress({ host, port: beside.port }), port: '', queryPort };
}

/**
 * Moves the port from an address to the port field, unless that field has a different port. Leaves other text unchanged.
 */
export function withPortApart(typed: TypedRow): TypedRow {
  const parsed = parseAddress(typed.server);
  if (!parsed.ok || parsed.address.port === undefined) return typed;
  const { host, port } = parsed.address;
  if (typed.port !== '' && Number(typed.port) !== port) return typed;
  const end = `:${port}`;
  const server = typed.server.endsWith(end) ? typed.server.slice(0, -end.length) : formatAddress({ host });
  return { ...typed, server, port: String(port) };
}

/**
 * The lowest number read as a port without a label, unless it directly follows a host without a port. Lower numbers are likely
 * to be years, player counts or slots.
 */
export const MIN_BARE_PORT = 2100;

/** Marks a port with an unclear purpose as invalid, so that the member has to correct it before submitting. */
export const unclearPort = (port: string): string => (port.startsWith('?') ? port : `?${port}`);

export const isUnclearPort = (text: string): boolean => /^\?\d+$/.test(text);

/** A plain web page URL. It can't contain a password, so it's shown to the member exactly as typed. */
const WEB_PAGE = /^https?:\/\/[\w.-]+\/[\w./-]*$/iu;

/** Removes passwords from the text typed for a server, so that it can be stored until the member corrects it. */
export function rowWithoutPasswords({ server, port, queryPort, game }: TypedRow): TypedRow {
  const address = server.trim();
  return {
    server: WEB_PAGE.test(address) ? address : sanitisedAddress(address),
    port: sanitised(port),
    queryPort: sanitised(queryPort),
    game: sanitised(game),
  };
}

export const rowText = ({ server, port, game, queryPort }: TypedRow): string =>
  [server, port, game, queryPort].filter((part) => part !== '').join(' ');

/** Ignores markup around the game's name. */
export const gameOf = (text: string, games: Pick<GameIndex, 'find'>): string | undefined =>
  (games.find(text) ?? games.find(unwrapped(text)))?.alias;

/**
 * Converts a typed row to a submission, or returns its first problem. The port can be in the address, in its own field, or
 * in both if they match. Omits a query port that equals the port (specification §2.1).
 * @param game the alias of the row's game, if known
 * @param known hosts whose letters aren't checked
 */
export function readRow(
  typed: TypedRow,
  game: string | undefined,
  known: ReadonlySet<string> = NO_HOSTS,
): ReadingResult {
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
  const letters = known.has(host) ? undefined : problemOfLetters(host);
  if (letters) return invalid(withPortMeant(letters, inServer ?? beside?.port));
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

const NO_HOSTS: ReadonlySet<string> = new Set();

const withPortMeant = (problem: LettersProblem, port: number | undefined): LettersProblem =>
  problem.code === 'look-alikes' && problem.meant !== undefined
    ? { ...problem, meant: formatAddress({ host: problem.meant, ...(port !== undefined && { port }) }) }
    : problem;

/** Finds the remaining problems by checking each part separately. {@link readRow} only returns the first problem. */
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

const invalid = (problem: RowProblem): ReadingResult => ({ ok: false, problem });
