import { isDeepStrictEqual } from 'node:util';
import type { Outcome, Unknown } from '../listing/contract.ts';
import type { Run } from './order.ts';
import type { SubmissionRecord } from './record.ts';

/** Of what had left when the bot was stopped. */
export const INTERRUPTED: Unknown = {
  kind: 'unknown',
  reason: 'aborted',
  detail: 'the bot was stopped while it waited for the answer',
};

/** The positions of a draft's servers that are to be submitted. */
export const toSend = ({ servers, again }: SubmissionRecord): readonly number[] =>
  servers
    .filter(({ submission, submitted_before }) => submission.game !== '' && (again || !submitted_before))
    .map(({ position }) => position);

/** What is to be carried on with of a record: what may have left is never sent again. */
export function toResume({
  id,
  state,
  draft,
  servers,
  startedAt = 0,
}: SubmissionRecord): Omit<Run, 'announce'> {
  const chosen = servers.filter(({ outcome, reserved_at }) => outcome || reserved_at !== null);
  const known = new Map(
    chosen.flatMap(({ outcome, sent_at }, place) => {
      const ended = outcome ?? (sent_at === null ? undefined : INTERRUPTED);
      return ended ? [[place, ended] as const] : [];
    }),
  );
  return {
    ...{ id, draft, startedAt, known },
    isOver: state === 'done',
    firstPlaces: [],
    isResumed: known.size > 0,
    positions: chosen.map(({ position }) => position),
    servers: chosen.map(({ submission }) => submission),
  };
}

/** Outcomes that are not known yet, each with the places that had it: a thousand servers have a handful. */
export function grouped(
  outcomes: ReadonlyMap<number, Outcome>,
  known: ReadonlySet<number>,
): ReadonlyMap<Outcome, readonly number[]> {
  const groups = new Map<Outcome, number[]>();
  for (const [place, outcome] of outcomes) {
    if (known.has(place)) continue;
    const group = [...groups.keys()].findLast((each) => isDeepStrictEqual(each, outcome)) ?? outcome;
    groups.set(group, [...(groups.get(group) ?? []), place]);
  }
  return groups;
}

/** How long Discord lets an interaction be answered, in milliseconds (Discord docs: Receiving and Responding). */
const ANSWER_WITHIN_MS = 15 * 60_000;
/** Of those, what is kept for delivering the answer, with a few more tries. */
const DELIVERY_MS = 60_000;

/** When the last request may leave, so that its answer can still be told. In milliseconds since 1970. */
export const lastStartOf = ({ startedAt }: Run, longestRequestMs: number): number =>
  startedAt + ANSWER_WITHIN_MS - DELIVERY_MS - longestRequestMs;
