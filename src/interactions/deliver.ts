import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIInteractionResponse,
  DiscordAPIError,
  InteractionResponseType,
  MessageFlags,
  RESTJSONErrorCodes,
} from 'discord.js';
import { type DiscordApi, hasCode, isUncertain, type MessageBody } from '../discord/api.ts';
import type { ChannelPosts } from '../discord/channel-posts.ts';
import { fitTexts, LIMITS } from '../discord/limits.ts';
import { retryAfter } from '../retry.ts';
import { shortenMarkup } from '../words/escape.ts';
import type { Reply } from './command.ts';
import { renewed } from './controls.ts';
import type { Interaction, Shown, SourceMessage } from './interaction.ts';

/** A reply, or a text in place of one: an error, or a refusal. */
export type Answer = Reply | string;

/** Nobody is ever pinged. */
const NO_MENTIONS = { parse: [] };

/** Pauses between attempts to deliver an answer, in milliseconds: short, then long enough for a blip to pass. */
const RETRY_PAUSES = [500, 2_000, 5_000, 20_000, 60_000];

/** After so many milliseconds Discord no longer does what it was asked before. */
const LATE_EDIT_MS = 2_000;

/** A reply as the first response, for the member alone. */
export function firstResponse(answer: Answer): APIInteractionResponse {
  const { content, embeds = [], components = [] } = fitTexts(replyOf(answer));
  return {
    type: InteractionResponseType.ChannelMessageWithSource,
    data: {
      ...(content !== undefined && { content }),
      embeds: [...embeds],
      components: [...components],
      allowed_mentions: NO_MENTIONS,
      flags: MessageFlags.Ephemeral,
    },
  };
}

/** The first response by which the message of a button says that the bot is at work, and cannot be pressed meanwhile. */
export const sendingResponse = (text: string): APIInteractionResponse => ({
  type: InteractionResponseType.UpdateMessage,
  data: { content: text, components: [], allowed_mentions: NO_MENTIONS },
});

