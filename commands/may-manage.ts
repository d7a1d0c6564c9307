import { PermissionFlagsBits } from 'discord.js';
import type { Call } from '../src/discord/command.ts';
import type { GuildLog } from '../src/discord/guild-log.ts';
import { UserError } from '../src/user-error.ts';
import { memberText } from './submission-log.ts';

/** Whether the member has Manage Server at this moment. */
export const isManager = ({ permissions }: Pick<Call, 'permissions'>): boolean =>
  permissions.has(PermissionFlagsBits.ManageGuild);

/**
 * Integrations can give a command to anyone, and a message with buttons or a modal can stay open for long: asked
 * each time, whatever Discord has shown.
 * @throws UserError when the member may not manage the server
 */
export function mayManage(call: Pick<Call, 'permissions' | 't'>): void {
  if (!isManager(call)) throw new UserError(call.t('permission.manageGuild'));
}

/**
 * {@link mayManage}, and the guild's log is told who tried.
 * @throws UserError when the member may not manage the server
 */
export async function adminsOnly(
  call: Call,
  { command, guildLog }: { readonly command: string; readonly guildLog: Pick<GuildLog, 'tell'> },
): Promise<void> {
  if (!isManager(call)) {
    await guildLog.tell(call.guildId, (t) =>
      t('guildLog.notAllowed', { member: memberText(call.user), command: call.mention(command) }),
    );
  }
  mayManage(call);
}
