const PLAIN_ASCII = /^[ -~\t\n\r]*$/;

/** Superscript and subscript digits, which number footnotes. */
const SMALL_DIGITS = '²³¹⁰⁴-⁹₀-₉';
/** Characters that NFKC, and therefore every browser, may replace with an ASCII character, such as bold letters. */
const COMPATIBLE = new RegExp(`(?![\\0-\\x7f${SMALL_DIGITS}])\\p{Changes_When_NFKC_Casefolded}`, 'gu');

function asciiOf(character: string): string {
  const plain = character.normalize('NFKC');
  return plain.length === 1 && plain < '\x7f' ? plain : character;
}

const IN_WORD = '(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{Nd}_-]';
/** A number of several digits, or numbers with dots as in IPv4. Excludes numbers in names, which would become other names. */
const NUMBER = new RegExp(`(?<!${IN_WORD}|\\.)\\p{Nd}[\\p{Nd}.]*\\p{Nd}(?!\\.?${IN_WORD})`, 'gu');

function digitValue(digit: string): number {
  // The ten digits of a script follow one another, from 0 to 9. Other digits can only precede them in tens.
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return before % 10;
}

/** Replaces the digits of other scripts where a port or an IPv4 address can be. Leaves digits in words unchanged. */
const withAsciiDigits = (text: string): string =>
  text
    .replace(/(?<=\p{Nd})٫(?=\p{Nd})/gu, '.')
    .replace(NUMBER, (number) => number.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit))));

/** The symbols that can represent a letter: those in `look-alikes.ts`, and letters in brackets. */
const LETTER_SYMBOLS = '℮⒜-⒵🄐-🄩🅐-🅩🅰-🆉🇦-🇿';
/**
 * Symbols, punctuation and letters without a shape, with which people decorate or separate words. Excludes symbols that may
 * belong to a name: currency signs, symbols that can represent a letter, and dots in words of Catalan and Japanese.
 */
const SEPARATOR = new RegExp(
  `(?:(?![\\0-\\x7f\\p{Sc}${SMALL_DIGITS}·・${LETTER_SYMBOLS}])[\\p{S}\\p{P}\\p{No}\\p{Default_Ignorable_Code_Point}\\u2800\\u{1d159}]|[#*]\\u20e3|(?<![lL])·|·(?![lL])|(?<=\\w)・|・(?=\\w))+`,
  'gu',
);
const LETTER = '(?!\\p{Default_Ignorable_Code_Point})\\p{L}';
/** Flags, which are pairs of symbols from {@link LETTER_SYMBOLS}. Excludes symbols that are a whole label of a name. */
const FLAGS = new RegExp(
  `(?<![\\u{1f1e6}-\\u{1f1ff}])(?:[\\u{1f1e6}-\\u{1f1ff}]{2})+(?![\\u{1f1e6}-\\u{1f1ff}]|\\.${LETTER})`,
  'gu',
);
const STARTS_WITH_LETTER = new RegExp(`^${LETTER}`, 'u');
const STARTS_WITH_LABEL = new RegExp(`^\\.${LETTER}`, 'u');
const STARTS_WITH_NAME = new RegExp(`^(?:${LETTER}|[\\p{M}\\p{N}-])+\\.${LETTER}`, 'u');
const ENDS_IN_DOT = new RegExp(`${LETTER}\\.$`, 'u');
const ENDS_IN_NAME = new RegExp(`\\.${LETTER}(?:${LETTER}|\\p{M})+$`, 'u');
/** As many characters as a label can have. They decide whether a separator next to them is part of a name. */
const MAX_CHARACTERS_BESIDE = 63;

/**
 * Whether a separator is part of a host name, as in `a.⭐.example`. The text next to such a separator isn't a host, so it
 * must not be read as one.
 */
function isInName(before: string, after: string): boolean {
  if (ENDS_IN_NAME.test(before) && STARTS_WITH_NAME.test(after)) return true;
  return STARTS_WITH_LABEL.test(after) || (ENDS_IN_DOT.test(before) && STARTS_WITH_LETTER.test(after));
}

function withoutSeparators(text: string): string {
  return text.replace(SEPARATOR, (separator: string, at: number) => {
    const end = at + separator.length;
    const before = text.slice(Math.max(0, at - MAX_CHARACTERS_BESIDE), at);
    return isInName(before, text.slice(end, end + MAX_CHARACTERS_BESIDE)) ? separator : ' ';
  });
}

