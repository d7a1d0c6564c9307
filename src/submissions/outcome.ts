import type { Outcome } from '../listing/contract.ts';

/** Why a server was not sent that waited for a moderator. */
export const NOT_APPROVED_REASONS = [
  'declined', // by a moderator of the guild
  'expired', // no moderator has decided in time
] as const;

/** Nothing of it was sent, since no moderator approved it. */
export interface NotApproved {
  readonly kind: 'not-sent';
  readonly reason: (typeof NOT_APPROVED_REASONS)[number];
}

/** The outcome of a server that was submitted: that of its request, unless a moderator had to approve it and did not. */
export type ServerOutcome = Outcome | NotApproved;

/** Whether this is the outcome because of the guild's key, so that an admin has to act. */
export function isAboutKey(outcome: ServerOutcome): boolean {
  if (outcome.kind === 'rejected') return outcome.known === 'invalidKey';
  return outcome.kind === 'not-sent' && outcome.reason === 'key';
}
