import { HOUR_MS, MINUTE_MS } from '../pacing/durations.ts';
import { memberText } from './escape.ts';
import type { Translate } from './words.ts';

/** Matches the space after a full-width punctuation mark that ends a sentence. Chinese and Japanese don't use a space there. */
const SPACE_BEHIND_WIDE_STOP = /(?<=[。！？]) /gu;

export const sentences = (...all: readonly (string | undefined)[]): string =>
  all
    .filter((sentence) => sentence !== undefined && sentence !== '')
    .join(' ')
    .replace(SPACE_BEHIND_WIDE_STOP, '');

export function namedText(t: Translate, names: readonly string[], total: number): string {
  const others = total - names.length;
  return t.and(others > 0 ? [...names, t('look.others', { count: others })] : names);
}

/** @param at milliseconds since 1970 */
export const nextTryText = (at: number, t: Translate): string => t('again.nextTry', { time: fromText(at) });

/**
 * Formats when something will be possible, rounded up to the minute. The time is absolute, so the message doesn't become
 * outdated. The date is only left out if the time is less than an hour away, because the bot doesn't know when the reader's day
 * ends.
 * @param at milliseconds since 1970
 */
export const fromText = (at: number): string =>
  `<t:${Math.ceil(at / MINUTE_MS) * 60}${at < Date.now() + HOUR_MS ? ':t' : ''}>`;

/** @param at milliseconds since 1970 */
export const secondText = (at: number): string => `<t:${Math.floor(at / 1000)}:T>`;

/**
 * Formats a past time as Discord markup, shown in the reader's language.
 * @param at milliseconds since 1970
 */
export const whenText = (at: number): string => `<t:${Math.floor(at / 1000)}:R>`;

/** @param userId empty if the member's name has been deleted */
export const byText = (
  t: Translate,
  { userId: id, userName: name }: Readonly<Record<'userId' | 'userName', string>>,
): string => (id === '' ? t('by.unnamed') : t('by.user', { user: memberText({ id, name }) }));

const CUSTOM_ID_OF_DECISION = /^submissions:(?:declines?|refuse|correct):/;

/** @param pressed the custom id of the button, menu or modal that was used */
export const interruptedText = (t: Translate, pressed = ''): string =>
  t(CUSTOM_ID_OF_DECISION.test(pressed) ? 'failure.undecided' : 'failure.interrupted');

/**
 * Converts a time to Unix seconds for a Discord timestamp.
 * @param time in ISO 8601 format
 */
export const secondsOf = (time: string): number => Math.floor(Date.parse(time) / 1000);
