/**
 * What copying out of a chat, a web page or a spreadsheet does to text, undone. Idempotent; keeps line
 * breaks and tabs. Invisible characters (zero width, text direction) go, odd spaces become spaces,
 * full-width punctuation, typographic quotes and dashes become the ASCII ones.
 */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cf}|[\u{fe00}-\u{fe0f}]/gu, '')
    .replace(/[\u{ff01}-\u{ff5e}]/gu, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[。｡]/gu, '.')
    .replace(/、/gu, ',')
    .replace(/[“”„‟«»″〝〞「」『』]/gu, '"')
    .replace(/[‘’‚‛‹›′´]/gu, "'")
    .replace(/[\u2010-\u2015\u2212]/gu, '-')
    .replace(/[\p{Zs}\v\f]/gu, ' ')
    .replace(/(?![\t\n\r])\p{Cc}/gu, ' ');
}

/** How people announce a password, in the languages of most game communities. */
const PASSWORD_WORD =
  '(?:sv_|rcon_|rcon |server)?(?:password|passwd|passwort|kennwort|pass|pwd?|mdp|mot de passe|contraseña|clave|senha|hasło|haslo|пароль|şifre|密码|密碼|パスワード)';
const PASSWORD_START = `(?<![\\p{L}\\p{N}_.-])${PASSWORD_WORD}["'\`*_|]{0,4}(?: ?[:=]|[ \\t])`;
const PASSWORD_TO_LINE_END = new RegExp(
  `[ \\t;,|+(]{0,8}${PASSWORD_START}[^\\r\\n]*?(?:(?=; ?\\+?connect\\b)|$)`,
  'gimu',
);
const PASSWORD_ONE_WORD = new RegExp(`${PASSWORD_START}[ \\t]{0,4}(?:"[^"\\r\\n]{0,200}"|[^\\s;]+)`, 'giu');

/** What follows the host and port in a link: there `steam://connect/` puts the password. Up to a closing quote. */
const LINK_TAIL = '(?:[^\\s"]|"(?![,;\\t ]|$))*';
const LINK = new RegExp(
  `([a-z][a-z0-9+.-]{1,20}://(?:connect/)?)(?:[^\\s/@"]{0,200}@)?([^\\s/?#,;"|]{0,300})(?:[/?#]${LINK_TAIL})?`,
  'gimu',
);
/** Links that name their host behind it: Steam's that start a game, Minecraft's that add a server. */
const HOST_IN_TAIL = /^steam:\/\/(?!connect\/)|\+connect|[?&]addExternalServer=/iu;
const PORT_TAIL = new RegExp(`(:\\d{1,6})[/?#]${LINK_TAIL}`, 'gimu');

/** Links without what follows their host and port, and without a user name before it. Expects {@link plainText}. */
export function withoutLinkTails(text: string): string {
  return text
    .replace(LINK, (link, scheme: string, target: string) =>
      HOST_IN_TAIL.test(link) ? link : scheme + target,
    )
    .replace(PORT_TAIL, '$1');
}

/**
 * One pasted line without the passwords in it: those in links, and everything from a word such as `password`
 * to the end of the line, since a password may have spaces. Expects {@link plainText}.
 */
export function withoutPasswords(line: string): string {
  return withoutLinkTails(line)
    .replace(/%20/g, ' ') // in steam://run/730//+connect%20…
    .replace(PASSWORD_TO_LINE_END, '')
    .replace(/^[\s;]+(?=\+?connect\b)/iu, '')
    .trim();
}

/** As {@link withoutPasswords}, but only the word after `password` goes: for running text of which nothing is shown. */
export function withoutPasswordWords(text: string): string {
  return withoutLinkTails(text.replace(PASSWORD_ONE_WORD, ' '));
}

/** Text without quotes, Discord's markup and brackets around it. */
export function unwrapped(text: string): string {
  return text.replace(/^[\s"'`<>*~|(]+/u, '').replace(/[\s"'`<>*~|),;!?]+$/u, '');
}

/** Whether there is anything to read in a text, rather than only punctuation and symbols. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** At most `most` characters, whole code points, ending in an ellipsis if there was more. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\u{fffd}$/u, '')}…`;
}
