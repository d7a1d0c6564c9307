import type { Command } from '../src/interactions/command.ts';
import { type AddServerDeps, addServer } from './addserver.ts';
import { type AddServersDeps, addServers } from './addservers.ts';
import { type GamesDeps, gamesCommand } from './games.ts';
import { type HelpDeps, helpCommand } from './help.ts';
import { type KeyStatusDeps, keyStatusCommand } from './keystatus.ts';
import { panelCommand } from './panel.ts';
import { type PrivacyDeps, privacyCommand } from './privacy.ts';
import { type RemoveKeyDeps, removeKey } from './removekey.ts';
import { type SetKeyDeps, setKey } from './setkey.ts';
import { type SettingsDeps, settingsCommand } from './settings/command.ts';
import { type SubmissionsDeps, submissionsCommand } from './submissions/command.ts';
import { submitMessage } from './submit-message.ts';

/** What all commands together may touch. */
export type CommandDeps = AddServerDeps &
  AddServersDeps &
  GamesDeps &
  HelpDeps &
  KeyStatusDeps &
  PrivacyDeps &
  RemoveKeyDeps &
  SetKeyDeps &
  SettingsDeps &
  SubmissionsDeps;

/** Every command of the bot, in the order in which /help shows them. */
export function createCommands(deps: CommandDeps): readonly Command[] {
  const commands: readonly Command[] = [
    gamesCommand(deps),
    addServer(deps),
    addServers(deps),
    submitMessage(deps),
    submissionsCommand(deps),
    setKey(deps),
    keyStatusCommand(deps),
    removeKey(deps),
    settingsCommand(deps),
    panelCommand(),
    privacyCommand(deps),
    helpCommand(deps, () => commands),
  ];
  return commands;
}