/**
 * Cleans up text that was copied from a chat, a web page or a spreadsheet. Removes invisible characters (zero width, text
 * direction) and replaces unusual spaces with ordinary ones. Replaces styled letters, digits, full-width punctuation,
 * typographic quotes, dashes and vertical lines with ASCII, and symbols that separate words with spaces. Keeps line breaks
 * and tabs. Idempotent.
 */
export function plainText(text: string): string {
  if (PLAIN_ASCII.test(text)) return text;
  const plain = text
    .toWellFormed()
    .replace(/\p{Cf}|\p{Variation_Selector}/gu, '')
    .replace(COMPATIBLE, asciiOf)
    // The frame of a keycap emoji.
    .replace(/(?<=\p{Nd})\u20e3+/gu, '')
    .replace(/[。｡]/gu, '.')
    .replace(/、/gu, ',')
    .replace(/[“”„‟«»″〝〞「」『』]/gu, '"')
    .replace(/[‘’‚‛‹›′´]/gu, "'")
    .replace(/[\u2010-\u2013\u2212]/gu, '-')
    .replace(/[\u2014\u2015]/gu, ' - ')
    .replace(/[│┃║]/gu, '|')
    .replace(/[\p{Zs}\v\f]/gu, ' ')
    .replace(/(?![\t\n\r])\p{Cc}/gu, ' ');
  const separated = withoutSeparators(withAsciiDigits(plain).replace(FLAGS, ' '));
  // A symbol in front of a number may have hidden its digits.
  return withAsciiDigits(separated);
}

/**
 * Removes leading characters that match `start` and trailing characters that match `end`. A regular expression such as
 * `/[set]+$/` would retry at every character of a long run, and could take minutes for a 256 KiB file.
 * @param ends expressions that match a single character
 */
export function withoutEnds(
  text: string,
  { start, end }: { readonly start?: RegExp; readonly end?: RegExp },
): string {
  let from = 0;
  while (start && from < text.length) {
    const character = String.fromCodePoint(text.codePointAt(from) ?? 0);
    if (!start.test(character)) break;
    from += character.length;
  }
  let to = text.length;
  while (end && to > from) {
    const isPair = to > 1 && (text.codePointAt(to - 2) ?? 0) > 0xffff;
    const begin = isPair ? to - 2 : to - 1;
    if (!end.test(text.slice(begin, to))) break;
    to = begin;
  }
  return text.slice(from, to);
}

/** Words for "password" in the languages of most gaming communities. */
const PASSWORD_WORD =
  '(?:sv_|rcon_|rcon |server)?(?:pass(?:word|wd|wort)?|kennwort|wachtwoord|pswd|pwd?|mdp|mot de passe|contrase[ñn]a|clave|senha|h[ae]s[lł]o|jelsz[óo]|lösenord|parol[aă]|пароль|şifre|mật khẩu|kata sandi|密[码碼]|パスワード|비밀번호|รหัสผ่าน)';
/** Text that might announce a password, even in the middle of a word such as `AdminPassword`. */
const MAYBE_PASSWORD = new RegExp(PASSWORD_WORD, 'iu');
/** A password in the cell after the word `password`. Unlike an address, it can't contain dots or colons. */
const NEXT_CELL = ' ?[^\\s.:,;|]{1,64}[ \\t]?(?:[,;|\\r\\n]|$)';
const ANNOUNCED = `[ \\t;,|+(]{0,8}(?<![\\p{L}\\p{N}_.-])${PASSWORD_WORD}["'\`*_|]{0,4}(?: ?[:=]|[ \\t]|[,;|](?=${NEXT_CELL}))`;
/** A password that can contain spaces. It ends at the end of the line, or before a `connect` command. */
const PASSWORD_OF_LINE = new RegExp(`${ANNOUNCED}[^\\r\\n]*?(?=; ?\\+?connect\\b|[\\r\\n]|$)`, 'giu');
/** Quoted values whose end is certain: in `(Key="value",Key=value)`, and in front of the next option of a command. */
const QUOTED_SETTING = /(?<=[(,])[\w.]{1,60}="[^"\r\n]{0,200}"(?=,[\w.]{1,60}=|\)\s{0,9}$)/gu;
const QUOTED_OPTION =
  /(?<=\s)[+-][\w.]{1,60} {1,4}"[^"\r\n]{0,200}"(?=\s[+-][\w.]{1,60}\s[^"\r\n]{0,999}$)/gu;
const PASSWORD_AS_WORD = new RegExp(
  `${ANNOUNCED}[ \\t]{0,4}(?:"[^"\\r\\n]*"|'(?:[^'\\\\\\r\\n]|\\\\.)*'(?!\\p{L})|[^\\s;]+)`,
  'giu',
);

