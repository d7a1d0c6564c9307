import { formatAddress } from '../addresses/address.ts';
import {
  type Game,
  KNOWN_GAMES,
  LONGEST_NAME as LONGEST_CHOICE,
  type Outcome,
  type ServerSubmission,
} from '../listing/contract.ts';
import { keptRow, type TypedRow } from '../server-lists/row.ts';
import type { Submitter } from '../submissions/record.ts';
import { visibleLine } from '../visible-line.ts';
import {
  escapeCode,
  escapeText,
  LONGEST_NAME,
  type Reader,
  shorten,
  shortenMarkup,
  type Translate,
} from './words.ts';

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

/** The gravest of these, whose colour stands for all; what has no outcome was not sent. */
export const gravestOf = (kinds: readonly Outcome['kind'][]): Outcome['kind'] =>
  (['rejected', 'unknown', 'not-sent', 'accepted'] as const).find((kind) => kinds.includes(kind)) ??
  'not-sent';

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
export function serverLine(
  t: Translate,
  { game, address, queryPort }: ServerWords,
  most: LongestWords = { name: LONGEST_NAME, address: LONGEST_TYPED },
): string {
  const values = { name: escapeText(game, most.name), address: escapeCode(address, most.address) };
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

/** UTF-16 units of the parts of a line. */
interface LongestWords {
  readonly name: number;
  readonly address: number;
}

/** A submission as people read it: the game's name and the address. */
export const describe = (
  t: Translate,
  { game, server: host, port, queryPort }: ServerSubmission,
  games: KnownGames,
  most?: LongestWords,
): string =>
  serverLine(
    t,
    {
      game: gameNamed(game, games).name,
      address: formatAddress({ host, port }),
      ...(queryPort !== undefined && { queryPort }),
    },
    most,
  );

/** A member as a mention, which pings nobody in an embed, and as a name, which stays when they have left. */
export function memberText({ id, name }: Submitter['user']): string {
  return `<@${id}> (${escapeText(name, LONGEST_NAME)})`;
}

/** How many games are offered in place of one that is not known. */
export const NEAREST = 3;
/** UTF-16 units; less of a name tells nobody anything. */
const SHORTEST_NAME = 5;

/** Games by their alias. */
export interface KnownGames {
  find(alias: string): Game | undefined;
}

/** A game by its alias, which is its name too where it is not known. */
export const gameNamed = (alias: string, games: KnownGames): Game =>
  games.find(alias) ?? { name: alias, alias };

/** The games that may be looked for, best first. */
export interface SearchedGames {
  search(typed: string, limit?: number): readonly Game[];
}

/** Games as autocomplete choices: people read the name, the alias is what is filled in. */
export function gameChoices(
  games: readonly Game[],
): readonly { readonly name: string; readonly value: string }[] {
  return games.map(({ name, alias }) => {
    const tail = ` (${visibleLine(alias)})`;
    // The alias stays whole: two games may have the same name, and choices may not.
    const room = LONGEST_CHOICE - tail.length;
    const isAliasEnough = name === alias || room < SHORTEST_NAME;
    return {
      name: isAliasEnough ? visibleLine(alias) : `${shorten(visibleLine(name), room)}${tail}`.trimStart(),
      value: alias,
    };
  });
}

/** Games as buttons call them: by the name, and the alias too where two have the same name. */
export const gameLabels = (
  games: readonly Game[],
): readonly { readonly label: string; readonly alias: string }[] =>
  games.map((game) => {
    const isAlone = games.filter(({ name }) => name === game.name).length === 1;
    const { label } = gameOption(game);
    return { label: isAlone ? label : `${label} (${visibleLine(game.alias)})`, alias: game.alias };
  });

/** A select takes values of 1 to 100 characters (Discord docs: Components, Select Option). */
export const isSelectable = ({ alias }: Game): boolean =>
  alias.trim() !== '' && alias.length <= LONGEST_CHOICE;

/** A game as an option of a select. A name that shows nothing gives way to the alias. */
export const gameOption = ({ name, alias }: Game): { readonly label: string; readonly value: string } => ({
  label: shorten(visibleLine(name) || visibleLine(alias) || '?', LONGEST_CHOICE),
  value: alias,
});

/** The games that a select takes, the usual ones first; a select has room for 25. */
export function gameOptions(games: readonly Game[]): readonly ReturnType<typeof gameOption>[] {
  const choices = games.filter(isSelectable);
  const [usual, others] = [choices.filter(isUsual), choices.filter((game) => !isUsual(game))];
  return [...usual, ...others].map(gameOption);
}

const USUAL: ReadonlySet<string> = new Set(KNOWN_GAMES.map(({ alias }) => alias));
const isUsual = ({ alias }: Game): boolean => USUAL.has(alias);

/** Games for a sentence, each with its alias. */
export const gamesText = (games: readonly Game[]): string =>
  games.map(({ name, alias }) => `${escapeText(name, LONGEST_NAME)} (\`${escapeCode(alias)}\`)`).join(', ');

/** That a game is not known, with the nearest ones. */
export function unknownGameText({ t }: Reader, typed: string, games: SearchedGames): string {
  const near = gamesText(games.search(typed, NEAREST));
  const game = escapeText(typed, LONGEST_NAME);
  return near === '' ? t('list.unknownGame', { game }) : t('list.unknownGameNear', { game, near });
}

/** That several games match, to choose one of them. */
export const severalGamesText = ({ t }: Reader, typed: string): string =>
  t('list.severalGames', { game: escapeText(typed, LONGEST_NAME) });
