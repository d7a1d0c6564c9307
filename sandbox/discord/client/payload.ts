import type { Upload } from '../contract.ts';
import { partialChannel, USUAL_BOT_PERMISSIONS } from '../world/channels.ts';
import { type GuildState, type Member, roleObject } from '../world/guilds.ts';
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

const user = ({ userId, name }: Pick<Member, 'userId' | 'name'>) => userObject({ id: userId, name });

/** A member without the user, as in `resolved.members` (Discord docs: Interactions, Resolved Data). */
const partialMember = ({ permissions, joinedAt }: Member) => ({
  roles: [],
  permissions: String(permissions),
  joined_at: joinedAt,
  premium_since: null,
  pending: false,
  nick: null,
  avatar: null,
  flags: 0,
  communication_disabled_until: null,
});

/** Discord's default for one file, in bytes (Discord docs: Reference, Uploading Files). */
export const LARGEST_FILE = 10 * 1024 * 1024;

/** An INTERACTION_CREATE, with every field that Discord sends in a guild (Discord docs: Interaction Structure). */
export function interactionCreate(
  world: World,
  about: { readonly interaction: Interaction; readonly actor: Actor; readonly data: object },
): object {
  const { interaction, actor, data } = about;
  const { guild, member, channelId } = actor;
  const { locale } = guild;
  const channel = guild.channels.get(channelId);
  const source = interaction.source?.current;
  return {
    id: interaction.id,
    application_id: world.applicationId,
    type: interaction.kind,
    token: interaction.token,
    version: 1,
    guild_id: guild.id,
    guild: { id: guild.id, locale, features: [] },
    guild_locale: locale,
    locale: actor.locale,
    channel_id: channelId,
    ...(channel && {
      channel: partialChannel(channel, { guildId: guild.id, memberPermissions: member.permissions }),
    }),
    member: { ...partialMember(member), user: user(actor), mute: false, deaf: false },
    app_permissions: String(channel?.botPermissions ?? USUAL_BOT_PERMISSIONS),
    entitlements: [],
    entitlement_sku_ids: [],
    authorizing_integration_owners: { 0: guild.id },
    context: 0,
    attachment_size_limit: LARGEST_FILE,
    data,
    ...(source && { message: source }),
  };
}

/** Collects `resolved`: what the ids in an interaction stand for (Discord docs: Interactions, Resolved Data). */
export interface Resolved {
  user(id: string): void;
  role(id: string): void;
  channel(id: string): void;
  /** Uploads it, and returns its id. */
  file(upload: Upload): string;
  /** `undefined` when nothing was collected. */
  all(): object | undefined;
}

export function createResolved(world: World, { guild, member }: Actor): Resolved {
  const kinds: Record<string, Record<string, object>> = {};
  const add = (kind: string, id: string, value: object) => {
    kinds[kind] = { ...kinds[kind], [id]: value };
  };
  return {
    user(id) {
      const named = guild.members.get(id);
      if (named === undefined) return;
      add('users', id, user(named));
      add('members', id, partialMember(named));
    },
    role(id) {
      const role = guild.roles.get(id);
      if (role !== undefined) add('roles', id, roleObject(role));
    },
    channel(id) {
      const channel = guild.channels.get(id);
      const about = { guildId: guild.id, memberPermissions: member.permissions };
      if (channel !== undefined) add('channels', id, partialChannel(channel, about));
    },
    file(upload) {
      const attachment = world.files.keep({ ...upload, ephemeral: true });
      add('attachments', attachment.id, attachment);
      return attachment.id;
    },
    all: () => (Object.keys(kinds).length === 0 ? undefined : kinds),
  };
}
