import { type Context, contextOf, type Reply, type Wording } from '../interactions/command.ts';
import { type Delivery, deliver, rejectionText } from '../interactions/deliver.ts';
import type { EditOrder } from '../interactions/edit-order.ts';
import type { InteractionStore, StoredInteraction } from '../interactions/interaction-store.ts';
import { AFTER_START_MS, createJob, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../pacing/durations.ts';
import { oneAtATime } from '../pacing/in-order.ts';
import type { Store } from '../storage/store.ts';
import type { SubmissionsTable } from '../storage/tables.ts';
import { DECLINE_UNDO_MS, type Submission } from '../submissions/submission.ts';
import type { Submissions } from '../submissions/submissions.ts';
import type { DraftRef } from '../submissions/waiting-submissions.ts';

const CHECK_REPLIES_EVERY_MS = 5_000;

/** Binds an encrypted notice to its guild and draft. The string must not change, because stored notices depend on it. */
export const noticeContext = ({ guildId, id }: DraftRef): string => `guild ${guildId}: telling of ${id}`;

export interface DecisionNoticesDeps {
  readonly store: Pick<Store, 'tables'>;
  readonly interactionStore: Pick<InteractionStore, 'find' | 'seal' | 'open'>;
  readonly submissions: Pick<Submissions, 'latest'>;
  readonly api: Delivery['api'];
  readonly editOrder: Pick<EditOrder, 'isLatest'>;
  readonly wording: Wording;
  readonly replyOf: (context: Context, run: Submission) => Promise<Reply>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly declineUndoMs?: number | undefined;
}

/**
 * Creates the job that updates the bot's replies to members with moderators' decisions, while the replies can still be
 * edited. After that, decision-messages.ts sends a direct message about each decision.
 */
export function createDecisionNotices(deps: DecisionNoticesDeps) {
  const { store, interactionStore, submissions, wording, logger, declineUndoMs = DECLINE_UNDO_MS } = deps;
  const job = createJob({ firstMs: AFTER_START_MS, everyMs: CHECK_REPLIES_EVERY_MS, run: () => notifyDue() });

  /**
   * Permanently claims a decided submission, so that the reply to the member is updated only once. Leaves out declines that
   * can still be taken back, but doesn't wait for a time that a clock ahead has stored.
   */
  async function claim(): Promise<SubmissionsTable | undefined> {
    for (;;) {
      const now = Date.now();
      const row = await store
        .tables()
        .selectFrom('submissions')
        .selectAll()
        .where('notice', 'is not', null)
        .where('notified_at', 'is', null)
        // Lets the query use the index of ended submissions. A condition on a list of states would read every finished
        // submission.
        .where('ended_at', '>', 0)
        .where('state', '<>', 'withdrawn')
        .where(({ or, eb }) =>
          or([
            eb('state', '<>', 'declined'),
            eb('ended_at', '<=', now - declineUndoMs),
            // A time slightly ahead can be of a decline that ended while this query waited for the store.
            eb('ended_at', '>', now + declineUndoMs),
          ]),
        )
        .orderBy('ended_at')
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { numUpdatedRows } = await store
        .tables()
        .updateTable('submissions')
        .set({ notified_at: Date.now() })
        .where('id', '=', row.id)
        .where('notice', '=', row.notice)
        .where('notified_at', 'is', null)
        .executeTakeFirst();
      // If no row was updated, the submission has already been claimed or deleted.
      if (numUpdatedRows === 1n) return row;
    }
  }

  /** Updates the reply to show the draft's latest submission, because some approved servers may be waiting again. */
  async function changeReply(
    { guild_id: guildId, draft_id: draftId }: SubmissionsTable,
    { interaction, message }: StoredInteraction,
  ): Promise<void> {
    const { api, editOrder } = deps;
    // Asks Discord whether an apparently valid token has expired, because this machine's clock may be wrong.
    const isOver = Date.now() - interaction.receivedAt >= TOKEN_LIVES_MS;
    if (isOver || (await api.read(interaction)) === 'gone') return;
    const submission = await submissions.latest(guildId, draftId);
    if (submission === undefined) return;
    const context = contextOf(interaction, wording);
    const reply = await deps.replyOf(context, submission);
    const fallback = () => rejectionText(context);
    await deliver({ api, editOrder, interaction, shown: undefined, message, fallback }, reply);
  }

  /** Shows a decision in the bot's reply to the member who submitted the servers. Never throws. */
  async function notify(row: SubmissionsTable): Promise<void> {
    const { guild_id: guildId, draft_id: id } = row;
    const kept = interactionStore.open(row.notice, noticeContext({ guildId, id }), { guildId });
    if (kept === undefined) return;
    await changeReply(row, kept).catch((error: unknown) =>
      logger.warn(
        { guildId, err: error },
        "could not update a reply with a moderator's decision; will not retry",
      ),
    );
  }

  /** @throws a StoreError when the store fails */
  async function notifyEach(): Promise<void> {
    while (!job.stopping.aborted) {
      const row = await claim();
      if (row === undefined) return;
      // Not awaited, so that a hanging reply doesn't hold up other replies.
      void notify(row);
    }
  }

  const complain = (error: unknown) =>
    logger.warn({ err: error }, 'could not read which members to notify of decisions; will retry');

  /** Updates the replies of all members with a pending notice. Runs never overlap. Never throws. */
  const notifyDue = oneAtATime(() => notifyEach().catch(complain));

  const part: Part = { name: 'decision notices', ...job };
  return {
    ...part,
    notifyDue,
    /** Encrypts the data for a later notice; `null` if the interaction is no longer stored or can't be decrypted. */
    async encrypt(key: DraftRef, interactionId: string): Promise<string | null> {
      const kept = await interactionStore.find(interactionId);
      if (kept === undefined) return null;
      const { interaction, message } = kept;
      return interactionStore.seal({ interaction, message }, noticeContext(key));
    },
  };
}
