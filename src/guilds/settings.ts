import { z } from 'zod';
import { createCache } from '../bounded-map.ts';
import type { Logger } from '../logger.ts';
import { createCollection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';

/** The highest daily quota, in servers: many times the longest list. */
export const HIGHEST_QUOTA = 9_999;

/** Each guild's settings are stored under this name and the id of the guild. */
export const SETTINGS = 'settings';

const settingsSchema = z.object({
  /** Discord's name of the guild's language at the last change or submission, for messages that nobody asked for. */
  locale: z.string(),
  /** Discord's name of the language that admins chose for what everybody reads; absent: as `locale` says. */
  language: z.exactOptional(z.string()),
  logChannelId: z.exactOptional(z.string()),
  /** Why the last message to the log channel did not arrive; absent, too, where only a newer version knows the reason. */
  logTrouble: z.enum(['gone', 'no-access', 'no-permission']).optional().catch(undefined),
  /** Whether the bot could mention every role there when the log channel was chosen. */
  mayMentionRoles: z.exactOptional(z.boolean()),
  /** The role that the log channel mentions when the service refuses the key. */
  notifyRoleId: z.exactOptional(z.string()),
  /** Whether what members submit waits for a moderator, who sees it in the log channel. */
  approval: z.exactOptional(z.boolean()),
  /** The role that may decide besides those who manage the guild. */
  approvalRoleId: z.exactOptional(z.string()),
  /** Whether Discord lets the bot mention that role, as was known when the role was chosen. */
  mayMentionApprovalRole: z.exactOptional(z.boolean()),
  /** Whether that role is mentioned when something waits. */
  mentionsApprovalRole: z.exactOptional(z.boolean()),
  /** When that role was mentioned last, in milliseconds since 1970. */
  approvalMentionedAt: z.exactOptional(z.number()),
  /** The role whose members submit without approval. */
  trustedRoleId: z.exactOptional(z.string()),
  /** Whether members get the decision as a direct message; absent: they do. */
  directMessages: z.exactOptional(z.boolean()),
  /** Whether successful submissions are announced. */
  announce: z.boolean(),
  /** The channel in which they are; absent: the one where they were made. */
  announceChannelId: z.exactOptional(z.string()),
  /** The aliases of the games that may be submitted; absent: all of them. */
  games: z.exactOptional(z.array(z.string()).min(1)),
  /** The allowed games of which the admins were told that the service no longer has them. */
  goneGames: z.exactOptional(z.array(z.string())),
  /** Servers that a member may submit in a day; absent: no limit. */
  dailyQuota: z.exactOptional(z.int().min(1).max(HIGHEST_QUOTA)),
});
export type Settings = Readonly<z.infer<typeof settingsSchema>>;

/** The settings of a guild that has chosen nothing. */
export const DEFAULTS: Settings = { locale: 'en-US', announce: false };

/** Whether what a member submits waits for a moderator. */
export function isToWait(
  { approval, trustedRoleId }: Settings,
  { isAdmin, roleIds = [] }: { readonly isAdmin?: boolean; readonly roleIds?: readonly string[] },
): boolean {
  const isTrusted = trustedRoleId !== undefined && roleIds.includes(trustedRoleId);
  return approval === true && isAdmin !== true && !isTrusted;
}

/**
 * The channel in which a submission is announced; `undefined`: in none. A panel is not pushed out of sight by what came of it.
 * @param channelId where it was made; absent if a moderator approves it, elsewhere
 * @param panelChannelId the channel of the panel that it was made with
 */
export function announcedIn(
  { announce, announceChannelId }: Settings,
  { channelId, panelChannelId }: Partial<Record<'channelId' | 'panelChannelId', string | undefined>>,
): string | undefined {
  const where = announceChannelId ?? channelId;
  return announce && where !== panelChannelId ? where : undefined;
}

/** The settings of a guild cannot be read, so that nobody knows which limits hold. */
export class UnreadableSettingsError extends Error {
  override readonly name = 'UnreadableSettingsError';
}

export type GuildSettings = ReturnType<typeof createGuildSettings>;

/** How long settings are remembered, in milliseconds: autocomplete asks for them with every key stroke. */
const REMEMBERED_MS = 5_000;

/** What each guild's admins have chosen. Every method throws a StoreError when the store fails. */
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

  /** The settings for whoever can set unreadable ones anew. */
  const getOrUnreadable = async (guildId: string) => (await records.get(guildId)) ?? DEFAULTS;

  /**
   * The defaults where nothing was chosen.
   * @throws UnreadableSettingsError
   */
  async function getOrThrow(guildId: string): Promise<Settings> {
    const settings = await getOrUnreadable(guildId);
    if (settings === 'unreadable')
      throw new UnreadableSettingsError(`the settings of ${guildId} cannot be read`);
    return settings;
  }

  const remembered = createCache(getOrThrow, REMEMBERED_MS);

  return {
    getOrThrow,
    /**
     * The same, up to a few seconds old, for autocomplete. Never to be used inside a transaction: a read that began
     * outside waits for the connection that the transaction holds.
     */
    rememberedOrThrow: remembered.get,
    getOrUnreadable,
    /**
     * Changes the settings of a guild, one change after the other; unreadable settings are changed from the defaults. What
     * `change` returns unchanged is not written.
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

/** Each guild's log channel and what is wrong with it, kept in the settings. */
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
        // Another channel may have been chosen meanwhile.
        if (now.logChannelId !== channelId) return now;
        const { logTrouble: _previous, ...others } = now;
        return trouble === undefined ? others : { ...others, logTrouble: trouble };
      });
    },
  };
}
