import { BlockList } from 'node:net';

/** Why an address isn't public. `shared`: carrier-grade NAT. `special`: has a special purpose, such as documentation. */
export type AddressRange = 'private' | 'loopback' | 'shared' | 'special' | 'reserved';

/**
 * Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries (2025-10-09; entries that aren't "globally reachable"),
 * IANA multicast address spaces, RFC 3879 (site-local). The first matching range applies.
 */
const RANGES: readonly (readonly [AddressRange, readonly string[]])[] = [
  // Line by line: unspecified, broadcast and multicast; documentation; benchmarking.
  ['special', ['0.0.0.0/8', '::/128', '255.255.255.255/32', '224.0.0.0/4', 'ff00::/8']],
  ['special', ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20']],
  ['special', ['198.18.0.0/15', '2001:2::/48']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  // Line by line: private and site-local; link-local and unique local.
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fec0::/10']],
  ['private', ['169.254.0.0/16', 'fe80::/10', 'fc00::/7']],
  ['shared', ['100.64.0.0/10']],
  // Protocol assignments, AS112, the old 6to4 relay, future use, ORCHID and drone remote IDs.
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
/** For a quick check, because most addresses aren't in any range. */
const SPECIAL = listOf(RANGES.flatMap(([, subnets]) => subnets));
const GLOBAL_UNICAST = listOf(['2000::/3', '64:ff9b::/96']); // IANA IPv6 Address Space; RFC 6052
const TEREDO = listOf(['2001::/32']);
const SIX_TO_FOUR = listOf(['2002::/16']);
const NAT64 = listOf(['64:ff9b::/96']);

/**
 * Returns the special range that an address belongs to, or `undefined` if the address is public. For an IPv6 address that
 * contains an IPv4 address (6to4, Teredo, NAT64), returns the range of the IPv4 address.
 * @param address a canonical IPv4 or IPv6 address
 */
export function specialRange(address: string): AddressRange | undefined {
  const family = familyOf(address);
  if (SPECIAL.check(address, family)) return LISTS.find(([, list]) => list.check(address, family))?.[0];
  if (family === 'ipv4') return undefined;
  if (!GLOBAL_UNICAST.check(address, 'ipv6')) return 'reserved';
  return embeddedIPv4(address)
    .map(specialRange)
    .find((range) => range !== undefined);
}

/** Returns the IPv4 address from an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). Both refer to the same host. */
export function mappedIPv4(address: string): string | undefined {
  const words = wordsOf(address);
  return words.slice(0, 6).join() === '0,0,0,0,0,65535' ? dotted(words[6], words[7]) : undefined;
}

function embeddedIPv4(address: string): string[] {
  const words = wordsOf(address);
  if (SIX_TO_FOUR.check(address, 'ipv6')) return [dotted(words[1], words[2])]; // RFC 3056 §2
  if (NAT64.check(address, 'ipv6')) return [dotted(words[6], words[7])]; // RFC 6052 §2.2
  if (!TEREDO.check(address, 'ipv6')) return [];
  // RFC 4380 §4: a Teredo address contains the server's address unchanged, and the client's with all bits flipped.
  return [dotted(words[2], words[3]), dotted(~(words[6] ?? 0) & 0xffff, ~(words[7] ?? 0) & 0xffff)];
}

const dotted = (high = 0, low = 0) => [high >> 8, high & 255, low >> 8, low & 255].join('.');

function wordsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const read = (part: string) => (part ? part.split(':').map((word) => Number.parseInt(word, 16)) : []);
  const first = read(head);
  const last = read(tail ?? '');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array<number>(zeros).fill(0), ...last];
}
