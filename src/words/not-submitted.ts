import type { GameIndex } from '../listing/game-search.ts';
import type { EarlierSubmission } from '../submissions/already-submitted.ts';
import type { NotSubmitted } from '../submissions/check.ts';
import type { Allowance, ReachedLimit } from '../submissions/limits.ts';
import { shorten } from '../text/one-line.ts';
import { escapeCode, escapeText, nameText } from './escape.ts';
import { enterKeyText, keyText } from './keys.ts';
import { notSentText, unknownText } from './outcomes.ts';
import { notReadyText, type ProblemText, problemText } from './problem.ts';
import { fromText, nextTryText, sentences, whenText } from './sentences.ts';
import { firstItems, gameNamed, serverItem, withSign } from './servers.ts';
import type { Audience, Translate } from './words.ts';

/** Why a submission wasn't sent, apart from a problem with the guild's key or with the service. */
type OtherReason = Exclude<
  NotSubmitted,
  { code: 'key-missing' | 'key-unreadable' | 'key-invalid' | 'held-back' }
>;

export function notSubmittedText(reason: NotSubmitted, audience: Audience, games: GameIndex): string {
  const { t } = audience;
  switch (reason.code) {
    case 'key-missing':
    case 'key-unreadable':
    case 'key-invalid':
      return withSign('not-sent', sentences(t('ended.one.not-sent'), keyText(reason, audience)));
    case 'held-back':
      return notSentText(audience, reason.outcome);
    default: {
      const isFull = reason.code === 'member-waiting' || reason.code === 'guild-waiting';
      const withdraw = isFull ? t('problem.help.withdraw') : undefined;
      const text = withSign('not-sent', sentences(notReadyText(whyNotSubmitted(reason, t), t), withdraw));
      const before = reason.code === 'already-submitted' ? beforeTexts(reason, audience, games) : [];
      return [text, ...before].join('\n');
    }
  }
}

/** Returns why an approved submission is still waiting instead of being sent, and the moderator's next step. */
export function stillWaitingText(reason: NotSubmitted, audience: Audience, games: GameIndex): string {
  const { t, mention } = audience;
  const still = t('approval.still');
  switch (reason.code) {
    case 'game-not-allowed': {
      const game = escapeCode(gameNamed(reason.game, games).name, MAX_NAMED_GAME_LENGTH);
      const text = notReadyText({ short: t('problem.short.game-not-allowed', { game }) }, t);
      const help = t('approval.toAllow', { settings: mention('settings') });
      return `${withSign('not-sent', text)}\n${sentences(still, help)}`;
    }
    case 'key-missing':
    case 'key-unreadable':
    case 'key-invalid':
      return `${sentences(notSubmittedText(reason, audience, games), enterKeyText(audience))}\n${still}`;
    default:
      return `${notSubmittedText(reason, audience, games)}\n${still}`;
  }
}

/** Usually includes a solution. */
export function whyNotSubmitted(reason: OtherReason, t: Translate): ProblemText {
  switch (reason.code) {
    case 'in-flight':
      return { short: t('problem.short.in-flight'), help: t('problem.help.wait') };
    case 'game-not-allowed':
    case 'host-blocked':
      return problemText(reason, t);
    case 'member-blocked':
      return { short: t('problem.short.member-blocked'), help: t('problem.help.blocked') };
    case 'waiting-often':
      return { short: t('problem.short.waiting-often'), help: nextTryText(reason.at, t) };
    case 'daily-quota':
    case 'member-limit':
    case 'guild-limit':
      return limitText(reason, t);
    case 'already-submitted': {
      const isUnconfirmed = reason.servers.every(({ outcome }) => outcome.kind === 'unknown');
      return { short: t(`problem.short.${isUnconfirmed ? 'unconfirmed' : reason.code}`) };
    }
    case 'waiting-already':
      return { short: t(`problem.short.${reason.code}`) };
    case 'member-waiting':
    case 'guild-waiting':
      return { short: t(`problem.short.${reason.code}`, { count: reason.count }) };
    default:
      return reason satisfies never;
  }
}

export function limitText({ code, limit, until }: ReachedLimit, t: Translate): ProblemText {
  return { short: t(`problem.short.${code}`, { count: limit }), help: nextTryText(until, t) };
}

export const heldCountText = (
  t: Translate,
  { count, limited }: { readonly count: number; readonly limited: ReachedLimit },
): string =>
  t('list.held', {
    count,
    seconds: Math.ceil(limited.until / 1000),
    why: limitText(limited, t).short,
  });

/** Members who can submit at most this number of servers are warned of a limit. The daily quota is always mentioned. */
const FEW_LEFT = 10;

/**
 * Returns how many more servers can be submitted. Mentions limits other than the daily quota only if at most {@link
 * FEW_LEFT} servers remain.
 */
export function remainingText({ count, limited }: Allowance, t: Translate): string | undefined {
  if (limited === undefined) return undefined;
  if (count === 0) return t('limit.next', { time: fromText(limited.until) });
  if (limited.code === 'daily-quota') return t('limit.today', { count });
  return count <= FEW_LEFT ? t('limit.now', { count }) : undefined;
}

function beforeTexts(
  { servers }: Extract<NotSubmitted, { code: 'already-submitted' }>,
  audience: Audience,
  games: GameIndex,
): readonly string[] {
  const { t } = audience;
  const [server] = servers;
  if (server === undefined) return [];
  const text = beforeText(server, t, games);
  return server.outcome.kind === 'unknown' ? [text, unknownText(audience, [server])] : [text];
}

const MAX_EARLIER_NAMED = 3;

/**
 * Counts the servers that had already been submitted, and lists the first few with their outcomes. Unconfirmed servers come
 * first, because the listing service may not have received them.
 * @returns for unconfirmed and other servers, if any, a heading followed by the servers' lines
 */
export function earlierSubmissions(
  t: Translate,
  all: readonly EarlierSubmission[],
  games: GameIndex,
): readonly (readonly string[])[] {
  const group = (
    isUnconfirmed: boolean,
    key: 'unconfirmed' | 'alreadySubmitted',
  ): readonly (readonly string[])[] => {
    const some = all.filter(({ outcome }) => (outcome.kind === 'unknown') === isUnconfirmed);
    if (some.length === 0) return [];
    const items = firstItems(t, some, MAX_EARLIER_NAMED, (before) =>
      t('look.about', { item: serverItem(t, before), why: beforeText(before, t, games) }),
    );
    return [[t(`list.${key}`, { count: some.length }), ...items]];
  };
  return [...group(true, 'unconfirmed'), ...group(false, 'alreadySubmitted')];
}

function beforeText(before: EarlierSubmission, t: Translate, games: GameIndex): string {
  const {
    game,
    at,
    outcome: { kind },
  } = before;
  return [
    withSign(kind, t(`outcome.${kind}`)),
    escapeText(shorten(gameNamed(game, games).name, MAX_NAMED_GAME_LENGTH)),
    whenText(at),
    submitterText(t, before),
  ].join(' · ');
}

const MAX_NAMED_GAME_LENGTH = 30;

function submitterText(t: Translate, { userName, isYours }: EarlierSubmission): string {
  if (isYours) return t('by.you');
  return userName === '' ? t('by.unnamed') : t('by.user', { user: nameText(userName) });
}
