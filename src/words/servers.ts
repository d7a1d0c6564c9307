import type { Game, Outcome, ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { addressOf, FOUND, type Row, type TypedRow } from '../server-lists/row.ts';
import { escapeCode, escapeText, LONGEST_ADDRESS, LONGEST_ESCAPED_NAME, shortenMarkup } from './escape.ts';
import { sentences } from './sentences.ts';
import type { Translate } from './words.ts';

/**
 * The sign of an outcome in text, and the colour of its embed (Discord's own green, red and yellow). Anything that the bot
 * rejects before sending it looks like `not-sent`.
 */
export const LOOK = {
  accepted: { sign: '✅', color: 0x57f287 },
  rejected: { sign: '❌', color: 0xed4245 },
  'not-sent': { sign: '⚠️', color: 0xfee75c },
  unknown: { sign: '❓', color: 0xfee75c },
} as const satisfies Readonly<Record<Outcome['kind'], { readonly sign: string; readonly color: number }>>;

/** Puts the sign of an outcome in front of a text. */
export const withSign = (kind: Outcome['kind'], text: string): string => `${LOOK[kind].sign} ${text}`;

/** The kinds of outcomes, in the order in which they are listed. */
export const OUTCOME_KINDS = ['accepted', 'rejected', 'not-sent', 'unknown'] as const;

/** Returns the worst outcome, which determines the colour of the embed; `not-sent` for an empty list. */
export function worstOf(kinds: readonly Outcome['kind'][]): Outcome['kind'] {
  const worstFirst = ['rejected', 'unknown', 'not-sent', 'accepted'] as const;
  return worstFirst.find((kind) => kinds.includes(kind)) ?? 'not-sent';
}

/** Returns a game by its alias. If the game is unknown, the alias is used as its name. */
export const gameNamed = (alias: string, games: GameIndex): Game =>
  games.find(alias) ?? { name: alias, alias };

/** The parts of a line about a server. They may be a user's own words. */
interface ServerWords {
  /** The game's name. */
  readonly game: string;
  /** The address with its port. */
  readonly address: string;
  readonly queryPort?: number | string | undefined;
}

/** The maximum lengths of the parts of a line, in UTF-16 units. */
interface LongestWords {
  readonly name: number;
  readonly address: number;
}

const USUAL_WORDS: LongestWords = { name: LONGEST_ESCAPED_NAME, address: LONGEST_ADDRESS };

/** Formats a game server in the way that all messages use: `**Game** `address``, and its query port if it differs. */
export function serverLine(
  t: Translate,
  { game, address, queryPort = '' }: ServerWords,
  most: LongestWords = USUAL_WORDS,
): string {
  const name = game === '' ? '' : `**${escapeText(game, most.name)}** `;
  const line = `${name}\`${escapeCode(address, most.address)}\``;
  if (queryPort === '') return line;
  return `${line} · ${t('look.queryPort', { queryPort: escapeText(String(queryPort), LONGEST_ADDRESS) })}`;
}

/** Matches a line from {@link serverLine}, or a list item that contains the input. */
const SERVER_LINE = /^(?:(?:\*\*([^`]+)\*\* |- [^`]*)`([^`]+)`(?: · \D*(\d+)$)?|`([^`]+)`(?: · \D*(\d+))?$)/u;

/**
 * Reads the game servers in one of the bot's messages as rows that can be submitted again. Doesn't include servers in
 * attached files.
 */
export function readServerLines(shown: TextParts): readonly TypedRow[] {
  const texts = [shown.content, ...shown.embeds.map((embed) => String(Object(embed).description ?? ''))];
  return texts
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => {
      const [found, game = '', server, queryPort, serverAlone = '', queryPortAlone = ''] =
        SERVER_LINE.exec(line) ?? [];
      if (found === undefined) return [];
      const typed = { server: server ?? serverAlone, port: '', queryPort: queryPort ?? queryPortAlone };
      return [{ ...typed, game: game.replaceAll(/\\(.)/gu, '$1') }];
    });
}

/** The parts of a message that can contain servers. */
interface TextParts {
  readonly content: string;
  readonly embeds: readonly unknown[];
}

/** Formats a submission for people: the game's name and the address. */
export function describe(
  t: Translate,
  submission: ServerSubmission,
  games: GameIndex,
  most?: LongestWords,
): string {
  const { game, queryPort } = submission;
  const address = addressOf(submission);
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort }, most);
}

