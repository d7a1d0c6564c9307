import { isIP, isIPv6 } from 'node:net';
import { type AddressProblem, parseAddress } from '../src/addresses/address.ts';
import type { BlockTarget } from '../src/guilds/blocks.ts';

export type BlockTargetProblem =
  | AddressProblem
  /** `range-in-link`: the text could also be a link to a web page of a single address. */
  | { readonly code: 'range-too-wide' | 'range-in-link' };

type BlockTargetResult =
  | { readonly ok: true; readonly target: BlockTarget }
  | { readonly ok: false; readonly problem: BlockTargetProblem };

/** The prefixes of ranges that can be blocked, in bits, from the widest range to a single address. */
const PREFIXES = { 4: [16, 32], 6: [32, 128] } as const;

/** A web link, whose host moderators can block although it isn't a game server's address, or a pattern for subdomains. */
const WRAPPED_HOST = /^(?:https?:\/\/|\*\.)([^/?#]+).*$/isu;
const WRAPPED_RANGE = /^(?:https?:\/\/|\*\.)\[?([\d.:a-f]+)\]?\/\d{1,3}\/?$/iu;

/** Parses a user id or mention, a host in any form in which people paste it, or a range of addresses. */
export function readBlockTarget(typed: string): BlockTargetResult {
  const text = typed.trim();
  const [, id] = /^(?:<@!?)?(\d{17,20})>?$/u.exec(text) ?? [];
  if (id !== undefined) return { ok: true, target: { kind: 'member', id } };
  const [, network = '', bits] = /^([\d.:a-f]+)\/(\d{1,3})$/iu.exec(text) ?? [];
  if (isIP(network) !== 0) {
    const [widest, longest] = PREFIXES[isIPv6(network) ? 6 : 4];
    const prefix = Number(bits);
    if (prefix < widest || prefix > longest) return { ok: false, problem: { code: 'range-too-wide' } };
    return { ok: true, target: { kind: 'host', host: `${network.toLowerCase()}/${prefix}` } };
  }
  const [, wrapped = ''] = WRAPPED_RANGE.exec(text) ?? [];
  if (isIP(wrapped) !== 0) return { ok: false, problem: { code: 'range-in-link' } };
  const parsed = parseAddress(text.replace(WRAPPED_HOST, '$1'));
  return parsed.ok ? { ok: true, target: { kind: 'host', host: parsed.address.host } } : parsed;
}
