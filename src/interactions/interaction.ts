import {
  type APIAttachment,
  type APIChatInputApplicationCommandInteractionData,
  type APIInteraction,
  type APIInteractionDataResolved,
  type APIMessage,
  type APIMessageComponentInteraction,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  ComponentType,
  InteractionType,
  MessageFlags,
  PermissionFlagsBits,
} from 'discord.js';
import type { ReplyTarget } from '../discord/api.ts';
import { Secret } from '../secret.ts';
import { messageText } from './message-text.ts';

/**
 * What a member did, as plain data: the same over the gateway and over HTTP; after a crash, what was recorded of it. Nothing
 * else of a guild is known.
 */
export interface Interaction extends ReplyTarget {
  /** Empty outside a guild. */
  readonly guildId: string;
  readonly channelId: string;
  /** Whether that channel is a thread or a post in a forum, which is archived some day. */
  readonly isInThread: boolean;
  readonly user: { readonly id: string; readonly name: string };
  /** Whether the member may manage the guild. */
  readonly isAdmin: boolean;
  /** The member's roles; none where it was recorded. */
  readonly roleIds: readonly string[];
  /** Discord's name of the member's language, such as `en-US`. */
  readonly locale: string;
  /** Discord's name of the guild's language, for what others read too. */
  readonly guildLocale: string;
  /** Whether the guild itself has installed the application, and not only the user. */
  readonly isInstalledInGuild: boolean;
  readonly request: Request;
}

export type Request =
  | ({ readonly kind: 'command'; readonly name: string } & EnteredFields)
  | ({ readonly kind: 'message-command'; readonly name: string } & UsedMessage)
  | { readonly kind: 'autocomplete'; readonly name: string; readonly option: string; readonly typed: string }
  | UsedControl
  | SubmittedModal
  | { readonly kind: 'unknown' };

/** A message that a message command is used on. */
export interface UsedMessage {
  /** All that its readers see. */
  readonly text: string;
  readonly files: readonly UploadedFile[];
}

/** A button that was pressed, or a select in which something was chosen. */
export interface UsedControl {
  readonly kind: 'button' | 'select';
  readonly customId: string;
  /**
   * What was chosen in a select: values, or ids of channels or roles, and only those that Discord says are some of this
   * guild. Empty for a button.
   */
  readonly values: readonly string[];
  /** Whether a role that was chosen can be mentioned by everybody. */
  readonly isRoleMentionable: boolean;
  /** What the bot may do in a channel that was chosen; `undefined` where Discord does not say. */
  readonly channelPermissions?: bigint | undefined;
  /** Whether other Discord servers can follow a channel that was chosen. */
  readonly isFollowable?: boolean;
  readonly message: SourceMessage;
}

/** What was entered in the options of a slash command, by their names, or in the fields of a modal, by their custom ids. */
export interface EnteredFields {
  /** What was typed, or the value that was chosen; empty for none. */
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, UploadedFile>>;
}

export interface SubmittedModal extends EnteredFields {
  readonly kind: 'modal';
  readonly customId: string;
  readonly message?: SourceMessage;
}

/** What a message shows, as Discord gives and takes it. */
export interface MessageContent {
  readonly content: string;
  readonly embeds: readonly unknown[];
  readonly components: readonly unknown[];
}

/** The message that a button, a select or a modal belongs to. */
export interface SourceMessage {
  readonly shown: MessageContent;
  /** Whether its member alone sees it. */
  readonly isPrivate: boolean;
  /** The interaction that the message answers; `undefined` when Discord does not say. */
  readonly madeBy: string | undefined;
  /** Its id where it answers no interaction, so that everybody in its channel sees it. */
  readonly postedId: string | undefined;
}

export interface UploadedFile {
  readonly name: string;
  readonly url: string;
  /** Its bytes, as Discord says; NaN where it does not. */
  readonly size: number;
}

/**
 * Reads an interaction as Discord sends it.
 * @param receivedAt milliseconds since 1970
 * @throws TypeError when a field that is needed is not as Discord documents it
 */
export function readInteraction(payload: unknown, receivedAt: number): Interaction {
  const interaction = payload as APIInteraction;
  const guildId = interaction.guild_id ?? '';
  const user = interaction.member?.user ?? interaction.user;
  const locale = 'locale' in interaction ? interaction.locale : 'en-US';
  return {
    ...readReplyTarget(payload, receivedAt),
    guildId: text(guildId),
    channelId: text(interaction.channel?.id ?? ''),
    isInThread: THREADS.has(interaction.channel?.type ?? ChannelType.GuildText),
    user: { id: text(user?.id), name: text(user?.username) },
    isAdmin: mayManage(interaction.member?.permissions ?? '0'),
    roleIds: interaction.member?.roles ?? [],
    locale: text(locale),
    guildLocale: text(interaction.guild_locale ?? locale),
    isInstalledInGuild:
      interaction.authorizing_integration_owners?.[ApplicationIntegrationType.GuildInstall] === guildId,
    request: readRequest(interaction),
  };
}

/** A post in a forum is a public thread, too. */
const THREADS: ReadonlySet<ChannelType> = new Set([
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
]);

/** Reads only what it takes to respond. @throws TypeError when that cannot be read either */
export function readReplyTarget(payload: unknown, receivedAt: number): ReplyTarget {
  const { id, application_id, token } = Object(payload);
  return { id: text(id), applicationId: text(application_id), token: new Secret(text(token)), receivedAt };
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a field of an interaction is no text');
  return value;
}

