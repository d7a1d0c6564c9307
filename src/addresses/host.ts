import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { clipped, withoutEnds } from './pasted-text.ts';

export type HostProblem =
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

const refused = (problem: HostProblem): HostResult => ({ ok: false, problem });

/**
 * @param text a host on its own: an IPv4 address, an IPv6 address without brackets, or a name
 * @returns the canonical form: IPv6 compressed and lower case (an IPv4-mapped one as the IPv4 address),
 *   names in lower case and punycode without a trailing dot; or why it is no public host
 */
export function parseHost(text: string): HostResult {
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

/** Why an address cannot be reached from the internet. */
export type AddressRange =
  | 'private'
  | 'loopback'
  | 'link-local'
  | 'shared' // carrier-grade NAT
  | 'multicast'
  | 'documentation'
  | 'benchmarking'
  | 'broadcast'
  | 'unspecified'
  | 'unique-local'
  | 'reserved';

/**
 * Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (of 2025-10-09; what is not "globally
 * reachable"), IANA multicast address spaces, RFC 3879 (site-local). The first match counts.
 */
const RANGES: readonly (readonly [AddressRange, readonly string[]])[] = [
  ['unspecified', ['0.0.0.0/8', '::/128']],
  ['broadcast', ['255.255.255.255/32']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fec0::/10']],
  ['shared', ['100.64.0.0/10']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['unique-local', ['fc00::/7']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  ['documentation', ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20']],
  ['benchmarking', ['198.18.0.0/15', '2001:2::/48']],
  // Protocol assignments, the 6to4 relay, future use; ORCHID, drone ids, AS112; segment routing ids.
  ['reserved', ['192.0.0.0/24', '192.88.99.0/24', '192.31.196.0/24', '192.175.48.0/24', '240.0.0.0/4']],
  ['reserved', ['2001:1::/32', '2001:4:112::/48', '2001:10::/28', '2001:20::/28', '2001:30::/28']],
  ['reserved', ['2620:4f:8000::/48']],
];

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), familyOf(network));
  }
  return list;
}

const LISTS = RANGES.map(([range, subnets]) => [range, listOf(subnets)] as const);
const GLOBAL_UNICAST = listOf(['2000::/3', '64:ff9b::/96']); // IANA IPv6 Address Space; RFC 6052
const TEREDO = listOf(['2001::/32']);
const SIX_TO_FOUR = listOf(['2002::/16']);
const NAT64 = listOf(['64:ff9b::/96']);

/**
 * @param address a canonical IPv4 or IPv6 address
 * @returns the range it lies in when it is not one of the public internet; an IPv6 address that carries an
 *   IPv4 address (6to4, Teredo, NAT64) lies where that one does
 */
export function specialRange(address: string): AddressRange | undefined {
  const family = familyOf(address);
  const found = LISTS.find(([, list]) => list.check(address, family))?.[0];
  if (found || family === 'ipv4') return found;
  if (!GLOBAL_UNICAST.check(address, 'ipv6')) return 'reserved';
  return embeddedIPv4(address)
    .map(specialRange)
    .find((range) => range !== undefined);
}

/** The address of an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), which is the IPv4 host itself. */
export function mappedIPv4(address: string): string | undefined {
  const words = wordsOf(address);
  return words.slice(0, 6).join() === '0,0,0,0,0,65535' ? dotted(words[6], words[7]) : undefined;
}

function embeddedIPv4(address: string): string[] {
  const words = wordsOf(address);
  if (SIX_TO_FOUR.check(address, 'ipv6')) return [dotted(words[1], words[2])]; // RFC 3056 §2
  if (NAT64.check(address, 'ipv6')) return [dotted(words[6], words[7])]; // RFC 6052 §2.2
  if (!TEREDO.check(address, 'ipv6')) return [];
  // RFC 4380 §4: the server as it is, the client with all bits flipped.
  return [dotted(words[2], words[3]), dotted(~(words[6] ?? 0) & 0xffff, ~(words[7] ?? 0) & 0xffff)];
}

const dotted = (high = 0, low = 0) => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** The eight 16-bit words of an IPv6 address in hexadecimal form. */
function wordsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const read = (part: string) => (part ? part.split(':').map((word) => Number.parseInt(word, 16)) : []);
  const [first, last] = [read(head), read(tail ?? '')];
  return [
    ...first,
    ...Array<number>(tail === undefined ? 0 : 8 - first.length - last.length).fill(0),
    ...last,
  ];
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
export function reservedZone(name: string): string | undefined {
  const zone = name.slice(name.lastIndexOf('.') + 1);
  return !isIPv4(name) && RESERVED_ZONES.has(zone) ? zone : undefined;
}
