import type { APIApplicationCommand, APIApplicationCommandOptionChoice } from 'discord.js';
import type { Answer, Person, SeenModal } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { ROLE_NAMES, type Role } from '../people.ts';
import type { Sandbox } from '../sandbox.ts';
import { BadLine } from './bad-line.ts';
import { type Paint, plain, type Reading } from './markdown.ts';
import { type ModalForm, openForm } from './modal-line.ts';
import { isFinished, showAnswer, showChoices, showMessage } from './show.ts';

/** A modal in front of the person, and what has been typed into it. */
export interface OpenModal {
  readonly seen: SeenModal;
  readonly form: ModalForm;
  /** The message on which a button opened it, if one did. */
  readonly opener: SeenMessage | undefined;
}

/** What the person at the prompt sees and is. An action reads and changes it. */
export interface Session {
  readonly sandbox: Sandbox;
  role: Role;
  /** Every guild there ever was, also those that the bot was removed from. */
  readonly guilds: readonly Guild[];
  /** Which of them, counted from 0. */
  guild: number;
  locale: string;
  /** The message that this person saw last here: the one that buttons are pressed on. */
  message: SeenMessage | undefined;
  modal: OpenModal | undefined;
  /** The id of the message that a person wrote last. */
  said: string | undefined;
  /** The person who acts. */
  me(): Person;
  /** The id of the person of that name in this guild; `undefined` when there is none. */
  userNamed(name: string): string | undefined;
  /** Every command the bot has published here, whether or not this person may use it. */
  published(): readonly APIApplicationCommand[];
  print(text: string): void;
  /** A message as this person sees it, in words. */
  draw(message: SeenMessage): string;
  /** Whether the message was drawn here as it is now. */
  hasDrawn(message: SeenMessage): boolean;
  /**
   * Waits for what comes of an action, and prints it. `on` is the message that was acted on. When the bot ends
   * meanwhile that is said, and the answer is shown by {@link Session.showLate}.
   */
  show(coming: Promise<Answer>, on?: SeenMessage): Promise<void>;
  /** Shows what was still to come when the bot ended; for when it has been started again. */
  showLate(): Promise<void>;
  /** Waits for the choices of an option that is being typed, and prints them. */
  showChoices(coming: Promise<readonly APIApplicationCommandOptionChoice[] | 'lost'>): Promise<void>;
  /** Whether the bot once did not answer in time. */
  readonly lost: boolean;
}

/** Something other than a slash command that a line can do. To add one: an entry in `ACTIONS`. */
export interface Action {
  readonly name: string;
  /** What stands behind the name, for `help`. */
  readonly usage: string;
  readonly help: string;
  /** What can stand behind the name at this moment, for Tab. */
  words?(session: Session): readonly string[];
  /** @throws BadLine when `argument`, what stands behind the name, cannot be understood */
  run(session: Session, argument: string): Promise<void> | void;
}

/** Longer than the bot waits for the listing service (10 s by default). */
const PATIENCE_MS = 20_000;

export interface SessionDeps {
  readonly sandbox: Sandbox;
  readonly print: (text: string) => void;
  readonly paint?: Paint;
  readonly patienceMs?: number;
  /** Shows no time, and nothing that still moves: for what is to be the same whenever it is made. */
  readonly steady?: boolean | undefined;
}

