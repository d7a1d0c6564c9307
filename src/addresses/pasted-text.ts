/**
 * Undoes what copying out of a chat, a web page or a spreadsheet does to text. Idempotent; keeps line breaks and tabs.
 * Invisible characters (zero width, text direction) go, odd spaces become spaces, full-width punctuation, typographic
 * quotes and dashes become the ASCII ones.
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

/**
 * Cuts off the characters at the beginning of a text that `start` matches, and those at its end that `end` matches. The
 * expression `/[set]+$/` would begin anew at every character of a run in the middle: a file of 256 KiB with one long run
 * takes minutes.
 * @param ends expressions that match a single character
 */
export function withoutEnds(
  text: string,
  { start, end }: { readonly start?: RegExp; readonly end?: RegExp },
): string {
  const characters = [...text];
  const from = start ? characters.findIndex((character) => !start.test(character)) : 0;
  const to = end ? characters.findLastIndex((character) => !end.test(character)) : characters.length;
  return from < 0 ? '' : characters.slice(from, to + 1).join('');
}

/** How people announce a password, in the languages of most game communities. */
const PASSWORD_WORD =
  '(?:sv_|rcon_|rcon |server)?(?:password|passwd|passwort|kennwort|wachtwoord|pswd|pass|pwd?|mdp|mot de passe|contrase[ñn]a|clave|senha|hasło|haslo|пароль|şifre|密码|密碼|パスワード)';
/** A password in a cell of its own, behind the cell that says `password`; an address is none. */
const NEXT_CELL = ' ?[^\\s.:,;|]{1,64}[ \\t]?(?:[,;|\\r\\n]|$)';
const ANNOUNCED = `[ \\t;,|+(]{0,8}(?<![\\p{L}\\p{N}_.-])${PASSWORD_WORD}["'\`*_|]{0,4}(?: ?[:=]|[ \\t]|[,;|](?=${NEXT_CELL}))`;
/** A password may have spaces in it: it ends with the line, or where the console's next command begins. */
const PASSWORD_OF_LINE = new RegExp(`${ANNOUNCED}[^\\r\\n]*?(?=; ?\\+?connect\\b|[\\r\\n]|$)`, 'giu');
const PASSWORD_AS_WORD = new RegExp(`${ANNOUNCED}[ \\t]{0,4}(?:"[^"\\r\\n]*"|[^\\s;]+)`, 'giu');

/** What follows the host and port in a link: there `steam://connect/` puts the password. Up to a closing quote. */
const LINK_TAIL = '(?:[^\\s"]|"+[^\\s",;])*';
/** A link of any scheme, from the scheme's last character on; `steam` is matched whole for {@link HOST_IN_TAIL}. */
const LINK = new RegExp(
  `((?:steam|[a-z0-9+.-])://(?:connect/)?)(?:[^\\s/@"]*@)?([^\\s/?#,;"|]*)(?:[/?#]${LINK_TAIL})?`,
  'giu',
);
/** Steam's links that start a game name their host behind it. */
const HOST_IN_TAIL = /^steam:\/\/(?!connect\/)|\+connect/iu;
/** Links of Minecraft's Bedrock Edition: one adds a server to its list, one connects to it. */
const ADDS_SERVER = /minecraft:(?:\/\/)?\?addExternalServer=[^|"<>\r\n]{0,100}\|/giu;
const CONNECTS =
  /minecraft:(?:\/\/)?connect\/?\?serverUrl=([^&\s"']{1,253})&(?:amp;)?serverPort=(\d{1,6})/giu;
/** The address of a web page, and a part of its path that is the address of a server, as pages about one have it. */
const WEB_PAGE = /https?:\/\/[^\s"<>]{1,500}/giu;
const ADDRESS_IN_PATH = /^[\p{L}\p{N}_.-]{1,253}\.[\p{L}\p{N}-]{1,63}:\d{1,6}$/u;
/** A user name and a password before a host without a scheme; `pw:a@b` is a password with that sign in it. */
const USER = new RegExp(
  `(?<![^\\s"'\`<(,;|])(?!${PASSWORD_WORD}:)[^\\s"'\`<(,;|@/:]{0,64}:[^\\s"'\`<(,;|]{0,64}@`,
  'giu',
);
const PORT_TAIL = new RegExp(`(:\\d{1,6})[/?#]${LINK_TAIL}`, 'giu');

/** The address of a game server in the path of a web page, or else the page's host; its port is none of a game server. */
function withoutPath(link: string): string {
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#]*)[/?#]*(.*)$/isu.exec(link) ?? [];
  if (path === '') return link;
  return path.split('/').find((part) => ADDRESS_IN_PATH.test(part)) ?? origin.replace(/:\d{1,6}$/u, '');
}

/**
 * Links without what follows their host and port, and without a user name before it. Bedrock's become
 * `bedrock://host:port`; that of a page about one server becomes the server's address. Expects {@link plainText}.
 */
function withoutLinkTails(text: string): string {
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
 * One pasted line without the passwords in it: those in links, and everything from a word such as `password`
 * to the end of the line, since a password may have spaces. Expects {@link plainText}.
 */
export function withoutPasswords(line: string): string {
  return withoutLinkTails(line)
    .replace(/%20/g, ' ') // in steam://run/730//+connect%20…
    .replace(PASSWORD_OF_LINE, '')
    .replace(/^[\s;]+(?=\+?connect\b)/iu, '')
    .trim();
}

/** As {@link withoutPasswords}, but only the word after `password` goes: for running text of which nothing is shown. */
export const withoutPasswordWords = (text: string): string =>
  withoutLinkTails(text.replace(PASSWORD_AS_WORD, ' '));

/** Text without quotes, Discord's markup and brackets around it. */
export const unwrapped = (text: string): string =>
  withoutEnds(text, { start: /[\s"'`<>*~|(]/u, end: /[\s"'`<>*~|),;!?]/u });

/** Whether there is anything to read in a text, rather than only punctuation and symbols. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
