import { createHash } from 'node:crypto';
import { formatAddress, parseAddress } from '../../src/addresses/address.ts';
import { customId } from '../../src/interactions/controls.ts';
import { writePage } from '../../src/interactions/pager.ts';
import type { FoundOutcome } from '../../src/submissions/history.ts';
import { cut } from '../../src/text/one-line.ts';
import { OUTCOME_KINDS } from '../../src/words/servers.ts';

/** Named as in messages to members. */
export const FOUND_OUTCOMES = [
  ...OUTCOME_KINDS,
  'waiting',
  'declined',
  'withdrawn',
] as const satisfies readonly FoundOutcome[];

/** Empty fields match every entry. */
export interface SubmissionFilter {
  readonly userId: string;
  /** See {@link gameMark}. */
  readonly game: string;
  readonly outcome: FoundOutcome | undefined;
  /** Part of the address. */
  readonly server: string;
}

/** Long enough for IPv6, short enough for a custom id. */
const MAX_ADDRESS_PART_LENGTH = 45;

/**
 * Returns the part of an address to search for. Like /addserver, reads links and addresses in brackets. Other text can be any
 * part of an address.
 */
export function addressPart(typed: string): string {
  const parsed = parseAddress(typed);
  const { host, port } = parsed.ok ? parsed.address : { host: typed.trim() };
  return cut(port === undefined ? host : formatAddress({ host, port }), MAX_ADDRESS_PART_LENGTH);
}

/** Shortens an alias to an 8-character hash, because aliases can be too long for a custom id. */
export const gameMark = (alias: string): string =>
  createHash('sha256').update(alias).digest('base64url').slice(0, 8);

/** Encodes a filter for use in a custom id. A Discord id takes up 13 characters in base 36. */
export function writeFilter({ userId, game, outcome, server }: SubmissionFilter): string {
  return [userId === '' ? '' : BigInt(userId).toString(36), game, outcome ?? '', server].join(':');
}

export const outcomeNamed = (name: string): FoundOutcome | undefined =>
  FOUND_OUTCOMES.find((outcome) => outcome === name);

/** Decodes a filter encoded by {@link writeFilter}. The address can contain colons. */
export function readFilter(state: string): SubmissionFilter {
  const [user = '', game = '', outcome = '', ...server] = state.split(':');
  const id = [...user].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36) || 0), 0n);
  return {
    userId: user === '' ? '' : String(id),
    game,
    outcome: outcomeNamed(outcome),
    server: server.join(':'),
  };
}

/** Used in place of a waiting submission's place, which starts at 1. Moderators start at different submissions. */
export const AT_START = 0;

export const waitingId = (state = ''): string =>
  customId('submissions', 'waiting', writePage(AT_START, state));
