import { randomUUID } from 'node:crypto';
import { RESTJSONErrorCodes } from 'discord.js';
import { hasCode } from '../discord/api.ts';
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../pacing/durations.ts';
import { createRecent } from '../pacing/recent.ts';
import { createSparingLog, type SparingLog } from '../pacing/sparing-log.ts';
import type { ProblemCode } from '../submissions/check.ts';
import { countOutcomes, type OutcomeCounts } from '../submissions/outcome.ts';
import type { Observer } from '../submissions/pipeline.ts';
import type { ServerResult } from '../submissions/submission.ts';
import type { Request } from './interaction.ts';

/** Used in the log and the metrics. */
export const INTERACTION_TYPES = {
  command: 'command',
  'message-command': 'command',
  autocomplete: 'autocomplete',
  button: 'component',
  select: 'component',
  modal: 'modal',
  unknown: 'other',
} as const satisfies Record<Request['kind'], string>;
export type InteractionType = (typeof INTERACTION_TYPES)[Request['kind']];

/**
 * How an interaction ended.
 * - `answered`: the member got the reply.
 * - `refused`: the action was not carried out, and the member got the reason.
 * - `failed`: the member got an apology with a reference to the logged error.
 * - `lost`: the interaction arrived too late or twice, or another bot answered it.
 * - `undelivered`: Discord rejected the reply.
 * - `unanswered`: the reply could not be sent to Discord, and the member is still waiting.
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

/**
 * Why an interaction was refused: a reason that applies to every command, the code of the game server's or list's problem,
 * or `command` for a command's own reason.
 */
export type RefusalReason =
  | 'blocked-guild'
  | 'blocked-user'
  | 'busy'
  | 'command'
  | 'outside-guild'
  | 'permission'
  | 'settings'
  | 'stale'
  | 'stopping'
  | ProblemCode;

/** Never contains text that the member typed. */
export interface InteractionEnd {
  readonly interactionId: string;
  /** `undefined` for an interaction outside a guild. */
  readonly guildId: string | undefined;
  /** `other` for an unknown command. */
  readonly command: string;
  readonly type: InteractionType;
  readonly outcome: InteractionOutcome;
  /** Set if the outcome is `refused`. */
  readonly reason?: RefusalReason | undefined;
  /** Milliseconds from receipt to the first response, and to the reply; `undefined` if it wasn't sent. */
  readonly respondedMs?: number | undefined;
  readonly repliedMs?: number | undefined;
  readonly servers?: OutcomeCounts | undefined;
  /** Shown in the log and in the reply. */
  readonly reference?: string | undefined;
}

type Arrival = Pick<InteractionEnd, 'interactionId' | 'guildId' | 'type'>;

export interface Trace {
  command: string;
  outcome: InteractionOutcome;
  responded(): void;
  replied(): void;
  refused(reason: RefusalReason): void;
  /** @returns the reference to show to the member and in the log */
  failed(): string;
}

export type Traces = ReturnType<typeof createTraces>;

export interface TracesDeps {
  readonly logger: Logger;
  readonly onEnd?: ((end: InteractionEnd) => void) | undefined;
}

/** Logs one line when an interaction ends. Successful autocomplete is frequent, so it's only logged at `debug` level. */
export function createTraces({ logger, onEnd }: TracesDeps) {
  /** Arrival times, in milliseconds since 1970. */
  const open = new Map<Trace, number>();
  const submittedByInteraction = new Map<string, ServerResult[]>();

  return {
    observer: {
      async ended({ interactionId }, servers) {
        submittedByInteraction.get(interactionId)?.push(...servers);
      },
    } satisfies Observer,
    async run(
      { interactionId, guildId, type }: Arrival,
      task: (trace: Trace) => Promise<void>,
    ): Promise<void> {
      const since = performance.now();
      const elapsed = () => Math.round(performance.now() - since);
      let respondedMs: number | undefined;
      let repliedMs: number | undefined;
      let reference: string | undefined;
      let reason: RefusalReason | undefined;
      const servers: ServerResult[] = [];
      // If Discord delivers an interaction twice, only the first delivery submits anything.
      if (!submittedByInteraction.has(interactionId)) submittedByInteraction.set(interactionId, servers);
      const trace: Trace = {
        command: 'other',
        outcome: 'answered',
        responded() {
          respondedMs ??= elapsed();
        },
        replied() {
          repliedMs ??= elapsed();
          open.delete(trace);
        },
        refused(why) {
          reason = why;
          trace.outcome = 'refused';
        },
        failed() {
          reference = randomUUID().slice(0, 8);
          trace.outcome = 'failed';
          return reference;
        },
      };
      open.set(trace, Date.now());
      try {
        await task(trace);
      } finally {
        const { command, outcome } = trace;
        if (outcome === 'answered' || outcome === 'refused' || outcome === 'failed') {
          trace.responded();
          trace.replied();
        }
        // The member keeps seeing "thinking…" until the interaction's token expires.
        const waits = outcome === 'unanswered' && respondedMs !== undefined;
        if (waits) setTimeout(() => open.delete(trace), TOKEN_LIVES_MS).unref();
        else open.delete(trace);
        if (submittedByInteraction.get(interactionId) === servers)
          submittedByInteraction.delete(interactionId);
        const end = {
          interactionId,
          guildId,
          command,
          type,
          outcome,
          reason: outcome === 'refused' ? reason : undefined,
          respondedMs,
          repliedMs,
          reference,
          servers: servers.length > 0 ? countOutcomes(servers) : undefined,
        };
        const isQuiet = type === 'autocomplete' && outcome === 'answered';
        logger[isQuiet ? 'debug' : 'info'](end, 'interaction');
        onEnd?.(end);
      }
    },
    /** Returns the number of interactions without a reply, and when the oldest arrived (milliseconds since 1970). */
    unanswered(): { readonly count: number; readonly oldestAt: number | undefined } {
      const times = [...open.values()];
      return { count: times.length, oldestAt: times.length === 0 ? undefined : Math.min(...times) };
    },
  };
}

/** If so many interactions are lost in this time, another bot is probably running. */
const MANY_LOST = 3;
const MANY_LOST_WITHIN_MS = 600_000;

/**
 * Creates the log of interactions that the bot can no longer respond to. It also detects another bot with the same token
 * but a different database. Discord then sends every interaction to both bots, and the slower bot gets the error that the
 * interaction already has a response (40060).
 * @returns a function that takes the details of an interaction and the reason why it was lost
 */
export function createLosses(logger: SparingLog): (about: object, cause: unknown) => void {
  const tooOften = createRecent({
    maxUses: MANY_LOST - 1,
    withinMs: MANY_LOST_WITHIN_MS,
    now: () => performance.now(),
  });
  const quietly = createSparingLog(logger);

  return (about, cause) => {
    logger.info({ ...about, err: cause }, 'interaction lost: it expired or already had a response');
    const isAnswered = hasCode(cause, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
    if (!isAnswered || tooOften('another bot') === undefined) return;
    quietly.warn(
      {},
      'another bot is running on this token: Discord repeatedly reports that an interaction already has a response (40060). ' +
        'Stop the other one; if it is not yours, reset the token in the Developer Portal',
    );
  };
}
