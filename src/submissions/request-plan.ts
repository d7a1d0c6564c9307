import {
  failedToConnect,
  MAX_SERVERS_PER_REQUEST,
  notSent,
  type Outcome,
  type RejectedOutcome,
  type ServerSubmission,
} from '../listing/contract.ts';
import { chunksOf } from '../pacing/chunks.ts';

export interface SharedOutcome {
  readonly indices: readonly number[];
  readonly outcome: Outcome;
}

const MAX_CONSECUTIVE_UNANSWERED = 2;
/**
 * How often a submission can split a rejected request in half. Rejections because of a game don't count. Finding one
 * invalid server among 100 takes 7 splits. The limit prevents thousands of requests if the service rejects everything.
 */
const MAX_HALVINGS = 200;

/**
 * Plans the requests of a submission. The servers keep their order, and each request has at most 100 of them. The service
 * returns a single outcome for a whole request, and doesn't add any of the servers if it rejects the request (specification
 * §4.1). If a single server may have caused the rejection, the request is split in half, and both halves are sent
 * separately. This applies to every rejection except an invalid key, an empty list and a rate limit. It includes unknown
 * messages, for example about a port (§7 allows new messages). Servers in a request that was or may have been accepted are
 * never resent.
 */
export function createRequestPlan(servers: readonly Pick<ServerSubmission, 'game'>[]) {
  let pending = [...chunksOf([...servers.keys()], MAX_SERVERS_PER_REQUEST)];
  let consecutiveUnanswered = 0;
  let halvings = 0;
  const gameOf = (index: number) => servers[index]?.game ?? '';

  /** Gives an outcome to the pending servers, or only to those of one game. Their requests aren't made. */
  function endPending(outcome: Outcome, game?: string): readonly SharedOutcome[] {
    const isEnded = (index: number) => game === undefined || gameOf(index) === game;
    const indices = pending.flat().filter(isEnded);
    pending = pending
      .map((request) => request.filter((index) => !isEnded(index)))
      .filter((request) => request.length > 0);
    return indices.length === 0 ? [] : [{ indices, outcome }];
  }

  function rejected(
    indices: readonly number[],
    { message, known, retryAfterMs }: RejectedOutcome,
  ): readonly SharedOutcome[] {
    const outcome: RejectedOutcome = { kind: 'rejected', message, ...(known && { known }) };
    const ended: SharedOutcome = { indices, outcome };
    if (known === 'invalidKey') return [ended, ...endPending(notSent('key'))];
    if (known === 'gameInvalid') {
      const [game, ...others] = new Set(indices.map(gameOf));
      // The service would reject the game's other servers too.
      if (others.length === 0) return [ended, ...endPending(outcome, game)];
      pending.unshift(...halves(indices));
      return [];
    }
    // More requests would only exceed the service's rate limit further.
    if (retryAfterMs !== undefined) return [ended];
    if (known === 'emptyList' || indices.length === 1 || halvings === MAX_HALVINGS) return [ended];
    halvings += 1;
    pending.unshift(...halves(indices));
    return [];
  }

  return {
    /**
     * Returns the current request's servers, or `undefined` at the end. {@link recordOutcome} advances to the next request.
     */
    next: (): readonly number[] | undefined => pending[0],
    /**
     * Records the outcome of the request returned by `next`.
     * @returns the servers that now have an outcome, which may include servers of later requests
     */
    recordOutcome(outcome: Outcome): readonly SharedOutcome[] {
      const indices = pending.shift() ?? [];
      const isAnswered = outcome.kind === 'accepted' || outcome.kind === 'rejected';
      consecutiveUnanswered = isAnswered ? 0 : consecutiveUnanswered + 1;
      if (outcome.kind === 'rejected') return rejected(indices, outcome);
      const ended: SharedOutcome = { indices, outcome };
      // Doesn't send the remaining requests, because they would fail for the same reason.
      if (outcome.kind === 'not-sent' && !failedToConnect(outcome)) return [ended, ...endPending(outcome)];
      return consecutiveUnanswered < MAX_CONSECUTIVE_UNANSWERED
        ? [ended]
        : [ended, ...endPending(notSent('service'))];
    },
  };
}

const halves = (indices: readonly number[]) => chunksOf(indices, Math.ceil(indices.length / 2));
