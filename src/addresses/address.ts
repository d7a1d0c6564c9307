import { isIPv6 } from 'node:net';
import { type HostProblem, parseHost } from './host.ts';
import { plainText, unwrapped, withoutPasswords } from './pasted-text.ts';

/** A public host in canonical form, IPv6 without brackets. */
export interface Address {
  readonly host: string;
  readonly port?: number;
}

export type AddressProblem =
  | HostProblem
  | PortProblem
  /** Several words, or no host in it. What was typed is not repeated: it may be anything. */
  | { readonly code: 'not-an-address' }
  /** A link to a web page; only the host and the port are wanted. */
  | { readonly code: 'web-address' }
  | { readonly code: 'unknown-scheme'; readonly scheme: string }
  /** An IPv6 address and a port without the brackets that tell them apart. */
  | { readonly code: 'ipv6-brackets'; readonly host: string; readonly port: string }
  | { readonly code: 'address-too-long'; readonly length: number; readonly most: number };

type AddressResult =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly problem: AddressProblem };

/** A name has at most 253 characters; the rest is room for a link around it with a password in it. */
export const MAX_ADDRESS_TEXT = 1000;

/** Links that start a game at a host: `scheme://[connect/]host:port[/password]`. */
const GAME_SCHEMES = new Set(['steam', 'minecraft', 'samp', 'mtasa', 'fivem']);

const refused = (problem: AddressProblem): AddressResult => ({ ok: false, problem });

/**
 * Reads one address as people paste it: `host`, `host:port`, `[v6]:port`, `host port`, `steam://connect/…`,
 * `minecraft://…`, `connect host:port; password x`, in quotes or markup. Passwords are dropped: they are in no
 * result. Reading what {@link formatAddress} writes gives the same address.
 */
