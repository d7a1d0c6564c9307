import {
  type APIAttachment,
  type APIEmbed,
  type APIMessage,
  EmbedType,
  type RESTPostAPIWebhookWithTokenJSONBody,
} from 'discord.js';
import type { Interaction } from '../world/interactions.ts';
import { EPHEMERAL, type StoredFile } from '../world/messages.ts';
import { timestamp, userObject } from '../world/users.ts';
import type { World } from '../world/world.ts';
import type { Pings } from './rules/mentions.ts';

/** What a bot may say in a message; `undefined` leaves a part as it is, `null` empties it. */
export type MessageBody = Pick<
  RESTPostAPIWebhookWithTokenJSONBody,
  'content' | 'embeds' | 'components' | 'flags' | 'attachments' | 'allowed_mentions'
>;

/** The parts of a message that are the same whatever it says. */
export type MessageFrame = Omit<
  APIMessage,
  | 'content'
  | 'embeds'
  | 'components'
  | 'flags'
  | 'attachments'
  | 'mentions'
  | 'mention_roles'
  | 'mention_everyone'
  | 'edited_timestamp'
  | 'tts'
  | 'pinned'
>;

export interface Attached {
  readonly attachments: readonly APIAttachment[];
  readonly files: ReadonlyMap<string, StoredFile>;
}

/** A new message as Discord would return it (rule 42). */
export function newMessage(
  frame: MessageFrame,
  body: MessageBody,
  about: { readonly attached: Attached; readonly flags: number; readonly mentions: Mentioned },
): APIMessage {
  return {
    ...frame,
    content: (body.content ?? '').trim(),
    embeds: (body.embeds ?? []).map(keptEmbed),
    components: withIds(body.components ?? []),
    attachments: [...about.attached.attachments],
    flags: about.flags,
    ...mentionFields(about.mentions),
    edited_timestamp: null,
    tts: false,
    pinned: false,
  };
}

/** The message after a PATCH or an UPDATE_MESSAGE: what the body does not name stays (rule 42). */
export function edited(
  message: APIMessage,
  body: MessageBody,
  about: {
    readonly attached: Attached;
    readonly flags: number;
    readonly mentions: Mentioned;
    /** Milliseconds since 1970. */
    readonly at: number;
  },
): APIMessage {
  return {
    ...message,
    ...(body.content !== undefined && {
      content: (body.content ?? '').trim(),
      ...mentionFields(about.mentions),
    }),
    ...(body.embeds !== undefined && { embeds: (body.embeds ?? []).map(keptEmbed) }),
    ...(body.components !== undefined && { components: withIds(body.components ?? []) }),
    attachments: [...about.attached.attachments],
    flags: about.flags,
    edited_timestamp: timestamp(about.at),
  };
}

/** Whom it pings, the users by id and name. */
export type Mentioned = Omit<Pings, 'users'> & {
  readonly users: readonly { readonly id: string; readonly name: string }[];
};

function mentionFields(
  mentions: Mentioned,
): Pick<APIMessage, 'mentions' | 'mention_roles' | 'mention_everyone'> {
  return {
    mentions: mentions.users.map(userObject),
    mention_roles: [...mentions.roles],
    mention_everyone: mentions.everyone,
  };
}

/** With the defaults that Discord fills in. */
const keptEmbed = (embed: APIEmbed): APIEmbed => ({
  ...embed,
  type: EmbedType.Rich,
  ...(embed.fields && { fields: embed.fields.map((field) => ({ ...field, inline: field.inline ?? false })) }),
});

/** Every component has an `id`: the one it was sent with, or the next free number (Discord docs: Components). */
export function withIds<C>(components: readonly C[]): C[] {
  const taken = new Set(numbersIn(components));
  let last = 0;
  const free = () => {
    do last += 1;
    while (taken.has(last));
    return last;
  };
  const number = <T>(component: T): T => {
    if (typeof component !== 'object' || component === null) return component;
    const own = ownNumber(component);
    const id = own ?? free();
    const entries = Object.entries(component).map(([key, value]) =>
      CHILDREN.includes(key) ? [key, Array.isArray(value) ? value.map(number) : number(value)] : [key, value],
    );
    return { ...defaultsOf(component), ...Object.fromEntries(entries), id };
  };
  return components.map(number);
}

/** How many may be chosen in a select that does not say (Discord docs: Components, Select Menus). */
const defaultsOf = (component: object): object =>
  'type' in component && SELECTS.includes(Number(component.type)) ? { min_values: 1, max_values: 1 } : {};

const SELECTS = [3, 5, 6, 7, 8];
const CHILDREN = ['components', 'component', 'accessory'];

/** 0 means: give me one. */
const ownNumber = (component: object): number | undefined =>
  'id' in component && typeof component.id === 'number' && component.id > 0 ? component.id : undefined;

function numbersIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value ? ownNumber(value) : undefined;
  return [...(own === undefined ? [] : [own]), ...Object.values(value).flatMap(numbersIn)];
}

/** Types of message (Discord docs: Message, Message Types). */
const DEFAULT = 0;
const REPLY = 19;
const CHAT_INPUT_COMMAND = 20;
const CONTEXT_MENU_COMMAND = 23;

/**
 * Rule 42: what a message that answers an interaction says about its origin. The answer to a component is a reply to
 * the message with the component, and a follow-up one to the first answer.
 */
export function interactionFrame(
  world: World,
  interaction: Interaction,
): Omit<MessageFrame, 'id' | 'author' | 'timestamp'> {
  const { channelId, guildId, source, original, commandType, commandName, userId, userName } = interaction;
  const repliesTo = (original ?? source)?.current;
  const user = userObject({ id: userId, name: userName });
  return {
    channel_id: channelId,
    type:
      repliesTo !== undefined
        ? REPLY
        : commandType === undefined
          ? DEFAULT
          : commandType === 1
            ? CHAT_INPUT_COMMAND
            : CONTEXT_MENU_COMMAND,
    application_id: world.applicationId,
    webhook_id: world.applicationId,
    interaction_metadata: {
      ...metadata(interaction),
      ...(original !== undefined && { original_response_message_id: original.id }),
    } as NonNullable<MessageFrame['interaction_metadata']>,
    // Deprecated, and still sent with the answer to a command.
    ...(original === undefined &&
      commandName !== undefined && { interaction: { id: interaction.id, type: 2, name: commandName, user } }),
    ...(repliesTo !== undefined && reference(repliesTo, guildId)),
  };
}

/** Discord docs: Message Interaction Metadata Object. */
function metadata(interaction: Interaction): object {
  const { id, kind, userId, userName, guildId, source, openedBy, target, userInstallOnly } = interaction;
  const user = userObject({ id: userId, name: userName });
  return {
    id,
    type: kind,
    user,
    authorizing_integration_owners: userInstallOnly ? { 1: userId } : { 0: guildId ?? '0' },
    ...target,
    ...(kind === 3 && source !== undefined && { interacted_message_id: source.id }),
    ...(openedBy !== undefined && { triggering_interaction_metadata: metadata(openedBy) }),
  };
}

/** Discord docs: Message Reference Object. A message that only one member sees is not repeated in the reply. */
function reference(message: APIMessage, guildId: string | undefined) {
  const { referenced_message, ...referenced } = message;
  return {
    message_reference: {
      type: 0,
      channel_id: message.channel_id,
      message_id: message.id,
      ...(guildId !== undefined && { guild_id: guildId }),
    },
    ...(((message.flags ?? 0) & EPHEMERAL) === 0 && { referenced_message: referenced as APIMessage }),
  };
}
