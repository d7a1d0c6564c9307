import type { APIApplicationCommand } from 'discord.js';
import type { Overwrite } from '../world/commands.ts';
import type { World } from '../world/world.ts';
import { type Actor, ADMINISTRATOR } from './actor.ts';

/** Rule 24: the commands that somebody's Discord offers where they are: guild commands, then global ones. */
export function visibleCommands(world: World, actor: Actor): readonly APIApplicationCommand[] {
  const { guild } = actor;
  if (guild?.status === 'left') return [];
  const here = guild === undefined ? [] : world.commands.list(guild.id);
  return [...here, ...world.commands.list('global')].filter(
    (command) =>
      usableIn(command, guild === undefined ? 1 : 0) &&
      installedFor(command, actor) &&
      permitted(world, actor, command),
  );
}

/** `contexts`: 0 guild, 1 direct message with the bot. A guild command is not for direct messages anyway. */
const usableIn = ({ contexts }: APIApplicationCommand, context: number): boolean =>
  !contexts || contexts.some((allowed) => Number(allowed) === context);

/** `integration_types`: 0 for guilds, and for direct messages with people of those; 1 for a user of their own. */
const installedFor = ({ integration_types }: APIApplicationCommand, { userInstall }: Actor): boolean =>
  !integration_types || integration_types.some((type) => Number(type) === (userInstall ? 1 : 0));

/**
 * Discord docs: Application Commands, Permissions. Administrators may use everything. What the Integrations page says
 * about the command itself counts before what it says about the application, a channel counts as well as the person,
 * and `default_member_permissions` counts only where nothing was set for the person.
 */
function permitted(
  { integrations, applicationId }: World,
  actor: Actor,
  command: APIApplicationCommand,
): boolean {
  const { guild, member, channelId } = actor;
  if (guild === undefined || member === undefined) return true;
  if ((member.permissions & ADMINISTRATOR) !== 0n) return true;
  const ofCommand = integrations.of(guild.id, command.id);
  const ofApplication = integrations.of(guild.id, applicationId);

  const allChannels = String(BigInt(guild.id) - 1n);
  const inChannel = (set: readonly Overwrite[]) =>
    set.find(isFor('channel', channelId)) ?? set.find(isFor('channel', allChannels));
  if ((inChannel(ofCommand) ?? inChannel(ofApplication))?.allow === false) return false;

  const person = (set: readonly Overwrite[]): boolean | undefined => {
    const own = set.find(isFor('user', actor.userId));
    if (own !== undefined) return own.allow;
    const roles = set.filter(({ id, type }) => type === 'role' && member.roles.includes(id));
    if (roles.length > 0) return roles.some(({ allow }) => allow);
    return set.find(isFor('role', guild.id))?.allow;
  };
  const said = person(ofCommand);
  if (said !== undefined) return said;
  if (person(ofApplication) === false) return false;

  const needed = command.default_member_permissions;
  if (needed === null) return true;
  // "0": nobody but administrators.
  return BigInt(needed) !== 0n && (member.permissions & BigInt(needed)) === BigInt(needed);
}

const isFor =
  (type: Overwrite['type'], id: string) =>
  (overwrite: Overwrite): boolean =>
    overwrite.type === type && overwrite.id === id;
