import { channelObject } from '../world/channels.ts';
import {
  type Guild,
  type GuildState,
  isMember,
  type NewGuild,
  type NewRole,
  roleObject,
} from '../world/guilds.ts';
import type { World } from '../world/world.ts';
import { guildCreate, guildUpdate } from './payloads.ts';
import { GUILDS } from './protocol.ts';
import type { GatewayEvent } from './sessions.ts';

/** Rules 50 and 53. */
export interface GuildEvents {
  add(guild: NewGuild): Guild;
  addRole(guild: Guild, role: NewRole): string;
  /** Whether anyone may mention a role from now on. */
  setMentionable(guild: Guild, roleId: string, mentionable: boolean): void;
  removeRole(guild: Guild, roleId: string): void;
  /** GUILD_UPDATE. */
  rename(guild: Guild, name: string): void;
  /** The bot is removed from the guild. */
  remove(guild: Guild): void;
  /** The bot user is removed, and the guild has the commands alone from now on. */
  keepCommandsOnly(guild: Guild): void;
  /** From now on a page of the list of guilds has at most so many, however many are asked for. */
  shortenPages(most: number): void;
  /** The guild has an outage, and comes back; also: the bot user is added. */
  outage(guild: Guild): void;
  recover(guild: Guild): void;
  /** What the bot may do in a channel of the guild from now on. */
  setBotPermissions(guild: Guild, channelId: string, permissions: bigint): void;
  /** The channel is deleted. */
  removeChannel(guild: Guild, channelId: string): void;
  /** Gives a member other permissions from now on. */
  setPermissions(member: { readonly guildId: string; readonly userId: string }, permissions: bigint): void;
}

/** Rules 50 and 53: what happens to guilds, and who is told: only sessions with the Guilds intent. */
export function createGuildEvents(world: World, publish: (event: GatewayEvent) => void): GuildEvents {
  const tell = (t: string, guild: GuildState, d: object) =>
    publish({ t, d, guildId: guild.id, intent: GUILDS });
  const change = (
    { id }: Pick<Guild, 'id'>,
    status: GuildState['status'],
    tellOf: (guild: GuildState) => void,
  ) => {
    const guild = world.guilds.get(id);
    if (guild === undefined || guild.status === status) return;
    const wasMember = isMember(guild);
    guild.status = status;
    if (wasMember || isMember(guild)) tellOf(guild);
  };

  return {
    add(about) {
      const guild = world.guilds.add(about);
      if (isMember(guild)) tell('GUILD_CREATE', guild, guildCreate(world, guild));
      return guild;
    },
    addRole({ id }, role) {
      const guild = world.guilds.get(id);
      if (guild === undefined) throw new Error(`there is no guild ${id}`);
      const added = world.guilds.addRole(guild, role);
      tell('GUILD_ROLE_CREATE', guild, {
        guild_id: id,
        role: roleObject(added, guild.roles.size - 1),
      });
      return added.id;
    },
    setMentionable({ id }, roleId, mentionable) {
      const guild = world.guilds.get(id);
      const role = guild?.roles.get(roleId);
      if (guild === undefined || role === undefined) return;
      role.mentionable = mentionable;
      const position = [...guild.roles.keys()].indexOf(roleId);
      tell('GUILD_ROLE_UPDATE', guild, { guild_id: id, role: roleObject(role, position) });
    },
    removeRole({ id }, roleId) {
      const guild = world.guilds.get(id);
      if (guild?.roles.delete(roleId)) tell('GUILD_ROLE_DELETE', guild, { guild_id: id, role_id: roleId });
    },
    rename({ id }, name) {
      const guild = world.guilds.get(id);
      if (guild === undefined) throw new Error(`there is no guild ${id}`);
      guild.name = name;
      tell('GUILD_UPDATE', guild, guildUpdate(guild));
    },
    remove: (guild) => change(guild, 'left', (state) => tell('GUILD_DELETE', state, { id: state.id })),
    keepCommandsOnly: (guild) =>
      change(guild, 'commands only', (state) => tell('GUILD_DELETE', state, { id: state.id })),
    shortenPages(most) {
      world.guilds.pageSize = most;
    },
    outage: (guild) =>
      change(guild, 'unavailable', (state) =>
        tell('GUILD_DELETE', state, { id: state.id, unavailable: true }),
      ),
    recover: (guild) =>
      change(guild, 'available', (state) => tell('GUILD_CREATE', state, guildCreate(world, state))),
    setBotPermissions({ id }, channelId, permissions) {
      const channel = world.guilds.get(id)?.channels.get(channelId);
      if (channel !== undefined) channel.botPermissions = permissions;
    },
    removeChannel({ id }, channelId) {
      const guild = world.guilds.get(id);
      const channel = guild?.channels.get(channelId);
      if (guild === undefined || channel === undefined) return;
      guild.channels.delete(channelId);
      const lastMessageId = world.messages.lastIn(channelId);
      tell('CHANNEL_DELETE', guild, channelObject(channel, { guild, lastMessageId }));
    },
    setPermissions({ guildId, userId }, permissions) {
      const member = world.guilds.get(guildId)?.members.get(userId);
      if (member !== undefined) member.permissions = permissions;
    },
  };
}
