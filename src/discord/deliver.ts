import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIEmbed,
  type APIInteractionResponse,
  DiscordAPIError,
  type InteractionEditReplyOptions,
  InteractionResponseType,
  MessageFlags,
} from 'discord.js';
import { shorten, shortenMarkup } from '../words/words.ts';
import type { Context, Reply } from './command.ts';
import type { Owner, SignedIds } from './components/controls.ts';
import { LIMITS } from './limits.ts';
import { acknowledge, isRefused, respondFirst, type Unanswered } from './rest.ts';

/** The parts of an interaction that an answer needs; commands, components and modal submits all have them. */
export interface Answerable {
  deferReply(options: { flags?: MessageFlags.Ephemeral }): Promise<unknown>;
  reply(options: { content: string; flags: MessageFlags.Ephemeral }): Promise<unknown>;
  editReply(options: InteractionEditReplyOptions): Promise<unknown>;
  followUp(options: {
    content: string;
    embeds?: APIEmbed[];
    flags?: MessageFlags.Ephemeral;
    allowedMentions: { parse: [] };
  }): Promise<unknown>;
}

/** Pauses between attempts to deliver an answer, in milliseconds: short, then long enough for a blip to pass. */
const RETRY_PAUSES = [500, 2000, 5000, 20_000, 60_000];

/**
 * Asks Discord for something that may be repeated until it is done; network failures and 5xx pass.
 * @param isDone asked before each attempt: whether it has turned out that an earlier one was taken after all
 * @throws DiscordAPIError when Discord refuses, or the last failure
 */
export async function persist<Result>(
  attempt: () => Promise<Result>,
  isDone: () => boolean = () => false,
): Promise<Result | undefined> {
  for (const pause of RETRY_PAUSES) {
    if (isDone()) return undefined;
    try {
      return await attempt();
    } catch (error) {
      if (isRefused(error)) throw error;
      await sleep(pause);
    }
  }
  return isDone() ? undefined : attempt();
}

export interface DeliverOptions {
  readonly shape: 'reply' | 'update';
  /** Told of an answer that Discord does not take as it is; says what is delivered when there is no text either. */
  readonly failed: (error: unknown) => string;
  readonly delivery: Delivery;
}

/** What is answered; a button or a modal of a message also brings that. */
type Deliverable = Pick<Answerable, 'editReply' | 'followUp'> & {
  readonly message?: {
    readonly attachments: { values(): Iterable<{ readonly id: string; readonly name: string }> };
  } | null;
};

/** A changed message has the files that are listed, and new ones. */
const keptFiles = ({ message }: Deliverable, { keepsFiles }: Reply): { id: string }[] =>
  message && keepsFiles !== undefined
    ? [...message.attachments.values()]
        .filter(({ name }) => name.startsWith(keepsFiles))
        .map(({ id }) => ({ id }))
    : [];

/**
 * Puts the answer in place of "thinking…". What was done is done by now, so this is tried for a minute and a half
 * before the answer is given up. A text alone is a failure: on an `update`, what the message shows is still true,
 * so the failure is said beside it. An answer that Discord does not take as it is comes as its bare text, so that
 * nobody is left with "thinking…".
 */
export async function deliver(
  interaction: Deliverable,
  { shape, failed, delivery }: DeliverOptions,
  answer: Reply | string,
): Promise<void> {
  try {
    await deliverOnce(interaction, { shape, delivery }, answer);
  } catch (error) {
    if (typeof answer === 'string' || !isMalformed(error)) throw error;
    const words = failed(error);
    await deliverOnce(interaction, { shape, delivery }, bareText(answer) || words);
  } finally {
    delivery.end();
  }
}

