import { setTimeout as sleep } from 'node:timers/promises';
import type { Breaker } from './breaker.ts';
import {
  type GamesOutcome,
  type NotSent,
  neverConnected,
  notSent,
  type Outcome,
  type Unknown,
} from './contract.ts';
import type { TurnRequest, Turns } from './turns.ts';

/** For whom a request is made, and until when its response is of use. */
export type Requester = Omit<TurnRequest, 'kind'>;

export interface GuardDeps {
  readonly turns: Turns;
  readonly breaker: Breaker;
  /** Milliseconds before the second try, of which half is random; twice as many before the third. Usually 300. */
  readonly firstWaitMs?: number | undefined;
}

export type Guard = ReturnType<typeof createGuard>;

const TRIES = 3;
const FIRST_WAIT_MS = 300;
/** A longer pause is not waited for: the request is not sent. In milliseconds. */
const LONGEST_WAIT_MS = 5_000;

/**
 * Every request to the listing service passes here. Turns, pauses and the breaker keep one guild's trouble from the
 * others.
 */
export function createGuard(deps: GuardDeps) {
  const { turns, breaker, firstWaitMs = FIRST_WAIT_MS } = deps;

  /** One try, when it is the guild's turn and its key is not paused. */
  async function attempt<Heard extends Outcome | GamesOutcome>(
    request: TurnRequest,
    send: () => Promise<Heard>,
  ): Promise<Heard | NotSent> {
    const { guildId, kind } = request;
    for (;;) {
      const pauseMs = breaker.pausedMs(guildId);
      if (pauseMs > LONGEST_WAIT_MS) return { ...notSent('rate-limited'), retryAfterMs: pauseMs };
      await sleep(pauseMs);
      const outcome = await turns.run(request, async () => {
        if (breaker.pausedMs(guildId) > 0) return 'paused';
        if (kind === 'submission' && !breaker.maySend(guildId)) return notSent('down');
        return send();
      });
      if (outcome === 'paused') continue;
      return typeof outcome === 'string' ? notSent(outcome) : outcome;
    }
  }

  /** A request that the bot itself did not send says nothing about the service. */
  function noteHealth(guildId: string, outcome: Outcome | GamesOutcome): void {
    if (outcome.kind === 'not-sent' && !neverConnected(outcome)) return;
    const isFailure = 'reason' in outcome && !ANSWERED.has(outcome.reason);
    breaker.note(guildId, isFailure ? 'failed' : 'answered', troubleIn(outcome));
  }

  return {
    /**
     * Makes a request when it is the guild's turn, and again after a failure that may pass.
     * @param send makes the request; called right before each try, after all waiting
     */
    async inTurn<Heard extends Outcome | GamesOutcome>(
      request: TurnRequest,
      send: () => Promise<Heard>,
    ): Promise<Heard | NotSent> {
      const { guildId, kind } = request;
      for (let tries = 1; ; tries += 1) {
        const outcome = await attempt(request, send);
        if (isRateLimited(outcome)) breaker.pause(guildId, retryAfterOf(outcome));
        const isAskedToWait = (retryAfterOf(outcome) ?? 0) > LONGEST_WAIT_MS;
        if (tries === TRIES || isAskedToWait || !isTransient(kind, outcome)) {
          noteHealth(guildId, outcome);
          return outcome;
        }
        await sleep(firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
      }
    },
  };
}

/** Whether the next try may succeed: a wrong key, a bad certificate or a web page stays as it is within seconds. */
function isTransient(kind: TurnRequest['kind'], outcome: Outcome | GamesOutcome): boolean {
  // A submission is repeated only where nothing of it was sent.
  if (kind === 'submission') return outcome.kind === 'not-sent' && outcome.reason === 'unreachable';
  return 'reason' in outcome && TRANSIENT.has(outcome.reason);
}
const TRANSIENT: ReadonlySet<string> = new Set<NotSent['reason'] | Unknown['reason']>([
  'unreachable',
  'timeout',
  'reset',
  'rate-limited',
  'server-error',
]);

/** The body says neither success nor error, but the service itself works. */
const ANSWERED: ReadonlySet<string> = new Set<Unknown['reason']>([
  'rate-limited',
  'client-error',
  'not-found',
  'redirect',
]);

/** Why a response was of no use. After a 429 the service is well all the same. */
function troubleIn(outcome: Outcome | GamesOutcome): string | undefined {
  if (!('reason' in outcome) || outcome.reason === 'rate-limited') return undefined;
  return `${outcome.reason}: ${outcome.detail ?? 'no response'}`;
}

const retryAfterOf = (outcome: Outcome | GamesOutcome): number | undefined =>
  'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;

/** A 429, whether or not its body says anything. */
const isRateLimited = (outcome: Outcome | GamesOutcome): boolean =>
  (outcome.kind === 'unknown' && outcome.reason === 'rate-limited') ||
  (outcome.kind === 'rejected' && outcome.retryAfterMs !== undefined);
