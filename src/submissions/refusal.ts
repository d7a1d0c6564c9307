import type { SubmissionsTable } from '../storage/tables.ts';

/** Why a moderator has refused something, as it is stored. */
export interface ModeratorsReason {
  /** The name of a ready-made reason, if this version knows it. */
  readonly key: string | undefined;
  /** The moderator's own words; may be empty. */
  readonly words: string;
}

/** @returns `undefined` where the moderator gave none */
export function storedReason({
  refusal,
  refusal_key,
}: Pick<SubmissionsTable, 'refusal' | 'refusal_key'>): ModeratorsReason | undefined {
  const words = refusal ?? '';
  return refusal_key === null && words === '' ? undefined : { key: refusal_key ?? undefined, words };
}
