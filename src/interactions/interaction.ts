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
import { visibleLine } from '../text/one-line.ts';
import { Secret } from '../text/secret.ts';
import { messageText } from './message-text.ts';

/**
 * A member's action in Discord as plain data, the same over the gateway and over HTTP. After a crash, only the recorded
 * part is available. The bot receives no other data about guilds.
 */
export interface Interaction extends ReplyTarget {
  /** Empty if the interaction happened outside a guild. */
  readonly guildId: string;
  readonly channelId: string;
  /** Whether the channel is a thread or a forum post, which Discord archives after a while. */
  readonly isInThread: boolean;
  /** The channel that the thread belongs to; `undefined` outside threads. */
  readonly parentChannelId?: string | undefined;
  /** The bot's permissions in the channel; `undefined` if Discord didn't send them. */
  readonly botPermissions?: bigint | undefined;
  readonly user: { readonly id: string; readonly name: string };
  /** Whether the member has Discord's Manage Server or Administrator permission. */
  readonly isAdmin: boolean;
  /** Whether the member has Discord's Administrator permission, which includes every other permission. */
  readonly isAdministrator: boolean;
  /** Empty if the interaction was read from storage. */
  readonly roleIds: readonly string[];
  /** The member's Discord locale, such as `en-US`. */
  readonly locale: string;
  /** The guild's Discord locale, used for messages that others can read too. */
  readonly guildLocale: string;
  /** Whether the application is installed in the guild itself rather than only by a user. */
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

export interface UsedMessage {
  readonly text: string;
  readonly files: readonly UploadedFile[];
}

export interface UsedControl {
  readonly kind: 'button' | 'select';
  readonly customId: string;
  /**
   * The chosen values of a select, or the ids of the chosen channels, roles or users. Omits ids that Discord doesn't confirm as
   * belonging to this guild. Empty for a button.
   */
  readonly values: readonly string[];
  readonly isRoleMentionable: boolean;
  /** `undefined` if the chosen user isn't in the guild. */
  readonly chosenMember?: Pick<Interaction, 'isAdmin' | 'roleIds'> | undefined;
  /** The bot's permissions in the chosen channel; `undefined` if Discord didn't send them. */
  readonly channelPermissions?: bigint | undefined;
  /** Whether the chosen channel is an announcement channel, which other guilds can follow. */
  readonly isFollowable?: boolean;
  readonly message: SourceMessage;
}

/** A slash command's option values (keyed by name) or a modal's field values (keyed by custom id). */
export interface EnteredFields {
  /** Contains an empty string for a field without a value. */
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, UploadedFile>>;
}

export interface SubmittedModal extends EnteredFields {
  readonly kind: 'modal';
  readonly customId: string;
  readonly message?: SourceMessage;
}

export interface MessageContent {
  readonly content: string;
  readonly embeds: readonly unknown[];
  readonly components: readonly unknown[];
}

export interface SourceMessage {
  readonly shown: MessageContent;
  readonly isPrivate: boolean;
  /** The id of the interaction that the message is a reply to; `undefined` if Discord didn't send it. */
  readonly madeBy: string | undefined;
  /** The message's id, if the message isn't a reply to an interaction. Everyone in the channel can see such a message. */
  readonly postedId: string | undefined;
}

export interface UploadedFile {
  readonly name: string;
  readonly url: string;
  /** Size in bytes as reported by Discord, or NaN if Discord didn't report it. */
  readonly size: number;
}

/**
 * Parses an interaction in Discord's format.
 * @param receivedAt milliseconds since 1970
 * @throws TypeError if a required field doesn't match Discord's documentation
 */
export function readInteraction(payload: unknown, receivedAt: number): Interaction {
  const interaction = payload as APIInteraction;
  const guildId = interaction.guild_id ?? '';
  const user = interaction.member?.user ?? interaction.user;
  const locale = 'locale' in interaction ? interaction.locale : 'en-US';
  const permissions = BigInt(interaction.member?.permissions ?? '0');
  const { app_permissions: may } = Object(interaction);
  const isInThread = THREADS.has(interaction.channel?.type ?? ChannelType.GuildText);
  return {
    ...readReplyTarget(payload, receivedAt),
    guildId: text(guildId),
    channelId: text(interaction.channel?.id ?? ''),
    isInThread,
    parentChannelId: isInThread ? (Object(interaction.channel).parent_id ?? undefined) : undefined,
    botPermissions: typeof may === 'string' ? BigInt(may) : undefined,
    user: { id: text(user?.id), name: visibleLine(text(user?.username)) },
    isAdmin: manages(permissions),
    isAdministrator: (permissions & PermissionFlagsBits.Administrator) !== 0n,
    roleIds: interaction.member?.roles ?? [],
    locale: text(locale),
    guildLocale: text(interaction.guild_locale ?? locale),
    isInstalledInGuild:
      interaction.authorizing_integration_owners?.[ApplicationIntegrationType.GuildInstall] === guildId,
    request: readRequest(interaction),
  };
}

/** Includes forum posts, because Discord represents them as public threads. */
const THREADS: ReadonlySet<ChannelType> = new Set([
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
]);

/** @throws TypeError if a field that is needed to respond can't be parsed */
export function readReplyTarget(payload: unknown, receivedAt: number): ReplyTarget {
  const { id, application_id, token } = Object(payload);
  return { id: text(id), applicationId: text(application_id), token: new Secret(text(token)), receivedAt };
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('an interaction field is not a string');
  return value;
}

const MANAGES = PermissionFlagsBits.ManageGuild | PermissionFlagsBits.Administrator;

const manages = (permissions: string | bigint): boolean => (BigInt(permissions) & MANAGES) !== 0n;

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
          files: filesByField(fields, data.resolved?.attachments),
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
        files: filesByField(fields, resolved?.attachments),
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
      // Since 2026-07-16, Discord includes `app_permissions` in resolved channels, but only if the bot is in the guild.
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
    case ComponentType.UserSelect: {
      const { users, members } = data.resolved;
      const values = data.values.filter((id) => Object.hasOwn(users, id));
      const member = ownValue(members, values[0] ?? '');
      const chosenMember = member && { isAdmin: manages(member.permissions), roleIds: member.roles };
      return { ...control, kind: 'select', values, chosenMember };
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

/** Reads all fields of a modal, however deeply nested. Only reads the first of several chosen values or uploads. */
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

function filesByField(fields: EnteredFields['fields'], attachments: Attachments): EnteredFields['files'] {
  const files = Object.entries(fields).flatMap(([id, value]) => {
    const file = ownValue(attachments, value);
    return file ? [[id, fileOf(file)] as const] : [];
  });
  return Object.fromEntries(files);
}

/** Leaves out users that Discord doesn't confirm. */
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

/** A forged name such as `constructor` must not return an inherited property. */
export function ownValue<Value>(
  values: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}
