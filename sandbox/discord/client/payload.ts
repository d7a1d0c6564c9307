import { partialChannel, USUAL_BOT_PERMISSIONS } from '../world/channels.ts';
import { LARGEST_FILE } from '../world/files.ts';
import type { Interaction } from '../world/interactions.ts';
import type { World } from '../world/world.ts';
import { type Actor, partialMember, user } from './member.ts';

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