/** Somebody new, who sits down as an admin of the first guild. */
export function createSession(deps: SessionDeps): Session {
  const { sandbox, print, paint = plain, patienceMs = PATIENCE_MS, steady = false } = deps;
  const { discord } = sandbox;
  const reading = () => ({ ...readingOf(session, paint), ...(steady && { anyTime: '‹time›' }) });
  /** By who looks at it where: each person has a screen of their own. */
  const messages = new Map<string, SeenMessage | undefined>();
  const seat = () => `${session.role} ${session.guild}`;
  let lost = false;
  /** What the bot owed when it ended. */
  let late: { readonly coming: Promise<Answer>; readonly on: SeenMessage | undefined } | undefined;

  const session: Session = {
    sandbox,
    role: 'admin',
    get guilds() {
      return discord.everyGuild;
    },
    guild: 0,
    locale: 'en-US',
    get message() {
      return messages.get(seat());
    },
    set message(seen) {
      messages.set(seat(), seen);
    },
    modal: undefined,
    said: undefined,
    get lost() {
      return lost;
    },
    me() {
      const { role, locale } = session;
      const guild = session.guilds[session.guild];
      if (!guild) throw new BadLine(`There is no guild ${session.guild + 1}.`);
      return sandbox.people.at({ role, guild, locale });
    },
    userNamed: (name) => userNamed(name, session),
    published: () => [...discord.commands(session.guilds[session.guild]), ...discord.commands()],
    print,
    ...createDrawing(reading),
    async show(coming, on) {
      session.modal = undefined;
      const answer = await patiently(Promise.race([coming, untilBotEnds(sandbox)]), patienceMs);
      if (answer === 'ended') {
        late = { coming, on };
        print('(the bot ended before it had answered; start brings it back)');
        return;
      }
      const isMoving = answer.kind === 'message' && !isFinished(answer.message);
      if (!(steady && isMoving))
        print(answer.kind === 'message' ? session.draw(answer.message) : showAnswer(answer, reading()));
      lost ||= answer.kind === 'lost';
      session.modal =
        answer.kind === 'modal'
          ? { seen: answer.modal, form: openForm(answer.modal.data), opener: on }
          : undefined;
      if (answer.kind !== 'message') return;
      session.message = isAside(answer.message, on) ? (on ?? session.message) : answer.message;
      const moved = await Promise.race([isMoved(answer.message, patienceMs), untilBotEnds(sandbox)]);
      if (moved === 'ended') {
        late = { coming, on };
        print('(the bot ended before this was finished; start brings it back)');
      } else if (moved) print(session.draw(answer.message));
    },
    async showLate() {
      const { coming, on } = late ?? {};
      late = undefined;
      if (coming) await session.show(coming, on);
    },
    async showChoices(coming) {
      const choices = await patiently(coming, patienceMs);
      lost ||= choices === 'lost';
      print(showChoices(choices));
    },
  };
  return session;
}

/** Draws messages, and knows what each said when it was drawn last. */
function createDrawing(reading: () => Reading): Pick<Session, 'draw' | 'hasDrawn'> {
  const drawn = new Map<string, SeenMessage['current']>();
  return {
    draw(message) {
      drawn.set(message.id, message.current);
      return showMessage(message, reading());
    },
    hasDrawn: ({ id, current }) => drawn.has(id) && drawn.get(id) === current,
  };
}

function userNamed(name: string, { sandbox, guilds, guild, locale }: Session): string | undefined {
  const role = ROLE_NAMES.find((known) => known === name.replace(/^@/, '').toLowerCase());
  const here = guilds[guild];
  return role && here && sandbox.people.at({ role, guild: here, locale }).userId;
}

/** What it takes to show a message to whoever sits there. */
function readingOf({ sandbox: { discord }, locale }: Session, paint: Paint): Reading {
  const nameOf = (id: string) => discord.nameOf(id);
  return { paint, now: Date.now(), locale, userName: nameOf, channelName: nameOf, roleName: nameOf };
}

/** Resolves when the bot that is running ends; never, when none is: then Discord says what comes of an action. */
function untilBotEnds({ bot }: Sandbox): Promise<'ended'> {
  return bot.running ? bot.exited().then(() => 'ended') : new Promise(() => {});
}

/** What is only said beside a message leaves its buttons to be pressed. */
function isAside(message: SeenMessage, on: SeenMessage | undefined): boolean {
  const isBare = (message.current?.components ?? []).length === 0;
  return (on !== undefined && isBare) || isBeside(message);
}

/** Said beside a message whose buttons stay: a refusal, for instance. */
function isBeside({ current }: SeenMessage): boolean {
  const origin = current?.interaction_metadata;
  return (
    origin !== undefined && 'original_response_message_id' in origin && current?.components?.length === 0
  );
}

/** Waits until nothing more is to come in a message; tells whether anything did. */
async function isMoved(message: SeenMessage, patienceMs: number): Promise<boolean> {
  for (let moved = false; ; moved = true) {
    const change = message.changed();
    if (isFinished(message)) return moved;
    await patiently(change, patienceMs);
  }
}

/** Nothing came of an action in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** @throws NoAnswer when it takes longer than `ms` milliseconds */
export async function patiently<T>(coming: Promise<T>, ms: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => timeout.reject(new NoAnswer(`No answer came within ${ms / 1000} seconds.`)),
    ms,
  );
  try {
    return await Promise.race([coming, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
