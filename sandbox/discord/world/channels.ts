import { timestamp } from './users.ts';

/** Types of channel (Discord docs: Channel Types). */
export const TEXT = 0;
export const CATEGORY = 4;
export const ANNOUNCEMENT = 5;
export const PUBLIC_THREAD = 11;

/** A channel of a guild. */
export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly type: typeof TEXT | typeof CATEGORY | typeof ANNOUNCEMENT | typeof PUBLIC_THREAD;
  /** The category of a channel, the channel of a thread. */
  readonly parentId: string | undefined;
  readonly position: number;
  /** What the bot may do in it. */
  botPermissions: bigint;
}

/**
 * View channel, send messages, embed links, attach files, read message history, send messages in threads: an
 * installation with permissions 0 may what @everyone may, and that is what @everyone may in a new server.
 */
export const USUAL_BOT_PERMISSIONS =
  (1n << 10n) | (1n << 11n) | (1n << 14n) | (1n << 15n) | (1n << 16n) | (1n << 38n);

/**
 * What every guild has from the start: two text channels in a category, an announcement channel, and a thread in the
 * first channel. The guild's own id is `guild`, and its owner's two more.
 */
export function usualChannels(guild: bigint): readonly Channel[] {
  const [general, category] = [String(guild + 1n), String(guild + 4n)];
  const channel = (id: bigint | string, name: string, more: Partial<Channel> = {}): Channel => ({
    id: String(id),
    name,
    type: TEXT,
    parentId: category,
    position: 0,
    botPermissions: USUAL_BOT_PERMISSIONS,
    ...more,
  });
  return [
    channel(general, 'general'),
    channel(guild + 3n, 'staff', { position: 1 }),
    channel(category, 'Text Channels', { type: CATEGORY, parentId: undefined }),
    channel(guild + 5n, 'news', { type: ANNOUNCEMENT, position: 2 }),
    channel(guild + 6n, 'questions', { type: PUBLIC_THREAD, parentId: general }),
  ];
}

export interface ChannelAbout {
  readonly guild: { readonly id: string; readonly ownerId: string };
  readonly lastMessageId: string | undefined;
  /** Whose overwrites it says. */
  readonly botId?: string;
}

/** What of the bot's permissions @everyone's do not say (Discord docs: Permissions, Permission Overwrites). */
function overwritesOf({ botPermissions: may }: Channel, botId: string | undefined): object[] {
  if (botId === undefined || may === USUAL_BOT_PERMISSIONS) return [];
  const [allow, deny] = [may & ~USUAL_BOT_PERMISSIONS, USUAL_BOT_PERMISSIONS & ~may].map(String);
  return [{ id: botId, type: 1, allow, deny }];
}

/** Discord docs: Channel Object, with the examples of each type. */
export function channelObject(channel: Channel, { guild, lastMessageId, botId }: ChannelAbout) {
  const { id, name, type, position, parentId = null } = channel;
  const common = { id, type, guild_id: guild.id, name, parent_id: parentId, flags: 0 };
  const placed = { position, permission_overwrites: overwritesOf(channel, botId), nsfw: false };
  if (type === CATEGORY) return { ...common, ...placed };
  const written = {
    last_message_id: lastMessageId ?? null,
    last_pin_timestamp: null,
    rate_limit_per_user: 0,
  };
  if (type !== PUBLIC_THREAD)
    return { ...common, ...placed, ...written, topic: null, default_auto_archive_duration: 4320 };
  return {
    ...common,
    ...written,
    owner_id: guild.ownerId,
    message_count: 0,
    member_count: 1,
    total_message_sent: 0,
    thread_metadata: {
      archived: false,
      auto_archive_duration: 4320,
      archive_timestamp: timestamp(Date.UTC(2025, 0, 1)),
      locked: false,
      create_timestamp: timestamp(Date.UTC(2025, 0, 1)),
    },
  };
}

/** The channel of an interaction, or one that it names (Discord docs: Interactions, Resolved Data, partial channels). */
export function partialChannel(
  channel: Channel,
  about: ChannelAbout & { readonly memberPermissions: bigint },
): object {
  const whole = channelObject(channel, about);
  const fields = Object.entries(whole).filter(
    ([key]) => key !== 'permission_overwrites' && key !== 'default_auto_archive_duration',
  );
  return {
    ...Object.fromEntries(fields),
    permissions: String(about.memberPermissions),
    app_permissions: String(channel.botPermissions),
  };
}
