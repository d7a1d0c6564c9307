import { ApplicationCommandType } from 'discord.js';
import type { SeenMessage } from '../discord/world/messages.ts';
import { SAMPLE_LISTS } from '../page/client/sample-lists.ts';
import { ROLE_NAMES } from '../people.ts';
import type { Sandbox } from '../sandbox.ts';
import { oneText } from './assignments.ts';
import { BadLine, suggestion } from './bad-line.ts';
import { CHANNEL_ACTIONS, channelNames, ROLE_ACTIONS, roleNames } from './channel-actions.ts';
import { GUILD_ACTIONS, guildsChecked, whereYouAre } from './guild-actions.ts';
import { SERVICE_ACTIONS } from './service-actions.ts';
import type { Action, Session } from './session.ts';
import { buttonsOf, optionsOf } from './show-components.ts';
import { shownDescription, shownName, slashCommandsOf } from './slash-line.ts';

export const ACTIONS: readonly Action[] = [
  {
    name: 'press',
    usage: 'LABEL',
    help: 'press the button with that label, or the only one with these letters, on the last message',
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
    help: 'be an admin (may manage the server), a member, or another member; each finds their last message again',
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
    words: (session) => [...messageCommands(session).keys()],
    async run(session, argument) {
      const commands = messageCommands(session);
      if (commands.size === 0) throw new BadLine('The bot has no message commands.');
      const command = commands.get(oneOf(oneText(argument), [...commands.keys()], 'message command')) ?? '';
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
      await session.showLate();
    },
  },
  {
    name: 'kill',
    usage: '[next]',
    help: 'kill the bot (kill -9) now, also while it works; next: the moment the service has the next submission',
    words: () => ['next'],
    async run({ sandbox, print }, argument) {
      if (argument !== '' && argument !== 'next') throw new BadLine('kill takes nothing, or next.');
      if (!sandbox.bot.running) throw new BadLine('The bot is not running; start starts it.');
      if (argument === 'next') {
        killAtSubmission(sandbox);
        print('The bot will be killed the moment the service has the next submission.');
        return;
      }
      await sandbox.bot.stop('SIGKILL');
      print('The bot was killed; start starts it.');
    },
  },
  {
    name: 'start',
    usage: '',
    help: 'start a bot that was killed, on the same data',
    async run(session) {
      const { sandbox, print } = session;
      if (sandbox.bot.running) throw new BadLine('The bot is running; kill kills it.');
      await sandbox.startBot();
      print('The bot was started on the same data.');
      await session.showLate();
    },
  },
  {
    name: 'help',
    usage: '',
    help: 'show this',
    run: (session) => session.print(helpText(session)),
  },
];

/** In the middle of it: the service has the submission, and the bot no answer yet. */
function killAtSubmission({ bot, listing }: Sandbox): void {
  const before = listing.requests.length;
  const unwatch = listing.watch(() => {
    if (!listing.requests.slice(before).some(({ action }) => action === 'add')) return;
    unwatch();
    void bot.stop('SIGKILL');
  });
}

function helpText(session: Session): string {
  const { locale } = session;
  const commands = slashCommandsOf(session.published()).map((command) => {
    const usage = (command.options ?? []).map((option) => {
      const value = `${shownName(option, locale)}:…`;
      return option.required ? value : `[${value}]`;
    });
    return [
      `/${[shownName(command, locale), ...usage].join(' ')}`,
      shownDescription(command, locale),
    ] as const;
  });
  const actions = ACTIONS.map(({ name, usage, help }) => [`${name} ${usage}`.trim(), help] as const);
  const rows = [...commands, ...actions, ['exit', 'stop the bot and end'] as const];
  const lists = SAMPLE_LISTS.map((name) => `/addservers file:docs/${name}`).join(' or ');
  const width = 26;
  const row = ([left, right]: readonly [string, string]) =>
    left.length <= width ? `  ${left.padEnd(width)}  ${right}` : `  ${left}\n  ${''.padEnd(width)}  ${right}`;
  return [
    'One line does one thing.',
    ...rows.map(row),
    'A value may stand in double quotes. A ? behind the last value shows its choices: /addserver game:count?',
    `A file is named by its path: ${lists}.`,
    'When a modal is open, the next line fills its first field; field=value fills one by name; an empty line closes it.',
    'A field of several lines takes lines until an empty one; pasted ones may be empty. In a script a line with . ends it.',
  ].join('\n');
}

/** The names of the message commands, by what they are called in this person's Discord, and by themselves. */
function messageCommands(session: Session): ReadonlyMap<string, string> {
  const commands = session.published().filter(({ type }) => type === ApplicationCommandType.Message);
  return new Map(
    commands.flatMap((command) =>
      [shownName(command, session.locale), command.name].map((shown) => [shown, command.name] as const),
    ),
  );
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

/** The name that is meant: letter for letter, or but for capitals, or the only one that has these letters. */
function oneOf(typed: string, names: readonly string[], what: string): string {
  const lower = typed.toLowerCase();
  const [only, another] = names.filter((name) => lower !== '' && name.toLowerCase().includes(lower));
  const found =
    names.find((name) => name === typed) ??
    names.find((name) => name.toLowerCase() === lower) ??
    (another === undefined ? only : undefined);
  if (found === undefined)
    throw new BadLine(
      `There is no ${what} "${typed}"; there is ${names.map((name) => `"${name}"`).join(', ')}.`,
    );
  return found;
}
