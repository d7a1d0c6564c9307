import type { DeclineReason } from '../submissions/decline-reason.ts';
import { sentences } from '../words/sentences.ts';
import type { Translate } from '../words/words.ts';

/** The ready-made reasons for declining, in the order in which moderators choose among them. */
export const DECLINE_REASONS = ['address', 'game', 'unreachable', 'duplicate', 'rules'] as const;
type DeclineReasonKey = (typeof DECLINE_REASONS)[number];

/** Returns the reason with this name; `undefined` if this version doesn't define it. */
export const reasonNamed = (name: string | undefined): DeclineReasonKey | undefined =>
  DECLINE_REASONS.find((known) => known === name);

/**
 * Builds the text of a reason for declining. Empty if the moderator didn't write a reason and this version doesn't define
 * the ready-made one.
 * @param said formats the moderator's own words
 */
export function reasonText(t: Translate, reason: DeclineReason, said: (words: string) => string): string {
  const key = reasonNamed(reason.key);
  return sentences(key && t(`approval.reasons.${key}`), said(reason.words));
}
