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
import type { Audience } from '../words/words.ts';
import type { PressReplyMode, Reply } from './command.ts';
import { renewed } from './controls.ts';
import type { EditOrder } from './edit-order.ts';
import type { Interaction, MessageContent, SourceMessage } from './interaction.ts';
import type { Progress } from './progress.ts';

/** Just text if the action failed or the bot declined the request. */
export type ReplyOrText = Reply | string;

export const NO_MENTIONS = { parse: [] };

/** How long after an edit request Discord may still apply the edit, in milliseconds. */
const LATE_EDIT_MS = 2_000;

export function firstResponse(said: ReplyOrText): APIInteractionResponse {
  return { type: InteractionResponseType.ChannelMessageWithSource, data: newMessage(said) };
}

/** Omits the reply's files. */
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
 * Builds a first response that replaces the button's message with the given note. Omits the buttons and the list of game
 * servers, which the member may have just corrected.
 */
export const sendingResponse = (text: string): APIInteractionResponse => ({
  type: InteractionResponseType.UpdateMessage,
  data: { content: text, embeds: [], components: [], allowed_mentions: NO_MENTIONS },
});

export function updateResponse(said: ReplyOrText, shown: MessageContent): APIInteractionResponse {
  const { body } = messageAfter(said, shown);
  // According to Discord's documentation, `content` can be `null` in edits, but not in responses.
  return {
    type: InteractionResponseType.UpdateMessage,
    data: { ...body, content: String(body.content ?? '') },
  };
}

export function bareText({ content = '', embeds = [] }: Reply): string {
  const texts = [content, ...embeds.flatMap(({ title = '', description = '' }) => [title, description])];
  return texts.filter((text) => text !== '').join('\n');
}

/** Returns the text to send instead of a reply that Discord rejected. The action's changes are kept. */
export const rejectionText = ({ t, mention }: Pick<Audience, 't' | 'mention'>): string =>
  t('failure.rejectedByDiscord', { submissions: mention('submissions') });

/** Whether Discord rejected a message because of a link in its text (Discord docs: JSON Error Codes, 240000). */
const isAboutText = (error: unknown): boolean =>
  hasCode(error, RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter);

/** HTTP statuses that are caused by the token, the interaction or a timeout rather than by the message itself. */
const NOT_ABOUT_MESSAGE: readonly number[] = [401, 404, 408];

/** Whether Discord might accept a different message in place of the rejected one. */
const isAboutMessage = (error: unknown): boolean =>
  error instanceof DiscordAPIError &&
  isRejectedByDiscord(error) &&
  !NOT_ABOUT_MESSAGE.includes(error.status) &&
  !hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);

/**
 * Sends the reply in the first form that Discord accepts: the full reply, its text alone, or a fallback sentence.
 * @throws any error of `send` that isn't a rejection of the message
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

/** A blank line that separates a reason from the message's previous content. */
const BELOW_REASON = '\n\u200b\n';

/** Puts a reason above a message's content, replacing any earlier reason. Keeps the files; may replace the components. */
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

function messageAfter(said: ReplyOrText, shown: MessageContent | undefined): MessageBody {
  const reply = replyOf(said);
  const keepsMessage = typeof said === 'string' || said.keepsMessage;
  return shown && keepsMessage ? { body: shownBelow(shown, reply), files: [] } : messageOf(reply);
}

const replyOf = (said: ReplyOrText): Reply => (typeof said === 'string' ? { content: said } : said);

function messageOf(reply: Reply): MessageBody {
  const { content, embeds = [], components = [], files = [] } = fitTexts(reply);
  const attachments = files.map(({ name }, id) => ({ id, filename: name }));
  return {
    body: { content: content ?? null, embeds, components, attachments, allowed_mentions: NO_MENTIONS },
    files,
  };
}

/** Identifies a message by the id of the interaction that created it. */
export type MessageKey = string;

/** Returns the message that an interaction writes to: either its own reply or the message that it changes. */
export const messageWritten = (interaction: Interaction, isUpdate: boolean): MessageKey =>
  (isUpdate ? sourceOf(interaction)?.madeBy : undefined) ?? interaction.id;

const sourceOf = ({ request }: Pick<Interaction, 'request'>): SourceMessage | undefined =>
  'message' in request ? request.message : undefined;

/** Returns the content that an update replaces. `undefined` for a public message, even if the interaction is forged. */
export function replacedBy(interaction: Pick<Interaction, 'request'>): MessageContent | undefined {
  const source = sourceOf(interaction);
  return source?.isPrivate ? source.shown : undefined;
}

/** Whether the reply is sent as a separate private message because everyone can see the control's message. */
export const isBeside = ({ request }: Pick<Interaction, 'request'>, answers: PressReplyMode): boolean =>
  answers === 'beside' && sourceOf({ request })?.postedId !== undefined;

export interface Delivery {
  readonly api: Pick<DiscordApi, 'read' | 'edit' | 'followUp'>;
  readonly editOrder: Pick<EditOrder, 'isLatest'>;
  readonly interaction: Interaction;
  readonly message: MessageKey;
  /** The message's content before this interaction changes it; `undefined` if the reply is a new message. */
  readonly shown: MessageContent | undefined;
  readonly progress?: Pick<Progress, 'isShown' | 'isUncertain'>;
  /** Returns the text to send if Discord rejects the reply, given the reason for the rejection. */
  readonly fallback: (error: unknown) => string;
}

/**
 * Replaces "thinking…", or the control's message, with the reply. Keeps trying for a minute and a half, because the action
 * has already been carried out. If the reply is just text, it reports a failure; in an updated message, the previous
 * content and buttons stay below the text.
 * @throws the last error
 */
export const deliver = (delivery: Delivery, reply: ReplyOrText): Promise<void> =>
  sendFirstAccepted(reply, (said) => deliverOnce(delivery, said), delivery.fallback);

/** Sends a reply with text as a private message next to the control's message; see {@link isBeside}. */
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
    // A message that shows "thinking…" doesn't have buttons yet, so other interactions can't change it.
    const isOnlyOne = endsThinking && progress !== undefined && !isSentBefore;
    return api.edit(interaction, after, async () => isOnlyOne || editOrder.isLatest(interaction.id, message));
  };
  await persist(async () => {
    // If Discord no longer shows "thinking…", an earlier attempt succeeded, and the member may already have pressed one of
    // the new buttons.
    if (isSentBefore && endsThinking && (await api.read(interaction)) === 'answered') return;
    const done = edit();
    isSentBefore = true;
    await done;
  });
  if (!progress?.isUncertain()) return;
  // Discord may apply the last progress edit after the reply, so the reply is sent again.
  await sleep(LATE_EDIT_MS);
  await persist(edit);
}

/** Discord no longer accepts a first response after this time. The documented limit is 3 seconds. */
const MAX_ACKNOWLEDGED_MS = 4_000;

/**
 * Reads a reply's state as the member sees it. If the reply doesn't exist, rechecks once a late reply can no longer arrive.
 * Doesn't subtract the interaction's age, because the clock may have been set since the interaction arrived.
 */
export async function stateOf(
  api: Pick<DiscordApi, 'read'>,
  interaction: Interaction,
  pause: (ms: number) => Promise<unknown> = sleep,
): ReturnType<DiscordApi['read']> {
  const state = await persist(() => api.read(interaction));
  if (state !== 'gone') return state;
  await pause(MAX_ACKNOWLEDGED_MS);
  return persist(() => api.read(interaction));
}
