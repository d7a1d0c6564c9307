import { isFailure, type NotSentOutcome, type ServerSubmission } from '../listing/contract.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { RowPlace } from '../server-lists/row.ts';
import type { Submitter } from '../submissions/drafts.ts';
import type { ServerOutcome } from '../submissions/outcome.ts';
import type { EndedSubmission } from '../submissions/pipeline.ts';
import { escapeText, memberText, readOutsideDiscord } from './escape.ts';
import { pageAbout } from './listing-pages.ts';
import { namedText, sentences } from './sentences.ts';
import {
  addressCode,
  firstItems,
  MAX_NAMED,
  MAX_NAMED_PER_LIST,
  OUTCOME_KINDS,
  type ServerEmbed,
  serverEmbed,
  serverItem,
  serverLines,
  withSign,
} from './servers.ts';
import { failureText, serviceWords } from './service.ts';
import type { Audience, Translate } from './words.ts';

/* Submissions interrupted by a crash get the same texts as others. */

export interface ServerWithOutcome extends Partial<RowPlace> {
  readonly server: ServerSubmission;
  readonly outcome: ServerOutcome;
}

/** Servers with the same kind of outcome and, unless they were accepted, the same message from the service. */
interface Group {
  readonly outcome: ServerOutcome;
  /** The service's escaped messages, or why the service didn't send any. Accepted servers can have several messages. */
  readonly said: Set<string>;
  readonly servers: ServerWithOutcome[];
}

/** The first group of each kind is always shown. All groups are in `report.csv`. */
const MAX_FURTHER_GROUPS = 2;
/** Limits for the service's message about several servers. All groups fit into a reply (2,000). */
const MAX_LENGTH_IN_REPLY = 200;
const MAX_LENGTH_IN_LOG = 400;

/** Leaves out the server, which the embed names. */
export function outcomeText(audience: Audience, server: ServerSubmission, outcome: ServerOutcome): string {
  const { t } = audience;
  const text = withSaid(t, outcome, t(`ended.one.${outcome.kind}`), saidOfHeading(t, outcome));
  return withNext(text, outcome, nextText(audience, outcome, [server]));
}

export const notSentText = (audience: Audience, outcome: NotSentOutcome): string =>
  withNext(
    sentences(withSign(outcome.kind, audience.t('ended.one.not-sent')), failureText(outcome, audience.t)),
    outcome,
    nextText(audience, outcome, []),
  );

/**
 * Returns the outcomes of many servers, as text for the member. Lists servers below the text about their outcome.
 * @param namesAll whether to list all servers that weren't accepted, instead of only the first ones
 */
export function outcomeTexts(
  audience: Audience,
  ended: readonly ServerWithOutcome[],
  namesAll = false,
): readonly string[] {
  const { t, mention } = audience;
  const { shown, isAll } = groupsOf(
    t,
    ended,
    MAX_LENGTH_IN_REPLY,
    namesAll ? ended.length : MAX_FURTHER_GROUPS,
  );
  const usual = shown.length > 1 ? MAX_NAMED_PER_LIST : MAX_NAMED;
  const mostNamed = namesAll ? ended.length : usual;
  const texts = shown.map(({ outcome, said, servers }) => {
    const heading = `**${t(`ended.many.${outcome.kind}`, { count: servers.length })}**`;
    const submitted = servers.map(({ server }) => server);
    const next = nextText(audience, outcome, submitted);
    const text = withNext(withSaid(t, outcome, heading, saidTogether(said)), outcome, next);
    const items =
      outcome.kind === 'accepted'
        ? [t('ended.next.accepted', { submissions: mention('submissions') })]
        : firstItems(t, servers, mostNamed, ({ server, line, part }) =>
            serverItem(t, server, line === undefined ? undefined : { line, part }),
          );
    return [text, ...items].join('\n');
  });
  return isAll ? texts : [...texts, t('list.otherReasons')];
}

/**
 * Returns the outcomes of servers for a log channel. Together, the texts are short enough for one line. Names the first
 * servers that the service rejected, unless it rejected all of them.
 * @param all how many servers were submitted together
 */
export function outcomesForLog(
  t: Translate,
  ended: readonly ServerWithOutcome[],
  all = ended.length,
): readonly string[] {
  const { shown, isAll } = groupsOf(t, ended, MAX_LENGTH_IN_LOG);
  const texts = shown.map(({ outcome: { kind }, said, servers }) => {
    const { length: count } = servers;
    const words = saidTogether(said);
    if (kind !== 'rejected' || count === all) {
      const heading = t(all === 1 ? `ended.one.${kind}` : `ended.many.${kind}`, { count });
      return withSign(kind, sentences(heading, words));
    }
    const names = servers.slice(0, MAX_NAMED_PER_LIST).map(({ server }) => addressCode(server));
    const item = t('submissions.ended.rejected', { count });
    const named = t('look.about', { item, why: namedText(t, names, count) });
    return [withSign(kind, named), words].filter(Boolean).join(' · ');
  });
  return isAll ? texts : [...texts, t('list.otherReasons')];
}

/** Returns the service's message about a server, or why there isn't one, for a cell in a file. */
export const outcomeCell = (t: Translate, outcome: ServerOutcome): string =>
  isFailure(outcome) ? readOutsideDiscord(failureText(outcome, t)) : serviceWords(outcome.message, t);

