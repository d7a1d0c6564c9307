import { chunksOf } from '../chunks.ts';
import {
  MAX_SERVERS_PER_REQUEST,
  neverConnected,
  notSent,
  type Outcome,
  type RejectedOutcome,
  type ServerSubmission,
} from '../listing/contract.ts';

/** Servers with the same outcome, by their indices. */
export interface SharedOutcome {
  readonly indices: readonly number[];
  readonly outcome: Outcome;
}

/** How many times in a row the service can fail to respond before the submission sends no further request. */
const MOST_SILENCES = 2;
/**
 * How many rejected requests are halved in one submission for a reason other than a game. Finding one bad line among
 * 100 takes 7 of them. A service that rejects everything must not get two thousand requests.
 */
const MOST_HALVINGS = 200;

/**
 * Plans the requests of a submission: at most 100 servers in each, in their order.
 *
 * The service returns one outcome for a whole request, and doesn't add any server of a rejected request (specification
 * §4.1). So the halves of a rejected request are sent if one server may be the reason. That includes the five known
 * reasons, except the key and the empty list, and every unknown text, such as one about a port (§7 leaves those open).
 * No server of a request that was accepted, or may have been, is sent twice.
 */
export function createRequestPlan(servers: readonly Pick<ServerSubmission, 'game'>[]) {
  /** Requests that are still to be made. */
  let pending = [...chunksOf([...servers.keys()], MAX_SERVERS_PER_REQUEST)];
  let silences = 0;
  let halvings = 0;
  const gameOf = (index: number) => servers[index]?.game ?? '';

  function endAll(outcome: Outcome): readonly SharedOutcome[] {
    const indices = pending.flat();
    pending = [];
    return indices.length === 0 ? [] : [{ indices, outcome }];
  }

  /**
   * Ends the servers of games that the service doesn't know, because another request with them would also be rejected.
   */
  function endGames(games: ReadonlySet<string>, outcome: Outcome): readonly SharedOutcome[] {
    const gameIndices = pending.flat().filter((index) => games.has(gameOf(index)));
    pending = pending
      .map((request) => request.filter((index) => !games.has(gameOf(index))))
      .filter((request) => request.length > 0);
    return gameIndices.length === 0 ? [] : [{ indices: gameIndices, outcome }];
  }

  function rejected(
    indices: readonly number[],
    { message, known }: RejectedOutcome,
  ): readonly SharedOutcome[] {
    const outcome: RejectedOutcome = { kind: 'rejected', message, ...(known && { known }) };
    const ended: SharedOutcome = { indices, outcome };
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
    /**
     * Returns the servers of the next request; `undefined` if all servers have ended. Stays the same until {@link
     * recordOutcome} is called.
     */
    next: (): readonly number[] | undefined => pending[0],
    /**
     * Records the outcome of the next request.
     * @returns the servers that it ends, including some of later requests
     */
    recordOutcome(outcome: Outcome): readonly SharedOutcome[] {
      const indices = pending.shift() ?? [];
      const isAnswered = outcome.kind === 'accepted' || outcome.kind === 'rejected';
      silences = isAnswered ? 0 : silences + 1;
      if (outcome.kind === 'rejected') return rejected(indices, outcome);
      const ended: SharedOutcome = { indices, outcome };
      // The next request would not be sent either, for the same reason.
      if (outcome.kind === 'not-sent' && !neverConnected(outcome)) return [ended, ...endAll(outcome)];
      return silences < MOST_SILENCES ? [ended] : [ended, ...endAll(notSent('service'))];
    },
  };
}

const halves = (indices: readonly number[]) => chunksOf(indices, Math.ceil(indices.length / 2));
