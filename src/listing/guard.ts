import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnRequest, Turns } from '../pacing/turns.ts';
import type { Secret } from '../text/secret.ts';
import type { Breaker } from './breaker.ts';
import {
  failedToConnect,
  type GamesOutcome,
  isFailure,
  type NotSentOutcome,
  notSent,
  type Outcome,
  type UnknownOutcome,
} from './contract.ts';

/** The guild, member and interaction that a request is for, and the time after which it's no longer worth sending. */
export interface Requester extends Omit<TurnRequest, 'kind'> {
  readonly interactionId?: string;
}

export interface ServiceRequest extends Requester {
  readonly kind: NonNullable<TurnRequest['kind']>;
  /** Returns the key that the latest attempt used, or that the first attempt is going to use. */
  readonly key: () => Secret;
}

export interface GuardDeps {
  readonly turns: Turns;
  readonly breaker: Breaker;
  /** Delay before the second attempt in milliseconds (default 300), half of it random. Doubled before the third attempt. */
  readonly firstWaitMs?: number | undefined;
}

export type Guard = ReturnType<typeof createGuard>;

const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 300;
/** If a pause lasts longer, the request isn't sent. */
const MAX_PAUSE_TO_WAIT_MS = 5_000;

/**
 * Creates the guard that all requests to the listing service pass through. Turns, pauses and a circuit breaker prevent one
 * guild's problems from affecting other guilds.
 */
export function createGuard(deps: GuardDeps) {
  const { turns, breaker, firstWaitMs = FIRST_WAIT_MS } = deps;

  function whyPaused(guildId: string, key: Secret): NotSentOutcome | undefined {
    const retryAfterMs = breaker.keyPausedMs(guildId, key);
    return retryAfterMs > MAX_PAUSE_TO_WAIT_MS ? { ...notSent('rate-limited'), retryAfterMs } : undefined;
  }

  const downOutcome = (guildId: string): NotSentOutcome => ({
    ...notSent('down'),
    retryAfterMs: breaker.submissionsHeldBackMs(guildId),
  });

  /** Makes one attempt when it's the guild's turn, unless the key is paused. */
  async function attempt<Heard extends Outcome | GamesOutcome>(
    request: ServiceRequest,
    send: () => Promise<Heard>,
  ): Promise<Heard | NotSentOutcome> {
    const { guildId, kind, key } = request;
    for (;;) {
      const why = whyPaused(guildId, key());
      if (why) return why;
      await sleep(breaker.keyPausedMs(guildId, key()));
      const outcome = await turns.run(request, async () => {
        if (breaker.keyPausedMs(guildId, key()) > 0) return { kind: 'paused' } as const;
        if (kind === 'submission' && !breaker.maySend(guildId)) return downOutcome(guildId);
        return send();
      });
      if (outcome.kind === 'paused') continue;
      return outcome.kind === 'not-run' ? notSent(outcome.why) : outcome;
    }
  }

  /** Ignores requests that the bot itself held back. */
  function noteHealth(guildId: string, outcome: Outcome | GamesOutcome): void {
    if (outcome.kind === 'not-sent' && !failedToConnect(outcome)) return;
    const hasFailed = isFailure(outcome) && !REASONS_WHILE_SERVICE_RUNS.has(outcome.reason);
    breaker.note(guildId, hasFailed ? 'failed' : 'answered', troubleIn(outcome));
  }

  return {
    /**
     * Returns why a submission wouldn't be sent if it started now. Asking doesn't use up the submission that tests a paused
     * service.
     */
    whyHeldBack({ key, ...requester }: Requester & { readonly key: Secret }): NotSentOutcome | undefined {
      const { guildId } = requester;
      const why = whyPaused(guildId, key);
      if (why) return why;
      if (breaker.submissionsHeldBackMs(guildId) > 0) return downOutcome(guildId);
      return turns.isQueueFull(requester) ? notSent('queue-full') : undefined;
    },
    /**
     * Retries after temporary failures.
     * @param send called for each attempt, after all waiting
     */
    async inTurn<Heard extends Outcome | GamesOutcome>(
      request: ServiceRequest,
      send: () => Promise<Heard>,
    ): Promise<Heard | NotSentOutcome> {
      const { guildId, kind, key } = request;
      for (let tries = 1; ; tries += 1) {
        const outcome = await attempt(request, send);
        if (isRateLimited(outcome)) breaker.pause(guildId, key(), retryAfterOf(outcome));
        const isAskedToWait = (retryAfterOf(outcome) ?? 0) > MAX_PAUSE_TO_WAIT_MS;
        if (tries === MAX_ATTEMPTS || isAskedToWait || !isTransient(kind, outcome)) {
          noteHealth(guildId, outcome);
          return outcome;
        }
        await sleep(firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
      }
    },
  };
}

/** Whether another attempt could succeed. It can't if the key or certificate is wrong, or the response is a web page. */
function isTransient(kind: ServiceRequest['kind'], outcome: Outcome | GamesOutcome): boolean {
  // Submissions are only retried if no part of the request was sent.
  if (kind === 'submission') return outcome.kind === 'not-sent' && outcome.reason === 'unreachable';
  return isFailure(outcome) && TRANSIENT.has(outcome.reason);
}
const TRANSIENT: ReadonlySet<string> = new Set<NotSentOutcome['reason'] | UnknownOutcome['reason']>([
  'unreachable',
  'timeout',
  'reset',
  'rate-limited',
  'server-error',
]);

const REASONS_WHILE_SERVICE_RUNS: ReadonlySet<string> = new Set<UnknownOutcome['reason']>([
  'rate-limited',
  'client-error',
  'not-found',
  'redirect',
]);

/** Ignores a 429, which doesn't mean that the service is failing. */
function troubleIn(outcome: Outcome | GamesOutcome): string | undefined {
  if (!isFailure(outcome) || outcome.reason === 'rate-limited') return undefined;
  return `${outcome.reason}: ${outcome.detail ?? 'no response'}`;
}

const retryAfterOf = (outcome: Outcome | GamesOutcome): number | undefined =>
  isFailure(outcome) || outcome.kind === 'rejected' ? outcome.retryAfterMs : undefined;

const isRateLimited = (outcome: Outcome | GamesOutcome): boolean =>
  (outcome.kind === 'unknown' && outcome.reason === 'rate-limited') ||
  (outcome.kind === 'rejected' && outcome.retryAfterMs !== undefined);
