import { type APIApplicationCommand, ApplicationCommandOptionType } from 'discord.js';
import { languages } from '../../src/words/languages.ts';
import type { Answer, OptionValue, Person, SeenModal } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { ROLE_NAMES, type Role } from '../people.ts';
import type { Sandbox } from '../sandbox.ts';
import { isSlash, optionValue, readUpload } from '../slash-options.ts';
import { BadLine, isSecret, readAssignments, readModalLine, unquoted } from './lines.ts';
import type { Reading } from './markdown.ts';
import { buttonsOf, isFinished, showAnswer, showMessage } from './show.ts';
import { helpText } from './words.ts';

/** What one person types, and what they see: an admin of the first guild at first. */
export interface Prompt {
  /** Who sits there, or what the open modal is called. */
  readonly title: string;
  /** What stands for the line where it is echoed; `undefined` for a line that says nothing. */
  echo(line: string): string | undefined;
  /** Whether the bot once did not answer in time. */
  readonly lost: boolean;
  /**
   * Does what the line says and prints what comes of it.
   * @returns whether the session goes on
   * @throws BadLine when the line cannot be understood
   */
  run(line: string): Promise<boolean>;
}

/** Discord's names for the languages that the bot speaks. */
const LOCALES: readonly string[] = languages.flatMap(({ locales }) => locales);

export function createPrompt(deps: {
  readonly sandbox: Sandbox;
  readonly print: (text: string) => void;
}): Prompt {
  const { sandbox, print } = deps;
  const { discord, listing, people } = sandbox;
  let role: Role = 'admin';
  let locale = 'en-US';
  let modal: SeenModal | undefined;
  /** The message that buttons are pressed on. */
  let message: SeenMessage | undefined;
  let lost = false;

  function me(): Person {
    const [guild] = discord.everyGuild;
    if (guild === undefined) throw new Error('there is no guild');
    return people.at({ role, guild, locale });
  }
  const reading = (): Reading => ({ now: Date.now(), nameOf: discord.nameOf, locale });
  const slashCommands = () => discord.commands().filter(isSlash);

  /** Waits for what comes of an action, and prints it. */
  async function show(coming: Promise<Answer>): Promise<void> {
    modal = undefined;
    const answer = await coming;
    print(showAnswer(answer, reading()));
    lost ||= answer.kind === 'lost';
    if (answer.kind === 'modal') modal = answer.modal;
    if (answer.kind !== 'message') return;
    // What is only said beside a message leaves its buttons to be pressed.
    const hasControls = (answer.message.current.components ?? []).length > 0;
    if (hasControls || message === undefined) message = answer.message;
    if (isFinished(answer.message)) return;
    while (!isFinished(answer.message)) await answer.message.changed();
    print(showMessage(answer.message, reading()));
  }

  async function fillIn(opened: SeenModal, line: string): Promise<void> {
    if (line === '') {
      modal = undefined;
      print('(the modal was closed)');
    } else await show(me().submit(opened, readModalLine(line, opened.data)));
  }

  async function slash(line: string): Promise<void> {
    const [name = ''] = line.slice(1).split(/\s/, 1);
    const command = slashCommands().find((known) => known.name === name);
    if (command === undefined) throw new BadLine(`There is no /${name}.`);
    const names = (command.options ?? []).map((option) => option.name);
    const options: Record<string, OptionValue> = {};
    for (const [option, text] of readAssignments(line.slice(name.length + 1), { names, sign: ':' }))
      options[option] = await entered(command, option, text);
    await show(me().slash(name, options));
  }

  /** A file by its path, a person by the name of their role. */
  async function entered(command: APIApplicationCommand, name: string, text: string): Promise<OptionValue> {
    const option = command.options?.find((each) => each.name === name);
    if (option?.type === ApplicationCommandOptionType.Attachment)
      return readUpload(text).catch((error: Error) => {
        throw new BadLine(`The file cannot be read: ${error.message}`);
      });
    if (option?.type !== ApplicationCommandOptionType.User) return optionValue(option, text);
    const [guild] = discord.everyGuild;
    const named = guild && discord.members(guild).find((member) => member.name === text);
    return named?.id ?? text;
  }

  function lastMessage(): SeenMessage {
    if (message === undefined) throw new BadLine('There is no message yet; run a command first.');
    return message;
  }

  /** The label that begins so, in upper or lower case. */
  function buttonLike(beginning: string): string {
    const labels = buttonsOf(lastMessage().current.components);
    const wanted = beginning.toLowerCase();
    const found =
      labels.find((label) => label.toLowerCase() === wanted) ??
      labels.find((label) => label.toLowerCase().startsWith(wanted));
    if (found === undefined)
      throw new BadLine(`There is no button "${beginning}"; there is ${labels.join(', ')}.`);
    return found;
  }

  function sitAs(name: string): void {
    const found = ROLE_NAMES.find((each) => each === name);
    if (found === undefined) throw new BadLine(`There is ${ROLE_NAMES.join(', ')}.`);
    role = found;
    print(`You are ${role}.`);
  }

  function speak(name: string): void {
    const found = LOCALES.find((each) => each === name);
    if (found === undefined) throw new BadLine(`There is ${LOCALES.join(', ')}.`);
    locale = found;
    print(`Your Discord is in ${locale}.`);
  }

  async function act(name: string, argument: string): Promise<void> {
    switch (name) {
      case 'press':
        return show(me().press(lastMessage(), buttonLike(unquoted(argument))));
      case 'pick':
        return show(me().pick(lastMessage(), argument.split(/\s*,\s*/)));
      case 'as':
        return sitAs(argument);
      case 'language':
        return speak(argument);
      case 'submitted': {
        const { submitted } = listing;
        const title = submitted.length === 1 ? '1 server' : `${submitted.length} servers`;
        const lines = submitted.map(({ game, server, port }) => `  ${game}  ${server}:${port}`);
        return print([`The listing service holds ${title}.`, ...lines].join('\n'));
      }
      case 'help':
        return print(helpText(slashCommands()));
      default:
        throw new BadLine(`"${name}" was not understood. help lists what can be typed.`);
    }
  }

  return {
    get title() {
      return modal?.data.title ?? role;
    },
    get lost() {
      return lost;
    },
    echo(line) {
      if (modal === undefined) return line.trim() === '' ? undefined : line;
      return isSecret(modal.data) && line !== '' ? '********' : line;
    },
    async run(line) {
      const trimmed = line.trim();
      if (modal !== undefined) await fillIn(modal, line);
      else if (trimmed === 'exit') return false;
      else if (trimmed.startsWith('/')) await slash(trimmed);
      else if (trimmed !== '' && !trimmed.startsWith('#')) {
        const [name = '', ...argument] = trimmed.split(' ');
        await act(name, argument.join(' ').trim());
      }
      return true;
    },
  };
}
