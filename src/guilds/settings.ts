import { z } from 'zod';
import { createCache } from '../bounded-map.ts';
import type { Logger } from '../logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

/** The highest daily quota, in servers. This is many times the longest list. */
export const HIGHEST_QUOTA = 9_999;

/** The first part of the names of stored settings, followed by the id of their guild. */
export const SETTINGS = 'settings';

const settingsSchema = z.object({
  /** The guild's Discord locale at the last change or submission. Messages that don't reply to an interaction use it. */
  locale: z.string(),
  /** The Discord locale that admins chose for texts that everyone reads. If absent, `locale` is used. */
  language: z.exactOptional(z.string()),
  logChannelId: z.exactOptional(z.string()),
  /** Why the last message to the log channel didn't arrive; also absent if this version doesn't know the reason. */
  logTrouble: z.enum(['gone', 'no-access', 'no-permission']).optional().catch(undefined),
  /** Whether the bot could mention every role there when admins chose the log channel. */
  mayMentionRoles: z.exactOptional(z.boolean()),
  /** The role that the log channel mentions when the service rejects the key. */
  notifyRoleId: z.exactOptional(z.string()),
  /** Whether members' submissions wait for a moderator, who sees them in the log channel. */
  approval: z.exactOptional(z.boolean()),
  /** The role that can decide, in addition to members who can manage the guild. */
  approvalRoleId: z.exactOptional(z.string()),
  /** Whether the bot could mention that role when admins chose it. */
  mayMentionApprovalRole: z.exactOptional(z.boolean()),
  /** Whether that role is mentioned when a submission is waiting. */
  mentionsApprovalRole: z.exactOptional(z.boolean()),
  /** When that role was last mentioned, in milliseconds since 1970. */
  approvalMentionedAt: z.exactOptional(z.number()),
  /** The role whose members can submit without approval. */
  trustedRoleId: z.exactOptional(z.string()),
  /** Whether members get decisions as direct messages; they do if absent. */
  directMessages: z.exactOptional(z.boolean()),
  /** Whether successful submissions are announced. */
  announce: z.boolean(),
  /** The channel for announcements. If absent, it is the channel where the submission was made. */
  announceChannelId: z.exactOptional(z.string()),
  /** The aliases of the games that members can submit. If absent, all games are allowed. */
  games: z.exactOptional(z.array(z.string()).min(1)),
  /** The allowed games that the service no longer has, and that admins have been notified of. */
  goneGames: z.exactOptional(z.array(z.string())),
  /** How many servers a member can submit per day. If absent, there is no limit. */
  dailyQuota: z.exactOptional(z.int().min(1).max(HIGHEST_QUOTA)),
});
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

/** The settings of a guild that hasn't changed any. */
export const DEFAULTS: Settings = { locale: 'en-US', announce: false };

/** Whether a member's submission has to wait for a moderator. */
export function needsApproval(
  { approval, trustedRoleId }: Settings,
  { isAdmin, roleIds = [] }: { readonly isAdmin?: boolean; readonly roleIds?: readonly string[] },
): boolean {
  const isTrusted = trustedRoleId !== undefined && roleIds.includes(trustedRoleId);
  return approval === true && isAdmin !== true && !isTrusted;
}

/**
 * Returns the channel in which a submission is announced; `undefined` if there is none. Never returns the channel of the
 * submission's panel, because announcements would push the panel out of sight.
 * @param channelId where the submission was made; absent if a moderator approves it elsewhere
 * @param panelChannelId the channel of the panel that it was made with
 */
export function announcedIn(
  { announce, announceChannelId }: Settings,
  { channelId, panelChannelId }: Partial<Record<'channelId' | 'panelChannelId', string | undefined>>,
): string | undefined {
  const where = announceChannelId ?? channelId;
  return announce && where !== panelChannelId ? where : undefined;
}

/** Thrown if a guild's settings can't be read. The limits that they contain are then unknown. */
export class UnreadableSettingsError extends Error {
  override readonly name = 'UnreadableSettingsError';
}

export type GuildSettings = ReturnType<typeof createGuildSettings>;

/** How long settings are cached, in milliseconds. Autocomplete reads them on every keystroke. */
const REMEMBERED_MS = 5_000;

/** Creates the store for the settings of each guild. Every method throws a StoreError when the store fails. */
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

  /** Returns the settings, for callers that can replace them if they can't be read. */
  const getOrUnreadable = async (guildId: string) => (await records.get(guildId)) ?? DEFAULTS;

  /**
   * Returns the settings, or the defaults if the guild has none.
   * @throws UnreadableSettingsError
   */
  async function getOrThrow(guildId: string): Promise<Settings> {
    const settings = await getOrUnreadable(guildId);
    if (settings === 'unreadable')
      throw new UnreadableSettingsError(`could not read the settings of guild ${guildId}`);
    return settings;
  }

  const remembered = createCache(getOrThrow, REMEMBERED_MS);

  return {
    getOrThrow,
    /**
     * Returns the settings, which may be a few seconds old, for autocomplete and /help. Never use it inside a transaction,
     * because a read that began outside waits for the connection that the transaction holds.
     */
    rememberedOrThrow: remembered.get,
    getOrUnreadable,
    /**
     * Changes a guild's settings, one change at a time. If the settings can't be read, the defaults are changed instead. If
     * `change` returns the same object, nothing is saved.
     */
    async change(
      guildId: string,
      change: (now: Settings) => Settings | Promise<Settings>,
    ): Promise<Settings> {
      try {
        return await store.inGuild(guildId, async () => {
          const found = await getOrUnreadable(guildId);
          const now = found === 'unreadable' ? DEFAULTS : found;
          const next = await change(now);
          if (next !== now) await records.set(guildId, next);
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

/** Creates the functions that read a guild's log channel and record problems with it. Both are part of the settings. */
export function logChannels(settings: Pick<GuildSettings, 'getOrUnreadable' | 'change'>) {
  return {
    async channelOf(guildId: string) {
      const found = await settings.getOrUnreadable(guildId);
      if (found === 'unreadable' || found.logChannelId === undefined) return undefined;
      const { logChannelId, logTrouble, notifyRoleId } = found;
      return { channelId: logChannelId, trouble: logTrouble, roleId: notifyRoleId };
    },
    async setTrouble(guildId: string, channelId: string, trouble: Settings['logTrouble']) {
      await settings.change(guildId, (now) => {
        // An admin may have chosen another channel since then.
        if (now.logChannelId !== channelId) return now;
        const { logTrouble: _previous, ...others } = now;
        return trouble === undefined ? others : { ...others, logTrouble: trouble };
      });
    },
  };
}
