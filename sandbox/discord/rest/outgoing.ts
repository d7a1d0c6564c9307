import {
  AllowedMentionsTypes,
  type APIAttachment,
  type APIMessage,
  ComponentType,
  EmbedType,
  MessageFlags,
  MessageType,
} from 'discord.js';
import { type Mentions, namedIn } from '../../markdown.ts';
import type { Interaction } from '../world/interactions.ts';
import type { SeenMessage, StoredFile } from '../world/messages.ts';
import { timestamp, userObject } from '../world/users.ts';
import type { World } from '../world/world.ts';
import type { UploadedFile } from './body.ts';
import type { Call } from './route.ts';
import type { MessageBody } from './rules.ts';

export type Outgoing = ReturnType<typeof createOutgoing>;
type MessageContent = Pick<Call, 'files'> & { readonly body: MessageBody };

/** Posts and edits messages for the bot, after they have passed all checks. */
export function createOutgoing(world: World) {
  const { messages, clock, snowflakes, bot } = world;

  function send({ body, files }: MessageContent, more: Partial<APIMessage>, onlyFor?: string): SeenMessage {
    const attached = attach(world, { body, files, before: undefined, ephemeral: onlyFor !== undefined });
    const { channel_id: channelId = '' } = more;
    const message: APIMessage = {
      ...plainMessage({ id: snowflakes.next(), channelId, author: bot, at: clock.now() }),
      ...partsOf(body),
      ...more,
      attachments: attached.attachments,
      flags: body.flags ?? 0,
    };
    return messages.add(message, onlyFor, attached.files);
  }

  return {
    /** Adds a reply to an interaction: the first response or a follow-up. */
    answer(interaction: Interaction, sent: MessageContent): SeenMessage {
      const isPrivate = ((sent.body.flags ?? 0) & MessageFlags.Ephemeral) !== 0;
      const more = {
        channel_id: interaction.channelId,
        ...originOf(interaction),
        ...mentionFields(world, mentionsIn(sent.body)),
      };
      return send(sent, more, isPrivate ? interaction.userId : undefined);
    },
    /** Posts a message that doesn't belong to an interaction. */
    post(channelId: string, sent: MessageContent, mentions: Mentions): SeenMessage {
      return send(sent, { channel_id: channelId, ...mentionFields(world, mentions) });
    },
    edit(message: SeenMessage, { body, files }: MessageContent): void {
      const before = message.current;
      const ephemeral = (before.flags ?? 0) & MessageFlags.Ephemeral;
      const attached = attach(world, { body, files, before: message, ephemeral: ephemeral !== 0 });
      // An edit ends the loading state, but doesn't change the message's visibility.
      const flags = ((body.flags ?? before.flags ?? 0) & ~MessageFlags.Loading) | ephemeral;
      const edited = {
        ...before,
        ...partsOf(body),
        ...(body.content !== undefined && mentionFields(world, mentionsIn(body))),
        attachments: attached.attachments,
        flags,
        edited_timestamp: timestamp(clock.now()),
      };
      messages.change(message, edited, attached.files);
    },
  };
}

