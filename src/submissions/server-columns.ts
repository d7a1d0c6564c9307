import {
  isFailure,
  knownError,
  NOT_SENT_REASONS,
  type ServerSubmission,
  storedMessage,
  UNKNOWN_REASONS,
  type UnknownOutcome,
} from '../listing/contract.ts';
import type { ServersTable, SubmissionsTable } from '../storage/tables.ts';
import { storedReason } from './decline-reason.ts';
import { NOT_APPROVED_REASONS, type ServerOutcome } from './outcome.ts';

/** The outcome of a server if the process died while sending it, or if the real outcome could not be recorded. */
export const INTERRUPTED: UnknownOutcome = { kind: 'unknown', reason: 'stopping' };

export type ServerColumns = Pick<ServersTable, 'host' | 'port' | 'query_port' | 'game'>;

export function storedServer({ host, port, query_port, game }: ServerColumns): ServerSubmission {
  return { server: host, port, ...(query_port !== null && { queryPort: query_port }), game };
}

const ALL_NOT_SENT = [...NOT_SENT_REASONS, ...NOT_APPROVED_REASONS];

export type OutcomeColumns = Pick<ServersTable, 'outcome' | 'message' | 'reason'>;

export function outcomeToStore(outcome: ServerOutcome): OutcomeColumns {
  if (isFailure(outcome)) return { outcome: outcome.kind, message: null, reason: outcome.reason };
  return { outcome: outcome.kind, message: storedMessage(outcome.message), reason: null };
}

export function storedOutcome({ outcome, message, reason }: OutcomeColumns): ServerOutcome | undefined {
  const said = message ?? '';
  switch (outcome) {
    case null:
      return undefined;
    case 'accepted':
      return { kind: 'accepted', message: said };
    case 'rejected': {
      const known = knownError(said);
      return { kind: 'rejected', message: said, ...(known && { known }) };
    }
    case 'not-sent':
      return { kind: outcome, reason: ALL_NOT_SENT.find((known) => known === reason) ?? 'bot' };
    case 'unknown':
      return { kind: outcome, reason: UNKNOWN_REASONS.find((known) => known === reason) ?? 'unreadable' };
  }
}

export type PeopleColumns = Pick<
  SubmissionsTable,
  'user_id' | 'user_name' | 'decided_by' | 'decided_by_name'
> &
  Pick<SubmissionsTable, 'decline_reason' | 'decline_reason_key' | 'corrected_from'>;

export type People = ReturnType<typeof storedPeople>;

export const storedPeople = (row: PeopleColumns) => ({
  userId: row.user_id ?? '',
  userName: row.user_name ?? '',
  decidedBy: row.decided_by ?? '',
  decidedByName: row.decided_by_name ?? '',
  declineReason: storedReason(row),
  correctedFrom: row.corrected_from ? (JSON.parse(row.corrected_from) as ServerSubmission) : undefined,
});
