import {
  type Failure,
  KNOWN_ERRORS,
  type KnownError,
  type NotSent,
  type Outcome,
  type Unknown,
} from '../listing/contract.ts';
import type { ServersTable } from '../storage/tables.ts';
import type { Draft } from './draft.ts';

/** Of what had left when the bot was stopped. */
export const INTERRUPTED: Unknown = {
  kind: 'unknown',
  reason: 'aborted',
  detail: 'the bot was stopped while it waited for the answer',
};

/** The key was refused, which says nothing of the servers. */
export const isForKey = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'rejected' && outcome.known === 'invalidKey';

/**
 * Whether a server becomes part of a draft of its own once it has ended: what was refused or not sent, and what a limit
 * held up and so has no outcome; one server for itself also when nobody knows, to be asked for again.
 */
export const isLeft = ({ source }: Pick<Draft, 'source'>, outcome: Outcome | undefined): boolean =>
  outcome?.kind !== 'accepted' && (source === 'options' || outcome?.kind !== 'unknown');

/** Code points of the service's words that are kept: the specification's own messages have at most 45. */
const MAX_MESSAGE = 300;

/** The part of an outcome that is in a server's row. */
type StoredOutcome = Pick<ServersTable, 'outcome' | 'message' | 'reason'>;

export function outcomeToStore(outcome: Outcome): StoredOutcome {
  if ('message' in outcome) {
    const message = [...outcome.message].slice(0, MAX_MESSAGE).join('');
    return { outcome: outcome.kind, message, reason: null };
  }
  const { kind, ...why } = outcome;
  return { outcome: kind, message: null, reason: JSON.stringify(why) };
}

/** The reverse of {@link outcomeToStore}; `undefined` when the server has not ended. */
export function outcomeOf({ outcome, message, reason }: StoredOutcome): Outcome | undefined {
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
    // Version 0.1 kept no reason.
    case 'not-sent':
      return { reason: 'bot', ...reasonOf<NotSent>(reason), kind: outcome };
    case 'unknown':
      return { reason: 'reset', ...reasonOf<Unknown>(reason), kind: outcome };
  }
}

const reasonOf = <Ended extends Failure>(json: string | null): Omit<Ended, 'kind'> | undefined =>
  json === null ? undefined : JSON.parse(json);
