import { unescape as decodePercents } from 'node:querystring';
import type { Secret } from '../text/secret.ts';

const MASKED_KEY = '[API key]';

/** The characters that every HTML encoder replaces by names. Most encoders use numbers for other characters. */
const NAMED_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

const characterOf = (code: number): string => (code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code));

const decodeEntities = (text: string): string =>
  text
    .replace(/&#(\d{1,7});/g, (_, code: string) => characterOf(Number(code)))
    .replace(/&#x([\da-f]{1,6});/gi, (_, code: string) => characterOf(Number.parseInt(code, 16)))
    .replace(/&([a-z]{2,4});/g, (entity, name: string) => NAMED_ENTITIES.get(name) ?? entity);

const decodeJsonEscapes = (text: string): string =>
  text
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => characterOf(Number.parseInt(code, 16)))
    .replace(/\\(["\\/])/g, '$1');

/** Decodes forms and URLs, with hexadecimal digits in either case. Only forms encode a space as `+`. */
const decodeForm = (text: string): string => decodePercents(text.replaceAll('+', ' '));

const ENCODED = /[&\\%+]/;
const DECODERS = [decodeEntities, decodeJsonEscapes, decodeForm];

/**
 * Masks the API key in text from the service, whether the key is plain, encoded as in the bot's requests, or encoded for
 * HTML or JSON. If the key is encoded, the whole text is decoded.
 */
function maskText(text: string, key: string): string {
  // Encoding never shortens a key.
  if (text.length < key.length) return text;
  let masked = text.replaceAll(key, MASKED_KEY);
  if (!ENCODED.test(masked)) return masked;
  let decoded = masked;
  for (const decode of DECODERS) {
    decoded = decode(decoded);
    if (decoded.includes(key)) {
      decoded = decoded.replaceAll(key, MASKED_KEY);
      masked = decoded;
    }
  }
  return masked;
}

/** Masks the API key in all string values of parsed JSON, which is changed in place. Takes as long as parsing (measured). */
export function maskKey(value: unknown, key: Secret): unknown {
  const plain = key.reveal();
  function mask(each: unknown): unknown {
    if (typeof each === 'string') return maskText(each, plain);
    if (typeof each !== 'object' || each === null) return each;
    const parts: Record<string, unknown> = Object(each);
    for (const name of Object.keys(parts)) parts[name] = mask(parts[name]);
    return parts;
  }
  return mask(value);
}