interface MessageOrigin<Author> {
  readonly id: string;
  readonly channelId: string;
  readonly author: Author;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** Builds a message written by a user. */
export const personsMessage = (
  by: MessageOrigin<Parameters<typeof userObject>[0]>,
  content: string,
): APIMessage => ({
  ...plainMessage({ ...by, author: userObject(by.author) }),
  content,
});

const plainMessage = ({ id, channelId, author, at }: MessageOrigin<APIMessage['author']>): APIMessage => ({
  id,
  channel_id: channelId,
  type: MessageType.Default,
  author,
  timestamp: timestamp(at),
  edited_timestamp: null,
  content: '',
  embeds: [],
  components: [],
  attachments: [],
  mentions: [],
  mention_roles: [],
  mention_everyone: false,
  tts: false,
  pinned: false,
});

/** Converts a request body to the message properties that Discord stores. Omits properties that aren't in the body. */
function partsOf({ content, embeds, components }: MessageBody): Partial<APIMessage> {
  return {
    ...(content !== undefined && { content: (content ?? '').trim() }),
    ...(embeds !== undefined && {
      embeds: (embeds ?? []).map((embed) => ({ ...embed, type: EmbedType.Rich })),
    }),
    ...(components !== undefined && {
      components: withIds(components ?? []) as NonNullable<APIMessage['components']>,
    }),
  };
}

/** Numbers all components that don't have an `id` (Discord docs: Components). */
export function withIds<C>(components: readonly C[]): C[] {
  let last = 0;
  function number<T>(component: T): T {
    last += 1;
    const id = last;
    const { type, components: children, component: child } = Object(component);
    const isSelect = SELECTS.includes(type);
    return {
      ...(isSelect && { min_values: 1, max_values: 1 }),
      id,
      ...component,
      ...(children && { components: children.map(number) }),
      ...(child && { component: number(child) }),
    };
  }
  return components.map(number);
}

const SELECTS = [
  ComponentType.StringSelect,
  ComponentType.RoleSelect,
  ComponentType.ChannelSelect,
  ComponentType.UserSelect,
];

/**
 * Returns the users and roles that a message pings: everyone it mentions, unless `allowed_mentions` is stricter (Discord
 * docs: Message, Allowed Mentions). Discord's other defaults for interaction replies don't matter, because this bot always
 * sends `allowed_mentions`.
 */
export function mentionsIn({ content, allowed_mentions: allowed }: MessageBody): Mentions {
  const named = namedIn(content ?? '');
  if (!allowed) return named;
  const { parse = [], users = [], roles = [] } = allowed;
  return {
    users: named.users.filter((id) => parse.includes(AllowedMentionsTypes.User) || users.includes(id)),
    roles: named.roles.filter((id) => parse.includes(AllowedMentionsTypes.Role) || roles.includes(id)),
    everyone: named.everyone && parse.includes(AllowedMentionsTypes.Everyone),
  };
}

const mentionFields = ({ guilds }: World, { users, roles, everyone }: Mentions): Partial<APIMessage> => ({
  mentions: users.map((id) => userObject({ id, name: guilds.nameOf(id) ?? id })),
  mention_roles: [...roles],
  mention_everyone: everyone,
});

/**
 * Returns a message's attachments after a request: first the existing attachments, then the new ones. If the request lists
 * attachments, drops existing attachments that aren't listed.
 */
function attach(
  world: World,
  about: {
    readonly body: MessageBody;
    readonly files: readonly UploadedFile[];
    readonly before: SeenMessage | undefined;
    readonly ephemeral: boolean;
  },
): { readonly attachments: APIAttachment[]; readonly files: ReadonlyMap<string, StoredFile> } {
  const { body, files, before, ephemeral } = about;
  const listed = body.attachments?.map(({ id }) => String(id));
  const attachments = (before?.current.attachments ?? []).filter(
    ({ id }) => listed === undefined || listed.includes(id),
  );
  const stored = new Map(
    [...(before?.files ?? [])].filter(([id]) => attachments.some((one) => one.id === id)),
  );
  for (const { filename, contentType, bytes } of files.toSorted((a, b) => a.id - b.id)) {
    const attachment = world.files.keep({ filename, bytes, contentType, ephemeral });
    attachments.push(attachment);
    stored.set(attachment.id, { filename, bytes });
  }
  return { attachments, files: stored };
}

/** Builds the properties that show which interaction triggered a message. */
function originOf(interaction: Interaction): Partial<APIMessage> {
  const { id, kind, command, original, userId, userName } = interaction;
  const user = userObject({ id: userId, name: userName });
  return {
    interaction_metadata: metadata(interaction) as NonNullable<APIMessage['interaction_metadata']>,
    // `interaction` is deprecated, but Discord still sends it with the first reply to a command.
    ...(command && original === undefined && { interaction: { id, type: kind, name: command.name, user } }),
  };
}

/** Describes the interaction that triggered a message (Discord docs: Message Interaction Metadata Object). */
function metadata({ id, kind, userId, userName, guildId, source, openedBy }: Interaction): object {
  return {
    id,
    type: kind,
    user: userObject({ id: userId, name: userName }),
    authorizing_integration_owners: { 0: guildId },
    ...(openedBy
      ? { triggering_interaction_metadata: metadata(openedBy) }
      : source && { interacted_message_id: source.id }),
  };
}
