import type { SubmissionsTable } from '../storage/tables.ts';

export interface DeclineReason {
  /** The name of a predefined reason, or `undefined` if the moderator didn't choose one. */
  readonly key: string | undefined;
  /** In the moderator's own words; may be empty. */
  readonly words: string;
}

export function storedReason({
  decline_reason,
  decline_reason_key,
}: Pick<SubmissionsTable, 'decline_reason' | 'decline_reason_key'>): DeclineReason | undefined {
  const words = decline_reason ?? '';
  return decline_reason_key === null && words === ''
    ? undefined
    : { key: decline_reason_key ?? undefined, words };
}
