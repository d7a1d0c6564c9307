import { type APIInteractionResponse, InteractionResponseType, MessageFlags } from 'discord.js';
import { type DiscordApi, isUncertain, LostInteractionError } from '../discord/api.ts';
import { UnreadableSettingsError } from '../guilds/settings.ts';
import { waitAtMost } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { createTurns, type WorkTurns } from '../pacing/turns.ts';
import { UndecryptableError } from '../storage/encryption.ts';
import { StoreError } from '../storage/store-error.ts';
import { interruptedText } from '../words/sentences.ts';
import type { Translate } from '../words/words.ts';
import type { LaterReplies } from './after-crash.ts';
import { type AnnounceDeps, announce } from './announce.ts';
import { type Context, OldMessageError, type PressReplyMode, type Reply } from './command.ts';
import {
  deliver,
  deliverBeside,
  firstResponse,
  isBeside,
  messageWritten,
  type ReplyOrText,
  rejectionText,
  replacedBy,
  sendFirstAccepted,
  sendingResponse,
  stateOf,
  updateResponse,
} from './deliver.ts';
import type { EditOrder } from './edit-order.ts';
import type { Action } from './find-action.ts';
import type { Interaction, MessageContent } from './interaction.ts';
import type { InteractionStore } from './interaction-store.ts';
import type { Progress } from './progress.ts';
import type { RefusalReason, Trace } from './traces.ts';
import type { UnderWay } from './under-way.ts';
import { UserError } from './user-error.ts';

