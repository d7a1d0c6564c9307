import { setTimeout as sleep } from 'node:timers/promises';
import type { Secret } from '../secret.ts';
import type { Breaker } from './breaker.ts';
import {
  type GamesOutcome,
  isUnreached,
  type ListingApi,
  type NotSent,
  notSent,
  type Outcome,
  type ServerSubmission,
  type Unknown,
} from './contract.ts';
import type { Rests } from './rests.ts';
import type { TurnRequest, Turns } from './turns.ts';

/** Who asks, and until when an answer is of use. */
export type Asker = Omit<TurnRequest, 'kind'>;

/** The listing service behind what keeps one guild's trouble its own: turns, the breaker, rests after a 429. */
export interface GuardedListing {
  /**
   * Submits when it is the guild's turn, and again while nothing of it could be sent.
   * @param keyToLeaveWith called right before each request leaves, after all waiting, to read the key and to record that
   * it leaves; an outcome in its place means that nothing leaves
   */
  add(
    asker: Asker,
    servers: readonly ServerSubmission[],
    keyToLeaveWith: () => Promise<Secret | NotSent>,
  ): Promise<Outcome>;
  /** Reads the games list with a guild's key, also to try the key, and again after a failure that may pass. */
  games(asker: Asker, key: Secret): Promise<GamesOutcome>;
}

export interface GuardedListingDeps {
  readonly api: ListingApi;
  readonly turns: Turns;
  readonly breaker: Breaker;
  readonly rests: Rests;
  /** Milliseconds before the second try; twice that before the third. Half of it is chance. 300. */
  readonly firstWaitMs?: number | undefined;
}

const TRIES = 3;
const FIRST_WAIT_MS = 300;
/** A rest of so many milliseconds is waited for; who has to rest longer is told so. */
const LONGEST_WAIT_MS = 5_000;

export function createGuardedListing(deps: GuardedListingDeps): GuardedListing {
  const { api, turns, breaker, rests, firstWaitMs = FIRST_WAIT_MS } = deps;

  /** One try, when it is the guild's turn and its key does not rest. */
  async function inTurn<Heard extends Outcome | GamesOutcome>(
    request: TurnRequest,
    send: () => Promise<Heard>,
  ): Promise<Heard | NotSent> {
    for (;;) {
      const restMs = rests.left(request.guildId);
      if (restMs > LONGEST_WAIT_MS) return { ...notSent('rate-limited'), retryAfterMs: restMs };
      await sleep(restMs);
      const outcome = await turns.run(request, async () =>
        rests.left(request.guildId) > 0 ? 'rests' : await send(),
      );
      if (outcome === 'rests') continue;
      return typeof outcome === 'string' ? notSent(outcome) : outcome;
    }
  }

  async function withRetries<Heard extends Outcome | GamesOutcome>(
    request: TurnRequest,
    mayPass: (outcome: Heard | NotSent) => boolean,
    send: () => Promise<Heard>,
  ): Promise<Heard | NotSent> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await inTurn(request, send);
      if (isRateLimited(outcome)) rests.rest(request.guildId, retryAfterOf(outcome));
      const isAskedToWait = (retryAfterOf(outcome) ?? 0) > LONGEST_WAIT_MS;
      if (attempt === TRIES || isAskedToWait || !mayPass(outcome)) {
        noteHealth(request.guildId, outcome);
        return outcome;
      }
      await sleep(firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  /** What never reached the service for a reason of ours says nothing about the service. */
  function noteHealth(guildId: string, outcome: Outcome | GamesOutcome): void {
    if (outcome.kind === 'not-sent' && !isUnreached(outcome)) return;
    breaker.note(guildId, 'reason' in outcome && !ANSWERED.has(outcome.reason) ? 'failed' : 'answered');
  }

  return {
    add: (asker, servers, keyToLeaveWith) =>
      withRetries<Outcome>({ ...asker, kind: 'submission' }, isUnreachable, async () => {
        if (!breaker.mayLeave(asker.guildId)) return notSent('down');
        const key = await keyToLeaveWith();
        return 'kind' in key ? key : api.add(servers, key);
      }),
    games: (asker, key) =>
      withRetries<GamesOutcome>({ ...asker, kind: 'reading' }, isPassing, () => api.games(key)),
  };
}

/** Nothing left the machine, and the next try may be better. */
const isUnreachable = (outcome: Outcome | GamesOutcome): boolean =>
  outcome.kind === 'not-sent' && outcome.reason === 'unreachable';

/** Reading may be repeated, but a wrong key, a bad certificate or a web page does not get better within seconds. */
const isPassing = (outcome: GamesOutcome): boolean => 'reason' in outcome && PASSING.has(outcome.reason);
const PASSING: ReadonlySet<string> = new Set<NotSent['reason'] | Unknown['reason']>([
  'unreachable',
  'timeout',
  'reset',
  'rate-limited',
  'server-error',
]);

/** No verdict, but the service itself works. */
const ANSWERED: ReadonlySet<string> = new Set<Unknown['reason']>([
  'rate-limited',
  'client-error',
  'not-found',
  'redirect',
]);

const retryAfterOf = (outcome: Outcome | GamesOutcome): number | undefined =>
  'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;

/** A 429, with or without a verdict. */
const isRateLimited = (outcome: Outcome | GamesOutcome): boolean =>
  (outcome.kind === 'unknown' && outcome.reason === 'rate-limited') ||
  (outcome.kind === 'rejected' && outcome.retryAfterMs !== undefined);
