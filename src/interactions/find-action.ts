import type { InFlight } from './answer.ts';
import type {
  Actions,
  Command,
  EnteredValues,
  Permission,
  Press,
  PressedPost,
  PressReplyMode,
  Reply,
  Submit,
} from './command.ts';
import { type Modal, parseCustomId } from './controls.ts';
import { type EnteredFields, type Interaction, ownValue, type SourceMessage } from './interaction.ts';

export interface Action {
  /** The command's name, or the first part of the custom id if a control or modal was used. */
  readonly command: string;
  /** The action's name in the custom id; `undefined` if a command itself is used. */
  readonly action?: string;
  readonly permission: Permission | undefined;
  readonly answers: PressReplyMode;
  readonly isLarge?: true | undefined;
  readonly replaces?: (() => Promise<readonly string[]>) | undefined;
  readonly run: () => Promise<Reply | Modal>;
}

/**
 * Finds the action for an interaction. Commands are found by name; buttons, selects and modals by custom id.
 * @returns `undefined` if the bot doesn't have such an action, or no longer has it
 */
export function findAction(
  commands: ReadonlyMap<string, Actions & Partial<Command>>,
  { interaction, context, progress }: InFlight,
  stopping: AbortSignal,
): Action | undefined {
  const { request } = interaction;

  function actionOf<Handler extends Press | Submit>(
    customId: string,
    handlersOf: (actions: Actions) => Readonly<Record<string, Handler>> | undefined,
    run: (handler: Handler, argument: string) => ReturnType<Action['run']>,
  ): Action | undefined {
    const { command: name, action, argument } = parseCustomId(customId);
    const command = commands.get(name);
    const handler = command && ownValue(handlersOf(command), action);
    if (!handler) return undefined;
    const { answers, isLarge, replaces, permission = command?.permission } = handler;
    return {
      command: name,
      action,
      permission,
      answers,
      isLarge,
      replaces: replaces && (() => replaces({ ...context, argument })),
      run: () => run(handler, argument),
    };
  }

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
      const { name, text, files } = request;
      const command = commands.get(name);
      if (!command?.useOn) return undefined;
      const { useOn, permission } = command;
      return { command: name, permission, answers: 'later', run: () => useOn({ ...context, text, files }) };
    }
    case 'modal': {
      const { customId, message } = request;
      const run = (submit: Submit, argument: string) =>
        submit.run({
          ...context,
          ...enteredIn(request),
          argument,
          posted: postIn(interaction, message, submit.answers),
          shown: message?.shown,
          stopping,
        });
      return actionOf(customId, ({ submits }) => submits, run);
    }
    case 'button':
    case 'select': {
      const { kind: _kind, customId, message, ...chosen } = request;
      const run = (press: Press, argument: string) =>
        press.run({
          ...context,
          ...chosen,
          argument,
          shown: message.shown,
          posted: postIn(interaction, message, press.answers),
          progress: progress.show,
          stopping,
        });
      return actionOf(customId, ({ presses }) => presses, run);
    }
    default:
      return undefined;
  }
}

/**
 * Returns the posted message that a control belongs to. Only includes the token for `beside` actions: in other modes, the
 * token would change the reply instead of the posted message.
 */
function postIn(
  interaction: Interaction,
  message: SourceMessage | undefined,
  answers: PressReplyMode,
): PressedPost | undefined {
  if (message?.postedId === undefined) return undefined;
  const by = answers === 'beside' ? interaction : undefined;
  return { channelId: interaction.channelId, messageId: message.postedId, by };
}

const enteredIn = ({ fields, files }: EnteredFields): EnteredValues => ({
  field: (id) => ownValue(fields, id) ?? '',
  file: (id) => ownValue(files, id),
});
