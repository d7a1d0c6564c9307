import { isRejectedByDiscord, LostInteraction } from '../discord/api.ts';
import type { Logger } from '../logger.ts';
import { escapeText } from '../words/escape.ts';
import { interruptedText } from '../words/sentences.ts';
import { type Context, contextOf, type Reply, type TellGuild, type Wording } from './command.ts';
import { bareText, type Delivery, deliver, stateOf } from './deliver.ts';
import type { EditOrder } from './edit-order.ts';
import type { Interaction } from './interaction.ts';
import type { InteractionStore, KeptInteraction } from './interaction-store.ts';
import type { UnderWay } from './under-way.ts';

/**
 * What came of an attempt to tell a member afterwards what their interaction did.
 * - `told`: to the member.
 * - `too-late`: Discord takes no reply any more; the log channel is told of what was submitted, if anything was.
 * - `failed`: it is tried again.
 * - `unreadable`: what is stored of it cannot be opened.
 */
export const TOLD_LATER_OUTCOMES = ['told', 'too-late', 'failed', 'unreadable'] as const;
export type ToldLaterOutcome = (typeof TOLD_LATER_OUTCOMES)[number];

/** What members are told afterwards: made by the commands, from what is stored. */
export interface LaterReplies {
  /**
   * What the interaction has submitted or decided; `undefined` if it did neither. Called only once nobody is at work on the
   * interaction.
   */
  readonly reportOf: (context: Context, to: 'member' | 'log channel') => Promise<Reply | undefined>;
  /**
   * What became of what a control belongs to, by its custom id, where its interaction submitted nothing: the message that it
   * changes may be out of date. `undefined` if nothing of it was ever submitted.
   */
  readonly stateOfDraft: (context: Context, customId: string) => Promise<Reply | undefined>;
  /** Tells the log channel of what an interaction has submitted in a process that died before it could. */
  readonly logWhatDeadLeft: (context: Context) => Promise<void>;
}

export interface AfterCrashDeps extends LaterReplies {
  readonly interactionStore: Pick<InteractionStore, 'openRow' | 'unreplied' | 'isUnreplied' | 'markReplied'>;
  readonly underWay: UnderWay;
  readonly editOrder: Pick<EditOrder, 'claim' | 'isLatest'>;
  readonly api: Delivery['api'];
  readonly wording: Wording;
  readonly tellGuild: TellGuild;
  readonly onToldLater?: ((outcome: ToldLaterOutcome) => void) | undefined;
  readonly pause?: (ms: number) => Promise<unknown>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

/**
 * Tells members what their interaction did if its process died before the reply, or could not deliver the reply. Nothing
 * is done again.
 * @returns what tells, in the background, of the interactions that this process owns and is not at work on; a failure is tried
 *   again at the next call. It throws a StoreError when the store fails.
 */
export function createAfterCrash(deps: AfterCrashDeps) {
  const { interactionStore, underWay, editOrder, api, wording, reportOf, stateOfDraft, logWhatDeadLeft } =
    deps;
  const { tellGuild, onToldLater, logger } = deps;

  /** Discord does not take a reply any more: the guild's log channel gets the outcomes of a submission. */
  async function tellTooLate(interaction: Interaction): Promise<void> {
    const context = contextOf(interaction, wording);
    const said = await reportOf({ ...context, t: await context.guildWords() }, 'log channel');
    if (said) {
      await tellGuild(interaction.guildId, (t) =>
        t('resume.notice', { user: escapeText(interaction.user.name), what: bareText(said) }),
      );
    } else {
      await logWhatDeadLeft(context);
    }
    await interactionStore.markReplied(interaction.id);
    onToldLater?.('too-late');
  }

  /** What a member reads whose interaction was interrupted: from what is stored, never from what their message showed. */
  async function replyTo({ shown, customId }: KeptInteraction, context: Context): Promise<Reply | string> {
    const own = await reportOf(context, 'member');
    const about = own ?? (shown && customId ? await stateOfDraft(context, customId) : undefined);
    return about ?? interruptedText(context.t, customId);
  }

  async function tellOne(unreplied: KeptInteraction): Promise<void> {
    const { interaction, shown, message } = unreplied;
    const { id, guildId } = interaction;
    const context = contextOf(interaction, wording);
    const { t } = context;
    const state = await stateOf(api, interaction, deps.pause);
    // This process may have replied since it was read, or another one that has taken it over.
    if (!(await interactionStore.isUnreplied(id))) return;
    if (state === 'gone') return tellTooLate(interaction);
    // Discord shows no "thinking…" on a message that is updated.
    if (shown || state === 'thinking') {
      const said = await replyTo(unreplied, context);
      try {
        underWay.replyIsReady(id);
        if (!(await editOrder.claim(id, message))) return;
        await deliver(
          {
            api,
            editOrder,
            interaction,
            shown,
            message,
            fallback: () => t('failure.rejectedByDiscord', { submissions: context.mention('submissions') }),
          },
          said,
        );
      } catch (error) {
        // If Discord did not take it for another reason, it is tried again.
        if (isRejectedByDiscord(error) || error instanceof LostInteraction) return tellTooLate(interaction);
        throw error;
      }
    } else {
      // What was carried out beside the message of a control is shown by that message, and has to have ended.
      await reportOf(context, 'member');
    }
    await logWhatDeadLeft(context);
    await interactionStore.markReplied(id);
    onToldLater?.('told');
    logger.info({ interactionId: id, guildId }, 'told of what was left from before the restart');
  }

  return async function tellUnreplied(): Promise<void> {
    for (const row of await interactionStore.unreplied()) {
      if (underWay.has(row.id)) continue;
      const unreplied = interactionStore.openRow(row);
      // A row that cannot be opened stays under way, so that this is logged once.
      underWay.begin(row.id, unreplied?.message ?? row.id);
      if (!unreplied) {
        onToldLater?.('unreadable');
        continue;
      }
      tellOne(unreplied)
        .catch((error: unknown) => {
          onToldLater?.('failed');
          logger.error({ err: error, interactionId: row.id }, 'what was left could not be told');
        })
        .finally(() => underWay.end(row.id));
    }
  };
}
