import { PermissionFlagsBits } from 'discord.js';
import type { Call } from '../src/discord/command.ts';
import { UserError } from '../src/user-error.ts';

/**
 * Integrations can give a command to anyone, and a message with buttons or a modal can stay open for long: asked
 * each time, whatever Discord has shown.
 * @throws UserError when the member may not manage the server
 */
export function mayManage({ permissions, t }: Call): void {
  if (!permissions.has(PermissionFlagsBits.ManageGuild)) throw new UserError(t('permission.manageGuild'));
}
