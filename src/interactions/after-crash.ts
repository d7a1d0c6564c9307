import { isRejectedByDiscord, LostInteractionError } from '../discord/api.ts';
import type { Logger } from '../logger.ts';
import { countOutcomes } from '../submissions/outcome.ts';
import { serverResults } from '../submissions/submission.ts';
import type { Submissions } from '../submissions/submissions.ts';
import { memberText } from '../words/escape.ts';
import { interruptedText } from '../words/sentences.ts';
import { type Context, contextOf, type NotifyGuild, type Reply, type Wording } from './command.ts';
import { bareText, type Delivery, deliver, rejectionText, stateOf } from './deliver.ts';
import type { EditOrder } from './edit-order.ts';
import type { Interaction } from './interaction.ts';
import type { InteractionStore, StoredInteraction } from './interaction-store.ts';
import type { UnderWay } from './under-way.ts';

/**
 * The result of notifying a member after a crash.
 * - `told`: the member was notified.
 * - `too-late`: Discord no longer accepts a reply. If anything was submitted, the outcomes are reported in the log channel
 *   instead.
 * - `failed`: the bot will try again.
 * - `unreadable`: the stored interaction can't be decrypted.
 */
export const LATER_REPLY_OUTCOMES = ['told', 'too-late', 'failed', 'unreadable'] as const;
export type LaterReplyOutcome = (typeof LATER_REPLY_OUTCOMES)[number];

export interface LaterReplies {
  /**
   * Reports an interaction's submissions or decisions, if any. Must not be called while a process is handling the
   * interaction.
   */
  readonly reportOf: (context: Context, to: 'member' | 'log channel') => Promise<Reply | undefined>;
  /**
   * Shows the current state of the draft that a control belongs to, because the control's message may be out of date. Used
   * if the interaction didn't submit anything. Returns `undefined` if the draft was never submitted.
   */
  readonly stateOfDraft: (context: Context, customId: string) => Promise<Reply | undefined>;
  /** Reports an interaction's finished submissions in the log channel, because a crash may have prevented a report. */
  readonly logUnreportedSubmissions: (context: Context) => Promise<void>;
}

export interface AfterCrashDeps extends LaterReplies {
  readonly interactionStore: Pick<InteractionStore, 'openRow' | 'unreplied' | 'isUnreplied' | 'markReplied'>;
  readonly submissions: Pick<Submissions, 'by'>;
  readonly underWay: UnderWay;
  readonly editOrder: Pick<EditOrder, 'claim' | 'isLatest'>;
  readonly api: Delivery['api'];
  readonly wording: Wording;
  readonly notifyGuild: NotifyGuild;
  readonly onLaterReply?: ((outcome: LaterReplyOutcome) => void) | undefined;
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/**
 * Creates the function that notifies members if a process died or failed before it could deliver a reply. The function
 * never repeats an interaction's work.
 * @returns a function that, in the background, notifies members about all interactions that this process owns but isn't
 * handling. The next call retries failures. Throws a StoreError when the store fails
 */
export function createAfterCrash(deps: AfterCrashDeps) {
  const {
    interactionStore,
    submissions,
    underWay,
    editOrder,
    api,
    wording,
    reportOf,
    stateOfDraft,
    logUnreportedSubmissions,
  } = deps;
  const { notifyGuild, onLaterReply, logger } = deps;

  async function end({ id, guildId }: Interaction, outcome: LaterReplyOutcome): Promise<void> {
    const servers = (await submissions.by(guildId, id)).flatMap(serverResults);
    await interactionStore.markReplied(id);
    onLaterReply?.(outcome);
    logger.info(
      {
        interactionId: id,
        guildId,
        outcome,
        ...(servers.length > 0 && { servers: countOutcomes(servers) }),
      },
      'reported an interaction left over from before the restart',
    );
  }

  /** Called if Discord no longer accepts a reply. */
  async function reportInLogChannel(interaction: Interaction): Promise<void> {
    const context = contextOf(interaction, wording);
    const said = await reportOf({ ...context, t: await context.guildWords() }, 'log channel');
    if (said) {
      await notifyGuild(interaction.guildId, (t) =>
        t('resume.notice', { user: memberText(interaction.user), what: bareText(said) }),
      );
    } else {
      await logUnreportedSubmissions(context);
    }
    await end(interaction, 'too-late');
  }

  /** Rebuilds the reply to an interrupted interaction from stored data. Never uses the message's previous content. */
  async function replyTo({ shown, customId }: StoredInteraction, context: Context): Promise<Reply | string> {
    const own = await reportOf(context, 'member');
    const about = own ?? (shown && customId ? await stateOfDraft(context, customId) : undefined);
    return about ?? interruptedText(context.t, customId);
  }

  async function notifyMember(unreplied: StoredInteraction): Promise<void> {
    const { interaction, shown, message } = unreplied;
    const { id } = interaction;
    const context = contextOf(interaction, wording);
    const state = await stateOf(api, interaction, deps.pause);
    // The member may have got a reply in the meantime.
    if (!(await interactionStore.isUnreplied(id))) return;
    if (state === 'gone') return reportInLogChannel(interaction);
    // Discord doesn't show "thinking…" on a message that is being updated.
    if (shown || state === 'thinking') {
      const said = await replyTo(unreplied, context);
      try {
        underWay.replyIsReady(id);
        if (!(await editOrder.claim(id, message))) return;
        const fallback = () => rejectionText(context);
        await deliver({ api, editOrder, interaction, shown, message, fallback }, said);
      } catch (error) {
        // Other errors are rethrown, so the bot tries again later.
        if (isRejectedByDiscord(error) || error instanceof LostInteractionError)
          return reportInLogChannel(interaction);
        throw error;
      }
    } else {
      // A `beside` action's result appears in the control's message, so no reply is needed. Only ends the submission.
      await reportOf(context, 'member');
    }
    await logUnreportedSubmissions(context);
    await end(interaction, 'told');
  }

  return async function notifyUnreplied(): Promise<void> {
    for (const row of await interactionStore.unreplied()) {
      if (underWay.has(row.id)) continue;
      const unreplied = interactionStore.openRow(row);
      // Marks the interaction as being handled, so an unreadable interaction is only logged once.
      underWay.begin(row.id, unreplied?.message ?? row.id);
      if (!unreplied) {
        onLaterReply?.('unreadable');
        continue;
      }
      notifyMember(unreplied)
        .catch((error: unknown) => {
          onLaterReply?.('failed');
          logger.error(
            { err: error, interactionId: row.id, guildId: row.guild_id },
            'could not report an interaction left over from before the restart; will retry',
          );
        })
        .finally(() => underWay.end(row.id));
    }
  };
}
