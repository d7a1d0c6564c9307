import { parseAddress } from '../addresses/address.ts';
import { plainText } from '../addresses/pasted-text.ts';
import {
  decided,
  MAX_ROWS,
  type RawRows,
  type ReadRows,
  readJson,
  readLines,
  withoutFence,
  withRepeats,
} from './read-list.ts';
import { type Candidate, inOrderOfPlaces, onLine, type Row, type RowPlace, typedOf } from './row.ts';
import type { GameReading } from './text-parser.ts';

/** Custom emoji, mentions and timestamps. */
const DISCORD_MARKUP = /<(?:a?:\w+:|[@#][!&]?|t:)[\d:tTdDfFRs]+>/gu;

/**
 * Finds the servers in a message's text, embeds and code blocks, and the games that the message names. Returns the servers
 * in order, without duplicates and without passwords. Includes text that looks like an address but isn't valid. Runs in
 * linear time.
 */
export function rowsOfMessage(text: string, games: GameReading): ReadRows {
  const inJson = readJson(withoutFence(text), games);
  const isJson = inJson !== undefined && inJson.rows.length <= MAX_ROWS;
  const { rows, unchosen, ...read } = decided(isJson ? inJson : readMessage(text, games), games);
  // The servers are numbered, because members don't know the lines of a message.
  const found = folded(rows);
  const places = unchosen.length === 0 ? found : [...found, ...unchosen].toSorted(inOrderOfPlaces);
  const numbers = new Map<RowPlace, number>(places.map((each, index) => [each, index + 1]));
  const numberOf = (place: RowPlace) => numbers.get(place) ?? 0;
  return {
    ...read,
    rows: withRepeats(found.map((row) => onLine(row, numberOf(row)))),
    unchosen: unchosen.map((each) => ({ ...withoutPart(each), line: numberOf(each) })),
  };
}

const withoutPart = ({ part: _part, ...candidate }: Candidate): Candidate => candidate;

const readMessage = (text: string, games: GameReading): RawRows =>
  readLines(plainText(text).replace(DISCORD_MARKUP, ' '), games, 'message');

/** Merges rows for the same server. Rows that name a game or have a port take precedence over rows that don't. */
function folded(rows: readonly Row[]): readonly Row[] {
  const places = rows.map((row) => {
    const { server, port, game } = typedOf(row);
    const parsed = parseAddress(server);
    const { host, port: inServer = undefined } = parsed.ok ? parsed.address : { host: server };
    return { row, host, port: inServer === undefined ? port : String(inServer), game };
  });
  const withPort = new Set<string>();
  for (const { host, port, game } of places) if (port !== '') withPort.add(host).add(`${host} ${game}`);
  const hasPortOf = (host: string, game: string) =>
    withPort.has(`${host} ${game}`) || withPort.has(`${host} `);
  const servers = Map.groupBy(places, ({ host, port }) => `${host} ${port}`);
  return [...servers.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const ofGames = new Map(same.filter(({ game }) => game !== '').map(({ game, row }) => [game, row]));
    if (first.port === '' && withPort.has(first.host)) {
      // Another edition on the same host has its own port.
      return [...ofGames].flatMap(([game, row]) => (hasPortOf(first.host, game) ? [] : row));
    }
    return ofGames.size > 0 ? [...ofGames.values()] : [first.row];
  });
}
