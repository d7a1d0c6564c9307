import type { APIApplicationCommand } from 'discord.js';
import type { Answer, Person, SeenModal } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import type { Sandbox } from '../sandbox.ts';
import { ACTIONS } from './actions.ts';
import { BadLine, suggestion } from './bad-line.ts';
import type { Reading } from './markdown.ts';
import { modalFields, readModalLine } from './modal-line.ts';
import { type Paint, plain } from './paint.ts';
import { patiently } from './patience.ts';
import { createPeople, type Role } from './people.ts';
import { showAnswer, showChoices } from './show-answer.ts';
import { isSettled, showMessage } from './show-message.ts';
import { readSlashLine, slashCommandsOf } from './slash-line.ts';

/** What the person at the prompt sees and is. An action reads and changes it. */
export interface Session {
  readonly sandbox: Sandbox;
  role: Role;
  /** Every guild there was in this session, also those that the bot was removed from. */
  readonly guilds: Guild[];
  /** Which of them, counted from 0. */
  guild: number;
  locale: string;
  /** The message that was seen last: the one that buttons are pressed on. */
  message: SeenMessage | undefined;
  modal: SeenModal | undefined;
  /** The id of the message that a person wrote last. */
  said: string | undefined;
  /** The person who acts. */
  me(): Person;
  /** Every command the bot has published here, whether or not this person may use it. */
  published(): readonly APIApplicationCommand[];
  print(text: string): void;
  /** The message on which a button opened the modal, if one did. */
  opener: SeenMessage | undefined;
  /** A message as this person sees it. */
  draw(message: SeenMessage): string;
  /** Waits for what comes of an action, and prints it. `on` is the message that was acted on. */
  show(coming: Promise<Answer>, on?: SeenMessage): Promise<void>;
}

export interface Prompt {
  readonly session: Session;
  /** Whether a rule of Discord was broken towards a member: the bot did not answer in time. */
  readonly lost: boolean;
  /**
   * Does what the line says and prints what comes of it.
   * @returns whether the session goes on
   * @throws BadLine when the line cannot be understood
   * @throws NoAnswer when nothing came of it
   */
  run(line: string): Promise<boolean>;
}

/** Longer than the bot waits for the listing service (10 s by default). */
const PATIENCE_MS = 20_000;

export function createPrompt(deps: {
  readonly sandbox: Sandbox;
  readonly print: (text: string) => void;
  readonly paint?: Paint;
  readonly patienceMs?: number;
}): Prompt {
  const { sandbox, print, paint = plain, patienceMs = PATIENCE_MS } = deps;
  const people = createPeople(sandbox.discord);
  const nameOf = (id: string) => sandbox.discord.nameOf(id);
  const reading = (): Reading => ({
    paint,
    now: Date.now(),
    locale: session.locale,
    userName: nameOf,
    channelName: nameOf,
    roleName: nameOf,
  });
  let lost = false;

  function me(): Person {
    const { role, locale } = session;
    const guild = session.guilds[session.guild];
    if (!guild) throw new BadLine(`There is no guild ${session.guild + 1}.`);
    return people.at({ role, guild, locale });
  }

  const session: Session = {
    sandbox,
    role: 'admin',
    guilds: [...sandbox.discord.guilds],
    guild: 0,
    locale: 'en-US',
    message: undefined,
    modal: undefined,
    opener: undefined,
    said: undefined,
    me,
    published: () => {
      const { discord } = sandbox;
      return [...discord.commands(session.guilds[session.guild]), ...discord.commands()];
    },
    print,
    draw: (message) => showMessage(message, reading()),
    async show(coming, on) {
      const answer = await patiently(coming, patienceMs);
      print(showAnswer(answer, reading()));
      lost ||= answer.kind === 'lost';
      session.modal = answer.kind === 'modal' ? answer.modal : undefined;
      session.opener = answer.kind === 'modal' ? on : undefined;
      if (answer.kind !== 'message') return;
      // What is only said beside a message leaves its buttons to be pressed.
      const isAside = on !== undefined && (answer.message.current?.components ?? []).length === 0;
      if (!isAside && !isBeside(answer.message)) session.message = answer.message;
      else session.message = on ?? session.message;
      if (await settle(answer.message, patienceMs)) print(showMessage(answer.message, reading()));
    },
  };

  async function fillIn(modal: SeenModal, line: string): Promise<void> {
    if (line === '') {
      session.modal = undefined;
      print('(the modal was closed)');
      return;
    }
    const values = await readModalLine(line, modalFields(modal.data));
    await session.show(session.me().submit(modal, values), session.opener);
  }

  async function slash(line: string): Promise<void> {
    const read = await readSlashLine(line, slashCommandsOf(session.published()));
    const offered = session.me().commands();
    if (read.kind !== 'refused' && !offered.some(({ name, type }) => type === 1 && name === read.command)) {
      print(`Your Discord does not offer /${read.command} to ${session.role} here.`);
      return;
    }
    if (read.kind === 'run') return session.show(session.me().slash(read.command, read.options));
    if (read.kind === 'refused') return session.show(Promise.resolve(read));
    const choices = await patiently(
      session.me().complete(read.command, read.focused, read.options),
      patienceMs,
    );
    lost ||= choices === 'lost';
    print(showChoices(choices));
  }

  return {
    session,
    get lost() {
      return lost;
    },
    async run(line) {
      if (session.modal) {
        await fillIn(session.modal, line);
        return true;
      }
      const trimmed = line.trim();
      if (trimmed === '' || trimmed.startsWith('#')) return true;
      if (trimmed === 'exit') return false;
      if (trimmed.startsWith('/')) {
        await slash(trimmed);
        return true;
      }
      const [name = '', ...rest] = trimmed.split(' ');
      const action = ACTIONS.find((known) => known.name === name);
      if (!action) {
        const names = [
          ...ACTIONS.map((known) => known.name),
          'exit',
          ...slashCommandsOf(session.published()).map((c) => `/${c.name}`),
        ];
        throw new BadLine(
          `"${name}" was not understood.${suggestion(name, names)} help lists what can be typed.`,
        );
      }
      await action.run(session, rest.join(' ').trim());
      return true;
    },
  };
}

/** Said beside a message whose buttons stay: a refusal, for instance. */
function isBeside({ current }: SeenMessage): boolean {
  const origin = current?.interaction_metadata;
  return (
    origin !== undefined && 'original_response_message_id' in origin && current?.components?.length === 0
  );
}

/** Waits until nothing more is to come in a message; tells whether anything did. */
async function settle(message: SeenMessage, patienceMs: number): Promise<boolean> {
  for (let moved = false; ; moved = true) {
    const change = message.changed();
    if (isSettled(message)) return moved;
    await patiently(change, patienceMs);
  }
}
