import type { NoKey } from '../guilds/api-keys.ts';
import type { TooSoonOutcome } from '../listing/key-trials.ts';
import { escapeCode, memberText } from './escape.ts';
import { nextTryText, sentences } from './sentences.ts';
import { withSign } from './servers.ts';
import type { Audience, Translate } from './words.ts';

/**
 * Returns the end of a key, so people can recognise the key. For use between backticks.
 * @param lastFour empty if the key is too short
 */
export const keyEnd = (lastFour = ''): string => `…${lastFour === '' ? '' : escapeCode(lastFour)}`;

/** Describes the problem with the guild's key and the next step for the reader. */
export function keyText(why: NoKey, audience: Audience): string {
  const { t } = audience;
  switch (why.code) {
    case 'key-missing':
      return sentences(t('key.missing'), enterText(audience));
    case 'key-unreadable':
      return sentences(t('key.unreadable'), enterText(audience));
    case 'key-invalid':
      return sentences(t('key.rejected'), renewText(audience, why));
  }
}

/** Tells admins how to enter a key, and other members to ask an admin. */
export const enterText = ({ t, mention, isAdmin }: Audience): string =>
  t(isAdmin ? 'key.next.admin' : 'key.next.member', { setkey: mention('setkey') });

/** Returns what to do about a key that the service rejects. */
function renewText(
  audience: Audience,
  { setBy: id, setByName: name = '' }: NoKey & { readonly code: 'key-invalid' },
): string {
  const { t, mention, isAdmin } = audience;
  const member = memberText({ id, name });
  if (isAdmin) return sentences(enterText(audience), t('key.setBy', { member }));
  return t('key.renew', { member, setkey: mention('setkey') });
}

/** Returns what to do if servers were rejected or not sent because of the key. */
export function nextForKey(audience: Audience, why: NoKey): string {
  return why.code === 'key-invalid' ? renewText(audience, why) : keyText(why, audience);
}

/** Returns a message saying that a key wasn't checked, and when a check will be possible. */
export const tooSoonText = ({ at }: TooSoonOutcome, t: Translate): string =>
  withSign('not-sent', sentences(t('setkey.tooSoon'), nextTryText(at, t)));
