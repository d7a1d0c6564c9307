import {
  type APIApplicationCommandAutocompleteInteraction,
  type APIApplicationCommandInteraction,
  type APIBaseInteraction,
  type APIInteractionDataResolved,
  type APIInteractionDataResolvedChannel,
  type APIInteractionDataResolvedGuildMember,
  type APIMessageComponentInteraction,
  type APIModalSubmitInteraction,
  ApplicationIntegrationType,
  InteractionContextType,
  type InteractionType,
  type Locale,
} from 'discord.js';
import type { Upload } from '../contract.ts';
import type { Channel } from '../world/channels.ts';
import { type DirectChannel, NO_GUILD } from '../world/direct-messages.ts';
import { type GuildState, isMember, type Member, roleObject } from '../world/guilds.ts';
import type { Interaction } from '../world/interactions.ts';
import { userObject } from '../world/users.ts';
import type { World } from '../world/world.ts';

/** A guild member in one of the guild's channels, or in direct messages with the bot. */
export interface Actor {
  readonly userId: string;
  readonly name: string;
  readonly locale: string;
  readonly channelId: string;
  readonly guild: GuildState;
  readonly member: Member;
}

/** The user's action in the format that Discord sends to the bot. */
export type RequestData =
  | Pick<APIApplicationCommandInteraction, 'type' | 'data'>
  | Pick<APIApplicationCommandAutocompleteInteraction, 'type' | 'data'>
  | Pick<APIMessageComponentInteraction, 'type' | 'data'>
  | Pick<APIModalSubmitInteraction, 'type' | 'data'>;

/** The properties that all interactions share, inside and outside guilds. */
type Common = Omit<APIBaseInteraction<InteractionType, unknown>, 'type' | 'data' | 'message'>;

/**
 * Builds an INTERACTION_CREATE event with everything that Discord sends, including properties that this bot doesn't read
 * (Discord docs: Interaction Structure).
 */
export function interactionCreate(
  world: World,
  about: { readonly interaction: Interaction; readonly actor: Actor; readonly asked: RequestData },
) {
  const { interaction, actor, asked } = about;
  const { guild, channelId } = actor;
  const direct = world.directMessages.get(channelId);
  const channel = direct ?? guild.channels.get(channelId);
  if (channel === undefined) throw new Error(`there is no channel ${channelId}`);
  const common: Common = {
    id: interaction.id,
    application_id: world.applicationId,
    token: interaction.token,
    version: 1,
    locale: actor.locale as Locale,
    channel_id: channelId,
    app_permissions: String(channel.botPermissions),
    entitlements: [],
    attachment_size_limit: ATTACHMENT_SIZE_LIMIT,
    ...(direct === undefined ? inGuild(actor, channel) : inDirectMessages(actor, direct)),
  };
  const source = interaction.source?.current;
  return { ...common, ...asked, ...(source && { message: source }) };
}

const personOf = ({ userId, name }: Actor) => userObject({ id: userId, name });

function inGuild(actor: Actor, { id, type, name }: Channel) {
  const { guild, member } = actor;
  const permissions = String(member.permissions);
  return {
    guild_id: guild.id,
    guild: { id: guild.id, locale: guild.locale as Locale, features: [] },
    guild_locale: guild.locale as Locale,
    channel: { id, type, name, guild_id: guild.id, permissions } as NonNullable<Common['channel']>,
    member: { ...memberObject(member), user: personOf(actor), permissions, deaf: false, mute: false },
    authorizing_integration_owners: { [ApplicationIntegrationType.GuildInstall]: guild.id },
    context: InteractionContextType.Guild,
  };
}

function inDirectMessages(actor: Actor, { id, type }: DirectChannel) {
  const user = personOf(actor);
  return {
    channel: { id, type, recipients: [user] } as unknown as NonNullable<Common['channel']>,
    user,
    authorizing_integration_owners: { [ApplicationIntegrationType.GuildInstall]: NO_GUILD },
    context: InteractionContextType.BotDM,
  };
}

/** Discord's types don't have a constant for "no flags". */
const NO_FLAGS: number = 0;

/**
 * Discord's upload limit in bytes for users without Nitro in guilds without boosts (Discord docs: Reference, Uploading
 * Files).
 */
const ATTACHMENT_SIZE_LIMIT = 10 * 1024 * 1024;

/** Builds the member properties that an interaction and its resolved data share (Discord docs: Guild Member Object). */
const memberObject = ({ permissions, roleIds }: Member): APIInteractionDataResolvedGuildMember => ({
  roles: [...roleIds],
  permissions: String(permissions),
  joined_at: '2025-01-01T00:00:00.000000+00:00',
  premium_since: null,
  pending: false,
  nick: null,
  avatar: null,
  banner: null,
  flags: NO_FLAGS,
  communication_disabled_until: null,
});

export type ResolvedObjects = ReturnType<typeof createResolved>;

/** Collects the objects that an interaction's ids refer to (Discord docs: Interactions, Resolved Data). */
export function createResolved(world: World, { guild, member }: Actor) {
  const resolved: Required<APIInteractionDataResolved> = {
    users: {},
    members: {},
    roles: {},
    channels: {},
    attachments: {},
  };
  return {
    user(id: string): void {
      const member = guild.members.get(id);
      if (member === undefined) return;
      resolved.users[id] = userObject({ id, name: member.name });
      resolved.members[id] = memberObject(member);
    },
    role(id: string): void {
      const role = guild.roles.get(id);
      if (role !== undefined) resolved.roles[id] = roleObject(role);
    },
    channel(id: string): void {
      const channel = guild.channels.get(id);
      if (channel === undefined) return;
      const { type, name, botPermissions } = channel;
      resolved.channels[id] = {
        id,
        type,
        name,
        permissions: String(member.permissions),
        // Discord only sends `app_permissions` if the bot user is in the guild (Discord docs: Change Log, 2026-07-16).
        ...(isMember(guild) && { app_permissions: String(botPermissions) }),
      } as APIInteractionDataResolvedChannel;
    },
    /** Uploads a file and returns its attachment id. */
    file(upload: Upload): string {
      const attachment = world.files.keep({ ...upload, ephemeral: true });
      resolved.attachments[attachment.id] = attachment;
      return attachment.id;
    },
    /** Returns the collected objects as `resolved`, or `{}` if there are none. */
    all(): { readonly resolved?: APIInteractionDataResolved } {
      const found = Object.entries(resolved).filter(([, those]) => Object.keys(those).length > 0);
      return found.length === 0 ? {} : { resolved: Object.fromEntries(found) };
    },
  };
}
