import { formatAddress } from '../addresses/address.ts';
import type { Outcome, ServerSubmission } from '../listing/contract.ts';
import { keptRow, type TypedRow } from '../server-lists/row.ts';
import { escapeCode, escapeText, LONGEST_NAME } from './escape.ts';
import { gameNamed, type KnownGames } from './games.ts';
import { shortenMarkup } from './shorten.ts';
import type { Translate } from './words.ts';

/**
 * The sign of an outcome in a text, and its colour beside an embed (Discord's own green, red and yellow). What this bot
 * refuses before anything has left the machine looks as `not-sent`.
 */
export const LOOK = {
  accepted: { sign: '✅', color: 0x57f287 },
  rejected: { sign: '❌', color: 0xed4245 },
  'not-sent': { sign: '⚠️', color: 0xfee75c },
  unknown: { sign: '❓', color: 0xfee75c },
} as const satisfies Readonly<Record<Outcome['kind'], { readonly sign: string; readonly color: number }>>;

/** An embed of Discord's with game servers in it. */
export interface ServerEmbed {
  readonly color: number;
  readonly description: string;
}

/** UTF-16 units of an address as somebody typed it. */
const LONGEST_TYPED = 300;
/** UTF-16 units that an embed takes (Discord docs: Message resource, "Embed Limits"), less what says how many more there are. */
const ROOM = 4096 - 100;

/**
 * The one embed with game servers: of a reply, a report, an announcement, a log entry. What must be read stands in the
 * text of the message, since people switch embeds off.
 * @param lines what {@link serverLine} or {@link describe} made
 * @param most lines that are shown; of the others it says how many they are
 */
export function serverEmbed(
  t: Translate,
  kind: Outcome['kind'],
  lines: readonly string[],
  most: number = lines.length,
): ServerEmbed {
  const shown: string[] = [];
  let room = ROOM;
  for (const line of lines.slice(0, most)) {
    room -= line.length + 1;
    if (room < 0 && shown.length > 0) break;
    shown.push(shortenMarkup(line, ROOM));
  }
  const count = lines.length - shown.length;
  const more = count > 0 ? [t('look.more', { count })] : [];
  return { color: LOOK[kind].color, description: [...shown, ...more].join('\n') };
}

/** A game server as it is written everywhere: `**Game** — `address``, and its query port if it has one of its own. */
export function serverLine(t: Translate, { game, address, queryPort }: ServerWords): string {
  const values = { name: escapeText(game, LONGEST_NAME), address: escapeCode(address, LONGEST_TYPED) };
  return queryPort === undefined || queryPort === ''
    ? t('look.server', values)
    : t('look.serverQuery', { ...values, queryPort: escapeText(String(queryPort), LONGEST_TYPED) });
}

/** What somebody typed of a game server, as it may be shown: without passwords. */
export function typedLine(t: Translate, typed: TypedRow, games: KnownGames): string {
  const { server, port, queryPort, game } = keptRow(typed);
  const address = [server, port].filter((part) => part !== '').join(/[\s:]/.test(server) ? ' ' : ':');
  return serverLine(t, { game: gameNamed(game, games).name, address, queryPort });
}

/** The parts of a line; they may be as somebody typed them. */
interface ServerWords {
  /** Its name. */
  readonly game: string;
  /** With its port. */
  readonly address: string;
  readonly queryPort?: number | string;
}

/** A submission as people read it: the game's name and the address. */
export const describe = (
  t: Translate,
  { game, server: host, port, queryPort }: ServerSubmission,
  games: KnownGames,
): string =>
  serverLine(t, {
    game: gameNamed(game, games).name,
    address: formatAddress({ host, port }),
    ...(queryPort !== undefined && { queryPort }),
  });
