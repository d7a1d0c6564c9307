import type { NoKey } from '../guilds/api-keys.ts';
import type { TooSoon } from '../listing/key-trials.ts';
import { escapeCode } from './escape.ts';
import { nextTryText, sentences } from './sentences.ts';
import { withSign } from './servers.ts';
import type { Reader, Translate } from './words.ts';

/** The end of a key, for people to recognise it by, to be put between backticks. @param lastFour empty: the key is too short */
export const keyEnd = (lastFour = ''): string => `…${lastFour === '' ? '' : escapeCode(lastFour)}`;

/** What is wrong with the guild's key, and what the reader can do about it. */
export function keyText(why: NoKey, reader: Reader): string {
  const { t } = reader;
  switch (why.code) {
    case 'key-missing':
      return sentences(t('key.missing'), enterText(reader));
    case 'key-unreadable':
      return sentences(t('key.unreadable'), enterText(reader));
    case 'key-invalid':
      return sentences(t('key.rejected'), renewText(reader, why.setBy));
  }
}

/** Where a key is entered, or whom to ask to do it. */
export const enterText = ({ t, mention, isAdmin }: Reader): string =>
  t(isAdmin ? 'key.next.admin' : 'key.next.member', { setkey: mention('setkey') });

/**
 * What to do about a key that the service refuses.
 * @param setBy the id of who set it, where that is known
 */
function renewText(reader: Reader, setBy?: string): string {
  const { t, mention, isAdmin } = reader;
  if (setBy === undefined) return enterText(reader);
  if (isAdmin) return sentences(enterText(reader), t('key.setBy', { userId: setBy }));
  return t('key.renew', { userId: setBy, setkey: mention('setkey') });
}

/** What to do after servers were refused, or not sent, because of the key. */
export function nextForKey(reader: Reader, why: NoKey): string {
  return why.code === 'key-invalid' ? renewText(reader, why.setBy) : keyText(why, reader);
}

/** Says that a key was not tried, and when one can be. */
export const tooSoonText = ({ at }: TooSoon, t: Translate): string =>
  withSign('not-sent', sentences(t('setkey.tooSoon'), nextTryText(at, t)));