/** Groups servers by outcome. Returns the groups to show in a message, always including the first group of each kind. */
function groupsOf(
  t: Translate,
  ended: readonly ServerWithOutcome[],
  maxLength: number,
  mostFurther = MAX_FURTHER_GROUPS,
): { readonly shown: readonly Group[]; readonly isAll: boolean } {
  const bySaid = new Map<string, Group>();
  for (const server of ended) {
    const { outcome } = server;
    const said = saidOfHeading(t, outcome, maxLength);
    const key = outcome.kind === 'accepted' ? outcome.kind : `${outcome.kind} ${said}`;
    const group = bySaid.get(key) ?? { outcome, said: new Set(), servers: [] };
    group.said.add(said);
    group.servers.push(server);
    bySaid.set(key, group);
  }
  const placeOf = ({ outcome }: Group) => OUTCOME_KINDS.indexOf(outcome.kind);
  const groups = [...bySaid.values()].toSorted((one, other) => placeOf(one) - placeOf(other));
  const further = groups.filter((group, index) => group.outcome.kind === groups[index - 1]?.outcome.kind);
  const hidden = further.slice(mostFurther);
  return { shown: groups.filter((group) => !hidden.includes(group)), isAll: hidden.length === 0 };
}

/** Joins a group's messages, up to a maximum number. Only the group of accepted servers can have several messages. */
function saidTogether(said: Group['said']): string {
  const texts = [...said];
  const isMore = texts.length > MAX_FURTHER_GROUPS + 1;
  return sentences(...texts.slice(0, MAX_FURTHER_GROUPS + 1), isMore ? '…' : undefined);
}

export const saidOf = (t: Translate, outcome: ServerOutcome, maxLength?: number): string =>
  isFailure(outcome) ? failureText(outcome, t) : escapeText(serviceWords(outcome.message, t), maxLength);

/** Like {@link saidOf}, but for use after a heading. If the server was accepted, only quotes the service's message. */
function saidOfHeading(t: Translate, outcome: ServerOutcome, maxLength?: number): string {
  if (outcome.kind !== 'accepted') return saidOf(t, outcome, maxLength);
  const original = escapeText(outcome.message, maxLength);
  return original === '' ? '' : t('said.quoted', { original });
}

/** Returns a heading with a sign, followed by the service's message (if it isn't empty) or why there isn't one. */
export function withSaid(t: Translate, { kind }: ServerOutcome, heading: string, said: string): string {
  const text = kind === 'rejected' && said !== '' ? t('ended.says', { message: said }) : said;
  return withSign(kind, sentences(heading, text));
}

/** Adds the next step to the text about an outcome, on a new line if the text ends with a message from the service. */
export function withNext(text: string, outcome: ServerOutcome, next: string | undefined): string {
  if (next === undefined) return text;
  return isFailure(outcome) ? sentences(text, next) : `${text}\n${next}`;
}

function nextText(
  audience: Audience,
  outcome: ServerOutcome,
  servers: readonly ServerSubmission[],
): string | undefined {
  const { t, mention } = audience;
  switch (outcome.kind) {
    case 'accepted':
      return undefined;
    case 'not-sent':
      // The outcome's text already includes the time of the next try, if known.
      return outcome.retryAfterMs === undefined ? t('ended.next.not-sent') : undefined;
    case 'unknown':
      return unknownText(audience, servers);
    case 'rejected':
      if (outcome.known === 'emptyList') return t('addserver.next.emptyList');
      return outcome.known === 'gameInvalid'
        ? t('addserver.next.gameInvalid', { games: mention('games') })
        : undefined;
  }
}

/** Returns where to look up servers with an unknown outcome. Without a configured website, members should ask an admin. */
export function unknownText(audience: Audience, servers: readonly ServerSubmission[]): string {
  const { t, isAdmin } = audience;
  const page = pageAbout(audience, onlyOf(servers));
  const key = page === undefined && !isAdmin ? 'unlinked' : 'check';
  return t(`ended.next.${key}`, { count: servers.length, site: t.site(page) });
}

const onlyOf = (servers: readonly ServerSubmission[]): ServerSubmission | undefined =>
  servers.length === 1 ? servers[0] : undefined;

/** Returns a single server's own page, or the list. */
export function pageOfUnknown(
  audience: Pick<Audience, 'pages'>,
  ended: readonly ServerWithOutcome[],
): string | undefined {
  const unknown = ended.filter(({ outcome }) => outcome.kind === 'unknown').map(({ server }) => server);
  return unknown.length === 0 ? undefined : pageAbout(audience, onlyOf(unknown));
}

const MAX_ANNOUNCED_SERVERS = 10;

/**
 * Returns the guild's public announcement of the servers that were sent for review. Returns `undefined` if there are no
 * such servers or the guild doesn't announce submissions.
 * @param members the members who submitted servers, with these servers
 */
export function announcementOf(
  channelId: EndedSubmission['announcedIn'],
  members: readonly (Pick<EndedSubmission, 'servers'> & { readonly user: Submitter['user'] })[],
  games: GameIndex,
): ((t: Translate) => Record<'channelId' | 'content', string> & { readonly embed: ServerEmbed }) | undefined {
  const sent = members
    .map(({ user, servers }) => ({
      user,
      accepted: servers.filter(({ outcome }) => outcome.kind === 'accepted'),
    }))
    .filter(({ accepted }) => accepted.length > 0);
  if (channelId === undefined || sent.length === 0) return undefined;
  return (t) => {
    const lines = serverLines(
      t,
      sent.flatMap(({ accepted }) => accepted.map(({ server }) => server)),
      games,
    );
    return {
      channelId,
      content: sent
        .map(({ user, accepted }) => t('announcement', { member: memberText(user), count: accepted.length }))
        .join('\n'),
      embed: serverEmbed(t, 'accepted', lines, MAX_ANNOUNCED_SERVERS),
    };
  };
}
