import { parseAddress } from '../addresses/address.ts';
import { plainText, withoutPasswordWords } from '../addresses/pasted-text.ts';
import {
  finishedRow,
  MAX_ROWS,
  type RawRows,
  type ReadRows,
  readJson,
  readLines,
  withRepeats,
} from './read-list.ts';
import { onLine, type Row, typedOf } from './row.ts';
import type { GameReading } from './text-parser.ts';

/** Matches Discord's custom emoji, mentions and timestamps. */
const DISCORD_MARKUP = /<(?:a?:\w+:|[@#][!&]?|t:)[\d:tTdDfFRs]+>/gu;

/**
 * Finds the servers in a message's text, embeds and code blocks, and the games that the message names. Returns the servers
 * in order, without duplicates and without passwords. Includes text that looks like an address but isn't valid. Runs in
 * linear time.
 */
export function rowsOfMessage(text: string, games: GameReading): ReadRows {
  const inJson = readJson(text, games);
  const { rows: raw, ...read } = inJson && inJson.rows.length <= MAX_ROWS ? inJson : readMessage(text, games);
  const rows = folded(raw.map((row) => finishedRow(row, games)));
  return {
    kind: 'rows',
    rows: withRepeats(rows.map((row, index) => onLine(row, index + 1))),
    shape: 'list',
    unchosen: [],
    hidden: 0,
    ...read,
  };
}

const readMessage = (text: string, games: GameReading): RawRows =>
  readLines(withoutPasswordWords(plainText(text).replace(DISCORD_MARKUP, ' ')), games, 'message');

/** Merges rows for the same server. Rows that name a game or have a port take precedence over rows that don't. */
function folded(rows: readonly Row[]): readonly Row[] {
  const places = rows.map((row) => {
    const { server, port, game } = typedOf(row);
    const parsed = parseAddress(server);
    const { host, port: inServer = undefined } = parsed.ok ? parsed.address : { host: server };
    return { row, host, port: inServer === undefined ? port : String(inServer), game };
  });
  const withPort = new Set(places.filter(({ port }) => port !== '').map(({ host }) => host));
  const servers = Map.groupBy(places, ({ host, port }) => `${host} ${port}`);
  return [...servers.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined || (first.port === '' && withPort.has(first.host))) return [];
    const ofGames = new Map(same.filter(({ game }) => game !== '').map(({ game, row }) => [game, row]));
    return ofGames.size > 0 ? [...ofGames.values()] : [first.row];
  });
}
