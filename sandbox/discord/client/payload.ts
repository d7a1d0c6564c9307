import type { Upload } from '../contract.ts';
import { USUAL_BOT_PERMISSIONS } from '../world/channels.ts';
import { type GuildState, isMember, type Member } from '../world/guilds.ts';
import type { Interaction } from '../world/interactions.ts';
import { userObject } from '../world/users.ts';
import type { World } from '../world/world.ts';

/** A member of a guild, in one of its channels. */
export interface Actor {
  readonly userId: string;
  readonly name: string;
  readonly locale: string;
  readonly channelId: string;
  readonly guild: GuildState;
  readonly member: Member;
}

/** An INTERACTION_CREATE, with what this bot reads of it (Discord docs: Interaction Structure). */
export function interactionCreate(
  world: World,
  about: { readonly interaction: Interaction; readonly actor: Actor; readonly data: object },
): object {
  const { interaction, actor, data } = about;
  const { guild, member, channelId } = actor;
  const channel = guild.channels.get(channelId);
  const source = interaction.source?.current;
  return {
    id: interaction.id,
    application_id: world.applicationId,
    type: interaction.kind,
    token: interaction.token,
    guild_id: guild.id,
    guild_locale: guild.locale,
    locale: actor.locale,
    channel: { id: channelId, type: channel?.type, name: channel?.name },
    member: {
      user: userObject({ id: actor.userId, name: actor.name }),
      permissions: String(member.permissions),
    },
    app_permissions: String(channel?.botPermissions ?? USUAL_BOT_PERMISSIONS),
    authorizing_integration_owners: { 0: guild.id },
    data,
    ...(source && { message: source }),
  };
}

export type Resolved = ReturnType<typeof createResolved>;

/** Collects `resolved`: what the ids in an interaction stand for (Discord docs: Interactions, Resolved Data). */
export function createResolved(world: World, { guild }: Actor) {
  const kinds: Record<string, Record<string, object>> = {};
  const add = (kind: string, id: string, value: object) => {
    kinds[kind] = { ...kinds[kind], [id]: value };
  };
  return {
    user(id: string): void {
      const member = guild.members.get(id);
      if (member !== undefined) add('users', id, userObject({ id, name: member.name }));
    },
    role(id: string): void {
      const role = guild.roles.get(id);
      if (role !== undefined) add('roles', id, { id, name: role.name, mentionable: role.mentionable });
    },
    channel(id: string): void {
      const channel = guild.channels.get(id);
      if (channel === undefined) return;
      const { type, name, botPermissions } = channel;
      // Where the bot itself is in the guild (Discord docs: Change Log, 2026-07-16).
      const may = isMember(guild) ? { app_permissions: String(botPermissions) } : {};
      add('channels', id, { id, type, name, ...may });
    },
    /** Uploads it, and returns its id. */
    file(upload: Upload): string {
      const attachment = world.files.keep({ ...upload, ephemeral: true });
      add('attachments', attachment.id, attachment);
      return attachment.id;
    },
    /** `undefined` when nothing was collected. */
    all: () => (Object.keys(kinds).length === 0 ? undefined : kinds),
  };
}
