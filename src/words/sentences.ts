import { DAY_MS, MINUTE_MS } from '../numbers.ts';
import { memberText } from './escape.ts';
import type { Translate } from './words.ts';

/** The space after a full-width full stop. Chinese and Japanese omit it, because the character already includes it. */
const SPACE_BEHIND_WIDE_STOP = /(?<=[。！？]) /gu;

/** Joins whole sentences, and skips absent ones. */
export const sentences = (...all: readonly (string | undefined)[]): string =>
  all
    .filter((sentence) => sentence !== undefined && sentence !== '')
    .join(' ')
    .replace(SPACE_BEHIND_WIDE_STOP, '');

/**
 * Joins the first few names, and adds the number of the others.
 * @param count the total number
 */
export function namedText(t: Translate, names: readonly string[], count: number): string {
  const others = count - names.length;
  return t.and(others > 0 ? [...names, t('look.others', { count: others })] : names);
}

/** Returns the sentence about when something is possible again. @param at milliseconds since 1970 */
export const nextTryText = (at: number, t: Translate): string => t('again.nextTry', { time: fromText(at) });

/**
 * Formats the time from which something is possible, rounded up to the minute. It is an absolute time, so it is still true
 * afterwards. It includes the date only if it is more than a day away.
 * @param at milliseconds since 1970
 */
export const fromText = (at: number): string =>
  `<t:${Math.ceil(at / MINUTE_MS) * 60}${at < Date.now() + DAY_MS ? ':t' : ''}>`;

/** Formats a past time so that Discord shows it in the reader's language. @param at milliseconds since 1970 */
export const whenText = (at: number): string => `<t:${Math.floor(at / 1000)}:R>`;

/** Names a member. @param userId empty if their name was deleted */
export const byText = (
  t: Translate,
  { userId: id, userName: name }: Readonly<Record<'userId' | 'userName', string>>,
): string => (id === '' ? t('by.unnamed') : t('by.user', { user: memberText({ id, name }) }));

/** The controls and modals with which a moderator decides. */
const DECISION = /^submissions:(?:declines?|refuse|correct):/;

/**
 * Returns the message that an interaction was interrupted before it submitted or decided anything.
 * @param pressed the custom id of its control or modal
 */
export const interruptedText = (t: Translate, pressed = ''): string =>
  t(DECISION.test(pressed) ? 'failure.undecided' : 'failure.interrupted');
