import type { Translate } from './words.ts';

/** For the guild's log: the service refuses the key, and nothing is sent until it is renewed. */
export function keyRefusedNotice(t: Translate, mention: (command: string) => string): string {
  return t('notice.keyRefused', { setkey: mention('setkey'), keystatus: mention('keystatus') });
}
