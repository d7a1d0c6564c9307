import { type APIApplicationCommand, ApplicationCommandType, PermissionFlagsBits } from 'discord.js';
import type { World } from '../world/world.ts';
import type { Actor } from './payload.ts';

/** A line of a server's Integrations page: whether a member may use a command. */
export interface Overwrite {
  /** Of the member. */
  readonly id: string;
  readonly type: 'user';
  readonly allow: boolean;
}

/** Who may use which command in which guild, as its administrators have set it. */
export function createIntegrations({ commands }: World) {
  const pages = new Map<string, readonly Overwrite[]>();

  function isAllowed({ guild, userId, member }: Actor, command: APIApplicationCommand): boolean {
    if ((member.permissions & PermissionFlagsBits.Administrator) !== 0n) return true;
    const overwrite = pages.get(`${guild.id} ${command.id}`)?.find(({ id }) => id === userId);
    if (overwrite !== undefined) return overwrite.allow;
    const needed = BigInt(command.default_member_permissions ?? 0);
    return (member.permissions & needed) === needed;
  }

  return {
    set(guildId: string, commandId: string, overwrites: readonly Overwrite[]): void {
      pages.set(`${guildId} ${commandId}`, overwrites);
    },
    /** The commands that somebody's Discord offers. */
    commandsOf(actor: Actor): readonly APIApplicationCommand[] {
      if (actor.guild.status === 'left') return [];
      return commands
        .list()
        .filter(({ type }) => type !== ApplicationCommandType.PrimaryEntryPoint)
        .filter((command) => isAllowed(actor, command));
    },
  };
}
