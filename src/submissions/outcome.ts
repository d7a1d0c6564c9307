import type { Outcome } from '../listing/contract.ts';

/** The reasons why a server that was waiting for a moderator wasn't sent. */
export const NOT_APPROVED_REASONS = [
  'declined', // by a moderator of the guild
  'expired', // no moderator decided in time
] as const;

/** The outcome of a server that wasn't sent because no moderator approved it. */
export interface NotApprovedOutcome {
  readonly kind: 'not-sent';
  readonly reason: (typeof NOT_APPROVED_REASONS)[number];
}

/**
 * The outcome of a submitted server. This is the outcome of its request, unless the server needed a moderator's approval
 * and didn't get it.
 */
export type ServerOutcome = Outcome | NotApprovedOutcome;

/** Whether the guild's key caused this outcome, so that an admin has to act. */
export function isAboutKey(outcome: ServerOutcome): boolean {
  if (outcome.kind === 'rejected') return outcome.known === 'invalidKey';
  return outcome.kind === 'not-sent' && outcome.reason === 'key';
}
