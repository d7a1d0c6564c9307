/** Matches plain ASCII, which doesn't need cleaning. */
const PLAIN = /^[ -~\t\n\r]*$/;

/**
 * Cleans up text that was copied from a chat, a web page or a spreadsheet. Removes invisible characters (zero width, text
 * direction) and replaces unusual spaces with ordinary ones. Replaces full-width punctuation, typographic quotes, dashes
 * and vertical lines with ASCII. Keeps line breaks and tabs. Idempotent.
 */
export function plainText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/\p{Cf}|[\u{fe00}-\u{fe0f}]/gu, '')
    .replace(/[\u{ff01}-\u{ff5e}]/gu, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[。｡]/gu, '.')
    .replace(/、/gu, ',')
    .replace(/[“”„‟«»″〝〞「」『』]/gu, '"')
    .replace(/[‘’‚‛‹›′´]/gu, "'")
    .replace(/[\u2010-\u2015\u2212]/gu, '-')
    .replace(/[│┃║]/gu, '|')
    .replace(/[\p{Zs}\v\f]/gu, ' ')
    .replace(/(?![\t\n\r])\p{Cc}/gu, ' ');
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
  '(?:sv_|rcon_|rcon |server)?(?:password|passwd|passwort|kennwort|wachtwoord|pswd|pass|pwd?|mdp|mot de passe|contrase[ñn]a|clave|senha|hasło|haslo|пароль|şifre|密码|密碼|パスワード)';
/** A password in the cell after the word `password`. Unlike an address, it can't contain dots or colons. */
const NEXT_CELL = ' ?[^\\s.:,;|]{1,64}[ \\t]?(?:[,;|\\r\\n]|$)';
const ANNOUNCED = `[ \\t;,|+(]{0,8}(?<![\\p{L}\\p{N}_.-])${PASSWORD_WORD}["'\`*_|]{0,4}(?: ?[:=]|[ \\t]|[,;|](?=${NEXT_CELL}))`;
/** A password that can contain spaces. It ends at the end of the line, or before a `connect` command. */
const PASSWORD_OF_LINE = new RegExp(`${ANNOUNCED}[^\\r\\n]*?(?=; ?\\+?connect\\b|[\\r\\n]|$)`, 'giu');
const PASSWORD_AS_WORD = new RegExp(`${ANNOUNCED}[ \\t]{0,4}(?:"[^"\\r\\n]*"|[^\\s;]+)`, 'giu');

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
/** The URL of a web page. Pages about a server often have the server's address in their path. */
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
  // Text without any of these characters contains no links or user names.
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
    .replace(PASSWORD_OF_LINE, '')
    .replace(/^[\s;]+(?=\+?connect\b)/iu, '')
    .trim();
}

/** Like {@link withoutPasswords}, but only removes the word after `password`. The result must never be shown. */
export const withoutPasswordWords = (text: string): string =>
  withoutLinkTails(text.replace(PASSWORD_AS_WORD, ' '));

/** Removes surrounding quotes, Discord markup and brackets. */
export const unwrapped = (text: string): string =>
  withoutEnds(text, { start: /[\s"'`<>*~|(]/u, end: /[\s"'`<>*~|),;!?]/u });

/** Whether the text contains letters or digits, rather than only punctuation and symbols. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
