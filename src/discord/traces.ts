import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';
import type { Logger } from '../logger.ts';
import { UndecryptableError } from '../storage/collection.ts';
import { StoreError } from '../storage/store.ts';
import { UserError } from '../user-error.ts';
import { keyText } from '../words/refusal.ts';
import type { Context } from './command.ts';

export const INTERACTION_TYPES = ['command', 'autocomplete', 'component', 'modal', 'other'] as const;
export type InteractionType = (typeof INTERACTION_TYPES)[number];

/**
 * - `answered`: with what was asked for.
 * - `refused`: with the reason why not.
 * - `failed`: with an apology and the reference of what is in the log.
 * - `lost`: too late, or another process or delivery had it.
 * - `undelivered`: Discord refused the answer.
 * - `unanswered`: Discord could not be reached with the answer; the member still waits.
 */
export const INTERACTION_OUTCOMES = [
  'answered',
  'refused',
  'failed',
  'lost',
  'undelivered',
  'unanswered',
] as const;
export type InteractionOutcome = (typeof INTERACTION_OUTCOMES)[number];

/** What became of one interaction. Nothing that was typed is in it. */
export interface InteractionEnd {
  readonly interactionId: string;
  /** The name of one of our commands; `other` for what belongs to none of them. */
  readonly command: string;
  readonly type: InteractionType;
  readonly outcome: InteractionOutcome;
  /** Milliseconds from when the bot received it; absent when it did not come to that. */
  readonly acknowledgedMs?: number;
  readonly answeredMs?: number;
  /** Under which the failure is in the log, and which the member was told. */
  readonly reference?: string;
  /** It was left by the previous run; its times count from that run's receiving it. */
  readonly isResumed?: true;
}

export interface Traced {
  readonly interactionId: string;
  readonly type: InteractionType;
  readonly command?: string;
  /** Milliseconds since 1970; now, unless told. */
  readonly receivedAt?: number;
  readonly isResumed?: true;
}

/** Follows each interaction from its arrival to its answer. The marks belong to the interaction that is being run. */
export interface Traces {
  /** Runs all that one interaction takes. */
  run(about: Traced, task: () => Promise<void>): Promise<void>;
  named(command: string): void;
  acknowledged(): void;
  answered(): void;
  /** What the member was told in place of an answer, or that they cannot be told. */
  became(outcome: Exclude<InteractionOutcome, 'answered'>, reference?: string): void;
  /** Interactions without an answer, and since when the oldest waits, in milliseconds since 1970. */
  unanswered(): { readonly count: number; readonly oldestAt: number | undefined };
}

export interface TracesDeps {
  readonly logger: Logger;
  readonly onEnd?: ((end: InteractionEnd) => void) | undefined;
}

interface Trace extends Traced {
  readonly receivedAt: number;
  /** By a clock that nobody sets. */
  readonly startedAt: number;
  command: string;
  outcome?: InteractionOutcome;
  acknowledgedMs?: number;
  answeredMs?: number;
  reference?: string;
}

/** As long as an interaction's token lives, in milliseconds: nobody can answer it after that. */
const ANSWERABLE_MS = 15 * 60_000;

