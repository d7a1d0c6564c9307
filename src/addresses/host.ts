import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { withoutEnds } from './pasted-text.ts';
import { type AddressRange, mappedIPv4, specialRange } from './special-ranges.ts';

export type HostProblem =
  | { readonly code: 'server-missing' }
  /** A malformed IPv4 address. Short forms such as `127.1`, leading zeros and numbers over 255 are rejected. */
  | { readonly code: 'ipv4-form'; readonly host: string }
  | { readonly code: 'bad-ipv6'; readonly host: string }
  | { readonly code: 'not-public'; readonly host: string; readonly range: AddressRange }
  /** `zone` is the top-level name, such as `local`. */
  | { readonly code: 'reserved-name'; readonly host: string; readonly zone: string }
  /** The name is without dots, so it only works within the user's own network. */
  | { readonly code: 'single-label'; readonly host: string }
  /** The name is that of an SRV record (`_minecraft._tcp.…`), not of a host. */
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

/** RFC 1035 §2.3.4 limits a name to 255 octets in a DNS message, which is 253 characters as text. */
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

const invalid = (problem: HostProblem): HostResult => ({ ok: false, problem });

/**
 * Parses a host. Returns its canonical form, or the reason why it isn't a public host. Canonical IPv6 is compressed and in
 * lower case, and an IPv4-mapped address becomes IPv4. Canonical names are lower-case punycode without a trailing dot.
 * @param text an IPv4 address, an IPv6 address without brackets, or a name
 */
export function parseHost(text: string): HostResult {
  if (text.includes(':')) return parseIPv6(text);
  const name = withoutEnds(text, { end: /\./u }).toLowerCase();
  if (name === '') return invalid({ code: 'server-missing' });
  if (isIPv4(name)) return publicAddress(name);
  if (endsInNumber(name) || MASKED.test(name)) return invalid({ code: 'ipv4-form', host: name });
  return parseName(name);
}

/** An IPv4 address with masked parts, such as `51.222.21.xxx`. */
const MASKED = /^[\dx]{1,3}(?:\.[\dx]{1,3}){3}$/u;

function parseIPv6(text: string): HostResult {
  const [address = ''] = text.split('%', 1);
  if (!isIPv6(address)) return invalid({ code: 'bad-ipv6', host: text });
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1); // RFC 5952
  const result = publicAddress(mappedIPv4(canonical) ?? canonical);
  // A zone ID names an interface on the user's own machine, so it's useless to anyone else.
  return result.ok && address !== text ? invalid({ code: 'bad-ipv6', host: text }) : result;
}

function publicAddress(host: string): HostResult {
  const range = specialRange(host);
  return range ? invalid({ code: 'not-public', host, range }) : { ok: true, host };
}

/** Whether URL parsers would read a name as an IPv4 address (WHATWG URL, "ends in a number"). */
const endsInNumber = (name: string) => /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/u.test(name);

function parseName(name: string): HostResult {
  // Unexpected characters aren't passed to domainToASCII, which cuts names off at a slash, decodes `%` and accepts "!".
  const ascii = /^[\p{L}\p{M}\p{N}\p{S}_.·・-]+$/u.test(name) ? domainToASCII(name) : '';
  const host = ascii || name;
  if (host.length > MAX_NAME_LENGTH) {
    return invalid({ code: 'name-too-long', length: host.length, most: MAX_NAME_LENGTH });
  }
  if (endsInNumber(ascii)) return invalid({ code: 'ipv4-form', host: name });
  const labels = ascii.split('.');
  const label = labels.find(({ length }) => length > MAX_LABEL_LENGTH);
  if (label !== undefined) {
    return invalid({ code: 'label-too-long', label, length: label.length, most: MAX_LABEL_LENGTH });
  }
  if (!labels.every((each) => /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/u.test(each))) {
    return invalid({ code: 'bad-name', host });
  }
  const zone = labels.at(-1) ?? '';
  if (RESERVED_ZONES.has(zone)) return invalid({ code: 'reserved-name', host, zone });
  if (labels.length < 2) return invalid({ code: 'single-label', host });
  // Top-level names don't contain digits, except in punycode (IANA, root zone).
  if (/\d/u.test(zone) && !zone.startsWith('xn--')) return invalid({ code: 'bad-name', host });
  if (labels[0]?.startsWith('_')) return invalid({ code: 'service-name', host });
  return { ok: true, host };
}

/**
 * Top-level names that don't exist on the public internet. Sources: RFC 6761 (localhost, test, invalid, example), RFC 6762
 * §3 and appendix G (local; lan, home, corp, intranet, private), RFC 7686 (onion), RFC 8375 (home.arpa), RFC 9476 (alt),
 * ICANN resolution 2024.07.29.06 (internal). localdomain is a common default.
 */
const RESERVED_ZONES = new Set([
  ...['localhost', 'test', 'invalid', 'example'],
  ...['local', 'lan', 'home', 'corp', 'intranet', 'private'],
  ...['onion', 'arpa', 'alt', 'internal', 'localdomain'],
]);