/** A reply as the first response that changes the message of a button. */
export function updateResponse(reply: Reply): APIInteractionResponse {
  const { content, embeds = [], components = [] } = fitTexts(reply);
  return {
    type: InteractionResponseType.UpdateMessage,
    data: {
      content: content ?? '',
      embeds: [...embeds],
      components: [...components],
      attachments: [],
      allowed_mentions: NO_MENTIONS,
    },
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

/** Discord could not take what it was sent: bad or too large. */
const isMalformed = (error: unknown): boolean =>
  isAboutText(error) || (error instanceof DiscordAPIError && (error.status === 400 || error.status === 413));

/**
 * Says an answer as Discord takes it: as it is, else its bare text, else a fixed sentence.
 * @param instead told why Discord did not take the answer; returns the sentence
 * @throws what `say` throws for another reason
 */
export async function sayOneOf(
  answer: Answer,
  say: (answer: Answer) => Promise<void>,
  instead: (error: unknown) => string,
): Promise<void> {
  let refusal: unknown;
  try {
    return await say(answer);
  } catch (error) {
    if (!isMalformed(error)) throw error;
    refusal = error;
  }
  const sentence = instead(refusal);
  const bare = isAboutText(refusal) ? '' : bareText(replyOf(answer));
  try {
    if (bare !== '') return await say({ content: bare });
  } catch (error) {
    if (!isMalformed(error)) throw error;
  }
  await say({ content: sentence });
}

/** Between a reason and what stays: a line that shows nothing. */
const BELOW_REASON = '\n\u200b\n';

/** A message as it was, with its files, below the reason why it is. A former reason goes. */
function shownAgain({ content, embeds, components }: Shown, reason: string): MessageBody {
  const stays = content.split(BELOW_REASON).at(-1) ?? '';
  const text = stays === '' ? reason : `${reason}${BELOW_REASON}${stays}`;
  return {
    body: {
      content: shortenMarkup(text, LIMITS.content),
      embeds,
      components: renewed(components),
      allowed_mentions: NO_MENTIONS,
    },
    files: [],
  };
}

const replyOf = (answer: Answer): Reply => (typeof answer === 'string' ? { content: answer } : answer);

/** The whole message, in place of what is there. */
function messageOf(reply: Reply): MessageBody {
  const { content, embeds = [], components = [], files = [] } = fitTexts(reply);
  const attachments = files.map(({ name }, id) => ({ id, filename: name }));
  return {
    body: { content: content ?? null, embeds, components, attachments, allowed_mentions: NO_MENTIONS },
    files,
  };
}

/**
 * Sees to it that an older answer is never written over a newer one. Say that nobody knows whether the answer to button A
 * has arrived, so that it is sent again; meanwhile the member presses B. Once B's answer is ready, B *begins*: from then
 * on A's is dropped. Where an edit for A is under way at that moment, B's waits for its end. While A's answer is not
 * ready, B is not taken at all (`isAwaited`), since its answer would hide A's. A window writes no message, so it never begins.
 */
export interface Writers {
  /** An interaction may come to write this message. To be called in the order of the interactions' arrival. */
  open(message: MessageKey): Writer;
  /** Whether an interaction that may come to write this message has not begun to. */
  isAwaited(message: MessageKey): boolean;
}

/** Names a message by the interaction whose answer it is. */
export type MessageKey = string;

/** The message that an interaction writes: the one that it changes, or its own. */
export const messageWritten = (interaction: Interaction, isUpdate: boolean): MessageKey =>
  (isUpdate ? sourceOf(interaction)?.madeBy : undefined) ?? interaction.id;

export interface Writer {
  /** It writes the message from now on: what older interactions have not sent by now is dropped. */
  begin(): void;
  /**
   * Edits the message when no other edit of it is under way, unless a later interaction has begun to write it.
   * @throws what `edit` throws
   */
  write(edit: () => Promise<void>): Promise<void>;
  close(): void;
}

interface WrittenMessage {
  /** Interactions that may write it, and those of them that have not begun to. */
  open: number;
  awaited: number;
  /** The latest that has begun to, by its number. */
  latest: number;
  /** Ends with the edit that is under way: of two that are, Discord might do the older one last. */
  editing: Promise<void>;
}

export function createWriters(): Writers {
  const messages = new Map<MessageKey, WrittenMessage>();
  let arrivals = 0;
  return {
    isAwaited: (key) => (messages.get(key)?.awaited ?? 0) > 0,
    open(key) {
      const message = messages.get(key) ?? { open: 0, awaited: 0, latest: 0, editing: Promise.resolve() };
      messages.set(key, message);
      message.open += 1;
      message.awaited += 1;
      arrivals += 1;
      const arrival = arrivals;
      let isAwaited = true;
      const endWait = () => {
        if (isAwaited) message.awaited -= 1;
        isAwaited = false;
      };
      return {
        begin() {
          endWait();
          message.latest = Math.max(message.latest, arrival);
        },
        write(edit) {
          const mine = message.editing.then(async () => {
            if (message.latest <= arrival) await edit();
          });
          message.editing = mine.catch(() => undefined);
          return mine;
        },
        close() {
          endWait();
          message.open -= 1;
          if (message.open === 0) messages.delete(key);
        },
      };
    },
  };
}

/** The message that an interaction came from. */
export const sourceOf = ({ asked }: Pick<Interaction, 'asked'>): SourceMessage | undefined =>
  'message' in asked ? asked.message : undefined;

export interface Delivery {
  readonly api: Pick<DiscordApi, 'read' | 'edit'>;
  readonly interaction: Interaction;
  /** What the message of the button or the modal showed that it changes; `undefined`: it has a message of its own. */
  readonly shown: Shown | undefined;
  /** What was shown of it before. */
  readonly progress?: Pick<Progress, 'isShown' | 'isUncertain'>;
  readonly writer: Pick<Writer, 'begin' | 'write'>;
  /** Whether no later interaction has begun to write the same message in another process. */
  readonly isLatest: () => Promise<boolean>;
  /** Told of an answer that Discord does not take; returns what is said in the end. */
  readonly instead: (error: unknown) => string;
}

/**
 * Puts the answer in place of "thinking…". What was done is done by now, so this is tried for a minute and a half
 * before the answer is given up. A text alone is a failure: on an update, the message is shown again with its buttons,
 * below the failure.
 * @throws the last failure
 */
export const deliver = (delivery: Delivery, answer: Answer): Promise<void> =>
  sayOneOf(answer, (said) => deliverOnce(delivery, said), delivery.instead);

async function deliverOnce(delivery: Delivery, answer: Answer): Promise<void> {
  const { api, interaction, shown, progress, writer, isLatest } = delivery;
  const isFailure = typeof answer === 'string';
  const message = isFailure && shown ? shownAgain(shown, answer) : messageOf(replyOf(answer));
  writer.begin();
  const endsThinking = shown === undefined && !progress?.isShown();
  let isSentBefore = false;
  await persist(() =>
    writer.write(async () => {
      // It arrived where Discord shows no "thinking…" any more, and its buttons may have been pressed since.
      if (isSentBefore && endsThinking && (await api.read(interaction)) === 'answered') return;
      isSentBefore = true;
      await api.edit(interaction, message, isLatest);
    }),
  );
  if (!progress?.isUncertain()) return;
  // Discord may have done the edit with the progress last.
  await sleep(LATE_EDIT_MS);
  await persist(() => writer.write(() => api.edit(interaction, message, isLatest)));
}

/** Asks again while nobody knows whether Discord did it: network failures and 5xx pass. @throws the last failure */
export function persist<Result>(attempt: () => Promise<Result>): Promise<Result> {
  return retryAfter(RETRY_PAUSES, attempt, (error) => {
    if (!isUncertain(error)) throw error;
  });
}

export interface Announcing {
  readonly api: Pick<DiscordApi, 'followUp'>;
  readonly posts: ChannelPosts;
  /** Whether the bot itself is in a guild, by Discord's list. */
  readonly hasBot: (guildId: string) => boolean;
  /** Told of a guild of that list in which the bot could not post. */
  readonly onRefusedPost: (guildId: string) => void;
}

/**
 * Says to everybody in the channel what a reply wants them to know. Once: said twice would be worse than not. It is posted
 * where that is known to be allowed: to try it would cost a 403 each time, and Discord blocks bots for many. Elsewhere it
 * follows up the reply, and looks like an answer to a message that is gone, since one member alone sees the reply.
 */
export async function announce(
  { api, posts, hasBot, onRefusedPost }: Announcing,
  interaction: Interaction,
  announcement: NonNullable<Reply['announcement']>,
): Promise<void> {
  const { content, embed } = announcement;
  const { guildId, channelId, mayPost } = interaction;
  if (mayPost && hasBot(guildId)) {
    const result = await posts.post(channelId, { content, embed });
    // Nobody knows whether a post that failed has arrived.
    if (result === 'posted' || result === 'failed') return;
    onRefusedPost(guildId);
  }
  const { embeds = [] } = fitTexts({ embeds: [embed] });
  // A follow-up is public unless it says otherwise, whatever the reply was.
  await api.followUp(interaction, { body: { content, embeds, allowed_mentions: NO_MENTIONS }, files: [] });
}

/** How often a message may show progress, in milliseconds: a webhook takes about five requests in 2 seconds. */
const PROGRESS_EVERY_MS = 2_000;

/** Shows how far the work is. */
export interface Progress {
  show(progress: Pick<Reply, 'content' | 'embeds'>): void;
  /** Resolves when no edit with it is under way. */
  settled(): Promise<void>;
  isShown(): boolean;
  /** Whether nobody knows what became of such an edit: Discord may do it after the answer. */
  isUncertain(): boolean;
}

export function createProgress(api: Pick<DiscordApi, 'edit'>, interaction: Interaction): Progress {
  let isLate = false;
  let shownAt = Number.NEGATIVE_INFINITY;
  let showing: Promise<void> | undefined;
  return {
    show({ content, embeds = [] }) {
      if (showing || performance.now() - shownAt < PROGRESS_EVERY_MS) return;
      shownAt = performance.now();
      const body = { content, embeds, components: [], allowed_mentions: NO_MENTIONS };
      showing = api
        .edit(interaction, { body, files: [] })
        // The work goes on, and its end is told whatever became of this.
        .catch((error: unknown) => {
          isLate ||= isUncertain(error);
        })
        .finally(() => {
          showing = undefined;
        });
    },
    settled: async () => showing,
    isShown: () => shownAt > Number.NEGATIVE_INFINITY,
    isUncertain: () => isLate,
  };
}
