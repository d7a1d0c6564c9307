import type { Failure } from '../src/listing/contract.ts';
import type { Translate } from '../src/locales/words.ts';

/** Why there is no usable answer of the listing service, as a sentence for a member. Never the service's text. */
export function failureText({ kind, reason }: Failure, t: Translate): string {
  if (reason === 'redirect') return t('service.moved');
  if (kind === 'nonsense') return t('service.broken');
  return kind === 'unknown' ? t('service.silent') : t('service.down');
}
