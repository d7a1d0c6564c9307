import { ADDED, type Failure, knownError, type Unknown } from '../listing/contract.ts';
import type { NotApproved } from '../submissions/outcome.ts';
import { nextTryText, sentences } from './sentences.ts';
import type { Translate } from './words.ts';

/**
 * The service's words as they came. Before the six sentences of the specification stands what they mean, if the reader's
 * language is another.
 */
export function serviceWords(message: string, t: Translate): string {
  const original = message.trim();
  const known = original === ADDED ? 'added' : knownError(original);
  const meaning = known === undefined ? original : t(`said.${known}`);
  return meaning === original ? message : t('said.both', { meaning, original });
}

/** Why there is no usable answer of the listing service, as a sentence for a member, without the service's text. */
export function failureText(failure: Failure | NotApproved, t: Translate): string {
  if (failure.kind === 'unknown') return unknownText(failure.reason, t);
  if (failure.reason === 'timeout') return t('notSent.unreachable');
  const why = t(`notSent.${failure.reason}`);
  if (failure.reason !== 'rate-limited') return why;
  return sentences(why, nextTryText(Date.now() + (failure.retryAfterMs ?? 0), t));
}

/** Members can do the same about several reasons; operators find each in the bot's log. */
function unknownText(reason: Unknown['reason'], t: Translate): string {
  switch (reason) {
    case 'redirect':
      return t('unknown.not-found');
    case 'too-large':
      return t('unknown.unreadable');
    case 'stopping':
      return t('notSent.stopping');
    default:
      return t(`unknown.${reason}`);
  }
}
