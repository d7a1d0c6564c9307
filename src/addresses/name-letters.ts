import { domainToASCII, domainToUnicode } from 'node:url';
import { parseHost } from './host.ts';
import { lookAlikeOf } from './look-alikes.ts';

/** Why the letters of a host name aren't accepted. `host` is the name in its own letters instead of punycode. */
export type LettersProblem =
  | { readonly code: 'symbols'; readonly host: string }
  /** A label contains letters that imitate others. `meant` is the host that the name looks like, if there is one. */
  | { readonly code: 'look-alikes'; readonly host: string; readonly meant?: string }
  /** A label mixes scripts, or isn't in a script in widespread use. */
  | { readonly code: 'script'; readonly host: string }
  | { readonly code: 'bad-name'; readonly host: string };

const CODES: ReadonlySet<string> = new Set<LettersProblem['code']>([
  'symbols',
  'look-alikes',
  'script',
  'bad-name',
]);

export const isAboutLetters = ({ code }: { readonly code: string }): boolean => CODES.has(code);

/** The characters of a label in IDNA 2008 (RFC 5892 §2), with the joiners of RFC 5892 appendix A, and the underscore. */
const LETTERS = /^(?:[\p{L}\p{M}\p{Nd}_・-]|\u200c|\u200d|(?<=l)·(?=l))+$/u;

/** The letters without marks that modern languages use. Source: UTS #39, `IdentifierStatus.txt` (Unicode 17). */
const LATIN = 'a-zßæðøþđħıłŋœŧƒƙƴǝɍɓɔɖɗəɛɣɨɩɲʉʋʒ';
const GREEK = 'α-ω';
const CYRILLIC = 'а-яђѓєѕіїјљњћќўџґғҕҗҙқҟҡңҥҩҫҭүұҳҵҷһҽҿӏӕәӡөԥ';
/** The marks that belong to letters of these languages. Others underline letters or strike them through. */
const MARKS =
  '\\u0300-\\u0304\\u0306-\\u030c\\u030f\\u0311\\u0313\\u0314\\u031b\\u0323-\\u0328\\u032d\\u032e\\u0330\\u0331\\u0342\\u0345';
const ALL_MARKS = '\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f';

/**
 * A letter that only imitates another, such as a small capital or a phonetic letter, or a mark that decorates letters.
 * Expects decomposed text. Other scripts with such letters aren't in {@link ONE_SCRIPT}.
 */
const IMITATION = new RegExp(
  `(?![${LATIN}${GREEK}${CYRILLIC}])[\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}]|(?![${MARKS}])[${ALL_MARKS}]|[${MARKS}]{4}`,
  'u',
);

/** Characters that can be next to letters of any script. Other marks count as letters of the scripts that use them. */
const COMMON = '0-9_·ʻʼ\\u200c\\u200d\\p{scx=Inherited}-';
/**
 * A label in one script, or in the scripts that Japanese, Chinese or Korean mixes (UTS #39 §5.2, Highly Restrictive). Only
 * includes scripts in widespread modern use (UAX #31, table 5).
 */
const ONE_SCRIPT = new RegExp(
  '^(?:' +
    `[\\p{scx=Latin}\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}${COMMON}]+|` +
    `[\\p{scx=Latin}\\p{scx=Han}\\p{scx=Bopomofo}${COMMON}]+|[\\p{scx=Latin}\\p{scx=Han}\\p{scx=Hangul}${COMMON}]+|` +
    `[\\p{scx=Arabic}${COMMON}]+|[\\p{scx=Armenian}${COMMON}]+|[\\p{scx=Bengali}${COMMON}]+|` +
    `[\\p{scx=Cyrillic}${COMMON}]+|[\\p{scx=Devanagari}${COMMON}]+|[\\p{scx=Ethiopic}${COMMON}]+|` +
    `[\\p{scx=Georgian}${COMMON}]+|[\\p{scx=Greek}${COMMON}]+|[\\p{scx=Gujarati}${COMMON}]+|` +
    `[\\p{scx=Gurmukhi}${COMMON}]+|[\\p{scx=Hebrew}${COMMON}]+|[\\p{scx=Kannada}${COMMON}]+|` +
    `[\\p{scx=Khmer}${COMMON}]+|[\\p{scx=Lao}${COMMON}]+|[\\p{scx=Malayalam}${COMMON}]+|` +
    `[\\p{scx=Myanmar}${COMMON}]+|[\\p{scx=Oriya}${COMMON}]+|[\\p{scx=Sinhala}${COMMON}]+|` +
    `[\\p{scx=Tamil}${COMMON}]+|[\\p{scx=Telugu}${COMMON}]+|[\\p{scx=Thaana}${COMMON}]+|` +
    `[\\p{scx=Thai}${COMMON}]+|[\\p{scx=Tibetan}${COMMON}]+` +
    ')$',
  'u',
);
/** Parts of Korean syllables, which IDNA 2008 excludes (RFC 5892 §2.9). */
const JAMO = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;

/**
 * Checks whether each label of a host is a name in one script, rather than decoration that only looks like a name. Accepts
 * addresses and ASCII names. Punycode is judged by the letters that it encodes.
 * @param host a host in canonical form
 */
export function problemOfLetters(host: string): LettersProblem | undefined {
  if (!host.includes('xn--')) return undefined;
  const name = domainToUnicode(host);
  // Punycode that doesn't encode anything.
  if (domainToASCII(name) !== host || /(?:^|\.)xn--/u.test(name)) return { code: 'bad-name', host };
  const code = problemOfName(name);
  if (code === undefined) return undefined;
  const meant = parseHost(withoutLookAlikes(name));
  return meant.ok && problemOfName(domainToUnicode(meant.host)) === undefined
    ? { code: 'look-alikes', host: name, meant: meant.host }
    : { code, host: name };
}

const problemOfName = (name: string): LettersProblem['code'] | undefined =>
  name.split('.').flatMap((label) => problemOfLabel(label) ?? [])[0];

function problemOfLabel(label: string): LettersProblem['code'] | undefined {
  if (!LETTERS.test(label)) return 'symbols';
  if (IMITATION.test(label.normalize('NFD'))) return 'look-alikes';
  return JAMO.test(label) || !ONE_SCRIPT.test(label) ? 'script' : undefined;
}

const DECORATION = new RegExp(`(?![${MARKS}])[${ALL_MARKS}]`, 'gu');

const withoutLookAlikes = (name: string): string =>
  name
    .split('.')
    .map((label) => (problemOfLabel(label) === undefined ? label : plainLabel(label)))
    .join('.');

const plainLabel = (label: string): string =>
  Array.from(label, (character) => lookAlikeOf(character) ?? character)
    .join('')
    .normalize('NFD')
    .replace(DECORATION, '')
    .normalize('NFC');