/** Logs one line for each interaction when it has ended: of autocompletes, one a key stroke, only with `debug`. */
export function createTraces({ logger, onEnd }: TracesDeps): Traces {
  const current = new AsyncLocalStorage<Trace>();
  const open = new Set<Trace>();

  const msOf = ({ receivedAt, startedAt, isResumed }: Trace) =>
    Math.round(isResumed ? Math.max(0, Date.now() - receivedAt) : performance.now() - startedAt);

  function ended(trace: Trace): void {
    const { interactionId, type, command, outcome = 'answered', isResumed, reference } = trace;
    if (outcome === 'answered' || outcome === 'refused' || outcome === 'failed') {
      trace.acknowledgedMs ??= msOf(trace);
      trace.answeredMs ??= msOf(trace);
    }
    const { acknowledgedMs, answeredMs } = trace;
    const end: InteractionEnd = {
      ...{ interactionId, command, type, outcome },
      ...(acknowledgedMs !== undefined && { acknowledgedMs }),
      ...(answeredMs !== undefined && { answeredMs }),
      ...(reference !== undefined && { reference }),
      ...(isResumed && { isResumed }),
    };
    const isQuiet = type === 'autocomplete' && outcome === 'answered';
    logger[isQuiet ? 'debug' : 'info'](end, 'interaction');
    onEnd?.(end);
    // The member sees "thinking…" as long as their interaction can be answered.
    const leftMs = trace.receivedAt + ANSWERABLE_MS - Date.now();
    if (outcome === 'unanswered' && acknowledgedMs !== undefined && leftMs > 0) {
      setTimeout(() => open.delete(trace), leftMs).unref();
    } else {
      open.delete(trace);
    }
  }

  return {
    run(about, task) {
      const trace: Trace = {
        receivedAt: Date.now(),
        ...about,
        command: about.command ?? 'other',
        startedAt: performance.now(),
      };
      open.add(trace);
      return current.run(trace, async () => {
        try {
          await task();
        } finally {
          ended(trace);
        }
      });
    },
    named(command) {
      const trace = current.getStore();
      if (trace) trace.command = command;
    },
    acknowledged() {
      const trace = current.getStore();
      if (trace) trace.acknowledgedMs ??= msOf(trace);
    },
    answered() {
      const trace = current.getStore();
      if (trace) trace.answeredMs ??= msOf(trace);
    },
    became(outcome, reference) {
      const trace = current.getStore();
      if (!trace) return;
      trace.outcome = outcome;
      if (reference !== undefined) trace.reference = reference;
    },
    unanswered() {
      const waiting = [...open].filter(({ answeredMs }) => answeredMs === undefined);
      const oldestAt = waiting.length === 0 ? undefined : Math.min(...waiting.map((each) => each.receivedAt));
      return { count: waiting.length, oldestAt };
    },
  };
}

/** So many within this time are no accident, in milliseconds; the warning is repeated after as long at the earliest. */
const MANY = 3;
const WITHIN_MS = 600_000;

/**
 * Logs each interaction that can no longer be answered, and notices another bot on the same token, with a database of
 * its own: both are sent every interaction, and whoever answers second hears that it is answered already (40060). What
 * members are told depends on which of them was faster.
 * @returns to be called with what is known of one, and with why it was lost
 */
export function createLosses(deps: {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly now?: () => number;
}): (about: object, cause: unknown) => void {
  const { logger, now = () => performance.now() } = deps;
  let times: readonly number[] = [];
  let warnedAt = Number.NEGATIVE_INFINITY;

  return (about, cause) => {
    logger.info({ ...about, err: cause }, 'interaction lost: answered too late or elsewhere');
    const code = cause instanceof DiscordAPIError ? cause.code : undefined;
    if (code !== RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) return;
    const at = now();
    times = [...times, at].filter((time) => at - time < WITHIN_MS).slice(-MANY);
    if (times.length < MANY || at - warnedAt < WITHIN_MS) return;
    warnedAt = at;
    logger.warn(
      { count: times.length, withinMinutes: WITHIN_MS / 60_000 },
      'another bot is running on this token: Discord says again and again that an interaction is answered already (40060). ' +
        'Stop the other one; if it is not yours, reset the token in the Developer Portal',
    );
  };
}

export interface FailureWordsDeps {
  readonly traces: Pick<Traces, 'became'>;
  readonly logger: Logger;
}

/** What a member reads in place of an answer. */
export type FailureWords = (error: unknown, context: Context) => string;

/** A UserError's own words; everything else is logged whole, under a reference that the member sees too. */
export function createFailureWords({ traces, logger }: FailureWordsDeps): FailureWords {
  return (error, context) => {
    const { t, interactionId, guildId } = context;
    if (error instanceof UserError) {
      traces.became('refused');
      return error.message;
    }
    const reference = randomUUID().slice(0, 8);
    traces.became('failed', reference);
    logger.error({ err: error, reference, interactionId, guildId }, 'an interaction failed');
    return t('dispatch.failed', { what: causeText(error, context), reference });
  };
}

/** What went wrong, for the failures that members should tell apart. */
function causeText(error: unknown, context: Context): string {
  if (error instanceof UndecryptableError) return keyText({ code: 'key-unreadable' }, context);
  return context.t(error instanceof StoreError ? 'failure.store' : 'failure.unexpected');
}
