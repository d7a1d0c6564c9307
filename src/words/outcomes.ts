import { ADDED, type ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { ServerOutcome } from '../submissions/outcome.ts';
import type { Ended } from '../submissions/pipeline.ts';
import { escapeText, readOutsideDiscord } from './escape.ts';
import { pageAbout, siteAbout } from './listing-pages.ts';
import { sentences } from './sentences.ts';
import {
  describe,
  FEW_NAMED,
  firstItems,
  MOST_NAMED,
  type ServerEmbed,
  serverEmbed,
  serverItem,
  withSign,
} from './servers.ts';
import { failureText, serviceWords } from './service.ts';
import type { Reader, Translate } from './words.ts';

/*
 * Says how servers ended: one or many, to members, in the log channel and in files, after a crash too.
 */

/** A server with its outcome, and the number of its line where it has one. */
export interface EndedServer {
  readonly line?: number;
  readonly server: ServerSubmission;
  readonly outcome: ServerOutcome;
}

/** Servers with the same outcome. Of those that were not accepted, the service said the same. */
interface Group {
  readonly outcome: ServerOutcome;
  /** The service's words, escaped, or why there are none: of accepted servers, each different message. */
  readonly said: Set<string>;
  readonly servers: EndedServer[];
}

/** Accepted servers come first; then what failed, and what has to be looked up before it is sent again. */
const IN_ORDER = ['accepted', 'rejected', 'unknown', 'not-sent'] as const;

/** Further messages that are shown after the first of each outcome; `report.csv` has all. */
const MOST_FURTHER = 2;
/** UTF-16 units of the service's words about many servers: all messages fit into the 2,000 of a reply, or into an embed. */
const LONGEST_IN_REPLY = 200;
const LONGEST_IN_LOG = 400;

/** The outcome of one server, for its member. The embed says which server it is. */
export function outcomeText(reader: Reader, server: ServerSubmission, outcome: ServerOutcome): string {
  const { t } = reader;
  const text = isAdded(outcome)
    ? withSign(outcome.kind, saidOf(t, outcome))
    : withSaid(t, outcome, t(`ended.one.${outcome.kind}`), saidOfHeading(t, outcome));
  return withNext(text, outcome, nextText(reader, outcome, [server]));
}

/** The outcomes of many servers, for their member, with lines to find the servers by. */
export function outcomeTexts(reader: Reader, ended: readonly EndedServer[]): readonly string[] {
  const { t, mention } = reader;
  const { shown, isAll } = groupsOf(t, ended, LONGEST_IN_REPLY);
  const mostNamed = shown.length > 1 ? FEW_NAMED : MOST_NAMED;
  const texts = shown.map(({ outcome, said, servers }) => {
    const heading = `**${t(`ended.many.${outcome.kind}`, { count: servers.length })}**`;
    const submitted = servers.map(({ server }) => server);
    const next = nextText(reader, outcome, submitted);
    const text = withNext(withSaid(t, outcome, heading, saidTogether(said)), outcome, next);
    const items =
      outcome.kind === 'accepted'
        ? [t('ended.next.accepted', { submissions: mention('submissions') })]
        : firstItems(t, servers, mostNamed, ({ line, server }) => serverItem(t, server, line));
    return [text, ...items].join('\n');
  });
  return isAll ? texts : [...texts, t('list.otherReasons')];
}

/**
 * The outcomes of servers, for a log channel: each fits behind the others on a line.
 * @param all how many servers were submitted together
 */
export function outcomesForLog(
  t: Translate,
  ended: readonly EndedServer[],
  all = ended.length,
): readonly string[] {
  if (all === 1) return ended.map(({ outcome }) => logText(t, outcome));
  const { shown, isAll } = groupsOf(t, ended, LONGEST_IN_LOG);
  const texts = shown.map(({ outcome: { kind }, said, servers }) =>
    withSign(kind, sentences(t(`ended.many.${kind}`, { count: servers.length }), saidTogether(said))),
  );
  return isAll ? texts : [...texts, t('list.otherReasons')];
}

/** The outcome of a server that was submitted alone. */
function logText(t: Translate, outcome: ServerOutcome): string {
  const said = saidOf(t, outcome, LONGEST_IN_LOG);
  if (isAdded(outcome)) return withSign(outcome.kind, said);
  const item = withSign(outcome.kind, t(`outcome.${outcome.kind}`));
  return said === '' ? item : t('look.about', { item, why: said });
}

/** The service's words about a server, or why there are none, for a cell of a file. */
export const outcomeCell = (t: Translate, outcome: ServerOutcome): string =>
  'message' in outcome ? serviceWords(outcome.message, t) : readOutsideDiscord(failureText(outcome, t));

/** The groups that a message has room for; the first of each outcome always is among them. */
function groupsOf(
  t: Translate,
  ended: readonly EndedServer[],
  longest: number,
): { readonly shown: readonly Group[]; readonly isAll: boolean } {
  const bySaid = new Map<string, Group>();
  for (const server of ended) {
    const { outcome } = server;
    const said = saidOfHeading(t, outcome, longest);
    const key = outcome.kind === 'accepted' ? outcome.kind : `${outcome.kind} ${said}`;
    const group = bySaid.get(key) ?? { outcome, said: new Set(), servers: [] };
    group.said.add(said);
    group.servers.push(server);
    bySaid.set(key, group);
  }
  const placeOf = ({ outcome }: Group) => IN_ORDER.indexOf(outcome.kind);
  const groups = [...bySaid.values()].toSorted((one, other) => placeOf(one) - placeOf(other));
  const further = groups.filter((group, index) => group.outcome.kind === groups[index - 1]?.outcome.kind);
  const hidden = further.slice(MOST_FURTHER);
  return { shown: groups.filter((group) => !hidden.includes(group)), isAll: hidden.length === 0 };
}

/** The first of the different messages about accepted servers; otherwise there is one. */
function saidTogether(said: Group['said']): string {
  const texts = [...said];
  const isMore = texts.length > MOST_FURTHER + 1;
  return sentences(...texts.slice(0, MOST_FURTHER + 1), isMore ? '…' : undefined);
}

/** Whether the service accepted a server with the message of the specification, which says it all. */
const isAdded = (outcome: ServerOutcome): boolean =>
  outcome.kind === 'accepted' && outcome.message.trim() === ADDED;

/** Returns the service's words, escaped, or why there are none. */
const saidOf = (t: Translate, outcome: ServerOutcome, longest?: number): string =>
  'message' in outcome ? escapeText(serviceWords(outcome.message, t), longest) : failureText(outcome, t);

/** Returns the same behind a heading. The heading means the same as the words about accepted servers, which stay as they came. */
function saidOfHeading(t: Translate, outcome: ServerOutcome, longest?: number): string {
  if (outcome.kind !== 'accepted') return saidOf(t, outcome, longest);
  const original = escapeText(outcome.message, longest);
  return original === '' ? '' : t('said.quoted', { original });
}

function withSaid(t: Translate, { kind }: ServerOutcome, heading: string, said: string): string {
  const text = kind === 'rejected' ? t('ended.says', { message: said }) : said;
  return withSign(kind, sentences(heading, text));
}

/** Puts what to do behind the text of an outcome: on a new line, if the text ends with a quote of the service's words. */
function withNext(text: string, outcome: ServerOutcome, next: string | undefined): string {
  if (next === undefined) return text;
  return 'message' in outcome ? `${text}\n${next}` : sentences(text, next);
}

/** What to do about servers with the same outcome. */
function nextText(
  reader: Reader,
  outcome: ServerOutcome,
  servers: readonly ServerSubmission[],
): string | undefined {
  const { t, mention } = reader;
  switch (outcome.kind) {
    case 'accepted':
      return undefined;
    case 'not-sent':
      // When a paused key may be used again stands there already.
      return outcome.reason === 'rate-limited' ? undefined : t('ended.next.not-sent');
    case 'unknown':
      return t('ended.next.unknown', { count: servers.length, ...siteAbout(reader, onlyOf(servers)) });
    case 'rejected':
      break;
  }
  switch (outcome.known) {
    case 'emptyList':
      return t('addserver.next.emptyList');
    case 'serverMissing':
    case 'gameMissing':
      return t('addserver.correct');
    case 'gameInvalid':
      return t('addserver.next.gameInvalid', { games: mention('games') });
    default:
      return undefined;
  }
}

const onlyOf = (servers: readonly ServerSubmission[]): ServerSubmission | undefined =>
  servers.length === 1 ? servers[0] : undefined;

/** The page on which to look for servers whose outcome is unknown: about the one, or the list. */
export function pageOfUnknown(
  reader: Pick<Reader, 'pages'>,
  ended: readonly EndedServer[],
): string | undefined {
  const unknown = ended.filter(({ outcome }) => outcome.kind === 'unknown').map(({ server }) => server);
  return unknown.length === 0 ? undefined : pageAbout(reader, onlyOf(unknown));
}

/** The most servers that an announcement names. */
const MOST_ANNOUNCED = 10;

/**
 * The announcement, for everybody in the guild, of the servers that were sent for review; none if there are no such servers,
 * or the guild does not want it.
 * @param user who has submitted them
 */
export function announcementOf(
  { user }: { readonly user: { readonly id: string } },
  { announcedIn: channelId, servers }: Pick<Ended, 'announcedIn' | 'servers'>,
  games: GameIndex,
): ((t: Translate) => Record<'channelId' | 'content', string> & { readonly embed: ServerEmbed }) | undefined {
  const accepted = servers.filter(({ outcome }) => outcome.kind === 'accepted');
  if (channelId === undefined || accepted.length === 0) return undefined;
  return (t) => {
    const lines = accepted.map(({ server }) => describe(t, server, games));
    return {
      channelId,
      content: t('announcement', { userId: user.id, count: accepted.length }),
      embed: serverEmbed(t, 'accepted', lines, MOST_ANNOUNCED),
    };
  };
}
