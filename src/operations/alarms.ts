import { createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { scrub } from '../logger.ts';
import { createSparingLog } from '../pacing/sparing-log.ts';
import type { ClaimJob } from '../storage/claim-job.ts';
import type { Values } from '../storage/values.ts';
import type { Secret } from '../text/secret.ts';
import type { Condition } from './conditions.ts';
import type { Health } from './health.ts';
import { postToWebhook, WebhookRejectedError } from './operator-urls.ts';

const CHECK_EVERY_MS = 15_000;
const POST_EVERY_MS = 60_000;
/** After so much inactivity of the process that checks shared conditions, another takes over. */
const LEADER_TIMEOUT_MS = 60_000;
/** Discord docs: Create Message. */
const MAX_POST_LENGTH = 2_000;
const HELP = 'See docs/troubleshooting.md#alerts';
/** If more lines are waiting to be posted, the oldest ones are dropped. */
const MAX_WAITING_LINES = 100;

export interface AlarmsDeps {
  readonly webhook: Secret;
  readonly conditions: readonly Condition[];
  readonly health: () => Promise<Health>;
  readonly values: Pick<Values, 'get' | 'set' | 'delete'>;
  readonly claimJob: ClaimJob;
  /** The name of this process, or '' if there is only one process. */
  readonly place: string;
  readonly mayPost: () => boolean;
  readonly watchEveryMs?: number | undefined;
  readonly logger: Logger;
}

interface ConditionState {
  /** `passed` is from `performance.now()`, and `at` is system time. */
  since: { readonly passed: number; readonly at: number } | undefined;
  /** Whether the operator has been notified that the condition holds. `undefined` until the store has been read. */
  isPosted: boolean | undefined;
}

interface Line {
  readonly text: string;
  readonly key: string;
  readonly isPosted: boolean;
}

export interface Alarms extends Part {
  /** Returns why Discord rejects the webhook, which isn't used again until the next start; `undefined` if it doesn't. */
  trouble(): string | undefined;
}

/**
 * Creates the alarms, which post to the operator's webhook when a condition has held for long enough and when it ends. The
 * store records each post, so a restart neither repeats nor loses a post. A failed post is retried every minute, unless
 * Discord rejects the webhook itself. No other part of the bot waits for the posts.
 */
export function createAlarms(deps: AlarmsDeps): Alarms {
  const { webhook, conditions, health, values, claimJob, place, mayPost, logger } = deps;
  const { watchEveryMs = CHECK_EVERY_MS } = deps;
  const log = createSparingLog(logger);
  const known = new Map<Condition, ConditionState>();
  const waiting: Line[] = [];
  /** The new states that were posted but not stored yet, by key. */
  const unsaved = new Map<string, boolean>();
  let postedAt = Number.NEGATIVE_INFINITY;
  let trouble: string | undefined;
  const job = createJob({ firstMs: watchEveryMs, everyMs: watchEveryMs, run });

  const keyOf = ({ alert, isShared }: Condition) =>
    isShared || place === '' ? `alarm:${alert}` : `alarm:${alert}@${place}`;

  async function run(): Promise<void> {
    const now = await health();
    const isLeader = await claimJob('alarms', LEADER_TIMEOUT_MS, async () => undefined).catch(() => false);
    for (const condition of conditions) {
      // This process no longer checks the condition. If it starts again, it must reread the posted state from the store.
      if (condition.isShared && !isLeader) known.delete(condition);
      else await checkCondition(condition, now);
    }
    await save();
    await postWaiting();
  }

  async function checkCondition(condition: Condition, now: Health): Promise<void> {
    const found = await Promise.try(condition.check, now).catch(() => undefined);
    // The state is unknown, for example because the store can't be read (reported by a separate condition).
    if (found === undefined) return;
    const state = known.get(condition) ?? { since: undefined, isPosted: undefined };
    known.set(condition, state);
    const key = keyOf(condition);
    state.isPosted ??= await values.get(key).then(Boolean, () => undefined);
    if (found === false) {
      state.since = undefined;
      if (state.isPosted) queueLine(condition, state, false, `🟢 Resolved: ${condition.textAfter}`);
      return;
    }
    state.since ??= { passed: performance.now(), at: Date.now() };
    if (state.isPosted || performance.now() - state.since.passed < condition.minutes * 60_000) return;
    const detail = typeof found === 'string' ? `: ${scrub(found)}` : '';
    queueLine(
      condition,
      state,
      true,
      `🔴 ${condition.text}${detail} (since ${timeOf(state.since.at)}). ${HELP}`,
    );
  }

  function queueLine(condition: Condition, state: ConditionState, isPosted: boolean, text: string): void {
    state.isPosted = isPosted;
    const where = place === '' || condition.isShared ? '' : ` [${place}]`;
    const when = isPosted ? '' : ` (${timeOf(Date.now())})`;
    waiting.push({
      text: `${text}${when}${where}`.slice(0, MAX_POST_LENGTH),
      key: keyOf(condition),
      isPosted,
    });
    waiting.splice(0, waiting.length - MAX_WAITING_LINES);
  }

  async function postWaiting(): Promise<void> {
    if (waiting.length === 0 || performance.now() - postedAt < POST_EVERY_MS || !mayPost()) return;
    if (trouble !== undefined) return;
    postedAt = performance.now();
    const lines = linesForOnePost(waiting);
    try {
      await postToWebhook(webhook, lines.map(({ text }) => text).join('\n'));
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof WebhookRejectedError) {
        trouble = `Discord rejects OPERATOR_WEBHOOK_URL: ${message}`;
        logger.error(
          { reason: message },
          'Discord rejects OPERATOR_WEBHOOK_URL, so the bot stops posting alarms; create a new webhook and restart the bot',
        );
      } else {
        log.error({ reason: message }, 'could not post to OPERATOR_WEBHOOK_URL; will try again in a minute');
      }
      return;
    }
    waiting.splice(0, lines.length);
    for (const { key, isPosted } of lines) unsaved.set(key, isPosted);
    await save();
  }

  async function save(): Promise<void> {
    for (const [key, isPosted] of unsaved) {
      try {
        await (isPosted ? values.set(key, Date.now()) : values.delete(key));
        unsaved.delete(key);
      } catch {
        return;
      }
    }
  }

  return { name: 'alarms', ...job, trouble: () => trouble };
}

function linesForOnePost(lines: readonly Line[]): readonly Line[] {
  const chosen: Line[] = [];
  // Adds one, because the last line doesn't end with a line break.
  let left = MAX_POST_LENGTH + 1;
  for (const line of lines) {
    left -= line.text.length + 1;
    if (left < 0) break;
    chosen.push(line);
  }
  return chosen;
}

/** Formats a time as Discord markup, so that Discord shows it in each reader's time zone. */
const timeOf = (ms: number) => `<t:${Math.floor(ms / 1000)}:f>`;
