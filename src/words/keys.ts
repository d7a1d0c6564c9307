import type { NoKey } from '../guilds/api-keys.ts';
import type { TooSoon } from '../listing/key-trials.ts';
import { escapeCode } from './escape.ts';
import { nextTryText, sentences } from './sentences.ts';
import { withSign } from './servers.ts';
import type { Reader, Translate } from './words.ts';

/**
 * Returns the end of a key, which identifies it to people, for use between backticks. @param lastFour empty if the key is
 * too short
 */
export const keyEnd = (lastFour = ''): string => `…${lastFour === '' ? '' : escapeCode(lastFour)}`;

/** Returns what is wrong with the guild's key, and what the reader can do about it. */
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

/** Returns where to enter a key, or who to ask. */
export const enterText = ({ t, mention, isAdmin }: Reader): string =>
  t(isAdmin ? 'key.next.admin' : 'key.next.member', { setkey: mention('setkey') });

/**
 * Returns what to do about a key that the service rejects.
 * @param setBy the id of the admin who set it, if known
 */
function renewText(reader: Reader, setBy?: string): string {
  const { t, mention, isAdmin } = reader;
  if (setBy === undefined) return enterText(reader);
  if (isAdmin) return sentences(enterText(reader), t('key.setBy', { userId: setBy }));
  return t('key.renew', { userId: setBy, setkey: mention('setkey') });
}

/** Returns what to do after servers were rejected, or not sent, because of the key. */
export function nextForKey(reader: Reader, why: NoKey): string {
  return why.code === 'key-invalid' ? renewText(reader, why.setBy) : keyText(why, reader);
}

/** Returns the message that a key wasn't tested, and when it can be. */
export const tooSoonText = ({ at }: TooSoon, t: Translate): string =>
  withSign('not-sent', sentences(t('setkey.tooSoon'), nextTryText(at, t)));
