import { ADDED, type Failure, knownError, type UnknownOutcome } from '../listing/contract.ts';
import type { NotApprovedOutcome } from '../submissions/outcome.ts';
import { nextTryText, sentences } from './sentences.ts';
import type { Translate } from './words.ts';

/**
 * Returns the service's message unchanged, preceded by a translation if the reader's language isn't English and the message
 * is one of the six in the specification.
 */
export function serviceWords(message: string, t: Translate): string {
  const original = message.trim();
  const known = original === ADDED ? 'added' : knownError(original);
  const meaning = known === undefined ? original : t(`said.${known}`);
  return meaning === original ? message : t('said.both', { meaning, original });
}

/** Doesn't quote the service. */
export function failureText(failure: Failure | NotApprovedOutcome, t: Translate): string {
  if (failure.kind === 'unknown') return unknownText(failure.reason, t);
  const why = t(`notSent.${failure.reason === 'timeout' ? 'unreachable' : failure.reason}`);
  // The time isn't stored with the outcome.
  if (failure.retryAfterMs === undefined) return why;
  return sentences(why, nextTryText(Date.now() + failure.retryAfterMs, t));
}

/** Reasons with the same next step share a text. The log has the exact reason. */
function unknownText(reason: UnknownOutcome['reason'], t: Translate): string {
  switch (reason) {
    case 'redirect':
      return t('unknown.not-found');
    case 'too-large':
      return t('unknown.unreadable');
    case 'stopping':
      return t('unknown.reset');
    default:
      return t(`unknown.${reason}`);
  }
}
