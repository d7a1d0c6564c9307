import type { Outcome } from '../listing/contract.ts';

export const NOT_APPROVED_REASONS = [
  'declined', // a moderator declined the submission
  'expired', // no moderator decided in time
] as const;

export interface NotApprovedOutcome {
  readonly kind: 'not-sent';
  readonly reason: (typeof NOT_APPROVED_REASONS)[number];
  readonly retryAfterMs?: undefined;
}

export type ServerOutcome = Outcome | NotApprovedOutcome;

export type OutcomeCounts = Readonly<Partial<Record<ServerOutcome['kind'], number>>>;

export function countOutcomes(servers: readonly { readonly outcome: ServerOutcome }[]): OutcomeCounts {
  const counts: Partial<Record<ServerOutcome['kind'], number>> = {};
  for (const { outcome } of servers) counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
  return counts;
}

/** An admin has to act on such an outcome. */
export function isAboutKey(outcome: ServerOutcome): boolean {
  if (outcome.kind === 'rejected') return outcome.known === 'invalidKey';
  return outcome.kind === 'not-sent' && outcome.reason === 'key';
}

export const isDeclined = (outcome: ServerOutcome): boolean =>
  outcome.kind === 'not-sent' && outcome.reason === 'declined';
