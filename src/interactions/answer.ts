import { type APIInteractionResponse, InteractionResponseType, MessageFlags } from 'discord.js';
import { type DiscordApi, isUncertain, LostInteraction } from '../discord/api.ts';
import { UnreadableSettingsError } from '../guilds/settings.ts';
import { waitAtMost } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import { UndecryptableError } from '../storage/encryption.ts';
import { StoreError } from '../storage/store-error.ts';
import { createTurns, type WorkTurns } from '../turns.ts';
import { UserError } from '../user-error.ts';
import { interruptedText } from '../words/sentences.ts';
import type { Translate } from '../words/words.ts';
import type { LaterReplies } from './after-crash.ts';
import { type Announcing, announce } from './announce.ts';
import { type Context, OldMessage, type PressReplyMode, type Reply } from './command.ts';
import {
  deliver,
  deliverBeside,
  firstResponse,
  isBeside,
  messageWritten,
  type ReplyOrText,
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
import type { Trace } from './traces.ts';
import type { UnderWay } from './under-way.ts';

export interface AnswerDeps extends Announcing {
  readonly api: DiscordApi;
  readonly interactionStore: Pick<InteractionStore, 'take' | 'mayReply' | 'markReplied'>;
  readonly underWay: UnderWay;
  readonly editOrder: EditOrder;
  readonly reportOf: LaterReplies['reportOf'];
  readonly myTurn: WorkTurns;
  /** See {@link LARGE_TURN_MS}. */
  readonly largeTurnMs?: number | undefined;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * How long the next large reply waits for the one before, in milliseconds. Usually that takes seconds; an upload that Discord
 * does not answer would hold up others for minutes, and goes on beside them.
 */
const LARGE_TURN_MS = 20_000;

/** One interaction on its way. */
export interface InFlight {
  readonly interaction: Interaction;
  readonly context: Context;
  readonly trace: Trace;
  readonly progress: Progress;
}

export type Answering = ReturnType<typeof createAnswering>;

/**
 * Carries out what was requested, and replies, in the way that the command says it answers. What an action throws becomes words
 * for its member. What is thrown from here is logged by dispatch.ts: the interaction was lost, or has no reply yet.
 */
export function createAnswering(deps: AnswerDeps) {
  const { api, interactionStore, underWay, editOrder, reportOf, myTurn, logger } = deps;
  const { largeTurnMs = LARGE_TURN_MS } = deps;
  const largeTurns = createTurns({ atOnce: 1, mostWaiting: Number.POSITIVE_INFINITY });

  const say = ({ interaction }: InFlight, said: ReplyOrText) => api.respond(interaction, firstResponse(said));

  async function turnDown(inFlight: InFlight, why: ReplyOrText): Promise<void> {
    inFlight.trace.outcome = 'refused';
    await say(inFlight, why);
  }

  /** What a member reads of a failure, with the reference under which the bot's log has the error. */
  function referring(error: unknown, { context, trace }: InFlight, says: string, what: string): string {
    const { t, interactionId, guildId } = context;
    const reference = trace.failed();
    logger.error({ err: error, reference, interactionId, guildId }, what);
    return `${says}\n-# ${t('dispatch.reference', { reference })}`;
  }

  /**
   * What a member reads when an action throws: a UserError's own words, or what to do. Any other error is logged whole.
   */
  function failureText(error: unknown, inFlight: InFlight): string {
    const { context, trace } = inFlight;
    const { t } = context;
    if (error instanceof UserError) {
      trace.outcome = 'refused';
      return error.message;
    }
    if (error instanceof UnreadableSettingsError) {
      trace.outcome = 'refused';
      const whoReads = context.isAdmin ? 'admin' : 'member';
      return t(`failure.settings.${whoReads}`, { settings: context.mention('settings') });
    }
    const cause = error instanceof StoreError || error instanceof UndecryptableError ? 'store' : 'unexpected';
    return referring(error, inFlight, t(`failure.${cause}`), FAILED);
  }

  /** What a member reads instead of a reply that Discord does not take. What the action did stays done. */
  function notTaken(error: unknown, inFlight: InFlight): string {
    const { t, mention } = inFlight.context;
    const says = t('failure.rejectedByDiscord', { submissions: mention('submissions') });
    return referring(error, inFlight, says, 'Discord did not take a reply');
  }

  /**
   * The reply after a failure of the store, from what is stored, as after a crash: a connection that is lost during a COMMIT may
   * have changed something.
   * @throws StoreError if that cannot be read now; the interaction stays recorded, and its member is told soon
   */
  async function replyFromStore(error: StoreError, inFlight: InFlight): Promise<ReplyOrText> {
    const { context, interaction } = inFlight;
    const { request } = interaction;
    const says = interruptedText(context.t, 'customId' in request ? request.customId : undefined);
    const nothing = referring(error, inFlight, says, FAILED);
    return (await reportOf(context, 'member')) ?? nothing;
  }

  /** Carries an action out. @throws LostInteraction; StoreError as {@link replyFromStore} */
  async function carryOut(inFlight: InFlight, action: Action): Promise<ReplyOrText> {
    try {
      const reply = (await action.run()) as Reply;
      if (reply.isRefusal) inFlight.trace.outcome = 'refused';
      return reply;
    } catch (error) {
      if (error instanceof LostInteraction) throw error;
      if (error instanceof StoreError && isRecorded(action)) return replyFromStore(error, inFlight);
      const words = failureText(error, inFlight);
      return error instanceof OldMessage ? error.reply : words;
    }
  }

  async function openModal(inFlight: InFlight, action: Action): Promise<void> {
    try {
      const opened = await action.run();
      if (!('custom_id' in opened)) return await turnDown(inFlight, opened);
      await api.respond(inFlight.interaction, { type: InteractionResponseType.Modal, data: opened });
    } catch (error) {
      // Where Discord's answer did not come, the modal may be open.
      if (error instanceof LostInteraction || isUncertain(error)) throw error;
      if (!(error instanceof OldMessage)) return say(inFlight, failureText(error, inFlight));
      await answerImmediately(inFlight, {
        ...action,
        answers: 'immediate update',
        run: async () => error.reply,
      });
    }
  }

  /** The first response is the reply. If it fails, the member asks again, since nothing was changed. */
  async function answerImmediately(inFlight: InFlight, action: Action): Promise<void> {
    const { interaction } = inFlight;
    const reply = await carryOut(inFlight, action);
    const isUpdate = action.answers === 'immediate update' && typeof reply !== 'string';
    const shown = isUpdate ? replacedBy(interaction) : undefined;
    const respond = (said: ReplyOrText) =>
      api.respond(
        interaction,
        shown && typeof said !== 'string' ? updateResponse(said, shown) : firstResponse(said),
      );
    if (shown) {
      // Otherwise an older reply to the same message, which is being tried again, might overwrite this one. Not awaited,
      // since Discord waits.
      void editOrder.claimImmediately(interaction, messageWritten(interaction, true));
    }
    await sendFirstAccepted(reply, respond, (error) => notTaken(error, inFlight));
  }

  /**
   * Makes one large reply at a time, because its memory is free again once Discord has its files: twelve exports of 20,000
   * servers at the same time would need 302 MiB in place of 203 (measured).
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
   * Record, acknowledge, carry out, reply, mark as replied: a crash anywhere in between leaves nobody waiting.
   * @param before has to end before the action is carried out; meanwhile the member reads that it waits
   */
  async function answerLater(inFlight: InFlight, action: Action, before?: Promise<unknown>): Promise<void> {
    const { interaction, context, trace, progress } = inFlight;
    const shown = action.answers === 'later' ? undefined : replacedBy(interaction);
    const message = messageWritten(interaction, shown !== undefined);
    if (underWay.has(interaction.id)) throw new LostInteraction('The interaction was delivered twice');
    if (underWay.isAwaited(message)) return turnDown(inFlight, context.t('again.busy'));
    underWay.begin(interaction.id, message);
    try {
      if (!(await recordOrSay(inFlight, shown))) return;
      await acknowledge(inFlight, action, shown);
      trace.responded();
      if (before) progress.show({ content: context.t('again.waiting') });
      await before;
      await myTurn(interaction.guildId);
      const reply = await carryOut(inFlight, action);
      await progress.settled();
      underWay.replyIsReady(interaction.id);
      // Its own message it has claimed with its record.
      if (message !== interaction.id) await editOrder.claim(interaction.id, message);
      if (!(await interactionStore.mayReply(interaction.id)))
        throw new LostInteraction('The interaction was taken over');
      // If this fails, the interaction stays recorded, and its member or the log channel is told soon: see after-crash.ts.
      const deliverReply = isBeside(interaction, action.answers) ? deliverBeside : deliver;
      const fallback = (error: unknown) => notTaken(error, inFlight);
      await deliverReply({ api, editOrder, interaction, shown, message, progress, fallback }, reply);
      trace.replied();
      await interactionStore.markReplied(interaction.id);
      await tryToAnnounce(inFlight, reply);
    } finally {
      underWay.end(interaction.id);
    }
  }

  /** Announces what the reply wants everybody to know. Never throws: its member has the reply by now. */
  async function tryToAnnounce({ interaction, context }: InFlight, reply: ReplyOrText): Promise<void> {
    if (typeof reply === 'string' || !reply.announcement) return;
    try {
      const announcement = reply.announcement(await context.guildWords());
      await announce(deps, interaction, announcement, context.mention('settings'));
    } catch (error) {
      logger.warn({ err: error, interactionId: interaction.id }, 'an announcement could not be made');
    }
  }

  /**
   * Records the interaction.
   * @returns false if it could not be recorded, which its member was told
   * @throws LostInteraction
   */
  async function recordOrSay(inFlight: InFlight, shown: MessageContent | undefined): Promise<boolean> {
    let taken: Awaited<ReturnType<typeof interactionStore.take>>;
    try {
      taken = await interactionStore.take(inFlight.interaction, shown);
    } catch (error) {
      await say(inFlight, failureText(error, inFlight));
      return false;
    }
    if (taken === 'twice') throw new LostInteraction('The interaction was delivered twice');
    return true;
  }

  /** @throws LostInteraction when it was not acknowledged in time */
  async function acknowledge(
    { interaction, context }: InFlight,
    { answers }: Action,
    shown: MessageContent | undefined,
  ): Promise<void> {
    try {
      const isUpdate = shown !== undefined || isBeside(interaction, answers);
      await api.respond(interaction, acknowledgement(context.t, answers, isUpdate));
    } catch (error) {
      // Discord may have taken it all the same; then the member sees "thinking…". If that cannot be known, it stays
      // recorded.
      const state = isUncertain(error) ? await stateOf(api, interaction) : 'gone';
      if (state !== 'gone') return;
      await interactionStore.markReplied(interaction.id);
      throw error;
    }
  }

  return {
    turnDown,
    async answer(inFlight: InFlight, action: Action): Promise<void> {
      if (action.answers === 'modal') return openModal(inFlight, action);
      if (!isRecorded(action)) return answerImmediately(inFlight, action);
      return action.isLarge ? answerLarge(inFlight, action) : answerLater(inFlight, action);
    },
  };
}

const FAILED = 'an interaction failed';

const isRecorded = ({ answers }: Action): boolean =>
  answers === 'later' || answers === 'update' || answers === 'sending' || answers === 'beside';

function acknowledgement(t: Translate, answers: PressReplyMode, isUpdate: boolean): APIInteractionResponse {
  if (!isUpdate) {
    const data = { flags: MessageFlags.Ephemeral as const };
    return { type: InteractionResponseType.DeferredChannelMessageWithSource, data };
  }
  if (answers === 'sending') return sendingResponse(t('again.sending'));
  return { type: InteractionResponseType.DeferredMessageUpdate };
}
