import type { NoKey } from '../guilds/api-keys.ts';
import type { TooSoon } from '../guilds/key-trials.ts';
import { escapeCode } from './escape.ts';
import type { Reader, Translate } from './words.ts';

/** The end of a key, for people to recognise it by, to be put between backticks. @param lastFour empty: the key is too short */
export const keyEnd = (lastFour = ''): string => `…${lastFour === '' ? '' : escapeCode(lastFour)}`;

/** What is wrong with the guild's key, and what the one who reads it can do about it. */
export function keyText(why: NoKey, reader: Reader): string {
  const { t, mention, isAdmin } = reader;
  if (why.code === 'key-invalid') return `${t('refusal.key-invalid')} ${renewText(reader, why.setBy)}`;
  const what = why.code === 'key-missing' ? 'missing' : 'unreadable';
  return t(`key.${what}.${isAdmin ? 'admin' : 'member'}`, { setkey: mention('setkey') });
}

/**
 * What to do about a key that the service refuses: an admin renews it, a member asks one.
 * @param setBy the id of who set it, where that is known
 */
export function renewText({ t, mention, isAdmin }: Reader, setBy?: string): string {
  const renew = t(isAdmin ? 'notice.renew' : 'notice.askToRenew', { setkey: mention('setkey') });
  return setBy === undefined ? renew : `${renew} ${t('notice.setBy', { userId: setBy })}`;
}

/** What to do after servers were refused, or not sent, because of the key. */
export function nextForKey(reader: Reader, why: NoKey): string {
  return why.code === 'key-invalid' ? renewText(reader, why.setBy) : keyText(why, reader);
}

/** That a key was not tried, and when one can be. */
export const tooSoonText = ({ at }: TooSoon, t: Translate): string =>
  t('setkey.tooSoon', { seconds: Math.ceil(at / 1000) });