export function parseAddress(text: string): AddressResult {
  if (text.length > MAX_ADDRESS_TEXT) {
    return refused({ code: 'address-too-long', length: text.length, most: MAX_ADDRESS_TEXT });
  }
  // Quotes around a whole link go first, so that they are not taken for a part of it.
  const typed = unwrapped(plainText(text));
  if (/^https?:\/\/[^/?#]*[/?#]+[^/?#\s]/iu.test(typed)) return refused({ code: 'web-address' });
  const bare = unlabelled(unwrapped(withoutPasswords(typed)));
  if (bare === '') return refused({ code: 'server-missing' });
  const link = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(bare);
  return link ? parseLink(link[1]?.toLowerCase() ?? '', link[2] ?? '') : parseTarget(bare);
}

/** The way an address is written so that {@link parseAddress} reads it back: IPv6 in brackets. */
export function formatAddress({ host, port }: Address): string {
  const written = host.includes(':') ? `[${host}]` : host;
  return port === undefined ? written : `${written}:${port}`;
}

/** Text without the `connect` of a game's console, or the `IP:` of a forum post, in front. */
export function unlabelled(text: string): string {
  return text
    .replace(/^[+/]?connect\s+/iu, '')
    .replace(/^(?:ip|server|address|host)(?:\s*[:=]\s*|\s+)(?=[^\s.:]*[.:])/iu, '')
    .trim();
}

function parseLink(scheme: string, rest: string): AddressResult {
  const named = /(?:\+connect[ +]+|[?&]addExternalServer=[^|?&]*\|)(\S+)/iu.exec(rest);
  if (named && GAME_SCHEMES.has(scheme)) return parseTarget(named[1] ?? '');
  if (GAME_SCHEMES.has(scheme)) {
    if (scheme === 'steam' && !/^connect\//iu.test(rest)) return refused({ code: 'not-an-address' });
    return parseTarget(rest.replace(/^connect\//iu, ''));
  }
  if (scheme !== 'http' && scheme !== 'https') return refused({ code: 'unknown-scheme', scheme });
  // With a port and nothing after it, it is an address that a chat made a link of.
  const result = parseTarget(rest);
  return result.ok && result.address.port === undefined ? refused({ code: 'web-address' }) : result;
}

/** `[user@]host[:port][/…]`, or a host and a port with spaces and perhaps a colon between them. */
function parseTarget(text: string): AddressResult {
  const joined = text.replace(/^(\S+?)(?:\s*:\s*|\s+)([+-]?\d+)$/u, (whole, host: string, port: string) =>
    /\s/u.test(whole) ? `${isIPv6(host) ? `[${host}]` : host}:${port}` : whole,
  );
  const [authority = '', path] = joined.split(/[/?#](.*)/su);
  const target = unwrapped(authority.slice(authority.lastIndexOf('@') + 1).replace(/;.*$/su, ''));
  if (/\s/u.test(target)) return refused({ code: 'not-an-address' });
  const result = parseHostAndPort(target);
  // `1.2.3.0/24` and `example.com/page` are no servers; behind a port the rest is a password or `/udp`.
  return result.ok && result.address.port === undefined && path ? refused({ code: 'web-address' }) : result;
}

function parseHostAndPort(text: string): AddressResult {
  const bracketed = /^\[([^\]]*)\]\.?(?::(.*))?$/su.exec(text);
  if (bracketed) {
    const inside = bracketed[1] ?? '';
    // Brackets around anything but IPv6 are somebody's markup.
    return inside.includes(':') && !/[^0-9a-f:.%]/iu.test(inside)
      ? withPort(inside, bracketed[2])
      : parseHostAndPort(`${inside}${bracketed[2] === undefined ? '' : `:${bracketed[2]}`}`);
  }
  if (text.includes('[') || text.includes(']')) return refused({ code: 'not-an-address' });
  const [host = '', port, ...more] = text.split(':');
  if (more.length === 0) return withPort(host, port);
  const [withoutZone = ''] = text.split('%', 1);
  if (isIPv6(withoutZone)) return withPort(text, undefined);
  const last = text.lastIndexOf(':');
  const [address, tail] = [text.slice(0, last), text.slice(last + 1)];
  if (isIPv6(address) && /^\d{1,6}$/u.test(tail)) {
    return refused({ code: 'ipv6-brackets', host: address, port: tail });
  }
  // A name or an IPv4 address with two ports is no attempt at IPv6.
  return /[^0-9a-f:.%]/iu.test(text) || host.includes('.')
    ? refused({ code: 'not-an-address' })
    : withPort(text, undefined);
}

function withPort(hostText: string, portText: string | undefined): AddressResult {
  const host = parseHost(hostText);
  if (!host.ok) return host;
  if (portText === undefined || portText === '') return { ok: true, address: { host: host.host } };
  const port = parsePort(portText);
  return port.ok ? { ok: true, address: { host: host.host, port: port.port } } : port;
}

type PortField = 'port' | 'query_port';

export type PortProblem =
  /** `port` is what was typed, cut short. */
  | { readonly code: 'port-not-a-number'; readonly field: PortField; readonly port: string }
  | { readonly code: 'port-too-low'; readonly field: PortField; readonly port: number }
  | { readonly code: 'port-too-high'; readonly field: PortField; readonly port: number };

type PortResult =
  | { readonly ok: true; readonly port: number }
  | { readonly ok: false; readonly problem: PortProblem };

export const LOWEST_PORT = 1;
/** Ports are 16 bits wide in TCP and UDP; 0 cannot be connected to. */
export const HIGHEST_PORT = 65_535;

/** Reads digits, leading zeros and a sign allowed (a sign is then named as out of range rather than as unreadable). */
export function parsePort(text: string, field: PortField = 'port'): PortResult {
  if (!/^[+-]?\d+$/.test(text)) {
    // Longer ones are no mistyped port, and may be anything a person pasted.
    const port = text.length <= 12 ? text : `${[...text].slice(0, 11).join('')}…`;
    return { ok: false, problem: { code: 'port-not-a-number', field, port } };
  }
  return checkPort(Number(text), field);
}

/** A whole number in 1–65535, or why not. */
export function checkPort(value: number, field: PortField = 'port'): PortResult {
  if (Number.isNaN(value) || (!Number.isInteger(value) && Number.isFinite(value))) {
    return { ok: false, problem: { code: 'port-not-a-number', field, port: String(value).slice(0, 12) } };
  }
  // Clamped, so that it stays a number in JSON and in a sentence.
  const port = Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
  if (value < LOWEST_PORT) return { ok: false, problem: { code: 'port-too-low', field, port: port || 0 } };
  if (value > HIGHEST_PORT) return { ok: false, problem: { code: 'port-too-high', field, port } };
  return { ok: true, port };
}

/**
 * What each game's dedicated server listens on when nobody changes it. The first twelve are the aliases of the
 * listing specification §2.3; the others are games a listing service is likely to add.
 */
const USUAL_PORTS: Readonly<Record<string, number>> = {
  // Valve Developer Community, "Source Dedicated Server" and "Half-Life Dedicated Server": -port 27015
  cs2: 27015,
  css: 27015,
  cs16: 27015,
  csgo: 27015,
  gm: 27015,
  l4d2: 27015,
  tf2: 27015,
  // Minecraft Wiki, "Server.properties": server-port
  minecraft: 25565,
  // ARK Wiki, "Dedicated server setup": Port
  ark: 7777,
  // SA-MP Wiki, "Server.cfg": port
  samp: 7777,
  // Rust: server.port
  rust: 28015,
  // Bohemia Interactive Community, "DayZ:Hosting a Linux Server"
  dayz: 2302,

  // Valve Developer Community, as above
  garrysmod: 27015,
  gmod: 27015,
  l4d: 27015,
  // Bohemia Interactive Community, "Arma 3: Dedicated Server"
  arma3: 2302,
  // Cfx.re documentation, "Setting up a FXServer": endpoint_add_udp
  fivem: 30120,
  // Valheim dedicated server manual: -port
  valheim: 2456,
  // Terraria Wiki, "Server": serverconfig.txt, port
  terraria: 7777,
  // 7 Days to Die: serverconfig.xml, ServerPort
  '7dtd': 26900,
  // Palworld server guide: -port
  palworld: 8211,
};

/** The port servers of a game usually have; a hint for the person, never filled in for them. */
export const usualPort = (alias: string): number | undefined =>
  Object.hasOwn(USUAL_PORTS, alias) ? USUAL_PORTS[alias] : undefined;
