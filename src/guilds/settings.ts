import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { createCache } from '../pacing/bounded-map.ts';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

/** Many times the length of the longest list. */
export const MAX_DAILY_QUOTA = 9_999;

/** Prefix of the names of stored settings, followed by the guild's id. */
export const SETTINGS = 'settings';

/** Why Discord rejected a post in a channel; also `undefined` if this version doesn't know the reason. */
const troubleSchema = z.enum(['gone', 'no-access', 'no-permission']).optional().catch(undefined);

const settingsSchema = z.object({
  /** The guild's Discord locale as of the last change or submission, for messages that aren't replies. */
  locale: z.string(),
  /** The Discord locale chosen by the admins for messages that everyone can read. Defaults to `locale`. */
  language: z.exactOptional(z.string()),
  logChannelId: z.exactOptional(z.string()),
  logTrouble: troubleSchema,
  /** Whether the bot had permission to mention all roles in the log channel when the admins chose the channel. */
  mayMentionRoles: z.exactOptional(z.boolean()),
  /** The role to mention in the log channel if the service rejects the key. */
  notifyRoleId: z.exactOptional(z.string()),
  /**
   * Whether members' submissions have to be approved by a moderator, who sees them in the log channel. After approval has been
   * turned off, the value is `false`, because submissions may still be waiting. The first submission made when none is waiting
   * removes the value.
   */
  approval: z.exactOptional(z.boolean()),
  /** The role that can approve and decline submissions, in addition to members who can manage the guild. */
  approvalRoleId: z.exactOptional(z.string()),
  /** Whether the bot was able to mention the approval role when the admins chose it. */
  mayMentionApprovalRole: z.exactOptional(z.boolean()),
  mentionsApprovalRole: z.exactOptional(z.boolean()),
  /** When the approval role was last mentioned, in milliseconds since 1970. */
  approvalMentionedAt: z.exactOptional(z.number()),
  requiresReason: z.exactOptional(z.boolean()),
  /** The role whose members can submit without approval. */
  trustedRoleId: z.exactOptional(z.string()),
  /** Whether members are notified of decisions by direct message. Defaults to true. */
  directMessages: z.exactOptional(z.boolean()),
  announce: z.boolean(),
  /** The channel for announcements. Defaults to the channel in which the submission was made. */
  announceChannelId: z.exactOptional(z.string()),
  announceTrouble: troubleSchema,
  /** The aliases of the games that members are allowed to submit. If omitted, all games are allowed. */
  games: z.exactOptional(z.array(z.string()).min(1)),
  /** The allowed games that the service no longer has and that the admins have been notified of. */
  goneGames: z.exactOptional(z.array(z.string())),
  /** Maximum number of servers that a member can submit per day. If omitted, members aren't limited. */
  dailyQuota: z.exactOptional(z.int().min(1).max(MAX_DAILY_QUOTA)),
  /** Whether the guild may have blocks (see `createBlocks`), so that other guilds' checks needn't read any. */
  hasBlocks: z.exactOptional(z.boolean()),
});
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

export const DEFAULTS: Settings = { locale: 'en-US', announce: false };

export function needsApproval(
  { approval, trustedRoleId }: Settings,
  { isAdmin, roleIds = [] }: { readonly isAdmin?: boolean; readonly roleIds?: readonly string[] },
): boolean {
  const isTrusted = trustedRoleId !== undefined && roleIds.includes(trustedRoleId);
  return approval === true && isAdmin !== true && !isTrusted;
}

export const canModerate = (
  { approvalRoleId }: Settings,
  { isAdmin, roleIds = [] }: { readonly isAdmin?: boolean; readonly roleIds?: readonly string[] },
): boolean => isAdmin === true || (approvalRoleId !== undefined && roleIds.includes(approvalRoleId));

/**
 * Returns the channel to announce a submission in, or `undefined` if it isn't announced. A submission is never announced in
 * the channel of the panel used to make it, because announcements would push the panel out of sight.
 * @param channelId the channel in which the submission was made; `undefined` if a moderator approved it elsewhere
 * @param panelChannelId the channel of the panel used to make the submission
 */
