import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIInteractionResponse,
  DiscordAPIError,
  InteractionResponseType,
  MessageFlags,
  RESTJSONErrorCodes,
} from 'discord.js';
import { type DiscordApi, hasCode, isRejectedByDiscord, type MessageBody } from '../discord/api.ts';
import { fitTexts, LIMITS } from '../discord/limits.ts';
import { persist } from '../discord/persist.ts';
import { shortenMarkup } from '../words/escape.ts';
import type { PressReplyMode, Reply } from './command.ts';
import { renewed } from './controls.ts';
import type { EditOrder } from './edit-order.ts';
import type { Interaction, MessageContent, SourceMessage } from './interaction.ts';
import type { Progress } from './progress.ts';

/** A reply, or a plain text instead: an error, or the reason why the bot declined the request. */
export type ReplyOrText = Reply | string;

/** Allowed mentions that never ping anyone. */
export const NO_MENTIONS = { parse: [] };

/** How long an earlier edit can still take effect at Discord, in milliseconds. */
const LATE_EDIT_MS = 2_000;

export function firstResponse(said: ReplyOrText): APIInteractionResponse {
  return { type: InteractionResponseType.ChannelMessageWithSource, data: newMessage(said) };
}

/** Builds a new message from a reply, without its files. Only the member sees it, unless the reply is public. */
function newMessage(said: ReplyOrText) {
  const { content, embeds = [], components = [], isPublic } = fitTexts(replyOf(said));
  return {
    ...(content !== undefined && { content }),
    embeds: [...embeds],
    components: [...components],
    allowed_mentions: NO_MENTIONS,
    ...(!isPublic && { flags: MessageFlags.Ephemeral as const }),
  };
}

/**
 * Builds a first response that shows on the button's message that the bot is working. Until the reply, the message shows
 * neither buttons nor game servers, because the member may have just corrected the servers.
 */
export const sendingResponse = (text: string): APIInteractionResponse => ({
  type: InteractionResponseType.UpdateMessage,
  data: { content: text, embeds: [], components: [], allowed_mentions: NO_MENTIONS },
});

/**
 * Builds a first response that changes the button's message.
 * @param shown the current content of the message
 */
export function updateResponse(reply: Reply, shown?: MessageContent): APIInteractionResponse {
  const { body } = messageAfter(reply, shown);
  // For a response, unlike an edit, Discord's documentation doesn't mention `null` here.
  return {
    type: InteractionResponseType.UpdateMessage,
    data: { ...body, content: String(body.content ?? '') },
  };
}

/** Returns a reply's text without its buttons and files. */
export function bareText({ content = '', embeds = [] }: Reply): string {
  const texts = [content, ...embeds.flatMap(({ title = '', description = '' }) => [title, description])];
  return texts.filter((text) => text !== '').join('\n');
}

/** Whether Discord rejected a message's text because of a link (Discord docs: JSON Error Codes, 240000). */
const isAboutText = (error: unknown): boolean =>
  hasCode(error, RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter);

/** Statuses that aren't caused by the message itself, but by the token, the interaction or the time. */
const NOT_ABOUT_MESSAGE: readonly number[] = [401, 404, 408, 429];

/** Whether Discord might accept a different message instead of the rejected one. */
const isAboutMessage = (error: unknown): boolean =>
  error instanceof DiscordAPIError &&
  isRejectedByDiscord(error) &&
  !NOT_ABOUT_MESSAGE.includes(error.status) &&
  !hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);

/**
 * Sends a reply in the first form that Discord accepts: the full reply, its bare text, or a fixed sentence.
 * @param fallback receives the reason for Discord's rejection and returns the sentence
 * @throws any other error that `send` throws
 */
export async function sendFirstAccepted(
  reply: ReplyOrText,
  send: (said: ReplyOrText) => Promise<void>,
  fallback: (error: unknown) => string,
): Promise<void> {
  let rejection: unknown;
  try {
    return await send(reply);
  } catch (error) {
    if (!isAboutMessage(error)) throw error;
    rejection = error;
  }
  const sentence = fallback(rejection);
  const bare = isAboutText(rejection) ? '' : bareText(replyOf(reply));
  try {
    if (bare !== '') return await send({ content: bare });
  } catch (error) {
    if (!isAboutMessage(error)) throw error;
  }
  await send({ content: sentence });
}

/** Separates a reason from the previous content with a blank line. */
const BELOW_REASON = '\n\u200b\n';

/**
 * Shows the message's previous content below a reason, or with other components. Keeps its files, and removes a previous
 * reason.
 */
function shownBelow(
  { content, embeds, components }: MessageContent,
  { content: reason = '', components: instead = renewed(components) }: Partial<MessageContent>,
) {
  const previous = content.split(BELOW_REASON).at(-1) ?? '';
  const text = previous === '' ? reason : `${reason}${BELOW_REASON}${previous}`;
  return {
    content: shortenMarkup(text, LIMITS.content),
    embeds,
    components: instead,
    allowed_mentions: NO_MENTIONS,
  };
}

/** Builds the new content of the message that a reply changes. */
function messageAfter(said: ReplyOrText, shown: MessageContent | undefined): MessageBody {
  const reply = replyOf(said);
  const keepsMessage = typeof said === 'string' || said.keepsMessage;
  return shown && keepsMessage ? { body: shownBelow(shown, reply), files: [] } : messageOf(reply);
}