export interface AnswerDeps extends AnnounceDeps {
  readonly api: DiscordApi;
  readonly interactionStore: Pick<InteractionStore, 'record' | 'canReply' | 'markReplied'>;
  readonly underWay: UnderWay;
  readonly editOrder: EditOrder;
  readonly reportOf: LaterReplies['reportOf'];
  readonly myTurn: WorkTurns;
  readonly largeTurnMs?: number | undefined;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * A large reply waits for the previous upload at most for this time. An upload usually takes seconds, but can take minutes
 * if Discord doesn't respond.
 */
const LARGE_TURN_MS = 20_000;

export interface InFlight {
  readonly interaction: Interaction;
  readonly context: Context;
  readonly trace: Trace;
  readonly progress: Progress;
}

export type Answering = ReturnType<typeof createAnswering>;

/**
 * Creates the functions that run an action and reply as the command specifies. If an action throws, the member gets an
 * error message. The functions only throw if the interaction was lost or is still unanswered; dispatch.ts logs these
 * errors.
 */
export function createAnswering(deps: AnswerDeps) {
  const { api, interactionStore, underWay, editOrder, reportOf, myTurn, logger } = deps;
  const { largeTurnMs = LARGE_TURN_MS } = deps;
  const largeTurns = createTurns({ maxConcurrent: 1, maxWaitingPerMember: Number.POSITIVE_INFINITY });

  const respond = ({ interaction }: InFlight, said: ReplyOrText) =>
    api.respond(interaction, firstResponse(said));

  async function refuse(inFlight: InFlight, reason: RefusalReason, why: ReplyOrText): Promise<void> {
    inFlight.trace.refused(reason);
    await respond(inFlight, why);
  }

  function textWithReference(
    error: unknown,
    { context, trace }: InFlight,
    text: string,
    what: string,
  ): string {
    const { t, interactionId, guildId } = context;
    const reference = trace.failed();
    logger.error({ err: error, reference, interactionId, guildId }, what);
    return `${text}\n-# ${t('dispatch.reference', { reference })}`;
  }

  /** Also logs unexpected errors in full. */
  function failureText(error: unknown, inFlight: InFlight): string {
    const { context, trace } = inFlight;
    const { t } = context;
    if (error instanceof UserError) {
      trace.refused(error.reason);
      return error.message;
    }
    if (error instanceof UnreadableSettingsError) {
      trace.refused('settings');
      const whoReads = context.isAdmin ? 'admin' : 'member';
      return t(`failure.settings.${whoReads}`, { settings: context.mention('settings') });
    }
    const cause = error instanceof StoreError || error instanceof UndecryptableError ? 'store' : 'unexpected';
    return textWithReference(error, inFlight, t(`failure.${cause}`), FAILED);
  }

  const fallbackOf = (inFlight: InFlight) => (error: unknown) =>
    textWithReference(error, inFlight, rejectionText(inFlight.context), 'Discord rejected a reply');

  /**
   * Rebuilds the reply from stored data when the store fails, as after a crash. If the connection was lost during a COMMIT,
   * the change may have been saved anyway.
   * @throws StoreError if the data still can't be read. The interaction then stays recorded, and the member is notified
   * later
   */
  async function replyFromStore(error: StoreError, inFlight: InFlight): Promise<ReplyOrText> {
    const { context, interaction } = inFlight;
    const { request } = interaction;
    const text = interruptedText(context.t, 'customId' in request ? request.customId : undefined);
    const nothing = textWithReference(error, inFlight, text, FAILED);
    return (await reportOf(context, 'member')) ?? nothing;
  }

  /**
   * @throws LostInteractionError
   * @throws StoreError in the same cases as {@link replyFromStore}
   */
  async function carryOut(inFlight: InFlight, action: Action): Promise<ReplyOrText> {
    try {
      const reply = (await action.run()) as Reply;
      if (reply.isUserError) inFlight.trace.refused(reply.refusal ?? 'command');
      return reply;
    } catch (error) {
      if (error instanceof LostInteractionError) throw error;
      if (error instanceof StoreError && isRecorded(action)) return replyFromStore(error, inFlight);
      const words = failureText(error, inFlight);
      return error instanceof OldMessageError ? error.reply : words;
    }
  }

  async function openModal(inFlight: InFlight, action: Action): Promise<void> {
    try {
      const opened = await action.run();
      if (!('custom_id' in opened)) return await refuse(inFlight, opened.refusal ?? 'command', opened);
      await api.respond(inFlight.interaction, { type: InteractionResponseType.Modal, data: opened });
    } catch (error) {
      // If Discord's response was lost, the modal may have opened anyway.
      if (error instanceof LostInteractionError || isUncertain(error)) throw error;
      if (!(error instanceof OldMessageError)) return respond(inFlight, failureText(error, inFlight));
      await answerImmediately(inFlight, {
        ...action,
        answers: 'immediate update',
        run: async () => error.reply,
      });
    }
  }

  /**
   * Sends the reply as the first response. If that fails, the member can simply try again, because the action didn't change
   * anything.
   */
  async function answerImmediately(inFlight: InFlight, action: Action): Promise<void> {
    const { interaction } = inFlight;
    const reply = await carryOut(inFlight, action);
    const isUpdate = action.answers === 'immediate update' && typeof reply !== 'string';
    const shown = isUpdate ? replacedBy(interaction) : undefined;
    const respond = (said: ReplyOrText) =>
      api.respond(interaction, shown ? updateResponse(said, shown) : firstResponse(said));
    if (shown) {
      // Prevents retries of older replies from overwriting this reply. Not awaited, because Discord only waits 3 seconds.
      void editOrder.claimImmediately(interaction, messageWritten(interaction, true));
    }
    await sendFirstAccepted(reply, respond, fallbackOf(inFlight));
  }

  /**
   * Runs large replies one at a time, because their memory is only freed once Discord has received the files. Twelve
   * exports of 20,000 servers need 203 MiB, or 302 MiB if run simultaneously (measured).
   */
  function answerLarge(inFlight: InFlight, action: Action): Promise<void> {
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>();
    const mine = answerLater(inFlight, action, largeTurns.isFull() ? turn : undefined);
    void largeTurns.run({ guildId: inFlight.interaction.guildId }, () => {
      begin();
      return waitAtMost(largeTurnMs, mine);
    });
    return mine;
  }

  /**
   * Records and acknowledges the interaction, runs the action, sends the reply, and marks the interaction as replied to.
   * The member gets a reply even if the bot crashes in between.
   * @param before delays the action until it resolves. In the meantime, the member sees that the action is waiting
   */
  async function answerLater(inFlight: InFlight, action: Action, before?: Promise<unknown>): Promise<void> {
    const { interaction, context, trace, progress } = inFlight;
    const shown = action.answers === 'later' ? undefined : replacedBy(interaction);
    const message = messageWritten(interaction, shown !== undefined);
    if (underWay.has(interaction.id)) throw new LostInteractionError('The interaction was delivered twice');
    if (underWay.isAwaited(message)) return refuse(inFlight, 'busy', context.t('again.busy'));
    underWay.begin(interaction.id, message);
    try {
      if (!(await recordOrSay(inFlight, shown))) return;
      await acknowledge(inFlight, action, shown);
      trace.responded();
      if (before) progress.show({ content: context.t('again.waiting') });
      await before;
      await myTurn(interaction.guildId);
      const reply = await carryOut(inFlight, action);
      await progress.currentEditDone();
      underWay.replyIsReady(interaction.id);
      // A new message was already claimed when the interaction was recorded.
      if (message !== interaction.id) await editOrder.claim(interaction.id, message);
      if (!(await interactionStore.canReply(interaction.id)))
        throw new LostInteractionError('The interaction was taken over');
      // If the delivery fails, the interaction stays recorded, and after-crash.ts later notifies the member or the log
      // channel.
      const deliverReply = isBeside(interaction, action.answers) ? deliverBeside : deliver;
      const fallback = fallbackOf(inFlight);
      await deliverReply({ api, editOrder, interaction, shown, message, progress, fallback }, reply);
      trace.replied();
      await interactionStore.markReplied(interaction.id);
      await tryToAnnounce(inFlight, reply);
    } finally {
      underWay.end(interaction.id);
    }
  }

  /** Never throws, because the member already has the reply. */
  async function tryToAnnounce({ interaction, context }: InFlight, reply: ReplyOrText): Promise<void> {
    if (typeof reply === 'string' || !reply.announcement) return;
    try {
      const announcement = reply.announcement(await context.guildWords());
      await announce(deps, interaction, announcement, context.mention('settings'));
    } catch (error) {
      logger.warn(
        { err: error, interactionId: interaction.id, guildId: interaction.guildId },
        'could not post an announcement; will not retry',
      );
    }
  }

  /**
   * @returns whether the interaction was recorded; if not, the member gets an error message
   * @throws LostInteractionError
   */
  async function recordOrSay(inFlight: InFlight, shown: MessageContent | undefined): Promise<boolean> {
    try {
      await interactionStore.record(inFlight.interaction, shown);
      return true;
    } catch (error) {
      if (error instanceof LostInteractionError) throw error;
      await respond(inFlight, failureText(error, inFlight));
      return false;
    }
  }

  /** @throws LostInteractionError if the interaction wasn't acknowledged in time */
  async function acknowledge(
    { interaction, context }: InFlight,
    { answers }: Action,
    shown: MessageContent | undefined,
  ): Promise<void> {
    try {
      const isUpdate = shown !== undefined || isBeside(interaction, answers);
      await api.respond(interaction, acknowledgement(context.t, answers, isUpdate));
    } catch (error) {
      // If Discord accepted the acknowledgement anyway, the action runs. If that can't be determined, the interaction stays
      // recorded.
      const state = isUncertain(error) ? await stateOf(api, interaction) : 'gone';
      if (state !== 'gone') return;
      await interactionStore.markReplied(interaction.id);
      throw error;
    }
  }

  return {
    refuse,
    async answer(inFlight: InFlight, action: Action): Promise<void> {
      if (action.answers === 'modal') return openModal(inFlight, action);
      if (!isRecorded(action)) return answerImmediately(inFlight, action);
      return action.isLarge ? answerLarge(inFlight, action) : answerLater(inFlight, action);
    },
  };
}

const FAILED = 'an interaction failed';

export const isRecorded = ({ answers }: Action): boolean =>
  answers === 'later' || answers === 'update' || answers === 'sending' || answers === 'beside';

function acknowledgement(t: Translate, answers: PressReplyMode, isUpdate: boolean): APIInteractionResponse {
  if (!isUpdate) {
    const data = { flags: MessageFlags.Ephemeral as const };
    return { type: InteractionResponseType.DeferredChannelMessageWithSource, data };
  }
  if (answers === 'sending') return sendingResponse(t('again.sending'));
  return { type: InteractionResponseType.DeferredMessageUpdate };
}
