import { WITHHELD_WORDS } from '../listing/contract.ts';
import type { Translate } from './words.ts';

/** The service's words as they came; where they were left out since they held the key, that in the reader's language. */
export const serviceWords = (message: string, t: Translate): string =>
  message === WITHHELD_WORDS ? t('service.withheld') : message;
