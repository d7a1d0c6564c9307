import type { SubmissionsTable } from '../storage/tables.ts';

/** The ready-made reasons for a refusal, in the order in which moderators choose among them. */
export const REFUSAL_REASONS = ['address', 'game', 'unreachable', 'duplicate', 'rules'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Why a moderator has refused something. */
export interface ModeratorsReason {
  /** Said in the language of whoever reads it. */
  readonly key: RefusalReason | undefined;
  /** The moderator's own words; may be empty. */
  readonly words: string;
}

/** @returns `undefined` where there is no such reason */
export const reasonNamed = (name: string | null): RefusalReason | undefined =>
  REFUSAL_REASONS.find((known) => known === name);

/** @returns `undefined` where the moderator gave none */
export function storedReason({
  refusal,
  refusal_key,
}: Pick<SubmissionsTable, 'refusal' | 'refusal_key'>): ModeratorsReason | undefined {
  const key = reasonNamed(refusal_key);
  const words = refusal ?? '';
  return key === undefined && words === '' ? undefined : { key, words };
}
