import { isIPv6 } from 'node:net';
import { type HostProblem, parseHost } from './host.ts';
import { plainText, unwrapped, withoutPasswords } from './pasted-text.ts';
import { type PortProblem, parsePort } from './port.ts';

/** A public host in canonical form. An IPv6 host is written without brackets. */
export interface Address {
  readonly host: string;
  readonly port?: number;
}

export type AddressProblem =
  | HostProblem
  | PortProblem
  /** The text contains several words or no host. The problem doesn't quote it, because it could be anything. */
  | { readonly code: 'not-an-address' }
  | { readonly code: 'web-address' }
  | { readonly code: 'unknown-scheme'; readonly scheme: string }
  /** An IPv6 address is followed by a port but isn't in brackets. */
  | { readonly code: 'ipv6-brackets'; readonly host: string; readonly port: string }
  | { readonly code: 'address-too-long'; readonly length: number; readonly most: number };

type AddressResult =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly problem: AddressProblem };

/** Enough for a 253-character host name in a link with a password. */
export const MAX_ADDRESS_TEXT_LENGTH = 1000;

/** Maps the scheme of a game link, `scheme://[connect/]host:port[/password]`, to its game, or to '' for several games. */
const GAME_SCHEMES: ReadonlyMap<string, string> = new Map([
  ['steam', ''],
  ['minecraft', ''],
  ['bedrock', 'Minecraft: Bedrock Edition'],
  ['samp', 'San Andreas Multiplayer'],
  ['mtasa', 'Multi Theft Auto: San Andreas'],
  ['fivem', 'FiveM'],
]);

/** Returns the game that a link launches, '' if several games use its scheme, or `undefined` if it isn't a game link. */
export const gameOfLink = (text: string): string | undefined =>
  text.includes('://') ? GAME_SCHEMES.get(text.slice(0, text.indexOf('://')).toLowerCase()) : undefined;

const invalid = <Problem extends AddressProblem>(problem: Problem) => ({ ok: false, problem }) as const;

/**
 * Parses an address in any of the forms in which people paste it: `host`, `host:port`, `[v6]:port`, `host port`,
 * `steam://connect/…`, `minecraft://…` or `connect host:port; password x`, with or without quotes and markup. The result
 * never contains passwords. {@link formatAddress} turns it into text that parses to the same address.
 */
