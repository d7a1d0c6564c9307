import { PermissionFlagsBits, Routes } from 'discord.js';
import { z } from 'zod';
import type { DiscordApi } from './api.ts';
import { GUILD_TIMEOUT_MS } from './bot-guilds.ts';

/** Discord sends the bits as a decimal string. */
const permissionsSchema = z.string().regex(/^\d+$/).transform(BigInt);

const channelSchema = z.object({
  id: z.string(),
  guild_id: z.string(),
  flags: z.int().optional(),
  permission_overwrites: z.array(
    z.object({ id: z.string(), allow: permissionsSchema, deny: permissionsSchema }),
  ),
});

/**
 * Flag of a channel that Discord shows with made-up permission overwrites, because the bot can't view it (Discord docs:
 * Channel Flags, `OBFUSCATED`).
 */
const OBFUSCATED = 1 << 17;

const guildSchema = z.object({
  roles: z.array(z.object({ id: z.string(), permissions: permissionsSchema })),
});

/**
 * Whether @everyone can view a channel in the guild. Channels don't inherit their category's permission overwrites (Discord
 * docs: Permissions, "Permission Syncing"). Never throws.
 * @param channelId an id that may be forged
 * @returns `undefined` if Discord doesn't respond in time, the channel isn't in this guild, or the bot can't view it
 */
export async function isPublicChannel(
  api: Pick<DiscordApi, 'get'>,
  guildId: string,
  channelId: string,
): Promise<boolean | undefined> {
  const soon = { signal: AbortSignal.timeout(GUILD_TIMEOUT_MS) };
  try {
    const [channel, guild] = await Promise.all([
      api.get(Routes.channel(channelId), soon).then(channelSchema.parse),
      api.get(Routes.guild(guildId), soon).then(guildSchema.parse),
    ]);
    if (channel.id !== channelId || channel.guild_id !== guildId) return undefined;
    if (((channel.flags ?? 0) & OBFUSCATED) !== 0) return undefined;
    // The @everyone role has the same id as the guild.
    const role = guild.roles.find(({ id }) => id === guildId);
    if (role === undefined) return undefined;
    const { deny = 0n, allow = 0n } = channel.permission_overwrites.find(({ id }) => id === guildId) ?? {};
    const isAdministrator = (role.permissions & PermissionFlagsBits.Administrator) !== 0n;
    return isAdministrator || (((role.permissions & ~deny) | allow) & PermissionFlagsBits.ViewChannel) !== 0n;
  } catch {
    return undefined;
  }
}
