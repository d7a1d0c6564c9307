import { PermissionFlagsBits } from 'discord.js';
import type { Context } from '../src/discord/command.ts';
import type { GuildLog } from '../src/discord/guild-log.ts';
import { UserError } from '../src/user-error.ts';
import { memberText } from '../src/words/submission-log.ts';

/** Whether the member has Manage Server at this moment. */
export const isManager = ({ permissions }: Pick<Context, 'permissions'>): boolean =>
  permissions.has(PermissionFlagsBits.ManageGuild);

/**
 * Integrations can give a command to anyone, and a message with buttons or a modal can stay open for long: asked
 * each time, whatever Discord has shown.
 * @throws UserError when the member may not manage the server
 */
export function mayManage(context: Pick<Context, 'permissions' | 't'>): void {
  if (!isManager(context)) throw new UserError(context.t('permission.manageGuild'));
}

/**
 * {@link mayManage}, and the guild's log is told who tried.
 * @throws UserError when the member may not manage the server
 */
export async function adminsOnly(
  context: Context,
  { command, guildLog }: { readonly command: string; readonly guildLog: Pick<GuildLog, 'tell'> },
): Promise<void> {
  if (!isManager(context)) {
    await guildLog.tell(context.guildId, (t) =>
      t('guildLog.notAllowed', { member: memberText(context.user), command: context.mention(command) }),
    );
  }
  mayManage(context);
}