/** The part of a link after the host and port, such as the password in `steam://connect/`. Ends before a closing quote. */
const LINK_TAIL = '(?:[^\\s"]|"+[^\\s",;])*';
/** A link from the last character of its scheme. The scheme `steam` is matched as a whole for {@link HOST_IN_TAIL}. */
const LINK = new RegExp(
  `((?:steam|[a-z0-9+.-])://(?:connect/)?)(?:[^\\s/@"]*@)?([^\\s/?#,;"|]*)(?:[/?#]${LINK_TAIL})?`,
  'giu',
);
/** Steam links that launch a game, with the host after the game. */
const HOST_IN_TAIL = /^steam:\/\/(?!connect\/)|\+connect/iu;
/** A link that adds a server to the list in Minecraft: Bedrock Edition. */
const ADDS_SERVER = /minecraft:(?:\/\/)?\?addExternalServer=[^|"<>\r\n]{0,100}\|/giu;
const CONNECTS =
  /minecraft:(?:\/\/)?connect\/?\?serverUrl=([^&\s"']{1,253})&(?:amp;)?serverPort=(\d{1,6})/giu;
/** Pages about a server often have the server's address in their path. */
const WEB_PAGE = /https?:\/\/[^\s"<>]{1,500}/giu;
const ADDRESS_IN_PATH = /^[\p{L}\p{N}_.-]{1,253}\.[\p{L}\p{N}-]{1,63}:\d{1,6}$/u;
/** A user name and password in front of a host without a scheme. Excludes `pw:a@b`, where `a@b` is a password. */
const USER = new RegExp(
  `(?<![^\\s"'\`<(,;|])(?!${PASSWORD_WORD}:)[^\\s"'\`<(,;|@/:]{0,64}:[^\\s"'\`<(,;|]{0,64}@`,
  'giu',
);
const PORT_TAIL = new RegExp(`(:\\d{1,6})[/?#]${LINK_TAIL}`, 'giu');

/** Returns the address in a URL's path, or else the URL's host without the website's port. */
function withoutPath(link: string): string {
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#]*)[/?#]*(.*)$/isu.exec(link) ?? [];
  if (path === '') return link;
  return path.split('/').find((part) => ADDRESS_IN_PATH.test(part)) ?? origin.replace(/:\d{1,6}$/u, '');
}

/**
 * Shortens links to their host and port, and removes user names in front of hosts. Bedrock links become
 * `bedrock://host:port`. A link to a page about a server becomes that server's address. Expects {@link plainText}.
 */
function withoutLinkTails(text: string): string {
  // Text without any of these characters doesn't contain links or user names.
  if (!/[/?#@]/u.test(text)) return text;
  return text
    .replace(WEB_PAGE, withoutPath)
    .replace(ADDS_SERVER, 'bedrock://')
    .replace(CONNECTS, 'bedrock://$1:$2')
    .replace(LINK, (link, scheme: string, target: string) =>
      HOST_IN_TAIL.test(link) ? link : scheme + target,
    )
    .replace(USER, '')
    .replace(PORT_TAIL, '$1');
}

/**
 * Removes passwords from a pasted line: passwords in links, and everything from a word such as `password` to the end of the
 * line, because passwords can contain spaces. Expects {@link plainText}.
 */
export function withoutPasswords(line: string): string {
  return withoutLinkTails(line)
    .replace(/%20/g, ' ') // in steam://run/730//+connect%20…
    .replace(QUOTED_SETTING, withoutQuotedPassword)
    .replace(QUOTED_OPTION, withoutQuotedPassword)
    .replace(PASSWORD_OF_LINE, '')
    .replace(/^[\s;]+(?=\+?connect\b)/iu, '')
    .trim();
}

const withoutQuotedPassword = (setting: string): string =>
  MAYBE_PASSWORD.test(setting.slice(0, setting.indexOf('"'))) ? '' : setting;

/** Like {@link withoutPasswords}, but only removes the word after `password`. The result must never be shown. */
export const withoutPasswordWords = (text: string): string =>
  withoutLinkTails(text.replace(PASSWORD_AS_WORD, ' '));

/** Returns the part of a line in front of everything that might be a password. It can be shown. */
export function beforePasswords(line: string): string {
  const text = withoutPasswords(line);
  return text.slice(0, MAYBE_PASSWORD.exec(text)?.index);
}

export const unwrapped = (text: string): string =>
  withoutEnds(text, { start: /[\s"'`<>*~|(]/u, end: /[\s"'`<>*~|),;!?]/u });

export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
