import type { ModeratorsReason } from '../submissions/decline-reason.ts';
import { sentences } from '../words/sentences.ts';
import type { Translate } from '../words/words.ts';

/** The ready-made reasons for declining, in the order in which moderators choose among them. */
export const DECLINE_REASONS = ['address', 'game', 'unreachable', 'duplicate', 'rules'] as const;
type DeclineReason = (typeof DECLINE_REASONS)[number];

/** @returns `undefined` where there is no such reason, or only in another version */
export const reasonNamed = (name: string | undefined): DeclineReason | undefined =>
  DECLINE_REASONS.find((known) => known === name);

/**
 * Why a moderator has declined something; empty where this version knows no words for it.
 * @param said what is made of the moderator's own words
 */
export function reasonText(t: Translate, reason: ModeratorsReason, said: (words: string) => string): string {
  const key = reasonNamed(reason.key);
  return sentences(key && t(`approval.reasons.${key}`), said(reason.words));
}
