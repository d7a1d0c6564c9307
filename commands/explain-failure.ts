import type { Translate } from '../src/locales/words.ts';
import { UndecryptableError } from '../src/storage/encryption.ts';
import { StoreError } from '../src/storage/store.ts';

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
