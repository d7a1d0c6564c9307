import { ADDED, type Failure, knownError } from '../listing/contract.ts';
import type { Translate } from './words.ts';

/**
 * The service's words, word for word. Where the reader's language is another and they are one of the six that the
 * specification has, what they mean stands before them.
 */
export function serviceWords(message: string, t: Translate): string {
  const original = message.trim();
  const known = original === ADDED ? 'added' : knownError(original);
  const meaning = known === undefined ? original : t(`said.${known}`);
  return meaning === original ? message : t('said.both', { meaning, original });
}

/** Why there is no usable answer of the listing service, as a sentence for a member. Never the service's text. */
export function failureText(failure: Failure, t: Translate): string {
  if (failure.kind === 'unknown') return t(`unknown.${failure.reason}`);
  // Discord counts down by itself, in the member's language.
  const seconds = Math.ceil((Date.now() + (failure.retryAfterMs ?? 0)) / 1000);
  return t(`notSent.${failure.reason}`, { seconds });
}
