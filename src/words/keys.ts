import type { KeyStatus, NoKey } from '../guilds/api-keys.ts';
import type { TooSoonOutcome } from '../listing/key-trials.ts';
import { escapeCode, escapeText, memberText } from './escape.ts';
import { nextTryText, secondsOf, sentences } from './sentences.ts';
import { withSign } from './servers.ts';
import { serviceWords } from './service.ts';
import type { Audience, Translate } from './words.ts';

/**
 * Returns a text that names a key by its end, so people can recognise the key. A key without a known end isn't named.
 * @param lastFour empty if the key is too short
 * @param textFor returns the text; puts the key between backticks
 */
export function namingKey(lastFour: string | undefined, textFor: (key: string) => string): string {
  return lastFour ? textFor(`…${escapeCode(lastFour)}`) : textFor('').replace(/ ?``/u, '');
}

/** Explains to admins how to enter a key, in replies without the button from `enterKey`. */
export const enterKeyText = ({ t, mention, isAdmin }: Audience): string | undefined =>
  isAdmin ? t('key.next.admin', { setkey: mention('setkey') }) : undefined;

/** States who set a key, and when; `undefined` if this isn't known, or the member deleted their name. */
export function keySetText(
  t: Translate,
  { setBy: id, setByName: name = '', setAt }: Pick<KeyStatus, 'setBy' | 'setByName' | 'setAt'>,
): string | undefined {
  if (!id || setAt === undefined) return undefined;
  return t('keystatus.set', { member: memberText({ id, name }), seconds: secondsOf(setAt) });
}

export function keyDetails(t: Translate, status: KeyStatus): readonly string[] {
  const { lastFour, answer } = status;
  const said = [
    lastFour ? namingKey(lastFour, (key) => t('keystatus.key', { key })) : undefined,
    keySetText(t, status),
  ].filter((text) => text !== undefined);
  if (answer?.message) {
    const message = escapeText(serviceWords(answer.message, t));
    said.push(t('keystatus.answered', { seconds: secondsOf(answer.at), message }));
  }
  return said;
}

/** Refers members to an admin, and admins to the button from `enterKey`. */
export function keyText(why: NoKey, audience: Audience): string {
  const { t } = audience;
  switch (why.code) {
    case 'key-missing':
      return sentences(t('key.missing'), askText(audience));
    case 'key-unreadable':
      return sentences(t('key.unreadable'), askText(audience));
    case 'key-invalid':
      return sentences(t('key.rejected'), renewText(audience, why));
  }
}

const askText = ({ t, mention, isAdmin }: Audience): string | undefined =>
  isAdmin ? undefined : t('key.next.member', { setkey: mention('setkey') });

/** Names the member who set a rejected key, if known. Asks for a new key unless the reader is an admin. */
function renewText(
  audience: Audience,
  { setBy: id, setByName: name = '' }: NoKey & { readonly code: 'key-invalid' },
): string | undefined {
  const { t, mention, isAdmin } = audience;
  if (id === '') return askText(audience);
  const member = memberText({ id, name });
  if (isAdmin) return t('key.setBy', { member });
  return t('key.renew', { member, setkey: mention('setkey') });
}

export function nextStepForKey(audience: Audience, why: NoKey): string | undefined {
  return why.code === 'key-invalid' ? renewText(audience, why) : keyText(why, audience);
}

export const tooSoonText = ({ at }: TooSoonOutcome, t: Translate): string =>
  withSign('not-sent', sentences(t('setkey.tooSoon'), nextTryText(at, t)));
