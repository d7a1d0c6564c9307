import { formatAddress } from '../addresses/address.ts';
import {
  ADDED,
  type Game,
  KNOWN_ERRORS,
  type KnownError,
  type Outcome,
  type ServerSubmission,
  WITHHELD_WORDS,
} from '../listing/contract.ts';
import type { Ended, Observer } from '../submissions/pipeline.ts';
import type { Submitter } from '../submissions/record.ts';
import { failureText, isAboutKey, type NoKey, nextForKey, reasonText } from './refusal.ts';
import {
  escapeCode,
  escapeText,
  LONGEST_ESCAPED_NAME,
  listAbout,
  memberText,
  pageAbout,
  type Reader,
  shortenMarkup,
  type Translate,
} from './words.ts';

/**
 * How the submission of one server ended; which server it is stands in the embed.
 * @param noKey why the guild has no key to submit with by now
 */
export function outcomeText(
  reader: Reader,
  outcome: Outcome,
  { server, noKey }: { readonly server: ServerSubmission; readonly noKey: NoKey | undefined },
): string {
  const { t, mention } = reader;
  switch (outcome.kind) {
    case 'accepted':
      return t('addserver.accepted', { message: escapeText(serviceWords(outcome.message, t)) });
    case 'rejected': {
      const said = t('addserver.rejected', { message: escapeText(serviceWords(outcome.message, t)) });
      if (outcome.known === 'invalidKey') return [said, ...nextForKey(reader, noKey)].join('\n');
      if (outcome.known === undefined) return said;
      return `${said}\n${t(`addserver.next.${outcome.known}`, { games: mention('games') })}`;
    }
    case 'not-sent': {
      const said = t('addserver.notSent', { reason: failureText(outcome, t) });
      return [said, ...(isAboutKey(outcome) ? nextForKey(reader, noKey) : [])].join('\n');
    }
    case 'unknown':
      return t('addserver.unknown', {
        reason: failureText(outcome, t),
        ...listAbout(reader, server),
      });
  }
}

/**
 * What everybody in the channel is told, in the guild's language, of the servers that were sent for review; nothing
 * where there are none, or the guild does not want it.
 */
export function announcementOf(
  { user, guildT: t }: { readonly user: { readonly id: string }; readonly guildT: Translate },
  { announce, servers, outcomes }: Pick<Ended, 'announce' | 'servers' | 'outcomes'>,
  games: KnownGames,
): { readonly content: string; readonly embeds: readonly ServerEmbed[] } | undefined {
  const accepted = servers.filter((_, index) => outcomes[index]?.kind === 'accepted');
  if (!announce || accepted.length === 0) return undefined;
  const lines = accepted.map((server) => describe(t, server, games));
  return {
    content: t('announcement', { userId: user.id, count: accepted.length }),
    embeds: [serverEmbed(t, 'accepted', lines, MOST_ANNOUNCED)],
  };
}

/** Servers that an announcement names. */
const MOST_ANNOUNCED = 10;

/**
 * The service's words, word for word. Where the reader's language is another and they are one of the six that the
 * specification has, what they mean stands before them. Words that held the key were left out, and that is said.
 */
export function serviceWords(message: string, t: Translate): string {
  if (message === WITHHELD_WORDS) return t('service.withheld');
  const original = message.trim();
  const known = original === ADDED ? 'added' : KNOWN_NAMES.find((name) => KNOWN_ERRORS[name] === original);
  const meaning = known === undefined ? original : t(`said.${known}`);
  return meaning === original ? message : t('said.both', { meaning, original });
}

const KNOWN_NAMES = Object.keys(KNOWN_ERRORS) as KnownError[];

/** The page on which to look for servers of which nobody knows what became: of the one, or of the list. */
export function pageOfUnknown(
  reader: Pick<Reader, 'pages'>,
  { servers, outcomes }: Pick<Ended, 'servers' | 'outcomes'>,
): string | undefined {
  const [first, ...others] = servers.filter((_, index) => outcomes[index]?.kind === 'unknown');
  return first && pageAbout(reader, others.length === 0 ? first : undefined);
}

export interface SubmissionLogDeps {
  /** The guild's log, in the guild's language. */
  readonly guildLog: {
    tell(guildId: string, makeText: (t: Translate) => string, kind: Outcome['kind']): Promise<void>;
  };
  readonly games: KnownGames;
}

