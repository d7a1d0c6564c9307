import type { LaterReplies } from '../src/interactions/after-crash.ts';
import type { Command, Commands, Context, Reply } from '../src/interactions/command.ts';
import type { Submission } from '../src/submissions/submission.ts';
import { addServer } from './addserver.ts';
import { addServers } from './addservers.ts';
import { blockActions } from './blocks.ts';
import type { CommandDeps } from './deps.ts';
import { gamesCommand } from './games.ts';
import { helpCommand } from './help.ts';
import { keyStatusCommand } from './keystatus.ts';
import { panelCommand } from './panel.ts';
import { privacyCommand } from './privacy.ts';
import { removeKey } from './removekey.ts';
import { setKey } from './setkey.ts';
import { settingsCommand } from './settings/command.ts';
import { submissionsCommand } from './submissions/command.ts';
import { replyForSubmission } from './submissions/waiting.ts';
import { submitActions } from './submit/actions.ts';
import { laterReplies } from './submit/after-crash.ts';
import { SUBMIT } from './submit/ids.ts';
import { submitMessage } from './submit-message.ts';

interface AllCommands extends Commands {
  readonly replies: LaterReplies;
  readonly replyForSubmission: (context: Context, submission: Submission) => Promise<Reply>;
}

/** Creates the commands in the order shown by /help. */
export function createCommands(deps: CommandDeps): AllCommands {
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
    panelCommand(deps),
    privacyCommand(deps),
    helpCommand(deps, () => commands),
  ];
  return {
    commands,
    actions: { [SUBMIT]: submitActions(deps), blocks: blockActions(deps) },
    replyForSubmission: (context, submission) => replyForSubmission(context, submission, deps),
    replies: laterReplies(deps),
  };
}
