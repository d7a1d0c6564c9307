import { isDeepStrictEqual } from 'node:util';
import {
  type Halt,
  MAX_SERVERS_PER_REQUEST,
  type NotSent,
  type Outcome,
  type Rejected,
  type ServerSubmission,
} from '../listing/contract.ts';

interface SubmitAllOptions {
  /** Sends one request of 1 to 100 servers, or tells why nothing more is sent. */
  readonly send: (
    servers: readonly ServerSubmission[],
    indices: readonly number[],
  ) => Promise<Outcome | Halt>;
  /** Asked before each request. */
  readonly halt?: () => Halt | undefined;
  /** What is known of servers from before, by their indices; they are not sent. */
  readonly known?: ReadonlyMap<number, Outcome>;
  /** Told after each request what is known by then. */
  readonly onOutcomes?: (outcomes: ReadonlyMap<number, Outcome>) => Promise<void> | void;
}

/** A service that does not answer twice in a row is not asked a third time. */
const MOST_SILENCES = 2;
/** Why a request was not sent that the next one would not be sent for either. */
const IN_VAIN: ReadonlySet<string> = new Set(['key-dropped', 'too-late', 'queue-full', 'rate-limited']);
/**
 * Rejected requests that are halved in one submission for a reason other than a game. A bad line among 100 is found
 * with 7 of them; a service that rejects everything must not be asked two thousand times.
 */
const MOST_HALVINGS = 200;

/**
 * Submits any number of servers, at most 100 a request, one request after the other, in order.
 *
 * The service gives one verdict for a whole request and carries a rejected one out in no part (specification §4.1),
 * so a rejected request is sent again in halves where its reason can be one server's: all of the five known reasons
 * but the key and the empty list, and every text that is not known, such as one about a port (§7 leaves those open).
 * Nothing of a request that was accepted, or may have been, is sent again.
 * @returns what came of each server, at its index
 */
export async function submitAll(
  servers: readonly ServerSubmission[],
  { send, halt = () => undefined, known = new Map(), onOutcomes }: SubmitAllOptions,
): Promise<readonly Outcome[]> {
  const outcomes = new Map(known);
  const end = (indices: readonly number[], outcome: Outcome) => {
    for (const index of indices) outcomes.set(index, outcome);
  };
  /** Requests still to be sent, as indices in `servers`; the next one is the first. */
  const pending = chunks([...servers.keys()].filter((index) => !outcomes.has(index)));
  /** Games the service does not know; who asks for one of them need not ask it again. */
  const badGames = new Map<string, Outcome>();
  const gameAt = (index: number) => servers[index]?.game ?? '';
  /** Why nothing more is sent. */
  let halted: NotSent | undefined;
  let silences = 0;
  let halvings = 0;

  function learn(indices: readonly number[], rejection: Rejected): void {
    const games = new Set(indices.map(gameAt));
    const isAboutGame = rejection.known === 'gameInvalid';
    const mayBeHalved = canBeOneLine(rejection) && indices.length > 1 && halvings < MOST_HALVINGS;
    if (isAboutGame ? games.size > 1 : mayBeHalved) {
      if (!isAboutGame) halvings += 1;
      pending.unshift(...halves(indices));
      return;
    }
    const { message, known: error } = rejection;
    const outcome = { kind: 'rejected', message, ...(error && { known: error }) } as const;
    end(indices, outcome);
    if (isAboutGame) for (const game of games) badGames.set(game, outcome);
    if (rejection.known === 'invalidKey') halted = notSent('key');
  }

  for (let next = pending.shift(); next; next = pending.shift()) {
    const reason = halted ? undefined : halt();
    if (reason) halted = notSent(reason);
    for (const index of next) {
      const bad = badGames.get(gameAt(index));
      if (bad) end([index], bad);
    }
    const indices = next.filter((index) => !outcomes.has(index));
    if (indices.length === 0) continue;
    const outcome =
      halted ??
      (await send(
        indices.flatMap((index) => servers[index] ?? []),
        indices,
      ));
    if (typeof outcome === 'string') halted = notSent(outcome);
    if (typeof outcome === 'string' || outcome === halted) {
      if (halted) end(indices, halted);
      continue;
    }
    if (outcome.kind === 'rejected') learn(indices, outcome);
    else end(indices, outcome);
    if (outcome.kind === 'not-sent' && IN_VAIN.has(outcome.reason)) halted ??= outcome;
    silences = outcome.kind === 'accepted' || outcome.kind === 'rejected' ? 0 : silences + 1;
    if (silences === MOST_SILENCES) halted ??= notSent('service');
    await onOutcomes?.(outcomes);
  }
  return servers.map((_, index) => outcomes.get(index) ?? notSent('stopping'));
}

const notSent = (reason: Halt): NotSent => ({ kind: 'not-sent', reason });

const canBeOneLine = ({ known }: Rejected) => known !== 'invalidKey' && known !== 'emptyList';

function chunks(indices: readonly number[]): number[][] {
  const count = Math.ceil(indices.length / MAX_SERVERS_PER_REQUEST);
  return Array.from({ length: count }, (_, i) =>
    indices.slice(i * MAX_SERVERS_PER_REQUEST, (i + 1) * MAX_SERVERS_PER_REQUEST),
  );
}

function halves(indices: readonly number[]): number[][] {
  const middle = Math.ceil(indices.length / 2);
  return [indices.slice(0, middle), indices.slice(middle)];
}

/** Outcomes that are not known yet, each with the indices that had it: a thousand servers have a handful. */
export function grouped(
  outcomes: ReadonlyMap<number, Outcome>,
  known: ReadonlySet<number>,
): ReadonlyMap<Outcome, readonly number[]> {
  const groups = new Map<Outcome, number[]>();
  for (const [index, outcome] of outcomes) {
    if (known.has(index)) continue;
    const group = [...groups.keys()].findLast((each) => isDeepStrictEqual(each, outcome)) ?? outcome;
    groups.set(group, [...(groups.get(group) ?? []), index]);
  }
  return groups;
}
