import { ApplicationCommandOptionType } from 'discord.js';
import { type ModalInput, modalFields } from '../discord/client/modal-form.ts';
import type { Answer, OptionValue, SeenModal, Upload } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { InvalidLineError, readAssignments, unquoted } from '../page/client/assignments.ts';
import { viewerIn } from '../page/messages.ts';
import type { Sandbox } from '../sandbox.ts';
import { isSlash, optionValue, readUpload } from '../slash-options.ts';
import { isSecret, readModalLine } from './lines.ts';
import { buttonsOf, isFinished, showAnswer, showMessage } from './show.ts';
import { helpText } from './words.ts';

/** Formats a choice as its name, followed by its value if the name doesn't contain the value. */
const named = (name: string, value: OptionValue): string =>
  name.includes(String(value)) ? name : `${name} (${value})`;

/** Creates a prompt in which an admin of the first guild runs commands and sees their results. */
export function createPrompt(deps: { readonly sandbox: Sandbox; readonly print: (text: string) => void }) {
  const { sandbox, print } = deps;
  const { discord, listing, people } = sandbox;
  const [guild] = discord.everyGuild;
  if (guild === undefined) throw new Error('there is no guild');
  const me = people.at({ role: 'admin', guild, locale: 'en-US' });
  let modal: SeenModal | undefined;
  /** The message whose buttons the user can press. */
  let message: SeenMessage | undefined;
  let lost = false;

  const reader = () => ({ ...viewerIn({ discord, guild }), now: discord.clock.now() });
  const slashCommands = () => discord.commands().filter(isSlash);

  /** Waits for the result of an action and prints it. */
  async function show(coming: Promise<Answer>): Promise<void> {
    modal = undefined;
    const answer = await coming;
    print(showAnswer(answer, reader()));
    lost ||= answer.kind === 'lost';
    if (answer.kind === 'modal') modal = answer.modal;
    if (answer.kind !== 'message') return;
    // If the new message has no buttons, the previous message's buttons can still be pressed.
    const hasControls = (answer.message.current.components ?? []).length > 0;
    if (hasControls || message === undefined) message = answer.message;
    if (isFinished(answer.message)) return;
    while (!isFinished(answer.message)) await answer.message.changed();
    print(showMessage(answer.message, reader()));
  }

  async function fillIn(opened: SeenModal, line: string): Promise<void> {
    if (line === '') {
      modal = undefined;
      print('(the modal was closed)');
    } else await show(me.submit(opened, await enteredInModal(line, opened)));
  }

  async function slash(line: string): Promise<void> {
    const [name = ''] = line.slice(1).split(/\s/, 1);
    const command = slashCommands().find((known) => known.name === name);
    if (command === undefined) throw new InvalidLineError(`There is no /${name}.`);
    const known = command.options ?? [];
    const names = known.map((option) => option.name);
    const options: Record<string, OptionValue> = {};
    for (const [option, text] of readAssignments(line.slice(name.length + 1), { names, sign: ':' })) {
      const described = known.find((each) => each.name === option);
      const isAsked = described !== undefined && 'autocomplete' in described && described.autocomplete;
      if (isAsked && text.endsWith('?')) {
        options[option] = text.slice(0, -1);
        return suggest(name, option, options);
      }
      const isFile = described?.type === ApplicationCommandOptionType.Attachment;
      options[option] = isFile ? await readTyped(text) : optionValue(described, text);
    }
    await show(me.slash(name, options));
  }

  /** Prints the choices that Discord shows while a user types into an option. */
  async function suggest(command: string, option: string, options: Record<string, OptionValue>) {
    const choices = await me.complete(command, option, options);
    if (choices === 'lost') {
      lost = true;
      print('Loading options failed.');
    } else if (choices.length === 0) print('No options match your search.');
    else print(choices.map(({ name, value }) => `  ${named(name, value)}`).join('\n'));
  }

  /** Presses the button of the current message whose label begins with this text. Ignores case. */
  async function press(beginning: string): Promise<void> {
    if (message === undefined) throw new InvalidLineError('There is no message yet; run a command first.');
    const labels = buttonsOf(message);
    const wanted = beginning.toLowerCase();
    const found =
      labels.find((label) => label.toLowerCase() === wanted) ??
      labels.find((label) => label.toLowerCase().startsWith(wanted));
    if (labels.length === 0) throw new InvalidLineError('The last message has no buttons.');
    if (found === undefined)
      throw new InvalidLineError(`There is no button "${beginning}"; the buttons are ${labels.join(', ')}.`);
    await show(me.press(message, found));
  }

  function showSubmitted(): void {
    const { submitted } = listing;
    const title = submitted.length === 1 ? '1 server' : `${submitted.length} servers`;
    const lines = submitted.map(({ game, server, port }) => `  ${game}  ${server}:${port}`);
    print([`The listing service holds ${title}.`, ...lines].join('\n'));
  }

  return {
    /** The name of the user, or the title of the modal if one is open. */
    get title(): string {
      return modal?.data.title ?? me.name;
    },
    /** Whether the bot has ever failed to respond in time. */
    get lost(): boolean {
      return lost;
    },
    /** Returns the line to print, with secrets masked, or `undefined` if the line is empty. */
    echo(line: string): string | undefined {
      if (modal === undefined) return line.trim() === '' ? undefined : line;
      return isSecret(modal.data) && line !== '' ? '********' : line;
    },
    /**
     * Runs a line and prints the result.
     * @returns `false` if the user wants to exit
     * @throws InvalidLineError if the line isn't valid
     */
    async run(line: string): Promise<boolean> {
      const trimmed = line.trim();
      if (modal !== undefined) await fillIn(modal, line);
      else if (trimmed === 'exit' || trimmed === 'quit') return false;
      else if (trimmed.startsWith('/')) await slash(trimmed);
      else if (trimmed.startsWith('press ')) await press(unquoted(trimmed.slice('press '.length).trim()));
      else if (trimmed === 'submitted') showSubmitted();
      else if (trimmed === 'help') print(helpText(slashCommands(), buttonsOf(message)));
      else if (trimmed !== '' && !trimmed.startsWith('#'))
        throw new InvalidLineError(`"${trimmed}" was not understood. Type help for a list of commands.`);
      return true;
    },
  };
}

/** Reads the values for a modal's fields from a line. Files are given as paths. */
async function enteredInModal(line: string, { data }: SeenModal): Promise<ModalInput> {
  const entered: Record<string, string | Upload> = {};
  for (const [name, text] of Object.entries(readModalLine(line, data))) {
    const isFile = modalFields(data).some(({ id, kind }) => id === name && kind === 'file');
    entered[name] = isFile ? await readTyped(text) : text;
  }
  return entered;
}

const readTyped = (path: string): Promise<Upload> =>
  readUpload(path).catch((error: Error) => {
    throw new InvalidLineError(`The file cannot be read: ${error.message}`);
  });