const MANAGES = PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator;
/** @param permissions a bit set as a decimal number */
const mayManage = (permissions: string): boolean => (BigInt(permissions) & MANAGES) !== 0n;

function readRequest(interaction: APIInteraction): Request {
  switch (interaction.type) {
    case InteractionType.ApplicationCommand: {
      const { data } = interaction;
      if (data.type === ApplicationCommandType.ChatInput) {
        const fields = readOptions(data);
        return {
          kind: 'command',
          name: text(data.name),
          fields,
          files: filesIn(fields, data.resolved?.attachments),
        };
      }
      if (data.type === ApplicationCommandType.Message) {
        const message = data.resolved.messages[data.target_id];
        const files = message?.attachments.map(fileOf) ?? [];
        return { kind: 'message-command', name: text(data.name), text: messageText(message), files };
      }
      return { kind: 'unknown' };
    }
    case InteractionType.ApplicationCommandAutocomplete: {
      const { name, options } = interaction.data;
      const focused = options.find((option) => 'focused' in option && option.focused);
      const typed = focused && 'value' in focused ? String(focused.value) : '';
      return { kind: 'autocomplete', name: text(name), option: focused?.name ?? '', typed };
    }
    case InteractionType.MessageComponent:
      return readControl(interaction);
    case InteractionType.ModalSubmit: {
      const { custom_id, components, resolved } = interaction.data;
      const fields = readFields(components);
      return {
        kind: 'modal',
        customId: text(custom_id),
        fields,
        files: filesIn(fields, resolved?.attachments),
        ...(interaction.message && { message: readMessage(interaction.message) }),
      };
    }
    default:
      return { kind: 'unknown' };
  }
}

function readControl(interaction: APIMessageComponentInteraction): Request {
  const { data } = interaction;
  const control = {
    customId: text(data.custom_id),
    isRoleMentionable: false,
    message: readMessage(interaction.message),
  };
  switch (data.component_type) {
    case ComponentType.Button:
      return { ...control, kind: 'button', values: [] };
    case ComponentType.StringSelect:
      return { ...control, kind: 'select', values: data.values.map(text) };
    case ComponentType.ChannelSelect: {
      const { channels } = data.resolved;
      const values = data.values.filter((id) => Object.hasOwn(channels, id));
      // In resolved channels since 2026-07-16, where the bot itself is in the guild.
      const { app_permissions: may, type } = Object(channels[values[0] ?? '']);
      const channelPermissions = may === undefined ? undefined : BigInt(may);
      const isFollowable = type === ChannelType.GuildAnnouncement;
      return { ...control, kind: 'select', values, channelPermissions, isFollowable };
    }
    case ComponentType.RoleSelect: {
      const { roles } = data.resolved;
      const values = data.values.filter((id) => Object.hasOwn(roles, id));
      const isRoleMentionable = values.every((id) => roles[id]?.mentionable);
      return { ...control, kind: 'select', values, isRoleMentionable };
    }
    default:
      return { kind: 'unknown' };
  }
}

function readMessage(message: APIMessage): SourceMessage {
  const { content, embeds, components, flags = 0 } = message;
  return {
    shown: { content: text(content ?? ''), embeds: embeds ?? [], components: components ?? [] },
    isPrivate: (flags & MessageFlags.Ephemeral) !== 0,
    madeBy: message.interaction_metadata?.id,
    postedId: message.interaction_metadata ? undefined : message.id,
  };
}

/** Every field of a modal, wherever in the tree of its components it is; of what was chosen or uploaded the first. */
function readFields(components: readonly unknown[]): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const each of components) {
    const { custom_id, value, values, component, components: inner } = Object(each);
    const entered = Array.isArray(values) ? (values[0] ?? '') : value;
    if (typeof custom_id === 'string' && typeof entered === 'string') fields[custom_id] = entered;
    Object.assign(fields, readFields([component, ...(inner ?? [])].filter(Boolean)));
  }
  return fields;
}

type Attachments = APIInteractionDataResolved['attachments'];

const fileOf = ({ filename, url, size }: APIAttachment): UploadedFile => ({
  name: text(filename),
  url: text(url),
  size: Number(size),
});

/** Of the fields that name an attachment, what was uploaded. */
function filesIn(fields: EnteredFields['fields'], attachments: Attachments): EnteredFields['files'] {
  const files = Object.entries(fields).flatMap(([id, value]) => {
    const file = ownValue(attachments, value);
    if (!file) return [];
    return [[id, fileOf(file)] as const];
  });
  return Object.fromEntries(files);
}

/** The values of a slash command's options; of users only those that Discord says are some. */
function readOptions({
  options = [],
  resolved,
}: APIChatInputApplicationCommandInteractionData): EnteredFields['fields'] {
  const values = options.flatMap((option) => {
    if (!('value' in option)) return [];
    const value = String(option.value);
    const isUser = option.type === ApplicationCommandOptionType.User;
    return isUser && !ownValue(resolved?.users, value) ? [] : [[option.name, value] as const];
  });
  return Object.fromEntries(values);
}

/** Looks up a name that anybody may have written: `constructor` must find nothing. */
export function ownValue<Value>(
  values: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}
