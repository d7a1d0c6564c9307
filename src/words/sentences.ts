import type { Translate } from './words.ts';

/** Chinese and Japanese have no space behind a full stop: its sign holds one. */
const SPACE_BEHIND_WIDE_STOP = /(?<=[。！？]) /gu;

/** Whole sentences behind each other; those that are not there are left out. */
export const sentences = (...all: readonly (string | undefined)[]): string =>
  all
    .filter((sentence) => sentence !== undefined && sentence !== '')
    .join(' ')
    .replace(SPACE_BEHIND_WIDE_STOP, '');

/**
 * When something is possible again. Discord counts down by itself, in the member's language.
 * @param at milliseconds since 1970
 */
export const nextTryText = (at: number, t: Translate): string =>
  t('again.nextTry', { seconds: Math.ceil(at / 1000) });
