import { memberText } from './escape.ts';
import type { Translate } from './words.ts';

/** Chinese and Japanese put no space behind a full stop, whose sign includes it. */
const SPACE_BEHIND_WIDE_STOP = /(?<=[。！？]) /gu;

/** Joins whole sentences; absent ones are left out. */
export const sentences = (...all: readonly (string | undefined)[]): string =>
  all
    .filter((sentence) => sentence !== undefined && sentence !== '')
    .join(' ')
    .replace(SPACE_BEHIND_WIDE_STOP, '');

/**
 * The first few of many by their names, and how many more there are.
 * @param count how many there are in all
 */
export function namedText(t: Translate, names: readonly string[], count: number): string {
  const others = count - names.length;
  return t.and(others > 0 ? [...names, t('look.others', { count: others })] : names);
}

/**
 * When something is possible again. Discord itself counts down, in the member's language.
 * @param at milliseconds since 1970
 */
export const nextTryText = (at: number, t: Translate): string =>
  t('again.nextTry', { seconds: Math.ceil(at / 1000) });

/** When something was done, as Discord says it in the reader's language. @param at milliseconds since 1970 */
export const whenText = (at: number): string => `<t:${Math.floor(at / 1000)}:R>`;

/** Who it was. @param userId empty once they had their name deleted */
export const byText = (
  t: Translate,
  { userId: id, userName: name }: Readonly<Record<'userId' | 'userName', string>>,
): string => (id === '' ? t('by.unnamed') : t('by.user', { user: memberText({ id, name }) }));

/** The controls and windows with which a moderator decides. */
const DECISION = /^submissions:(?:refuse|correct):/;

/**
 * Says that an interaction was interrupted, and has submitted and decided nothing.
 * @param pressed the custom id of its control or window
 */
export const interruptedText = (t: Translate, pressed = ''): string =>
  t(DECISION.test(pressed) ? 'failure.undecided' : 'failure.interrupted');
