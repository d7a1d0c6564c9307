import type { DeclineReason } from '../submissions/decline-reason.ts';
import { sentences } from '../words/sentences.ts';
import type { Translate } from '../words/words.ts';

/** In the order in which moderators see them. */
export const DECLINE_REASONS = ['address', 'game', 'unreachable', 'duplicate', 'rules'] as const;
type DeclineReasonKey = (typeof DECLINE_REASONS)[number];

/** Returns `undefined` if this version of the bot doesn't have the predefined reason. */
export const reasonNamed = (name: string | undefined): DeclineReasonKey | undefined =>
  DECLINE_REASONS.find((known) => known === name);

/**
 * Builds the text of a decline reason. The result is empty if the moderator didn't write anything and this version of the
 * bot doesn't have the predefined reason.
 * @param format formats the moderator's own words
 */
export function reasonText(t: Translate, reason: DeclineReason, format: (words: string) => string): string {
  const key = reasonNamed(reason.key);
  return sentences(key && t(`approval.reasons.${key}`), format(reason.words));
}
