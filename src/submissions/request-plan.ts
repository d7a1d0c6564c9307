import {
  MAX_SERVERS_PER_REQUEST,
  neverConnected,
  notSent,
  type Outcome,
  type Rejected,
  type ServerSubmission,
} from '../listing/contract.ts';

/** Servers that have ended alike, by their indices. */
export interface EndedServers {
  readonly indices: readonly number[];
  readonly outcome: Outcome;
}

export type RequestPlan = ReturnType<typeof createRequestPlan>;

/** A service that does not answer twice in a row is not asked a third time. */
const MOST_SILENCES = 2;
/**
 * Rejected requests that are halved in one submission for a reason other than a game. A bad line among 100 is found
 * with 7 of them; a service that rejects everything must not be asked two thousand times.
 */
const MOST_HALVINGS = 200;

/**
 * Which servers of a submission go in which request, at most 100 in each, in their order.
 *
 * The service gives one outcome for a whole request and carries a rejected one out in no part (specification §4.1),
 * so a rejected request goes again in halves where its reason can be one server's: all of the five known reasons
 * but the key and the empty list, and every text that is not known, such as one about a port (§7 leaves those open).
 * Nothing of a request that was accepted, or may have been, goes again.
 */
export function createRequestPlan(servers: readonly Pick<ServerSubmission, 'game'>[]) {
  /** Requests that are still to be made. */
  let pending = inRequests([...servers.keys()]);
  let silences = 0;
  let halvings = 0;
  const gameOf = (index: number) => servers[index]?.game ?? '';

  function endAll(outcome: Outcome): readonly EndedServers[] {
    const indices = pending.flat();
    pending = [];
    return indices.length === 0 ? [] : [{ indices, outcome }];
  }

  /** The service does not know these games: who asks for one of them need not ask it again. */
  function endGames(games: ReadonlySet<string>, outcome: Outcome): readonly EndedServers[] {
    const ended = pending.flat().filter((index) => games.has(gameOf(index)));
    pending = pending
      .map((request) => request.filter((index) => !games.has(gameOf(index))))
      .filter((request) => request.length > 0);
    return ended.length === 0 ? [] : [{ indices: ended, outcome }];
  }

  function rejected(indices: readonly number[], { message, known }: Rejected): readonly EndedServers[] {
    const outcome: Rejected = { kind: 'rejected', message, ...(known && { known }) };
    const ended: EndedServers = { indices, outcome };
    if (known === 'invalidKey') return [ended, ...endAll(notSent('key'))];
    if (known === 'gameInvalid') {
      const games = new Set(indices.map(gameOf));
      if (games.size === 1) return [ended, ...endGames(games, outcome)];
      pending.unshift(...halves(indices));
      return [];
    }
    if (known === 'emptyList' || indices.length === 1 || halvings === MOST_HALVINGS) return [ended];
    halvings += 1;
    pending.unshift(...halves(indices));
    return [];
  }

  return {
    /** The servers of the next request; `undefined` when all have ended. Asked again, it is the same until it has ended. */
    next: (): readonly number[] | undefined => pending[0],
    /** What came of the next request. @returns what has ended by it, also of servers in later requests */
    ended(outcome: Outcome): readonly EndedServers[] {
      const indices = pending.shift() ?? [];
      const isAnswered = outcome.kind === 'accepted' || outcome.kind === 'rejected';
      silences = isAnswered ? 0 : silences + 1;
      if (outcome.kind === 'rejected') return rejected(indices, outcome);
      const ended: EndedServers = { indices, outcome };
      // The next request would not be sent for the same reason.
      if (outcome.kind === 'not-sent' && !neverConnected(outcome)) return [ended, ...endAll(outcome)];
      return silences < MOST_SILENCES ? [ended] : [ended, ...endAll(notSent('service'))];
    },
  };
}

function inRequests(indices: readonly number[]): (readonly number[])[] {
  const count = Math.ceil(indices.length / MAX_SERVERS_PER_REQUEST);
  return Array.from({ length: count }, (_, i) =>
    indices.slice(i * MAX_SERVERS_PER_REQUEST, (i + 1) * MAX_SERVERS_PER_REQUEST),
  );
}

function halves(indices: readonly number[]): (readonly number[])[] {
  const middle = Math.ceil(indices.length / 2);
  return [indices.slice(0, middle), indices.slice(middle)];
}