/** Lists in small print the values that a server lookup found for these rows; '' if it didn't find any. */
export function foundText(t: Translate, rows: readonly Row[]): string {
  const all = rows.flatMap(({ found = [] }) => found);
  const texts = FOUND.map((kind) => ({ kind, count: all.filter((each) => each === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => t(`lookup.${kind}`, { count }));
  return texts.length === 0 ? '' : `-# ${sentences(...texts)}`;
}

/** Formats the input about a game server like {@link serverLine}. @param typed the input without passwords */
export function typedLine(
  t: Translate,
  { server, port, queryPort, game }: TypedRow,
  games: GameIndex,
): string {
  // "play.example.com:27015", but "play.example.com:1 27015" if there are two ports.
  const separator = /[\s:]/.test(server) ? ' ' : ':';
  const address = [server, port].filter((part) => part !== '').join(separator);
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort });
}

/** The number of lines that a message names. More wouldn't fit on a phone's screen, and the files contain all of them. */
export const MOST_NAMED = 5;
/** The number of lines that follow each text, if a message has several texts. */
export const FEW_NAMED = 3;
/** The maximum length of input that a line repeats, in UTF-16 units. A line then takes up to three lines on a phone. */
const LONGEST_ITEM = 40;

/** Formats the address of a server for a sentence. */
export const addressCode = (server: Pick<ServerSubmission, 'server' | 'port'>): string =>
  itemCode(addressOf(server));

const itemCode = (text: string): string => `\`${escapeCode(text, LONGEST_ITEM)}\``;

/** Formats an address, or the input, as a list item, with its line number if it has one. */
export function addressItem(t: Translate, text: string, line?: number): string {
  const code = itemCode(text);
  return line === undefined ? `- ${code}` : `- ${t('list.line', { line })} ${code}`;
}

/** Formats a server's address like {@link addressItem}. */
export const serverItem = (
  t: Translate,
  server: Pick<ServerSubmission, 'server' | 'port'>,
  line?: number,
): string => addressItem(t, addressOf(server), line);

/** Returns a line for each of the first items, and a final line with the number of the others. */
export function firstItems<Item>(
  t: Translate,
  all: readonly Item[],
  most: number,
  itemOf: (item: Item) => string,
): readonly string[] {
  return [...all.slice(0, most).map(itemOf), ...moreText(t, all.length - most)];
}

const moreText = (t: Translate, count: number): readonly string[] =>
  count > 0 ? [t('look.more', { count })] : [];

/** The content of an embed with game servers. */
export interface ServerEmbed {
  /** Absent until there is an outcome. */
  readonly color?: number;
  readonly description: string;
}

/**
 * The maximum length of an embed, in UTF-16 units (Discord docs: Message resource, "Embed Limits"), minus the line with the
 * number of remaining servers.
 */
const EMBED_CAPACITY = 4096 - 100;

/**
 * Builds the embed with game servers for a reply, a report, an announcement or a log entry. Important information belongs
 * in the message text, because users can disable embeds.
 * @param lines built by {@link serverLine} or {@link describe}
 * @param most the number of lines to show, followed by a line with the number of the others
 */
export function serverEmbed(
  t: Translate,
  kind: Outcome['kind'],
  lines: readonly string[],
  most: number = lines.length,
): ServerEmbed {
  return { color: LOOK[kind].color, description: fittingLines(t, lines.slice(0, most), lines.length) };
}

/**
 * Returns as many lines as fit, and a line with the number of the others.
 * @param count the total number
 * @param most the maximum length of the lines, in UTF-16 units; by default they fit into an embed
 */
export function fittingLines(
  t: Translate,
  lines: readonly string[],
  count: number = lines.length,
  most: number = EMBED_CAPACITY,
): string {
  const shown: string[] = [];
  let capacity = most;
  for (const line of lines) {
    capacity -= line.length + 1;
    if (capacity < 0 && shown.length > 0) break;
    shown.push(shortenMarkup(line, most));
  }
  return [...shown, ...moreText(t, count - shown.length)].join('\n');
}