/** Answers with the first response itself, once, for the member alone. What Discord does not take as it is comes as its bare text. */
export async function deliverAtOnce(
  interaction: Unanswered,
  failed: (error: unknown) => string,
  answer: Reply | string,
): Promise<void> {
  const send = (reply: Reply) => respondFirst(interaction, firstResponse(fitReply(reply)));
  try {
    await send(typeof answer === 'string' ? { content: answer } : answer);
  } catch (error) {
    if (typeof answer === 'string' || !isMalformed(error)) throw error;
    const words = failed(error);
    await send({ content: bareText(answer) || words });
  }
}

/** A private message as the first response, without "thinking…" before it. */
export function say(interaction: Pick<Answerable, 'reply'>, content: string): Promise<void> {
  const fitted = shortenMarkup(content, LIMITS.content);
  return acknowledge(() => interaction.reply({ content: fitted, flags: MessageFlags.Ephemeral }));
}

const firstResponse = ({ content, embeds = [], components = [] }: Reply): APIInteractionResponse => ({
  type: InteractionResponseType.ChannelMessageWithSource,
  data: {
    ...(content !== undefined && { content }),
    embeds: [...embeds],
    components: [...components],
    allowed_mentions: { parse: [] },
    flags: MessageFlags.Ephemeral,
  },
});

/** What a reply says, without its buttons and files. */
export function bareText({ content = '', embeds = [] }: Reply): string {
  const texts = [content, ...embeds.flatMap(({ title = '', description = '' }) => [title, description])];
  return texts.filter((text) => text !== '').join('\n');
}

/** Discord could not take what it was sent: bad or too large. */
const isMalformed = (error: unknown): boolean =>
  error instanceof DiscordAPIError && (error.status === 400 || error.status === 413);

async function deliverOnce(
  interaction: Deliverable,
  { shape, delivery }: Pick<DeliverOptions, 'shape' | 'delivery'>,
  answer: Reply | string,
): Promise<void> {
  if (typeof answer === 'string' && shape === 'update') {
    const content = shortenMarkup(answer, LIMITS.content);
    await persist(() =>
      interaction.followUp({ content, flags: MessageFlags.Ephemeral, allowedMentions: { parse: [] } }),
    );
    return;
  }
  const fitted = fitReply(typeof answer === 'string' ? { content: answer } : answer);
  await persist(
    () =>
      interaction.editReply({
        content: fitted.content ?? null,
        embeds: [...(fitted.embeds ?? [])],
        components: [...(fitted.components ?? [])],
        files: (fitted.files ?? []).map(({ name, data }) => ({ name, attachment: data })),
        attachments: keptFiles(interaction, fitted),
        allowedMentions: { parse: [] },
      }),
    () => delivery.isSeen(answer),
  );
}

/** Says to everybody in the channel what a reply wants them to know. Once: said twice would be worse than not. */
export async function announce(
  interaction: Pick<Answerable, 'followUp'>,
  { announcement }: Reply,
): Promise<void> {
  if (announcement === undefined) return;
  // A follow-up is public unless it says otherwise, whatever the reply was.
  const { content = '', embeds = [] } = fitReply(announcement);
  await interaction.followUp({ content, embeds: [...embeds], allowedMentions: { parse: [] } });
}

/** One answer on its way. */
export interface Delivery {
  /** Whether the member has this answer: somebody who pressed one of its buttons since the beginning has seen it. */
  isSeen(answer: Reply | string): boolean;
  end(): void;
}

/** Answers that are being delivered, and what members press meanwhile. */
export interface Deliveries {
  /** @param messageOf the interaction that the message was made for; `undefined` when that is not known */
  begin(messageOf: string | undefined): Delivery;
  /** What changes the message was pressed. What is answered beside it leaves it as it is, and is not told. */
  pressed(messageOf: string | undefined, customId: string): void;
  /** What opens a window was pressed: the message changes once that is submitted, if ever. */
  opened(messageOf: string | undefined, customId: string): void;
  submitted(messageOf: string | undefined): void;
}

/**
 * An answer whose arrival is uncertain (no word from Discord, or a 5xx) is sent again, for a minute and a half. Was the
 * first one taken after all, the member reads it and goes on with its buttons; sent again then, it would stand in place
 * of what came of that: "submitted before", where the server has just been submitted again.
 */