const replyOf = (said: ReplyOrText): Reply => (typeof said === 'string' ? { content: said } : said);

/** Builds an edit that replaces the whole message. */
function messageOf(reply: Reply): MessageBody {
  const { content, embeds = [], components = [], files = [] } = fitTexts(reply);
  const attachments = files.map(({ name }, id) => ({ id, filename: name }));
  return {
    body: { content: content ?? null, embeds, components, attachments, allowed_mentions: NO_MENTIONS },
    files,
  };
}

/** Identifies a message by the interaction that created it. */
export type MessageKey = string;

/** Returns the message that an interaction writes: its own reply, or the message that it changes. */
export const messageWritten = (interaction: Interaction, isUpdate: boolean): MessageKey =>
  (isUpdate ? sourceOf(interaction)?.madeBy : undefined) ?? interaction.id;

const sourceOf = ({ request }: Pick<Interaction, 'request'>): SourceMessage | undefined =>
  'message' in request ? request.message : undefined;

/**
 * Returns the content that an update replaces. A message that everyone sees is never replaced, even if the interaction was
 * forged.
 */
export function replacedBy(interaction: Pick<Interaction, 'request'>): MessageContent | undefined {
  const source = sourceOf(interaction);
  return source?.isPrivate ? source.shown : undefined;
}

/** Whether a reply is a private message next to the control's message, which everyone sees. */
export const isBeside = ({ request }: Pick<Interaction, 'request'>, answers: PressReplyMode): boolean =>
  answers === 'beside' && sourceOf({ request })?.postedId !== undefined;

export interface Delivery {
  readonly api: Pick<DiscordApi, 'read' | 'edit' | 'followUp'>;
  readonly editOrder: Pick<EditOrder, 'isLatest'>;
  readonly interaction: Interaction;
  /** The message that the interaction writes. */
  readonly message: MessageKey;
  /** The message's content before this button or modal changes it; `undefined` if the reply is a new message. */
  readonly shown: MessageContent | undefined;
  /** The progress shown before the reply. */
  readonly progress?: Pick<Progress, 'isShown' | 'isUncertain'>;
  /** Receives Discord's reason for rejecting the reply, and returns the text to send instead. */
  readonly fallback: (error: unknown) => string;
}

/**
 * Replaces "thinking…", or the content of the control's message, with the reply. The action's work is already done, so the
 * bot tries for a minute and a half before it gives up. A plain text is a failure: an update then shows the previous
 * message again with its buttons, below the failure.
 * @throws the last failure
 */
export const deliver = (delivery: Delivery, reply: ReplyOrText): Promise<void> =>
  sendFirstAccepted(reply, (said) => deliverOnce(delivery, said), delivery.fallback);

/** Sends a reply next to the control's message; see {@link isBeside}. Sends nothing if the reply has no text. */
export async function deliverBeside(
  { api, interaction, fallback }: Delivery,
  reply: ReplyOrText,
): Promise<void> {
  if (bareText(replyOf(reply)) === '') return;
  const followUp = (said: ReplyOrText) =>
    persist(() => api.followUp(interaction, { body: newMessage(said), files: [] }));
  await sendFirstAccepted(reply, followUp, fallback);
}

async function deliverOnce(delivery: Delivery, reply: ReplyOrText): Promise<void> {
  const { api, editOrder, interaction, message, shown, progress } = delivery;
  const after = messageAfter(reply, shown);
  const endsThinking = shown === undefined && !progress?.isShown();
  let isSentBefore = false;
  const edit = () => {
    // While the message shows "thinking…", it has no buttons, so no other interaction can change it.
    const isOnlyOne = endsThinking && progress !== undefined && !isSentBefore;
    return api.edit(interaction, after, async () => isOnlyOne || editOrder.isLatest(interaction.id, message));
  };
  await persist(async () => {
    // If Discord no longer shows "thinking…", the edit arrived, and its buttons may have been pressed since then.
    if (isSentBefore && endsThinking && (await api.read(interaction)) === 'answered') return;
    const done = edit();
    isSentBefore = true;
    await done;
  });
  if (!progress?.isUncertain()) return;
  // Discord may apply the progress edit after the reply.
  await sleep(LATE_EDIT_MS);
  await persist(edit);
}

/**
 * The time after which Discord certainly no longer accepts a first response, in milliseconds. Discord accepts one for 3
 * seconds.
 */
const ACKNOWLEDGED_BY_MS = 4_000;

/**
 * Reads the state of a reply as the member sees it. Asks again after the point where a late acknowledgement could still arrive.
 */
export async function stateOf(
  api: Pick<DiscordApi, 'read'>,
  interaction: Interaction,
  pause: (ms: number) => Promise<unknown> = sleep,
): ReturnType<DiscordApi['read']> {
  const ageMs = Math.max(0, Date.now() - interaction.receivedAt);
  const state = await persist(() => api.read(interaction));
  if (state !== 'gone' || ageMs >= ACKNOWLEDGED_BY_MS) return state;
  await pause(ACKNOWLEDGED_BY_MS - ageMs);
  return persist(() => api.read(interaction));
}
