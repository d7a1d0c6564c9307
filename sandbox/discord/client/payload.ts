import type { Upload } from '../contract.ts';
import { partialChannel, USUAL_BOT_PERMISSIONS } from '../world/channels.ts';
import { LARGEST_FILE } from '../world/files.ts';
import { roleObject } from '../world/guilds.ts';
import type { Interaction } from '../world/interactions.ts';
import type { World } from '../world/world.ts';
import { type Actor, partialMember, user } from './actor.ts';

/** Rule 52: an INTERACTION_CREATE with everything that discord.js reads. */
export function interactionCreate(
  world: World,
  {
    interaction,
    actor,
    data,
  }: { readonly interaction: Interaction; readonly actor: Actor; readonly data: object },
): object {
  const { guild, member, channelId } = actor;
  const source = interaction.source?.current;
  const here = guild?.channels.get(channelId);
  const lastMessageId = world.messages.lastIn(channelId);
  return {
    id: interaction.id,
    application_id: world.applicationId,
    type: interaction.kind,
    token: interaction.token,
    version: 1,
    locale: actor.locale,
    channel_id: channelId,
    app_permissions: String(here?.botPermissions ?? USUAL_BOT_PERMISSIONS),
    entitlements: [],
    entitlement_sku_ids: [],
    attachment_size_limit: LARGEST_FILE,
    data,
    ...(source !== undefined && { message: source }),
    ...(guild !== undefined && member !== undefined
      ? {
          guild_id: guild.id,
          guild: { id: guild.id, locale: guild.locale, features: [] },
          guild_locale: guild.locale,
          ...(here !== undefined && {
            channel: partialChannel(here, { guild, lastMessageId, memberPermissions: member.permissions }),
          }),
          member: {
            ...partialMember(member),
            user: user(actor),
            mute: false,
            deaf: false,
            unusual_dm_activity_until: null,
          },
          authorizing_integration_owners: { 0: guild.id },
          context: 0,
        }
      : {
          channel: {
            id: channelId,
            type: 1,
            flags: 0,
            last_message_id: lastMessageId ?? null,
            recipients: [user(actor)],
          },
          user: user(actor),
          authorizing_integration_owners: interaction.userInstallOnly ? { 1: actor.userId } : { 0: '0' },
          context: 1,
        }),
  };
}

/** Collects `resolved`: what the ids in an interaction stand for (Discord docs: Interactions, Resolved Data). */
export interface Resolved {
  user(id: string): void;
  role(id: string): void;
  channel(id: string): void;
  mentionable(id: string): void;
  /** Uploads it, and returns its id. */
  file(upload: Upload): string;
  /** Whether an id stood for something. */
  knows(id: string): boolean;
  /** `undefined` when nothing was collected. */
  all(): object | undefined;
}

export function createResolved(world: World, actor: Actor): Resolved {
  const kinds = new Map<string, Map<string, unknown>>();
  const add = (kind: string, id: string, value: unknown) => {
    kinds.set(kind, (kinds.get(kind) ?? new Map<string, unknown>()).set(id, value));
  };

  function addUser(id: string): void {
    const member = actor.guild?.members.get(id);
    if (id === world.bot.id) add('users', id, world.bot);
    else if (member !== undefined) {
      add('users', id, user(member));
      add('members', id, partialMember(member));
    } else if (id === actor.userId) add('users', id, user(actor));
  }

  function addRole(id: string): void {
    const role = actor.guild?.roles.get(id);
    if (role !== undefined)
      add('roles', id, roleObject(role, [...(actor.guild?.roles.keys() ?? [])].indexOf(id)));
  }

  return {
    user: addUser,
    role: addRole,
    channel(id) {
      const { guild, member } = actor;
      const channel = guild?.channels.get(id);
      if (guild === undefined || channel === undefined) return;
      const about = { guild, lastMessageId: world.messages.lastIn(id) };
      const memberPermissions = member?.permissions ?? 0n;
      add('channels', id, partialChannel(channel, { ...about, memberPermissions }));
    },
    mentionable(id) {
      addUser(id);
      addRole(id);
    },
    file({ filename, bytes, size, contentType }) {
      const attachment = world.files.keep({
        filename,
        bytes,
        size,
        contentType,
        ephemeral: true,
        owner: world.applicationId,
      });
      add('attachments', attachment.id, attachment);
      return attachment.id;
    },
    knows: (id) => [...kinds.values()].some((values) => values.has(id)),
    all: () =>
      kinds.size === 0
        ? undefined
        : Object.fromEntries([...kinds].map(([kind, values]) => [kind, Object.fromEntries(values)])),
  };
}
