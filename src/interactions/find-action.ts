import type { InFlight } from './answer.ts';
import type { Actions, Command, EnteredValues, Permission, PressAnswers, Reply } from './command.ts';
import { type Modal, parseCustomId } from './controls.ts';
import { type Entered, ownValue } from './interaction.ts';

/** What an interaction asks for, found among the commands. */
export interface Action {
  /** The name of the command, or that its custom id begins with. */
  readonly command: string;
  /** Of a button, a select or a modal. */
  readonly action?: string;
  readonly permission: Permission | undefined;
  readonly answers: PressAnswers;
  readonly isLarge?: true | undefined;
  readonly run: () => Promise<Reply | Modal>;
}

/**
 * Finds what an interaction asks for: a command by its name, a button, a select or a modal by its custom id.
 * @param stopping aborted when the bot is to stop
 * @returns `undefined` if the bot has no such action, or no longer has it
 */
export function findAction(
  commands: ReadonlyMap<string, Actions & Partial<Command>>,
  { interaction: { request }, context, progress }: InFlight,
  stopping: AbortSignal,
): Action | undefined {
  switch (request.kind) {
    case 'command': {
      const { name } = request;
      const { run, answers, permission } = commands.get(name) ?? {};
      if (!run || !answers) return undefined;
      const entered = enteredIn(request);
      return {
        command: name,
        permission,
        answers: typeof answers === 'function' ? answers(entered) : answers,
        run: () => run({ ...context, ...entered }),
      };
    }
    case 'message-command': {
      const { name, text } = request;
      const command = commands.get(name);
      if (!command?.useOn) return undefined;
      const { useOn, permission } = command;
      return { command: name, permission, answers: 'later', run: () => useOn({ ...context, text }) };
    }
    case 'modal': {
      const { command: name, action, argument } = parseCustomId(request.customId);
      const command = commands.get(name);
      const submit = ownValue(command?.submits, action);
      if (!submit) return undefined;
      return {
        command: name,
        action,
        permission: submit.permission ?? command?.permission,
        answers: submit.answers,
        run: () =>
          submit.run({ ...context, ...enteredIn(request), argument, postedId: request.message?.postedId }),
      };
    }
    case 'button':
    case 'select': {
      const { values, isRoleMentionable, channelPermissions, message } = request;
      const { command: name, action, argument } = parseCustomId(request.customId);
      const command = commands.get(name);
      const press = ownValue(command?.presses, action);
      if (!press) return undefined;
      return {
        command: name,
        action,
        permission: press.permission ?? command?.permission,
        answers: press.answers,
        isLarge: press.isLarge,
        run: () =>
          press.run({
            ...context,
            argument,
            shown: message.shown,
            postedId: message.postedId,
            values,
            isRoleMentionable,
            channelPermissions,
            progress: progress.show,
            stopping,
          }),
      };
    }
    default:
      return undefined;
  }
}

const enteredIn = ({ fields, files }: Entered): EnteredValues => ({
  field: (id) => ownValue(fields, id) ?? '',
  file: (id) => ownValue(files, id),
});