export function createDeliveries(): Deliveries {
  /** The custom ids used since each delivery began, by the interaction that its message was made for. */
  const underway = new Map<string, Set<Record<'pressed' | 'opened', Set<string>>>>();
  const of = (messageOf: string | undefined) => underway.get(messageOf ?? '') ?? [];
  return {
    begin(messageOf) {
      if (messageOf === undefined) return { isSeen: () => false, end: () => undefined };
      const used = { pressed: new Set<string>(), opened: new Set<string>() };
      const others = underway.get(messageOf) ?? new Set();
      underway.set(messageOf, others.add(used));
      return {
        isSeen: (answer) => customIdsOf(answer).some((id) => used.pressed.has(id)),
        end() {
          others.delete(used);
          if (others.size === 0) underway.delete(messageOf);
        },
      };
    },
    pressed(messageOf, customId) {
      for (const { pressed } of of(messageOf)) pressed.add(customId);
    },
    opened(messageOf, customId) {
      for (const { opened } of of(messageOf)) opened.add(customId);
    },
    submitted(messageOf) {
      for (const { pressed, opened } of of(messageOf)) for (const id of opened) pressed.add(id);
    },
  };
}

function customIdsOf(answer: Reply | string): readonly string[] {
  const rows = typeof answer === 'string' ? [] : (answer.components ?? []);
  const controls = rows.flatMap(({ components }) => components);
  return controls.flatMap((control) => ('custom_id' in control ? [control.custom_id] : []));
}

interface Texts {
  readonly content?: string;
  readonly embeds?: readonly APIEmbed[];
}

/** The reply with every text cut to what Discord takes. */
export function fitReply<Said extends Texts>(reply: Said): Said {
  return {
    ...reply,
    ...(reply.content !== undefined && { content: shortenMarkup(reply.content, LIMITS.content) }),
    ...(reply.embeds && { embeds: reply.embeds.map(fitEmbed) }),
  };
}

/** The total of 6,000 is for all embeds of a message, and we send one. What comes later in the embed gives way. */
function fitEmbed(embed: APIEmbed): APIEmbed {
  let room: number = LIMITS.embedTotal;
  const take = (text: string, most: number, shortened = shortenMarkup): string => {
    const taken = shortened(text, Math.min(most, Math.max(room, 1)));
    room -= taken.length;
    return taken;
  };
  const { title, footer, description, fields } = embed;
  return {
    ...embed,
    ...(title !== undefined && { title: take(title, LIMITS.embedTitle) }),
    ...(footer && { footer: { ...footer, text: take(footer.text, LIMITS.embedFooter, shorten) } }),
    ...(description !== undefined && { description: take(description, LIMITS.embedDescription) }),
    ...(fields && {
      fields: fields.slice(0, LIMITS.embedFields).flatMap((field) => {
        // A field needs both of its texts.
        if (room < 2) return [];
        const name = take(field.name, Math.min(LIMITS.embedFieldName, room - 1));
        return [{ ...field, name, value: take(field.value, LIMITS.embedFieldValue) }];
      }),
    }),
  };
}

/** Whom the controls of an answer are for; `isPrivate`: only the member who made the interaction sees it. */
export const ownerOf = ({ guildId, user }: Pick<Context, 'guildId' | 'user'>, isPrivate: boolean): Owner =>
  isPrivate ? { guildId, userId: user.id } : { guildId };

/** The reply with the custom ids of its controls sealed. */
export const sealedReply = (reply: Reply, ids: Pick<SignedIds, 'seal'>, owner: Owner): Reply =>
  reply.components
    ? {
        ...reply,
        components: reply.components.map(({ type, components }) => ({
          type,
          components: components.map((control) =>
            'custom_id' in control ? { ...control, custom_id: ids.seal(control.custom_id, owner) } : control,
          ),
        })),
      }
    : reply;
