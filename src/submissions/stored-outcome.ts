import { type Failure, KNOWN_ERRORS, type KnownError } from '../listing/contract.ts';
import type { ServersTable } from '../storage/tables.ts';
import type { Halt, ServerOutcome } from './submit-all.ts';

/** Code points of the service's words that are kept: the specification's own messages have at most 45. */
export const MAX_MESSAGE = 300;

/** How a server ended, from its row; `undefined` when it has not. */
export function outcomeOf({
  outcome,
  message,
  reason,
}: Pick<ServersTable, 'outcome' | 'message' | 'reason'>): ServerOutcome | undefined {
  const said = message ?? '';
  switch (outcome) {
    case null:
      return undefined;
    case 'accepted':
      return { kind: 'accepted', message: said };
    case 'rejected': {
      const known = (Object.keys(KNOWN_ERRORS) as KnownError[]).find((error) => KNOWN_ERRORS[error] === said);
      return { kind: 'rejected', message: said, ...(known && { known }) };
    }
    case 'not-sent':
      return { kind: 'not-sent', why: reason === null ? 'bot' : (JSON.parse(reason) as Halt | Failure) };
    case 'unknown':
      return { kind: 'unknown', why: reason === null ? NOBODY_KNOWS : (JSON.parse(reason) as Failure) };
  }
}

/** Of what a former version has kept. */
const NOBODY_KNOWS: Failure = { kind: 'unknown', reason: 'reset', detail: 'not kept' };