export function announcedIn(
  { announce, announceChannelId }: Settings,
  { channelId, panelChannelId }: Partial<Record<'channelId' | 'panelChannelId', string | undefined>>,
): string | undefined {
  const where = announceChannelId ?? channelId;
  return announce && where !== panelChannelId ? where : undefined;
}

/** Thrown if a guild's settings can't be read, which means that the limits are unknown. */
export class UnreadableSettingsError extends Error {
  override readonly name = 'UnreadableSettingsError';
}

export type GuildSettings = ReturnType<typeof createGuildSettings>;

/** Autocomplete reads the settings on every keystroke. */
const CACHED_MS = 5_000;

/** Creates the store for guilds' settings. Every method throws a StoreError when the store fails. */
export function createGuildSettings(deps: {
  readonly store: Pick<Store, 'values' | 'inGuild'>;
  readonly logger: Logger;
}) {
  const { store, logger } = deps;
  const records = createCollection<Settings>({
    values: store.values,
    name: SETTINGS,
    schema: settingsSchema,
    logger,
  });

  /** Returns the settings, or `unreadable` for callers that can replace unreadable settings. */
  const getOrUnreadable = async (guildId: string) => (await records.get(guildId)) ?? DEFAULTS;

  /**
   * Returns the settings, or the defaults for a guild without settings.
   * @throws UnreadableSettingsError if the settings can't be read
   */
  async function getOrThrow(guildId: string): Promise<Settings> {
    const settings = await getOrUnreadable(guildId);
    if (settings === 'unreadable')
      throw new UnreadableSettingsError(`could not read the settings of guild ${guildId}`);
    return settings;
  }

  const remembered = createCache(getOrThrow, CACHED_MS);

  return {
    getOrThrow,
    /**
     * Returns the settings from a cache, so they may be up to 5 seconds old. Meant for hints, autocomplete and /help. Must not be
     * used inside a transaction, because an earlier read may be waiting for the connection that the transaction holds.
     */
    rememberedOrThrow: remembered.get,
    getOrUnreadable,
    /**
     * Changes a guild's settings, one change at a time. If the settings can't be read, `change` gets the defaults, and the
     * guild's blocks still hold. The settings aren't saved if `change` returns the same object.
     */
    async change(
      guildId: string,
      change: (now: Settings) => Settings | Promise<Settings>,
    ): Promise<Settings> {
      try {
        return await store.inGuild(guildId, async () => {
          const { value, isUnreadable, save } = await records.open(guildId);
          const now = value ?? (isUnreadable ? { ...DEFAULTS, hasBlocks: true } : DEFAULTS);
          const next = await change(now);
          if (next !== now) await save(next);
          return next;
        });
      } finally {
        remembered.forget(guildId);
      }
    },
    async delete(guildId: string): Promise<void> {
      await records.delete(guildId);
      remembered.forget(guildId);
    },
  };
}

type ChannelSettings = Pick<GuildSettings, 'getOrUnreadable' | 'change'>;

export const logChannels = (settings: ChannelSettings) => channelsIn(settings, 'logChannelId', 'logTrouble');

export type AnnouncementChannels = ReturnType<typeof announcementChannels>;

export const announcementChannels = (settings: ChannelSettings) =>
  channelsIn(settings, 'announceChannelId', 'announceTrouble');

const channelsIn = (
  settings: ChannelSettings,
  channel: 'logChannelId' | 'announceChannelId',
  problem: 'logTrouble' | 'announceTrouble',
) => ({
  async channelOf(guildId: string) {
    const found = await settings.getOrUnreadable(guildId);
    if (found === 'unreadable' || found[channel] === undefined) return undefined;
    return { channelId: found[channel], trouble: found[problem], notifyRoleId: found.notifyRoleId };
  },
  async setTrouble(guildId: string, channelId: string, trouble: Settings['logTrouble']): Promise<void> {
    // An admin may have chosen another channel in the meantime.
    await settings.change(guildId, (now) =>
      now[channel] === channelId ? { ...now, [problem]: trouble } : now,
    );
  },
});
