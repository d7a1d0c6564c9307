import type { Game, Outcome, ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import { addressOf, type TypedRow } from '../server-lists/row.ts';
import { escapeCode, escapeText, LONGEST_ADDRESS, LONGEST_ESCAPED_NAME, shortenMarkup } from './escape.ts';
import type { Translate } from './words.ts';

/**
 * The sign of an outcome in a text, and its colour beside an embed (Discord's own green, red and yellow). A refusal of this
 * bot, before anything was sent, looks like `not-sent`.
 */
export const LOOK = {
  accepted: { sign: '✅', color: 0x57f287 },
  rejected: { sign: '❌', color: 0xed4245 },
  'not-sent': { sign: '⚠️', color: 0xfee75c },
  unknown: { sign: '❓', color: 0xfee75c },
} as const satisfies Readonly<Record<Outcome['kind'], { readonly sign: string; readonly color: number }>>;

/** A text with the sign of an outcome before it. */
export const withSign = (kind: Outcome['kind'], text: string): string => `${LOOK[kind].sign} ${text}`;

/** The kinds of outcomes, in the order in which they are listed. */
export const OUTCOME_KINDS = ['accepted', 'rejected', 'not-sent', 'unknown'] as const;

/** The worst outcome; it gives the embed its colour. Without any: not sent. */
export function worstOf(kinds: readonly Outcome['kind'][]): Outcome['kind'] {
  const worstFirst = ['rejected', 'unknown', 'not-sent', 'accepted'] as const;
  return worstFirst.find((kind) => kinds.includes(kind)) ?? 'not-sent';
}

/** The name of a game, or its alias if the game is not known. */
export const gameNamed = (alias: string, games: GameIndex): Game =>
  games.find(alias) ?? { name: alias, alias };

/** The parts of a line about a server, perhaps as somebody typed them. */
interface ServerWords {
  /** Its name. */
  readonly game: string;
  /** With its port. */
  readonly address: string;
  readonly queryPort?: number | string | undefined;
}

/** UTF-16 units of the parts of a line. */
interface LongestWords {
  readonly name: number;
  readonly address: number;
}

const USUAL_WORDS: LongestWords = { name: LONGEST_ESCAPED_NAME, address: LONGEST_ADDRESS };

/** How a game server is written everywhere: `**Game** `address``, and its query port if that is another. */
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

/** A line of {@link serverLine}, or the item of a list with what was typed. */
const SERVER_LINE = /^(?:(?:\*\*([^`]+)\*\* |- [^`]*)`([^`]+)`(?: · \D*(\d+)$)?|`([^`]+)`(?: · \D*(\d+))?$)/u;

/** The game servers that a message of this bot shows, as they can be typed again. Servers in a file are not among them. */
export function readServerLines(shown: Shown): readonly TypedRow[] {
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

/** The parts of a message that may show servers. */
interface Shown {
  readonly content: string;
  readonly embeds: readonly unknown[];
}

/** A submission as people read it: the game's name and the address. */
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

/** What was typed of a game server, as {@link serverLine}. @param typed as it may be shown: without passwords */
export function typedLine(
  t: Translate,
  { server, port, queryPort, game }: TypedRow,
  games: GameIndex,
): string {
  // "play.example.com:27015", but "play.example.com:1 27015" where there are two.
  const separator = /[\s:]/.test(server) ? ' ' : ':';
  const address = [server, port].filter((part) => part !== '').join(separator);
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort });
}

/** The most lines that a message names, since more do not fit on the screen of a phone; the files name all. */
export const MOST_NAMED = 5;
/** The most lines below each text, if a message has several texts. */
export const FEW_NAMED = 3;
/** UTF-16 units of what a line repeats: so it takes two lines of a phone, three at most. */
const LONGEST_ITEM = 40;

/** The address of a server in a sentence. */
export const addressCode = (server: Pick<ServerSubmission, 'server' | 'port'>): string =>
  itemCode(addressOf(server));

const itemCode = (text: string): string => `\`${escapeCode(text, LONGEST_ITEM)}\``;

/** An address, or what was typed, as an item of a list, with the number of its line if it has one. */
export function addressItem(t: Translate, text: string, line?: number): string {
  const code = itemCode(text);
  return line === undefined ? `- ${code}` : `- ${t('list.line', { line })} ${code}`;
}

/** The address of a server as {@link addressItem}. */
export const serverItem = (
  t: Translate,
  server: Pick<ServerSubmission, 'server' | 'port'>,
  line?: number,
): string => addressItem(t, addressOf(server), line);

/** A line for each of the first ones, and a last one that counts the others. */
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

/** What an embed with game servers shows. */
export interface ServerEmbed {
  /** Absent while nothing has come of them. */
  readonly color?: number;
  readonly description: string;
}

/** UTF-16 units of an embed (Discord docs: Message resource, "Embed Limits"), less the line that says how many more there are. */
const ROOM = 4096 - 100;

/**
 * The embed with game servers of a reply, a report, an announcement or a log entry. What must be read stands in the text of
 * the message, since people switch embeds off.
 * @param lines made by {@link serverLine} or {@link describe}
 * @param most lines that are shown; a last line counts the others
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
 * As many lines as an embed takes, and a line with the number of the others.
 * @param count how many there are in all
 */
export function fittingLines(t: Translate, lines: readonly string[], count: number = lines.length): string {
  const shown: string[] = [];
  let room = ROOM;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0 && shown.length > 0) break;
    shown.push(shortenMarkup(line, ROOM));
  }
  return [...shown, ...moreText(t, count - shown.length)].join('\n');
}
