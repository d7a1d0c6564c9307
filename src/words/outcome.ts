import { formatAddress } from '../addresses/address.ts';
import {
  ADDED,
  type Failure,
  type FailureReason,
  isHalted,
  KNOWN_ERRORS,
  type KnownError,
  type NotSent,
  type Outcome,
  type ServerSubmission,
  WITHHELD_WORDS,
} from '../listing/contract.ts';
import type { Refusal } from '../submissions/checks.ts';
import type { Ended, Observer } from '../submissions/pipeline.ts';
import type { Submitter } from '../submissions/record.ts';
import {
  describe,
  gameNamed,
  gravestOf,
  type KnownGames,
  LOOK,
  memberText,
  type ServerEmbed,
  serverEmbed,
} from './look.ts';
import { escapeText, LONGEST_NAME, linked, type Reader, type Translate } from './words.ts';

/** How the submission of one server ended; which server it is stands in the embed. */
export function outcomeText(reader: Reader, outcome: Outcome, server: ServerSubmission): string {
  const { t, mention } = reader;
  switch (outcome.kind) {
    case 'accepted':
      return t('addserver.accepted', { message: escapeText(serviceWords(outcome.message, t)) });
    case 'rejected': {
      const said = t('addserver.rejected', { message: escapeText(serviceWords(outcome.message, t)) });
      if (outcome.known === undefined) return said;
      const next =
        outcome.known === 'invalidKey'
          ? invalidKeyText(reader)
          : t(`addserver.next.${outcome.known}`, { games: mention('games') });
      return `${said}\n${next}`;
    }
    case 'not-sent': {
      const said = t('addserver.notSent', { reason: failureText(outcome, t) });
      return outcome.reason === 'key' ? `${said}\n${invalidKeyText(reader)}` : said;
    }
    case 'unknown':
      return t('addserver.unknown', {
        reason: failureText(outcome, t),
        ...listAbout(reader, server),
      });
  }
}

/** That the service refuses the guild's key, and what the one who reads it can do. */
export const invalidKeyText = (reader: Reader): string =>
  `${reader.t('addserver.next.invalidKey')} ${renewText(reader)}`;

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

/** Why there is no usable answer of the listing service, as a sentence for a member. Never the service's text. */
export function failureText(failure: Failure, t: Translate): string {
  if (failure.kind === 'unknown') return t(`service.${AFTER_SENDING[failure.reason]}`);
  if (isHalted(failure)) return t(`halt.${failure.reason}`);
  if (failure.retryAfterMs !== undefined) {
    // Discord counts down by itself, in the member's language.
    return t('service.keyRests', { seconds: Math.ceil((Date.now() + failure.retryAfterMs) / 1000) });
  }
  return t(BEFORE_SENDING[failure.reason] ?? 'service.down');
}

/** What happened to a request that had left, or a part of it. */
const AFTER_SENDING = {
  timeout: 'silent',
  reset: 'reset',
  aborted: 'stopped',
  redirect: 'moved',
  'rate-limited': 'limited',
  'server-error': 'failed',
  'not-found': 'notFound',
  'client-error': 'refusedRequest',
  'not-json': 'broken',
  'wrong-shape': 'broken',
  'key-repeated': 'keyRepeated',
  'too-large': 'tooLarge',
  // What can only happen before anything leaves; a connection that fails later has broken off.
  refused: 'reset',
  dns: 'reset',
  tls: 'reset',
  down: 'reset',
  'queue-full': 'reset',
  'too-late': 'reset',
  'key-dropped': 'reset',
} as const satisfies Readonly<Record<FailureReason, string>>;

/** Why nothing left, where it is not that the service could not be reached. */
const BEFORE_SENDING: Readonly<Partial<Record<NotSent['reason'], BeforeSending>>> = {
  tls: 'service.unsafe',
  'key-dropped': 'service.keyDropped',
  'queue-full': 'service.queueFull',
  'too-late': 'service.tooLate',
  aborted: 'halt.stopping',
};
type BeforeSending = `service.${'unsafe' | 'keyDropped' | 'queueFull' | 'tooLate'}` | 'halt.stopping';

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

/** What to do about a key that the service refuses: an admin renews it, a member asks one. */
export const renewText = ({ t, mention, isAdmin }: Pick<Reader, 't' | 'mention' | 'isAdmin'>): string =>
  t(isAdmin ? 'notice.renew' : 'notice.askToRenew', { setkey: mention('setkey') });

/** The page about one server of the list, for people; of the list itself without one. */
const pageAbout = (
  { pages }: Pick<Reader, 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'> | undefined,
): string | undefined => pages(server && formatAddress({ host: server.server, port: server.port }));

/** For sentences that send people to the list: it leads to the page about this server. */
export const listAbout = (
  reader: Pick<Reader, 't' | 'pages'>,
  server: Pick<ServerSubmission, 'server' | 'port'>,
): { readonly list: string } => ({
  list: linked(reader.t('listing.unnamed.list'), pageAbout(reader, server)),
});

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
  const nameOfGame = (alias: string) => escapeText(gameNamed(alias, games).name, LONGEST_NAME);

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

function reasonText(
  t: Translate,
  refusal: Exclude<Refusal, { code: 'key-missing' | 'key-unreadable' }>,
  nameOf: (alias: string) => string,
): string {
  switch (refusal.code) {
    case 'game-not-allowed':
      return t('guildLog.reason.game-not-allowed', { game: nameOf(refusal.game) });
    case 'daily-quota':
      return t('guildLog.reason.daily-quota', { count: refusal.limit });
    default:
      return t(`guildLog.reason.${refusal.code}`);
  }
}
