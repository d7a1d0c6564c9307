import { wordsFor } from '../src/locales/words.ts';

/** For the admins, in the language of whoever set the key: the service refuses it, and nothing is sent until then. */
export function keyRefusedNotice(locale: string | undefined, mention: (command: string) => string): string {
  const values = { setkey: mention('setkey'), keystatus: mention('keystatus') };
  return wordsFor(locale ?? 'en')('notice.keyRefused', values);
}