export function parseAddress(text: string): AddressResult {
  if (text.length > MAX_ADDRESS_TEXT_LENGTH) {
    return invalid({ code: 'address-too-long', length: text.length, most: MAX_ADDRESS_TEXT_LENGTH });
  }
  // Quotes around the whole link would otherwise become part of its host or path.
  const typed = unwrapped(plainText(text));
  if (/^https?:\/\/[^/?#]*[/?#]+[^/?#\s]/iu.test(typed)) return invalid({ code: 'web-address' });
  const bare = unlabelled(unwrapped(withoutPasswords(typed)));
  if (bare === '') return invalid({ code: 'server-missing' });
  const link = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(bare);
  return link ? parseLink(link[1]?.toLowerCase() ?? '', link[2] ?? '') : parseTarget(bare);
}

/** Problems of text that is more likely a name than a malformed address, as in `"host": "My server"`. */
const NO_ADDRESS: ReadonlySet<AddressProblem['code']> = new Set([
  'server-missing',
  'not-an-address',
  'single-label',
]);

/** Two ports or other numbers, as in Docker's `"25570:25565"`. */
const PORT_PAIR = /^[\s"'`]{0,4}\d{1,5}:\d{1,5}(?:\/\w{1,4})?[\s"'`,]{0,4}$/u;

export function isMeantAsAddress(text: string): boolean {
  if (!/[^.:][.:][^.:]|::/u.test(text) || /^[\w.-]+=/u.test(text) || PORT_PAIR.test(text)) return false;
  const result = parseAddress(text);
  return result.ok || !NO_ADDRESS.has(result.problem.code);
}

export function formatAddress({ host, port }: Address): string {
  const written = host.includes(':') ? `[${host}]` : host;
  return port === undefined ? written : `${written}:${port}`;
}

/** Words for "address" in the bot's languages. `server` and `host` are only labels before a colon, `=` or an arrow. */
const ADDRESS_WORD =
  '(?<![a-z])(?:ip|addr|address|adress|adresse|adres|adresa|adresă|dirección|direccion|endereço|endereco|indirizzo|cím|domain|domeniu|domena|doména|domínio|dominio|alamat|адреса?|домен|địa chỉ|アドレス|ドメイン|주소|地址|位址|域名|网域|ที่อยู่|connect)(?![a-z])';
/**
 * A label directly in front of an address, such as "IP адрес сервака: ". Words behind `hostname:` are the title of a server.
 */
const LABEL = new RegExp(
  `${ADDRESS_WORD}[^.!?]{0,30}$|(?<![a-z])hostname[^\\p{L}\\p{N}.!?]{0,30}$|(?<![a-z0-9])(?:server|host)["']? {0,4}(?:[:=]|=>) {0,4}["']?$`,
  'iu',
);

export const endsInAddressLabel = (text: string): boolean => LABEL.test(text.slice(-60));

export const withoutAddressLabel = (text: string): string =>
  text.slice(0, -60) + text.slice(-60).replace(LABEL, '');

/** Removes a leading console command or label, such as `connect` or `Server IP:`. */
export function unlabelled(text: string): string {
  const [command = ''] = /^[+/]?(?:client\.)?connect\s+/iu.exec(text) ?? [];
  const bare = text.slice(command.length);
  const [label = ''] = /^[^.:=[\]]{1,40}[:=](?!\/\/)\s*/u.exec(bare) ?? [];
  if (label !== '' && endsInAddressLabel(label) && label.length < bare.length)
    return unlabelled(bare.slice(label.length));
  return bare.replace(/^(?:ip|server|address|host)\s+(?=[^\s.:]*[.:])/iu, '').trim();
}

/** Hosts that appear in game links but only serve web pages. */
const WEB_HOST = /^cfx\.re$/u;

function parseLink(scheme: string, rest: string): AddressResult {
  if (GAME_SCHEMES.has(scheme)) {
    const named = /\+connect[ +]+(\S+)/iu.exec(rest);
    if (named) return parseTarget(named[1] ?? '');
    if (scheme === 'steam' && !/^connect\//iu.test(rest)) return invalid({ code: 'not-an-address' });
    const result = parseTarget(rest.replace(/^connect\//iu, ''));
    return result.ok && WEB_HOST.test(result.address.host) ? invalid({ code: 'web-address' }) : result;
  }
  if (scheme !== 'http' && scheme !== 'https') return invalid({ code: 'unknown-scheme', scheme });
  // A web URL with a port is probably an address that a chat app turned into a link.
  const result = parseTarget(rest);
  return result.ok && result.address.port === undefined ? invalid({ code: 'web-address' }) : result;
}

/** Parses `[user@]host[:port][/…]`, or a host and port separated by spaces, with or without a colon. */
function parseTarget(text: string): AddressResult {
  const [authority = '', path] = joined(text).split(/[/?#](.*)/su);
  const target = unwrapped(authority.slice(authority.lastIndexOf('@') + 1).replace(/;(?!\s*\d).*$/su, ''));
  if (/\s/u.test(target)) return invalid({ code: 'not-an-address' });
  const result = parseHostAndPort(target);
  // `1.2.3.0/24` or `example.com/page` isn't a game server. After a port, however, a slash can introduce a password or
  // `/udp`.
  return result.ok && result.address.port === undefined && path ? invalid({ code: 'web-address' }) : result;
}

/** Joins a host and a port separated by spaces, a semicolon, or a colon with spaces into `host:port`. */
function joined(text: string): string {
  const [, host, between, port] = /^(\S+?)(\s*[:;]\s*|\s+)([+-]?\d+)$/u.exec(text) ?? [];
  if (host === undefined || between === ':') return text;
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseHostAndPort(text: string): AddressResult {
  const bracketed = /^\[([^\]]*)\]\.?(?::(.*))?$/su.exec(text);
  if (bracketed) {
    const [, inside = '', behind] = bracketed;
    // IPv6 never has a dot before its second colon.
    if (/^[^.:]*:/u.test(inside) && !/[^0-9a-f:.%]/iu.test(inside)) return withPort(inside, behind);
    // Brackets around anything other than IPv6 are markup.
    return parseHostAndPort(behind === undefined ? inside : `${inside}:${behind}`);
  }
  if (text.includes('[') || text.includes(']')) return invalid({ code: 'not-an-address' });
  const [host = '', port, ...more] = text.split(':');
  if (more.length === 0) return withPort(host, port);
  const [withoutZone = ''] = text.split('%', 1);
  if (isIPv6(withoutZone)) return withPort(text, undefined);
  const last = text.lastIndexOf(':');
  const address = text.slice(0, last);
  const tail = text.slice(last + 1);
  if (isIPv6(address) && /^\d{1,6}$/u.test(tail)) {
    return invalid({ code: 'ipv6-brackets', host: address, port: tail });
  }
  // A host name or IPv4 address followed by two ports isn't a mistyped IPv6 address.
  return /[^0-9a-f:.%]/iu.test(text) || host.includes('.')
    ? invalid({ code: 'not-an-address' })
    : withPort(text, undefined);
}

function withPort(hostText: string, portText: string | undefined): AddressResult {
  const host = parseHost(hostText);
  if (!host.ok) return host;
  if (portText === undefined || portText === '') return { ok: true, address: { host: host.host } };
  const port = parsePort(portText);
  return port.ok ? { ok: true, address: { host: host.host, port: port.port } } : port;
}
