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

/** A reply, or a text in place of one: an error, or a refusal. */
export type ReplyOrText = Reply | string;

/** Nobody is ever pinged. */
export const NO_MENTIONS = { parse: [] };

/** After so many milliseconds an earlier edit no longer takes effect at Discord. */
const LATE_EDIT_MS = 2_000;

export function firstResponse(said: ReplyOrText): APIInteractionResponse {
  return { type: InteractionResponseType.ChannelMessageWithSource, data: newMessage(said) };
}

/** A reply, without its files, as a message that only its member sees unless it is for everybody. */
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
 * The first response by which the message of a button says that the bot is at work; meanwhile it has no buttons, and no game
 * servers, which may be corrected just now.
 */
export const sendingResponse = (text: string): APIInteractionResponse => ({
  type: InteractionResponseType.UpdateMessage,
  data: { content: text, embeds: [], components: [], allowed_mentions: NO_MENTIONS },
});

/**
 * A reply as the first response that changes the message of a button.
 * @param shown what the message shows
 */
export function updateResponse(reply: Reply, shown?: MessageContent): APIInteractionResponse {
  const { body } = messageAfter(reply, shown);
  // Other than in an edit, Discord's documents know no `null` here.
  return {
    type: InteractionResponseType.UpdateMessage,
    data: { ...body, content: String(body.content ?? '') },
  };
}

/** What a reply says, without its buttons and files. */
export function bareText({ content = '', embeds = [] }: Reply): string {
  const texts = [content, ...embeds.flatMap(({ title = '', description = '' }) => [title, description])];
  return texts.filter((text) => text !== '').join('\n');
}

/** Discord does not take the text of a message, for a link in it (Discord docs: JSON Error Codes, 240000). */
const isAboutText = (error: unknown): boolean =>
  hasCode(error, RESTJSONErrorCodes.MessageBlockedByHarmfulLinksFilter);

/** Statuses with which Discord doesn't refuse the message itself: the token, the interaction, or the moment is wrong. */
const NOT_ABOUT_MESSAGE: readonly number[] = [401, 404, 408, 429];

/** Whether Discord could accept another message in place of the one that it refused. */
const isAboutMessage = (error: unknown): boolean =>
  error instanceof DiscordAPIError &&
  isRejectedByDiscord(error) &&
  !NOT_ABOUT_MESSAGE.includes(error.status) &&
  !hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);

/**
 * Says a reply as Discord takes it: as it is, else its bare text, else a fixed sentence.
 * @param fallback told why Discord did not take the reply; returns the sentence
 * @throws what `send` throws for another reason
 */
export async function sendFirstAccepted(
  reply: ReplyOrText,
  send: (said: ReplyOrText) => Promise<void>,
  fallback: (error: unknown) => string,
): Promise<void> {
  let refusal: unknown;
  try {
    return await send(reply);
  } catch (error) {
    if (!isAboutMessage(error)) throw error;
    refusal = error;
  }
  const sentence = fallback(refusal);
  const bare = isAboutText(refusal) ? '' : bareText(replyOf(reply));
  try {
    if (bare !== '') return await send({ content: bare });
  } catch (error) {
    if (!isAboutMessage(error)) throw error;
  }
  await send({ content: sentence });
}

/** Between a reason and what stays: a line that shows nothing. */
const BELOW_REASON = '\n\u200b\n';

/** A message as it was, with its files, below the reason why it is, or with other components. A former reason goes. */
function shownBelow(
  { content, embeds, components }: MessageContent,
  { content: reason = '', components: instead = renewed(components) }: Partial<MessageContent>,
) {
  const stays = content.split(BELOW_REASON).at(-1) ?? '';
  const text = stays === '' ? reason : `${reason}${BELOW_REASON}${stays}`;
  return {
    content: shortenMarkup(text, LIMITS.content),
    embeds,
    components: instead,
    allowed_mentions: NO_MENTIONS,
  };
}

/** What a reply puts in place of what its message showed. */
function messageAfter(said: ReplyOrText, shown: MessageContent | undefined): MessageBody {
  const reply = replyOf(said);
  const stays = typeof said === 'string' || said.keepsMessage;
  return shown && stays ? { body: shownBelow(shown, reply), files: [] } : messageOf(reply);
}

const replyOf = (said: ReplyOrText): Reply => (typeof said === 'string' ? { content: said } : said);

