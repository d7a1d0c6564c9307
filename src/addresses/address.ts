import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { clipped } from '../visible-line.ts';
import { plainText, unwrapped, withoutEnds, withoutPasswords } from './pasted-text.ts';
import { type AddressRange, mappedIPv4, specialRange } from './registries.ts';

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

const refused = <Problem extends AddressProblem>(problem: Problem) => ({ ok: false, problem }) as const;

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

/** Why a host is not one of the public internet. */
type HostProblem =
  | { readonly code: 'server-missing' }
  /** Numbers and dots, but not four numbers of 0–255 without leading zeros; `127.1` is not guessed at. */
  | { readonly code: 'ipv4-form'; readonly host: string }
  | { readonly code: 'bad-ipv6'; readonly host: string }
  | { readonly code: 'not-public'; readonly host: string; readonly range: AddressRange }
  /** `zone` is the reserved top-level name, such as `local`. */
  | { readonly code: 'reserved-name'; readonly host: string; readonly zone: string }
  /** A name without a dot, which only means something in the network of whoever typed it. */
  | { readonly code: 'single-label'; readonly host: string }
  /** The name of an SRV record (`_minecraft._tcp.…`), not of a host. */
  | { readonly code: 'service-name'; readonly host: string }
  | { readonly code: 'bad-name'; readonly host: string }
  | {
      readonly code: 'label-too-long';
      readonly label: string;
      readonly length: number;
      readonly most: number;
    }
  | { readonly code: 'name-too-long'; readonly length: number; readonly most: number };

type HostResult =
  | { readonly ok: true; readonly host: string }
  | { readonly ok: false; readonly problem: HostProblem };

/** RFC 1035 §2.3.4; 253 is what 255 octets on the wire leave for the written name. */
export const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
/** How much of something unreadable a problem carries. */
const SHOWN = 100;

/**
 * @param text a host on its own: an IPv4 address, an IPv6 address without brackets, or a name
 * @returns the canonical form: IPv6 compressed and lower case (an IPv4-mapped one as the IPv4 address),
 *   names in lower case and punycode without a trailing dot; or why it is no public host
 */
function parseHost(text: string): HostResult {
  if (text.includes(':')) return parseIPv6(text);
  const name = withoutEnds(text, { end: /\./u }).toLowerCase();
  if (name === '') return refused({ code: 'server-missing' });
  if (isIPv4(name)) return publicAddress(name);
  if (endsInNumber(name)) return refused({ code: 'ipv4-form', host: clipped(name, SHOWN) });
  return parseName(name);
}

function parseIPv6(text: string): HostResult {
  const [address = ''] = text.split('%', 1);
  if (!isIPv6(address)) return refused({ code: 'bad-ipv6', host: clipped(text, SHOWN) });
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1); // RFC 5952
  const result = publicAddress(mappedIPv4(canonical) ?? canonical);
  // A zone id names an interface of the person's own machine.
  return result.ok && address !== text ? refused({ code: 'bad-ipv6', host: clipped(text, SHOWN) }) : result;
}

function publicAddress(host: string): HostResult {
  const range = specialRange(host);
  return range ? refused({ code: 'not-public', host, range }) : { ok: true, host };
}

/** The rule by which URL parsers take a name for an IPv4 address (WHATWG URL, "ends in a number"). */
const endsInNumber = (name: string) => /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/u.test(name);

function parseName(name: string): HostResult {
  // domainToASCII would cut at a slash, decode percent signs, and let underscores and "!" pass.
  const ascii = /^[\p{L}\p{M}\p{N}\p{S}_.·・-]+$/u.test(name) ? domainToASCII(name) : '';
  const host = ascii || clipped(name, SHOWN);
  if (!ascii && name.length > MAX_NAME_LENGTH) {
    return refused({ code: 'name-too-long', length: name.length, most: MAX_NAME_LENGTH });
  }
  if (endsInNumber(ascii)) return refused({ code: 'ipv4-form', host: clipped(name, SHOWN) });
  const labels = ascii.split('.');
  const long = labels.find((label) => label.length > MAX_LABEL_LENGTH);
  if (ascii.length > MAX_NAME_LENGTH) {
    return refused({ code: 'name-too-long', length: ascii.length, most: MAX_NAME_LENGTH });
  }
  if (long !== undefined) {
    const label = clipped(long, SHOWN);
    return refused({ code: 'label-too-long', label, length: long.length, most: MAX_LABEL_LENGTH });
  }
  if (!labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/u.test(label))) {
    return refused({ code: 'bad-name', host });
  }
  const zone = reservedZone(ascii);
  if (zone) return refused({ code: 'reserved-name', host, zone });
  if (labels.length < 2) return refused({ code: 'single-label', host });
  if (labels[0]?.startsWith('_')) return refused({ code: 'service-name', host });
  return { ok: true, host };
}

/**
 * Top-level names that mean nothing on the internet. Sources: RFC 6761 (localhost, test, invalid, example),
 * RFC 6762 §3 and appendix G (local; lan, home, corp, intranet, private), RFC 7686 (onion), RFC 8375
 * (home.arpa), RFC 9476 (alt), ICANN resolution 2024.07.29.06 (internal); localdomain is a usual default.
 */
const RESERVED_ZONES = new Set(
  'localhost test invalid example local lan home corp intranet private onion alt internal localdomain arpa'.split(
    ' ',
  ),
);

/** @returns the reserved top-level name that `name` (lower case) ends in; example.com and its kin are ordinary names */
function reservedZone(name: string): string | undefined {
  const zone = name.slice(name.lastIndexOf('.') + 1);
  return !isIPv4(name) && RESERVED_ZONES.has(zone) ? zone : undefined;
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
