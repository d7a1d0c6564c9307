import {
  type APIApplicationCommandPermission,
  ApplicationCommandPermissionType,
  type APIGuildApplicationCommandPermissions as CommandEntries,
  Routes,
} from 'discord.js';
import { createBoundedMap } from '../pacing/bounded-map.ts';
import { MINUTE_MS } from '../pacing/durations.ts';
import type { DiscordApi } from './api.ts';
import { GUILD_TIMEOUT_MS } from './bot-guilds.ts';

const CACHED_MS = 5 * MINUTE_MS;
const MAX_CACHED_GUILDS = 1_000;

export interface ControlUser {
  readonly guildId: string;
  readonly channelId: string;
  readonly parentChannelId?: string | undefined;
  readonly user: { readonly id: string };
  readonly roleIds: readonly string[];
  readonly isAdministrator: boolean;
}

interface KnownEntries {
  readonly at: number;
  readonly entries: readonly CommandEntries[];
}

export interface CommandPermissionsDeps {
  readonly api: Pick<DiscordApi, 'get'>;
  readonly applicationId: () => Promise<string>;
  readonly commandId: (name: string) => string | undefined;
}

export type CommandPermissions = ReturnType<typeof createCommandPermissions>;

/**
 * Creates the check of the permissions that admins set on a guild's Integrations page. Discord checks these permissions for
 * commands, but not for buttons and forms. While the permissions can't be read, members aren't denied.
 */
export function createCommandPermissions({ api, applicationId, commandId }: CommandPermissionsDeps) {
  const known = createBoundedMap<KnownEntries>(MAX_CACHED_GUILDS);
  const reading = new Map<string, Promise<readonly CommandEntries[]>>();
  /** Empty until the first read. */
  let ownApplicationId = '';

  async function load(guildId: string): Promise<readonly CommandEntries[]> {
    const before = known.get(guildId)?.entries ?? [];
    try {
      ownApplicationId = await applicationId();
      const route = Routes.guildApplicationCommandsPermissions(ownApplicationId, guildId);
      const entries = await api.get(route, { signal: AbortSignal.timeout(GUILD_TIMEOUT_MS) });
      known.set(guildId, { at: performance.now(), entries: entries as readonly CommandEntries[] });
    } catch {
      // Doesn't ask again for each button. Guilds that only have the commands answer 403.
      known.set(guildId, { at: performance.now(), entries: before });
    }
    return known.get(guildId)?.entries ?? [];
  }

  /** Reads a guild's permissions once, even if several members wait for them. Never throws. */
  function read(guildId: string): Promise<readonly CommandEntries[]> {
    const current = reading.get(guildId) ?? load(guildId).finally(() => reading.delete(guildId));
    reading.set(guildId, current);
    return current;
  }

  const fresh = (guildId: string) => {
    const found = known.get(guildId);
    return found && performance.now() - found.at < CACHED_MS ? found.entries : undefined;
  };

  /** Returns the last known permissions. Reads them in the background if they are more than five minutes old. */
  function knownNow(guildId: string): readonly CommandEntries[] {
    if (fresh(guildId) === undefined) void read(guildId);
    return known.get(guildId)?.entries ?? [];
  }

  const denies = (entries: readonly CommandEntries[], name: string, member: ControlUser): boolean => {
    // A command's own entries replace the application's entries (Discord docs: Application Command Permissions).
    const own = entries.find(({ id }) => id === commandId(name));
    const { permissions = [] } = own ?? entries.find(({ id }) => id === ownApplicationId) ?? {};
    return !member.isAdministrator && isDenied(permissions, member);
  };

  return {
    isKnownToDeny: (name: string, member: ControlUser): boolean =>
      denies(knownNow(member.guildId), name, member),
    /**
     * @param names is only called if the guild has any permissions; returns an empty list if the action doesn't replace a
     * command
     * @param waits whether to wait up to two seconds for Discord if the permissions aren't known
     */
    async deniesAll(
      names: () => Promise<readonly string[]>,
      member: ControlUser,
      waits: boolean,
    ): Promise<boolean> {
      const { guildId } = member;
      const entries = waits ? (fresh(guildId) ?? (await read(guildId))) : knownNow(guildId);
      if (entries.length === 0) return false;
      const replaced = await names();
      return replaced.length > 0 && replaced.every((name) => denies(entries, name, member));
    },
  };
}

/** Checks the entries in Discord's order: channel, member, roles, everyone. */
function isDenied(
  entries: readonly APIApplicationCommandPermission[],
  { guildId, channelId, parentChannelId = channelId, user, roleIds }: ControlUser,
): boolean {
  const { Channel, User, Role } = ApplicationCommandPermissionType;
  const find = (type: ApplicationCommandPermissionType, id: string) =>
    entries.find((entry) => entry.type === type && entry.id === id)?.permission;
  // Represents all channels (Discord docs: Application Command Permissions Constants).
  const everyChannel = String(BigInt(guildId) - 1n);
  if ((find(Channel, parentChannelId) ?? find(Channel, everyChannel)) === false) return true;
  const ofMember = find(User, user.id);
  if (ofMember !== undefined) return !ofMember;
  const ofRoles = roleIds.flatMap((id) => find(Role, id) ?? []);
  if (ofRoles.length > 0) return !ofRoles.includes(true);
  return find(Role, guildId) === false;
}
