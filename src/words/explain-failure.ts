import { UndecryptableError } from '../storage/encryption.ts';
import { StoreError } from '../storage/store.ts';
import type { Translate } from './words.ts';

/** The sentence for the failures that members should tell apart; `undefined` for all others. */
export function explainFailure(
  error: unknown,
  t: Translate,
  mention: (command: string) => string,
): string | undefined {
  if (error instanceof UndecryptableError) return t('failure.undecryptable', { setkey: mention('setkey') });
  if (error instanceof StoreError) return t('failure.store');
  return undefined;
}