/** Addresses that are named of an order of many servers; /submissions has them all. */
const NAMED = 2;
/** Different messages of the service that are shown of one order, and UTF-16 units of each: all fits into an embed. */
const MESSAGES = 2;
const LONGEST_MESSAGE = 400;

/** Tells a guild's log of every submission and every refusal: a line each, however many servers there are. */
export function createSubmissionLog({ guildLog, games }: SubmissionLogDeps): Observer {
  const nameOfGame = (alias: string) => escapeText(gameNamed(alias, games).name, LONGEST_ESCAPED_NAME);

  function whatText(t: Translate, servers: readonly ServerSubmission[]): string {
    const named = servers
      .slice(0, NAMED)
      .map((server) => describe(t, server, games))
      .join(', ');
    const count = servers.length - NAMED;
    return count > 0 ? t('guildLog.andMore', { named, count }) : named;
  }

  function endText(
    t: Translate,
    user: Submitter['user'],
    ends: readonly { readonly server: ServerSubmission; readonly outcome: Outcome }[],
  ): string {
    const what = whatText(
      t,
      ends.map(({ server }) => server),
    );
    const values = { member: memberText(user), what };
    const [first] = ends;
    if (first !== undefined && ends.length === 1) {
      const { kind } = first.outcome;
      return signed(kind, t(`guildLog.one.${kind}`, { ...values, ...saidOf(first.outcome, t) }));
    }
    const kinds = [...new Set(ends.map(({ outcome }) => outcome.kind))];
    return [
      t('guildLog.many', { ...values, count: ends.length }),
      ...kinds.map((kind) => {
        const ended = ends.filter(({ outcome }) => outcome.kind === kind);
        const said = ended.map(({ outcome }) => saidOf(outcome, t));
        const values = {
          count: ended.length,
          message: someOf(said.map(({ message }) => message)),
          reason: someOf(said.map(({ reason }) => reason)),
        };
        return signed(kind, t(`guildLog.part.${kind}`, values));
      }),
    ].join('\n');
  }

  return {
    async refused({ guildId, user }, servers, refusal) {
      // Nothing is done with a key that is not there.
      if (refusal.code === 'key-missing' || refusal.code === 'key-unreadable') return;
      const lineOf = (t: Translate) =>
        t('guildLog.refused', {
          member: memberText(user),
          what: whatText(t, servers),
          reason: reasonText(t, refusal, nameOfGame),
        });
      await guildLog.tell(guildId, (t) => signed('not-sent', lineOf(t)), 'not-sent');
    },
    async ended({ guildId, user }, { servers, outcomes }) {
      const ends = servers.flatMap((server, index) => {
        const outcome = outcomes[index];
        return outcome ? [{ server, outcome }] : [];
      });
      await guildLog.tell(
        guildId,
        (t) => endText(t, user, ends),
        gravestOf(outcomes.map(({ kind }) => kind)),
      );
    },
  };
}

const signed = (kind: Outcome['kind'], text: string): string => `${LOOK[kind].sign} ${text}`;

/** The service's own words where it said something, and why there is no answer where there is none. */
function saidOf(outcome: Outcome, t: Translate): { readonly message: string; readonly reason: string } {
  return 'message' in outcome
    ? { message: escapeText(serviceWords(outcome.message, t), LONGEST_MESSAGE), reason: '' }
    : { message: '', reason: failureText(outcome, t) };
}

const someOf = (texts: readonly string[]): string => [...new Set(texts)].slice(0, MESSAGES).join(' / ');

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
  most: LongestWords = { name: LONGEST_ESCAPED_NAME, address: LONGEST_TYPED },
): string {
  const values = { name: escapeText(game, most.name), address: escapeCode(address, most.address) };
  return queryPort === undefined || queryPort === ''
    ? t('look.server', values)
    : t('look.serverQuery', { ...values, queryPort: escapeText(String(queryPort), LONGEST_TYPED) });
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

/** Games by their alias. */
export interface KnownGames {
  find(alias: string): Game | undefined;
}

/** A game by its alias, which is its name too where it is not known. */
export const gameNamed = (alias: string, games: KnownGames): Game =>
  games.find(alias) ?? { name: alias, alias };
