import { setTimeout as sleep } from 'node:timers/promises';
import type { DirectMessages } from '../discord/direct-messages.ts';
import type { GuildSettings } from '../guilds/settings.ts';
import type { Untold } from '../guilds/untold.ts';
import { type Context, contextOf, type Reply, type Wording } from '../interactions/command.ts';
import { type Delivery, deliver } from '../interactions/deliver.ts';
import type { EditOrder } from '../interactions/edit-order.ts';
import type { Interaction } from '../interactions/interaction.ts';
import type { InteractionRecord } from '../interactions/record.ts';
import { AFTER_START_MS, createJob, oneAtATime, type Part } from '../lifecycle.ts';
import type { GameIndex } from '../listing/game-search.ts';
import type { Logger } from '../logger.ts';
import { TOKEN_LIVES_MS } from '../numbers.ts';
import type { Store } from '../storage/store.ts';
import type { SubmissionsTable } from '../storage/tables.ts';
import type { Run, Runs } from '../submissions/runs.ts';
import { sentences } from '../words/sentences.ts';
import { againText, approvalView } from './approval-view.ts';
import type { ApprovalKey } from './approvals.ts';

/** How often one process looks for what is to be told, in milliseconds: what a dead process has not told. */
const EVERY_MS = 60_000;
/** Between two members, in milliseconds: what Discord refuses counts towards a block. */
const PACE_MS = 1_000;

/** Binds whom to tell, where and in which language, to its guild and its document. */
export const tellingContext = ({ guildId, id }: ApprovalKey): string => `guild ${guildId}: telling of ${id}`;

export interface TellingsDeps {
  readonly store: Pick<Store, 'tables'>;
  readonly record: Pick<InteractionRecord, 'find' | 'seal' | 'open'>;
  readonly runs: Pick<Runs, 'find' | 'latest' | 'waitingAgain'>;
  readonly api: Delivery['api'];
  readonly editOrder: Pick<EditOrder, 'isLatest'>;
  readonly directMessages: DirectMessages;
  readonly settings: Pick<GuildSettings, 'getOrUnreadable'>;
  readonly untold: Pick<Untold, 'has'>;
  readonly wording: Wording;
  readonly games: GameIndex;
  /** What the reply of the member shows of a run. */
  readonly replyOf: (context: Context, run: Run) => Promise<Reply>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

export type Tellings = ReturnType<typeof createTellings>;

/**
 * Tells members what became of what waited for a moderator: with one direct message, and in their own reply as long as that can
 * be changed. What is to be told stands in the row of the run, and goes before it is told: nobody is told twice.
 */
export function createTellings(deps: TellingsDeps) {
  const { store, record, runs, directMessages, settings, untold, wording, games } = deps;
  const { logger } = deps;
  const job = createJob({ firstMs: AFTER_START_MS, everyMs: EVERY_MS, run: () => tellDue() });

  /** Whether a member of a guild gets direct messages. */
  async function isWanted(guildId: string, userId: string): Promise<boolean> {
    const found = await settings.getOrUnreadable(guildId);
    if (found === 'unreadable' || found.directMessages === false) return false;
    return (await directMessages.canSendTo(userId)) && !(await untold.has(guildId, userId));
  }

  /** Takes a run whose member is to be told, for good. */
  async function take(): Promise<SubmissionsTable | undefined> {
    for (;;) {
      const row = await store
        .tables()
        .selectFrom('submissions')
        .selectAll()
        .where('telling', 'is not', null)
        .where('state', 'in', ['done', 'refused', 'expired'])
        .orderBy('ended_at')
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { numUpdatedRows } = await store
        .tables()
        .updateTable('submissions')
        .set({ telling: null, told_at: Date.now() })
        .where('id', '=', row.id)
        .where('telling', '=', row.telling)
        .executeTakeFirst();
      // Otherwise it was taken or deleted after it was read.
      if (numUpdatedRows === 1n) return row;
    }
  }

  async function sendMessage({ t, guildId, channelId, user }: Context, run: Run): Promise<void> {
    const isOwn = run.decidedBy === user.id;
    if (isOwn || !(await isWanted(guildId, user.id))) return;
    const { content, embeds } = approvalView(t, run, games, user.id);
    const [embed = {}] = embeds;
    const channel = `https://discord.com/channels/${guildId}/${channelId}`;
    const said = sentences(content, againText(t, await runs.waitingAgain(run)));
    const texts = [said, t('told.where', { channel }), `-# ${t('told.off')}`];
    await directMessages.send(user.id, { nonce: `told ${run.id}`, content: texts.join('\n'), embed });
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
        fallback: () => context.t('failure.notTaken', { submissions: context.mention('submissions') }),
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
      const context = contextOf(interaction, wording);
      await Promise.all([
        sendMessage(context, run),
        changeReply(context, interaction, run, message).catch((error: unknown) => {
          logger.warn({ guildId, err: error }, 'a reply does not show what a moderator has decided');
        }),
      ]);
    } catch (error) {
      logger.error({ guildId, err: error }, 'a member could not be told what a moderator has decided');
    }
  }

  /** @throws a StoreError when the store fails */
  async function tellEach(): Promise<void> {
    while (!job.stopping.aborted) {
      const row = await take();
      if (row === undefined) return;
      // A direct message that hangs keeps nobody waiting.
      void tell(row);
      await sleep(PACE_MS, undefined, { signal: job.stopping }).catch(() => undefined);
    }
  }

  const complain = (error: unknown) =>
    logger.warn({ err: error }, 'who is to be told of a decision cannot be known now');

  /** Tells every member who is to be told, one after the other, once at a time. Never throws. */
  const tellDue = oneAtATime(() => tellEach().catch(complain));

  const part: Part = { name: 'tellings', ...job };
  return {
    ...part,
    isWanted,
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
