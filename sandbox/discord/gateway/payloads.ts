import { channelObject, PUBLIC_THREAD } from '../world/channels.ts';
import { type GuildState, roleObject } from '../world/guilds.ts';
import { shardOf } from '../world/snowflakes.ts';
import { ownUser, timestamp } from '../world/users.ts';
import type { World } from '../world/world.ts';
import type { Session } from './sessions.ts';

/** Which machines a frame went through; documented as nothing to rely on. */
export const TRACE = ['["gateway-stand-in",{"micros":0.0}]'];

/**
 * Discord docs: Ready Event Fields; and, from `private_channels` on, what bots are sent besides, by payloads quoted in
 * public issues. Rule 49: only this shard's guilds, all unavailable at first, whatever the intents.
 */
export const ready = (world: World, session: Session, gatewayUrl: string) => ({
  v: 10,
  user: ownUser(world.bot),
  user_settings: {},
  guilds: world.guilds
    .joined()
    .filter(({ id }) => shardOf(id, session.shard[1]) === session.shard[0])
    .map(({ id }) => ({ id, unavailable: true })),
  session_id: session.id,
  session_type: 'normal',
  resume_gateway_url: gatewayUrl,
  shard: session.shard,
  application: { id: world.applicationId, flags: 0 },
  private_channels: [],
  presences: [],
  relationships: [],
  game_relationships: [],
  guild_join_requests: [],
  geo_ordered_rtc_regions: ['frankfurt', 'milan', 'rotterdam'],
  auth: {},
  _trace: TRACE,
});

/** Rule 50: without `unavailable: false` and `channels`, discord.js takes the guild for unavailable. */
export const guildCreate = (world: World, guild: GuildState) => ({
  ...guildUpdate(guild),
  unavailable: false,
  joined_at: timestamp(world.clock.now()),
  large: false,
  member_count: guild.members.size + 1,
  channels: channels(world, guild).filter(({ type }) => type !== PUBLIC_THREAD),
  members: [
    {
      user: world.bot,
      roles: [],
      joined_at: timestamp(world.clock.now()),
      deaf: false,
      mute: false,
      flags: 0,
    },
  ],
  threads: channels(world, guild).filter(({ type }) => type === PUBLIC_THREAD),
  presences: [],
  voice_states: [],
  stage_instances: [],
  guild_scheduled_events: [],
  soundboard_sounds: [],
});

const channels = ({ messages, bot }: World, guild: GuildState) =>
  [...guild.channels.values()].map((channel) =>
    channelObject(channel, { guild, lastMessageId: messages.lastIn(channel.id), botId: bot.id }),
  );

/** The guild itself, without what is in it (Discord docs: Guild Object): what GUILD_UPDATE tells (rule 50). */
export const guildUpdate = (guild: GuildState) => ({
  id: guild.id,
  name: guild.name,
  icon: null,
  owner_id: guild.ownerId,
  preferred_locale: guild.locale,
  features: [],
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw_level: 0,
  nsfw: false,
  premium_tier: 0,
  premium_progress_bar_enabled: false,
  afk_timeout: 300,
  afk_channel_id: null,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  roles: [...guild.roles.values()].map(roleObject),
  emojis: [],
  stickers: [],
});
