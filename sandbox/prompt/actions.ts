import { ApplicationCommandType } from 'discord.js';
import type { SeenMessage } from '../discord/world/messages.ts';
import { ROLES } from '../people.ts';
import { oneText } from './assignments.ts';
import { BadLine, suggestion } from './bad-line.ts';
import { CHANNEL_ACTIONS, channelNames, ROLE_ACTIONS, roleNames } from './channel-actions.ts';
import { GUILD_ACTIONS, guildsChecked, whereYouAre } from './guild-actions.ts';
import { SERVICE_ACTIONS } from './service-actions.ts';
import type { Action, Session } from './session.ts';
import { buttonsOf, optionsOf } from './show-components.ts';
import { slashCommandsOf } from './slash-line.ts';

const ROLE_NAMES = Object.keys(ROLES) as (keyof typeof ROLES)[];

export const ACTIONS: readonly Action[] = [
  {
    name: 'press',
    usage: 'LABEL',
    help: 'press the button with that label on the last message',
    words: ({ message }) => buttonsOf(message?.current?.components ?? []),
    async run(session, argument) {
      const label = oneText(argument);
      const message = messageWith(session, 'buttons', buttonsOf);
      await session.show(
        session.me().press(message, oneOf(label, buttonsOf(message.current?.components ?? []), 'button')),
        message,
      );
    },
  },
  {
    name: 'pick',
    usage: 'OPTION',
    help: 'choose that option in the select of the last message, or #channel, or @role; several in double quotes each, "" for none',
    words: (session) => pickable(session)(session.message?.current?.components ?? []),
    async run(session, argument) {
      const find = pickable(session);
      const message = messageWith(session, 'a select', find);
      const several = [...argument.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word);
      const values = argument === '""' ? [] : several.length > 0 ? several : [argument];
      const options = find(message.current?.components ?? []);
      await session.show(
        session.me().pick(
          message,
          values.map((value) => oneOf(value, options, 'option')),
        ),
        message,
      );
    },
  },
  {
    name: 'as',
    usage: ROLE_NAMES.join('|'),
    help: 'be an admin (may manage the server), a member, or another member',
    words: () => ROLE_NAMES,
    run(session, argument) {
      const role = ROLE_NAMES.find((name) => name === argument);
      if (!role)
        throw new BadLine(`as takes one of ${ROLE_NAMES.join(', ')}.${suggestion(argument, ROLE_NAMES)}`);
      session.role = role;
      whereYouAre(session);
    },
  },
  ...GUILD_ACTIONS,
  {
    name: 'language',
    usage: 'en-US|de|…',
    help: 'set the language of your Discord, by its locale',
    words: () => ['en-US', 'de'],
    run(session, argument) {
      if (!/^[a-z]{2}(-[A-Z0-9]{2,3})?$/.test(argument))
        throw new BadLine('language takes a locale of Discord, such as en-US or de.');
      session.locale = argument;
      session.print(`Your Discord now speaks ${argument}.`);
    },
  },
  {
    name: 'message',
    usage: '"TEXT"',
    help: 'write a message in the channel (\\n inside the quotes begins a new line)',
    run(session, argument) {
      const text = oneText(argument);
      if (text === '') throw new BadLine('message takes the text to write, in double quotes.');
      session.said = session.sandbox.discord.say(session.me(), text);
      session.print(`${session.role}: ${text}`);
    },
  },
  {
    name: 'apps',
    usage: '"COMMAND"',
    help: 'use a message command (right click, Apps) on the message written last',
    words: (session) => messageCommands(session),
    async run(session, argument) {
      const known = messageCommands(session);
      if (known.length === 0) throw new BadLine('The bot has no message commands.');
      const command = oneOf(oneText(argument), known, 'message command');
      if (session.said === undefined)
        throw new BadLine('There is no message to use it on; write one with message "text" first.');
      await session.show(session.me().useOnMessage(command, session.said));
    },
  },
  ...CHANNEL_ACTIONS,
  ...ROLE_ACTIONS,
  ...SERVICE_ACTIONS,
  {
    name: 'restart',
    usage: '',
    help: 'stop the bot and start it on the same data',
    async run(session) {
      const { sandbox } = session;
      const before = sandbox.discord.requests.length;
      await sandbox.restart();
      await guildsChecked(sandbox.discord, before);
      session.print('The bot was stopped and started on the same data.');
    },
  },
  {
    name: 'help',
    usage: '',
    help: 'show this',
    run: (session) => session.print(helpText(session)),
  },
];

function helpText(session: Session): string {
  const commands = slashCommandsOf(session.published()).map(({ name, description, options = [] }) => {
    const usage = options.map((option) => (option.required ? `${option.name}:…` : `[${option.name}:…]`));
    return [`/${[name, ...usage].join(' ')}`, description] as const;
  });
  const actions = ACTIONS.map(({ name, usage, help }) => [`${name} ${usage}`.trim(), help] as const);
  const rows = [...commands, ...actions, ['exit', 'stop the bot and end'] as const];
  const width = 26;
  const row = ([left, right]: readonly [string, string]) =>
    left.length <= width ? `  ${left.padEnd(width)}  ${right}` : `  ${left}\n  ${''.padEnd(width)}  ${right}`;
  return [
    'One line does one thing.',
    ...rows.map(row),
    'A value may stand in double quotes. A ? behind the last value shows its choices: /addserver game:count?',
    'When a modal is open, the next line fills its first field; field=value fills one by name; an empty line closes it.',
  ].join('\n');
}

function messageCommands(session: Session): readonly string[] {
  return session
    .published()
    .filter(({ type }) => type === ApplicationCommandType.Message)
    .map(({ name }) => name);
}

/** Finds what can be chosen in the selects of a message. */
const pickable =
  (session: Session): typeof buttonsOf =>
  (components) =>
    optionsOf(components, { channels: channelNames(session), roles: roleNames(session) });

/** The last message, if it has what is to be used. */
function messageWith({ message }: Session, what: string, find: typeof buttonsOf): SeenMessage {
  if (!message) throw new BadLine(`There is no message with ${what} yet; run a command first.`);
  if (find(message.current?.components ?? []).length > 0) return message;
  throw new BadLine(`The last message is not one with ${what} that can be used.`);
}

/** The name that is meant: letter for letter, or but for capitals. */
function oneOf(typed: string, names: readonly string[], what: string): string {
  const found =
    names.find((name) => name === typed) ?? names.find((name) => name.toLowerCase() === typed.toLowerCase());
  if (found === undefined)
    throw new BadLine(
      `There is no ${what} "${typed}"; there is ${names.map((name) => `"${name}"`).join(', ')}.`,
    );
  return found;
}
