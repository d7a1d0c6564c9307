import { type Context, contextOf, type Reply, type Wording } from '../interactions/command.ts';
import { type Delivery, deliver } from '../interactions/deliver.ts';
import type { EditOrder } from '../interactions/edit-order.ts';
import type { Interaction } from '../interactions/interaction.ts';
import type { InteractionRecord } from '../interactions/record.ts';
import { AFTER_START_MS, createJob, oneAtATime, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../numbers.ts';
import type { Store } from '../storage/store.ts';
import type { SubmissionsTable } from '../storage/tables.ts';
import type { Run, Runs } from '../submissions/runs.ts';
import type { ApprovalKey } from '../submissions/waiting-runs.ts';

/** How often each process looks for what is to be told, in milliseconds: what a dead process has not told. */
const EVERY_MS = 60_000;

/** Binds whom to tell, where and in which language, to its guild and its document. */
export const tellingContext = ({ guildId, id }: ApprovalKey): string => `guild ${guildId}: telling of ${id}`;

export interface TellingsDeps {
  readonly store: Pick<Store, 'tables'>;
  readonly record: Pick<InteractionRecord, 'find' | 'seal' | 'open'>;
  readonly runs: Pick<Runs, 'find' | 'latest'>;
  readonly api: Delivery['api'];
  readonly editOrder: Pick<EditOrder, 'isLatest'>;
  readonly wording: Wording;
  /** What the reply of the member shows of a run. */
  readonly replyOf: (context: Context, run: Run) => Promise<Reply>;
  readonly logger: Pick<Logger, 'warn'>;
}

export type Tellings = ReturnType<typeof createTellings>;

/**
 * Tells members in their own reply what became of what waited for a moderator, as long as the reply can be changed. From then on
 * a direct message about it is due: see decision-messages.ts.
 */
export function createTellings(deps: TellingsDeps) {
  const { store, record, runs, wording, logger } = deps;
  const job = createJob({ firstMs: AFTER_START_MS, everyMs: EVERY_MS, run: () => tellDue() });

  /** Takes a run whose member's reply is to be changed, for good. */
  async function take(): Promise<SubmissionsTable | undefined> {
    for (;;) {
      const row = await store
        .tables()
        .selectFrom('submissions')
        .selectAll()
        .where('telling', 'is not', null)
        .where('told_at', 'is', null)
        // By the index of what has ended; a list of states would read every submission that is done.
        .where('ended_at', '>', 0)
        .where('state', '<>', 'withdrawn')
        .orderBy('ended_at')
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { numUpdatedRows } = await store
        .tables()
        .updateTable('submissions')
        .set({ told_at: Date.now() })
        .where('id', '=', row.id)
        .where('telling', '=', row.telling)
        .where('told_at', 'is', null)
        .executeTakeFirst();
      // Otherwise it was taken or deleted after it was read.
      if (numUpdatedRows === 1n) return row;
    }
  }

  /** The reply shows the latest run: a part of what was approved may wait again. */
  async function changeReply(context: Context, interaction: Interaction, run: Run, message: string) {
    const { api, editOrder } = deps;
    // The clock of this machine may be wrong: what is over is asked, and not tried.
    const isOver = Date.now() - interaction.receivedAt >= TOKEN_LIVES_MS;
    if (isOver || (await api.read(interaction)) === 'gone') return;
    const latest = (await runs.latest(run.guildId, run.documentId)) ?? run;
    const reply = await deps.replyOf(context, latest);
    await deliver(
      {
        api,
        editOrder,
        interaction,
        shown: undefined,
        message,
        fallback: () =>
          context.t('failure.rejectedByDiscord', { submissions: context.mention('submissions') }),
      },
      reply,
    );
  }

  /** Never throws. */
  async function tell({
    id,
    guild_id: guildId,
    document_id: documentId,
    telling,
  }: SubmissionsTable): Promise<void> {
    const kept = record.open(telling, tellingContext({ guildId, id: documentId }), { guildId });
    if (kept === undefined) return;
    const { interaction, message } = kept;
    try {
      const run = await runs.find(guildId, id);
      if (run === undefined) return;
      await changeReply(contextOf(interaction, wording), interaction, run, message);
    } catch (error) {
      logger.warn({ guildId, err: error }, 'a reply does not show what a moderator has decided');
    }
  }

  /** @throws a StoreError when the store fails */
  async function tellEach(): Promise<void> {
    while (!job.stopping.aborted) {
      const row = await take();
      if (row === undefined) return;
      // A reply that hangs keeps nobody waiting.
      void tell(row);
    }
  }

  const complain = (error: unknown) =>
    logger.warn({ err: error }, 'who is to be told of a decision cannot be known now');

  /** Tells every member who is to be told, once at a time. Never throws. */
  const tellDue = oneAtATime(() => tellEach().catch(complain));

  const part: Part = { name: 'tellings', ...job };
  return {
    ...part,
    tellDue,
    /**
     * What it takes to tell of a document later, sealed; `null` where the interaction is not recorded any more, or cannot be
     * read.
     */
    async seal(key: ApprovalKey, interactionId: string): Promise<string | null> {
      const kept = await record.find(interactionId);
      if (kept === undefined) return null;
      const { interaction, message } = kept;
      return record.seal({ interaction, message }, tellingContext(key));
    },
  };
}
