import type { Asking } from './answer.ts';
import type { Command, Context, Permission, PressAnswers, Reply } from './command.ts';
import { type Modal, parseCustomId } from './controls.ts';
import { type Asked, type Control, ownValue, type SubmittedModal } from './interaction.ts';

/** By name. */
type Commands = ReadonlyMap<string, Command>;

/** What an interaction asks for, found among the commands. */
export interface Action {
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
export function findAction(commands: Commands, asking: Asking, stopping: AbortSignal): Action | undefined {
  const { interaction, context } = asking;
  const { asked } = interaction;
  switch (asked.kind) {
    case 'command':
      return commandAction(commands.get(asked.name), asked, context);
    case 'message-command':
      return messageAction(commands.get(asked.name), asked, context);
    case 'modal':
      return modalAction(commands, asked, context);
    case 'button':
    case 'menu':
      return controlAction(commands, asked, { asking, stopping });
    default:
      return undefined;
  }
}

function commandAction(
  command: Command | undefined,
  { name, options }: Extract<Asked, { kind: 'command' }>,
  context: Context,
): Action | undefined {
  if (!command?.run) return undefined;
  const { answers, permission } = command;
  return {
    command: name,
    permission,
    answers: typeof answers === 'function' ? answers(options) : answers,
    run: async () => command.run?.({ ...context, options }) ?? {},
  };
}

function messageAction(
  command: Command | undefined,
  { name, text }: Extract<Asked, { kind: 'message-command' }>,
  context: Context,
): Action | undefined {
  if (!command?.useOn) return undefined;
  return {
    command: name,
    permission: command.permission,
    answers: 'later',
    run: async () => command.useOn?.({ ...context, text }) ?? {},
  };
}

function modalAction(
  commands: Commands,
  { customId, fields, files, message }: SubmittedModal,
  context: Context,
): Action | undefined {
  const { command: name, action, argument } = parseCustomId(customId);
  const command = commands.get(name);
  const handler = ownValue(command?.submits, action);
  if (!handler) return undefined;
  const field = (id: string) => ownValue(fields, id) ?? '';
  return {
    command: name,
    action,
    permission: handler.permission ?? command?.permission,
    answers: handler.answers,
    run: () =>
      handler.run({
        ...context,
        argument,
        field,
        file: (id) => ownValue(files, id),
        postedId: message?.postedId,
      }),
  };
}

function controlAction(
  commands: Commands,
  { customId, values, isRoleMentionable, channelPermissions, message }: Control,
  { asking, stopping }: { readonly asking: Asking; readonly stopping: AbortSignal },
): Action | undefined {
  const { command: name, action, argument } = parseCustomId(customId);
  const command = commands.get(name);
  const handler = ownValue(command?.presses, action);
  if (!handler) return undefined;
  return {
    command: name,
    action,
    permission: handler.permission ?? command?.permission,
    answers: handler.answers,
    isLarge: handler.isLarge,
    run: () =>
      handler.run({
        ...asking.context,
        argument,
        shown: message.shown,
        postedId: message.postedId,
        values,
        isRoleMentionable,
        channelPermissions,
        progress: asking.progress.show,
        stopping,
      }),
  };
}