/** The whole message, in place of what is there. */
function messageOf(reply: Reply): MessageBody {
  const { content, embeds = [], components = [], files = [] } = fitTexts(reply);
  const attachments = files.map(({ name }, id) => ({ id, filename: name }));
  return {
    body: { content: content ?? null, embeds, components, attachments, allowed_mentions: NO_MENTIONS },
    files,
  };
}

/** Names a message by the interaction whose reply it is. */
export type MessageKey = string;

/** The message that an interaction writes: the one that it changes, or its own. */
export const messageWritten = (interaction: Interaction, isUpdate: boolean): MessageKey =>
  (isUpdate ? sourceOf(interaction)?.madeBy : undefined) ?? interaction.id;

/** The message that an interaction came from. */
const sourceOf = ({ request }: Pick<Interaction, 'request'>): SourceMessage | undefined =>
  'message' in request ? request.message : undefined;

/** What an update replaces. A message that everybody sees stays as it is, whatever was forged for it. */
export function replacedBy(interaction: Pick<Interaction, 'request'>): MessageContent | undefined {
  const source = sourceOf(interaction);
  return source?.isPrivate ? source.shown : undefined;
}

/** Whether a reply is a private message beside the message of its control, which everybody sees. */
export const isBeside = ({ request }: Pick<Interaction, 'request'>, answers: PressReplyMode): boolean =>
  answers === 'beside' && sourceOf({ request })?.postedId !== undefined;

export interface Delivery {
  readonly api: Pick<DiscordApi, 'read' | 'edit' | 'followUp'>;
  readonly editOrder: Pick<EditOrder, 'isLatest'>;
  readonly interaction: Interaction;
  /** The message that it writes. */
  readonly message: MessageKey;
  /** What the message of the button or the modal showed that it changes; `undefined`: it has a message of its own. */
  readonly shown: MessageContent | undefined;
  /** What was shown of it before. */
  readonly progress?: Pick<Progress, 'isShown' | 'isUncertain'>;
  /** Told of a reply that Discord does not take; returns what is said in the end. */
  readonly fallback: (error: unknown) => string;
}

/**
 * Puts the reply in place of "thinking…", or of what the message of the control shows. What was done is done by now, so this
 * is tried for a minute and a half before the reply is given up. A text alone is a failure: on an update, the message is shown again with its buttons,
 * below the failure.
 * @throws the last failure
 */
export const deliver = (delivery: Delivery, reply: ReplyOrText): Promise<void> =>
  sendFirstAccepted(reply, (said) => deliverOnce(delivery, said), delivery.fallback);

/** The same of a reply beside the message of its control: see {@link isBeside}. Where it says nothing, there is none. */
export async function deliverBeside(
  { api, interaction, fallback }: Delivery,
  reply: ReplyOrText,
): Promise<void> {
  if (bareText(replyOf(reply)) === '') return;
  const say = (said: ReplyOrText) =>
    persist(() => api.followUp(interaction, { body: newMessage(said), files: [] }));
  await sendFirstAccepted(reply, say, fallback);
}

async function deliverOnce(delivery: Delivery, reply: ReplyOrText): Promise<void> {
  const { api, editOrder, interaction, message, shown, progress } = delivery;
  const after = messageAfter(reply, shown);
  const endsThinking = shown === undefined && !progress?.isShown();
  let isSentBefore = false;
  const edit = () => {
    // What has shown nothing but "thinking…" has no buttons, so no other interaction writes it.
    const isOnlyOne = endsThinking && progress !== undefined && !isSentBefore;
    return api.edit(interaction, after, async () => isOnlyOne || editOrder.isLatest(interaction.id, message));
  };
  await persist(async () => {
    // It arrived where Discord shows no "thinking…" any more, and its buttons may have been pressed since.
    if (isSentBefore && endsThinking && (await api.read(interaction)) === 'answered') return;
    const done = edit();
    isSentBefore = true;
    await done;
  });
  if (!progress?.isUncertain()) return;
  // Discord may have done the edit with the progress last.
  await sleep(LATE_EDIT_MS);
  await persist(edit);
}

/** Discord takes a first response for 3 seconds; later than this none is taken any more. In milliseconds. */
const ACKNOWLEDGED_BY_MS = 4_000;

/**
 * What the member sees of a reply: asked again once Discord takes no acknowledgement any more that is still on its way.
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
