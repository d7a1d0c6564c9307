import { isIPv4 } from 'node:net';
import type { BlockTarget } from '../guilds/blocks.ts';
import type { Game, Outcome, ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { addressOf, FOUND, lineLabel, type Row, type RowPlace, type TypedRow } from '../server-lists/row.ts';
import { shorten, shortenMiddle, visibleLine } from '../text/one-line.ts';
import {
  escapeCode,
  escapeText,
  MAX_ADDRESS_LENGTH,
  MAX_ESCAPED_NAME_LENGTH,
  memberText,
  shortenMarkup,
} from './escape.ts';
import { namedText, sentences } from './sentences.ts';
import type { Translate } from './words.ts';

interface OutcomeLook {
  readonly sign: string;
  /** Discord's own green, red and yellow. */
  readonly color: number;
  /** The position in lists. Servers that the service may have received precede unsent ones. */
  readonly place: number;
  /** The highest severity among several outcomes determines the embed's colour. */
  readonly severity: number;
}

/** How each kind of outcome is shown. Servers that the bot rejects before sending look like `not-sent`. */
export const LOOK = {
  accepted: { sign: '✅', color: 0x57f287, place: 1, severity: 0 },
  rejected: { sign: '❌', color: 0xed4245, place: 2, severity: 3 },
  'not-sent': { sign: '⚠️', color: 0xfee75c, place: 4, severity: 1 },
  unknown: { sign: '❓', color: 0xfee75c, place: 3, severity: 2 },
} as const satisfies Readonly<Record<Outcome['kind'], OutcomeLook>>;

export const METRIC_KINDS = Object.keys(LOOK) as Outcome['kind'][];

export const withSign = (kind: Outcome['kind'], text: string): string => `${LOOK[kind].sign} ${text}`;

export const OUTCOME_KINDS: readonly Outcome['kind'][] = METRIC_KINDS.toSorted(
  (one, other) => LOOK[one].place - LOOK[other].place,
);

/** Returns `not-sent` for an empty list. */
export const worstOf = (kinds: readonly Outcome['kind'][]): Outcome['kind'] =>
  kinds.toSorted((one, other) => LOOK[other].severity - LOOK[one].severity)[0] ?? 'not-sent';

/** Uses the alias as an unknown game's name. */
export const gameNamed = (alias: string, games: Pick<GameIndex, 'find'>): Game =>
  games.find(alias) ?? { name: alias, alias };

/** Can contain text that a member typed. */
interface ServerWords {
  readonly game: string;
  readonly address: string;
  readonly queryPort?: number | string | undefined;
}

/** Limits for the parts of a line, in UTF-16 units. */
interface MaxLengths {
  readonly name: number;
  readonly address: number;
}

const DEFAULT_MAX_LENGTHS: MaxLengths = { name: MAX_ESCAPED_NAME_LENGTH, address: MAX_ADDRESS_LENGTH };

/** Formats a game server the way all messages show it: `**Game** `address``, followed by the query port if it differs. */
export function serverLine(
  t: Translate,
  { game, address, queryPort = '' }: ServerWords,
  maxLengths: MaxLengths = DEFAULT_MAX_LENGTHS,
): string {
  const name = game === '' ? '' : `**${escapeText(game, maxLengths.name)}** `;
  const line = `${name}\`${cutForCode(address, maxLengths.address)}\``;
  if (queryPort === '') return line;
  return `${line} · ${t('look.queryPort', { queryPort: escapeText(String(queryPort), MAX_ADDRESS_LENGTH) })}`;
}

/** Cuts the middle of an address or another value, and escapes the result for inline code. The end has the port. */
export const cutForCode = (value: string, maxLength: number): string =>
  escapeCode(shortenMiddle(visibleLine(value), maxLength), maxLength);

/** Matches a line built by {@link serverLine}, or a list item that contains typed text. */
const SERVER_LINE = /^(?:(?:\*\*([^`]+)\*\* |- [^`]*)`([^`]+)`(?: · \D*(\d+)$)?|`([^`]+)`(?: · \D*(\d+))?$)/u;

/** Matches the heading of several servers with the same game, built by {@link serverLines}. */
const GAME_LINE = /^\*\*([^`]+)\*\* \(\d+\)$/u;

/** Reads the servers in a message from the bot as rows that can be submitted again. Ignores attached files. */
export function readServerLines(shown: TextParts): readonly TypedRow[] {
  const texts = [shown.content, ...shown.embeds.map((embed) => String(Object(embed).description ?? ''))];
  const read: TypedRow[] = [];
  let heading = '';
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    const [found, game, server, queryPort, serverAlone = '', queryPortAlone = ''] =
      SERVER_LINE.exec(line) ?? [];
    // A heading applies to the servers below it, until a line names a game. Outcomes can be in between.
    const named = GAME_LINE.exec(line)?.[1];
    if (named !== undefined || server !== undefined) heading = named ?? '';
    if (found === undefined) continue;
    const typed = { server: server ?? serverAlone, port: '', queryPort: queryPort ?? queryPortAlone };
    read.push({ ...typed, game: (game ?? heading).replaceAll(/\\(.)/gu, '$1') });
  }
  return read;
}

interface TextParts {
  readonly content: string;
  readonly embeds: readonly unknown[];
}

export function describeServer(
  t: Translate,
  submission: ServerSubmission,
  games: GameIndex,
  maxLengths?: MaxLengths,
): string {
  const { game, queryPort } = submission;
  const address = addressOf(submission);
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort }, maxLengths);
}

/**
 * Describes several servers, and names each game only once. The first server of a game has a heading with the game's name and
 * the number of its servers. Returns one text per server, sorted by game.
 */
export function serverLines(
  t: Translate,
  servers: readonly ServerSubmission[],
  games: GameIndex,
  maxLengths: MaxLengths = DEFAULT_MAX_LENGTHS,
): readonly string[] {
  const byGame = [...Map.groupBy(servers, ({ game }) => game)];
  return byGame.flatMap(([game, all]) => {
    if (all.length === 1) return all.map((server) => describeServer(t, server, games, maxLengths));
    const heading = `**${escapeText(gameNamed(game, games).name, maxLengths.name)}** (${all.length})`;
    return all.map((server, index) => {
      const { queryPort } = server;
      const line = serverLine(t, { game: '', address: addressOf(server), queryPort }, maxLengths);
      return index === 0 ? `${heading}\n${line}` : line;
    });
  });
}

export function foundText(t: Translate, rows: readonly Row[]): string {
  const all = rows.flatMap(({ found = [] }) => found);
  const texts = FOUND.map((kind) => ({ kind, count: all.filter((each) => each === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => t(`lookup.${kind}`, { count }));
  return texts.length === 0 ? '' : `-# ${sentences(...texts)}`;
}

/**
 * Formats the text typed for a game server like {@link serverLine}.
 * @param typed the typed text, without passwords
 */
export function typedLine(
  t: Translate,
  { server, port, queryPort, game }: TypedRow,
  games: GameIndex,
): string {
  const address = typedAddress({ server, port });
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort });
}

/** Formats one port as "play.example.com:27015", and a second port as "play.example.com:1 27015". */
export function typedAddress({ server, port }: Pick<TypedRow, 'server' | 'port'>): string {
  const separator = /[\s:]/.test(server) ? ' ' : ':';
  return [server, port].filter((part) => part !== '').join(separator);
}

/** A button's label is limited to 80 characters. */
const MAX_LENGTHS_IN_LABEL = { address: 40, game: 25 };

/** Formats an address for a button or a menu. A long one is cut in the middle, because its port is at the end. */
export const labelledAddress = (address: string, maxLength = MAX_LENGTHS_IN_LABEL.address): string =>
  shortenMiddle(visibleLine(address), maxLength);

export const serverLabel = (address: string, game: string) => ({
  address: labelledAddress(address),
  game: shorten(visibleLine(game), MAX_LENGTHS_IN_LABEL.game),
});

/** A message with so many lines fits on a phone's screen. The files contain all lines. */
export const MAX_NAMED = 5;
/** The limit for each list if a message has several. */
export const MAX_NAMED_PER_LIST = 3;
/** Typed text of this length wraps to at most three lines on a phone. */
const MAX_ITEM_LENGTH = 40;

export const addressCode = (server: Pick<ServerSubmission, 'server' | 'port'>): string =>
  itemCode(addressOf(server));

const itemCode = (text: string): string => `\`${cutForCode(text, MAX_ITEM_LENGTH)}\``;

/** Formats an address or typed text as a list item, with its line number if it has one. */
export function addressItem(t: Translate, text: string, place?: RowPlace): string {
  const code = itemCode(text);
  return place === undefined ? `- ${code}` : `- ${t('list.line', { line: lineLabel(place) })} ${code}`;
}

export const serverItem = (
  t: Translate,
  server: Pick<ServerSubmission, 'server' | 'port'>,
  place?: RowPlace,
): string => addressItem(t, addressOf(server), place);

/** Adds a last line that counts the items left out. */
export function firstItems<Item>(
  t: Translate,
  all: readonly Item[],
  maxItems: number,
  itemOf: (item: Item) => string,
): readonly string[] {
  return [...all.slice(0, maxItems).map(itemOf), ...moreText(t, all.length - maxItems)];
}

export const moreText = (t: Translate, count: number): readonly string[] =>
  count > 0 ? [t('look.more', { count })] : [];

export interface ServerEmbed {
  readonly color: number;
  readonly description: string;
}

/** Maximum UTF-16 length of an embed's lines (Discord docs: Message, "Embed Limits"), with room for one more line. */
const EMBED_CAPACITY = 4096 - 100;

/**
 * Builds the embed that lists game servers in a reply, a report, an announcement or a log entry. Important information
 * belongs in the message text, because users can turn off embeds.
 * @param lines lines built by {@link serverLine} or {@link describeServer}
 * @param maxLines a last line counts the lines left out
 */
export function serverEmbed(
  t: Translate,
  kind: Outcome['kind'],
  lines: readonly string[],
  maxLines: number = lines.length,
): ServerEmbed {
  return { color: LOOK[kind].color, description: fittingLines(t, lines.slice(0, maxLines), lines.length) };
}

/**
 * Returns as many lines as fit, but at least one, which is cut if necessary. A last line counts the lines left out.
 * @param maxLength by default, the lines fit into an embed
 */
export function fittingLines(
  t: Translate,
  lines: readonly string[],
  total: number = lines.length,
  maxLength: number = EMBED_CAPACITY,
): string {
  const shown: string[] = [];
  let capacity = maxLength;
  for (const line of lines) {
    capacity -= line.length + 1;
    if (capacity < 0 && shown.length > 0) break;
    shown.push(shortenMarkup(line, maxLength));
  }
  return [...shown, ...moreText(t, total - shown.length)].join('\n');
}

const MAX_HOST_LENGTH = 80;

export type NamedTarget = BlockTarget & { readonly name?: string };

/** Shows the first and the last address of an IPv4 range; '' for any other host. */
function rangeText(host: string): string {
  const [network = '', bits] = host.split('/');
  if (bits === undefined || !isIPv4(network)) return '';
  const size = 2 ** (32 - Number(bits));
  const address = network.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const first = address - (address % size);
  const dotted = (number: number) =>
    [3, 2, 1, 0].map((place) => Math.floor(number / 256 ** place) % 256).join('.');
  return ` (\`${dotted(first)}\`–\`${dotted(first + size - 1)}\`)`;
}

export const targetsText = (
  t: Translate,
  targets: readonly NamedTarget[],
  maxNamed = targets.length,
): string =>
  namedText(
    t,
    targets
      .slice(0, maxNamed)
      .map((target) =>
        target.kind === 'member'
          ? memberText({ id: target.id, name: target.name ?? '' })
          : `\`${cutForCode(target.host, MAX_HOST_LENGTH)}\`${rangeText(target.host)}`,
      ),
    targets.length,
  );
