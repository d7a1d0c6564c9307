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

/** If the service fails to respond this many times in a row, the submission sends no further requests. */
const MOST_SILENCES = 2;
/**
 * The maximum number of requests of one submission that are split in half after a rejection for a reason other than a game.
 * Finding one bad line among 100 takes 7 splits. If the service rejects everything, it must not receive two thousand
 * requests.
 */
const MOST_HALVINGS = 200;

/**
 * Plans the requests of a submission, with at most 100 servers each, in their order.
 * The service returns one outcome for a whole request, and doesn't add any server of a rejected request (specification
 * §4.1). If one server may be the reason for a rejection, the two halves of the request are sent separately. This applies
 * to the five known reasons, except the key and the empty list, and to every unknown text, such as one about a port (§7
 * allows others). A server of a request that was accepted, or may have been, is never sent again.
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

  /** Ends the servers of games that the service doesn't know, because another request with them would be rejected too. */
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
     * Returns the servers of the next request; `undefined` if all servers have an outcome. The result stays the same until
     * {@link recordOutcome} is called.
     */
    next: (): readonly number[] | undefined => pending[0],
    /**
     * Records the outcome of the next request.
     * @returns the servers that get an outcome, including some of later requests
     */
    recordOutcome(outcome: Outcome): readonly SharedOutcome[] {
      const indices = pending.shift() ?? [];
      const isAnswered = outcome.kind === 'accepted' || outcome.kind === 'rejected';
      silences = isAnswered ? 0 : silences + 1;
      if (outcome.kind === 'rejected') return rejected(indices, outcome);
      const ended: SharedOutcome = { indices, outcome };
      // The bot wouldn't send the next request either, for the same reason.
      if (outcome.kind === 'not-sent' && !neverConnected(outcome)) return [ended, ...endAll(outcome)];
      return silences < MOST_SILENCES ? [ended] : [ended, ...endAll(notSent('service'))];
    },
  };
}

const halves = (indices: readonly number[]) => chunksOf(indices, Math.ceil(indices.length / 2));
