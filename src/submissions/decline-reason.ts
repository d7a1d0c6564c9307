import type { SubmissionsTable } from '../storage/tables.ts';

/** A moderator's reason for declining a submission, as it is stored. */
export interface DeclineReason {
  /** The name of a ready-made reason, if this version defines it. */
  readonly key: string | undefined;
  /** The moderator's own words; can be empty. */
  readonly words: string;
}

/** @returns `undefined` if the moderator didn't give a reason */
export function storedReason({
  decline_reason,
  decline_reason_key,
}: Pick<SubmissionsTable, 'decline_reason' | 'decline_reason_key'>): DeclineReason | undefined {
  const words = decline_reason ?? '';
  return decline_reason_key === null && words === ''
    ? undefined
    : { key: decline_reason_key ?? undefined, words };
}
