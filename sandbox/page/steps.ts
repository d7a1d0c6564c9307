import { type APIButtonComponentWithCustomId, ButtonStyle, ComponentType } from 'discord.js';
import { isSelect, rowsOf } from '../discord/client/components.ts';
import { modalFields } from '../discord/client/modal-form.ts';
import type { Answer, OptionValue, Person, SeenModal } from '../discord/contract.ts';
import type { Guild } from '../discord/world/guilds.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import type { Role } from '../people.ts';
import { isFinished } from '../prompt/show.ts';
import type { Sandbox } from '../sandbox.ts';
import { DIRECT } from './client/words.ts';
import { type ModalView, modalView } from './messages.ts';
import { inLanguage, type Texts } from './texts.ts';

/** What the page shows before a step is played. */
export interface Preview {
  /** The command line that the user will send. */
  readonly line?: string;
  /** The modal with the values that the user will submit. */
  readonly modal?: ModalView;
  /** The custom id of the control that the user will use. */
  readonly target?: string;
}

/** A user's action in a scenario, with a preview that the page shows first. */
export interface Step {
  readonly who: Role;
  readonly caption: Texts;
  /** The name of the channel. The default is the guild's first channel. */
  readonly channel?: string | undefined;
  /** Finds everything that the step needs. Returns the preview, and a function that performs the action. */
  prepare(stage: Stage): Promise<{ readonly preview: Preview; readonly act: () => Promise<unknown> }>;
}

/** The functions that a scenario's steps use to act in Discord. */
export type Stage = ReturnType<typeof createStage>;

export function createStage(deps: {
  readonly sandbox: Sandbox;
  readonly guild: Guild;
  readonly locale: string;
}) {
  const { sandbox, guild, locale } = deps;
  const { discord, people } = sandbox;
  let opened: SeenModal | undefined;
  let last: Promise<Answer> | undefined;

  /** Waits until the bot has finished replying to the last action. */
  async function settled(): Promise<void> {
    const answer = await last;
    if (answer?.kind === 'modal') opened = answer.modal;
    else if (answer?.kind !== 'message') throw new Error(`no message arrived: ${wordsOf(answer)}`);
    else while (!isFinished(answer.message)) await answer.message.changed();
  }

  return {
    sandbox,
    settled,
    text: (texts: Texts): string => inLanguage(texts, locale),
    person(role: Role, channel = 'general'): Person {
      const { userId } = people.at({ role, guild, locale });
      const found = discord.channels(guild).find(({ name }) => name === channel);
      const channelId = channel === DIRECT ? discord.directChannel(userId) : (found?.id ?? guild.channelId);
      return people.at({ role, guild, locale, channelId });
    },
    /** Remembers an action's reply without waiting for it. */
    begin(answer: Promise<Answer>): Promise<Answer> {
      last = answer;
      return answer;
    },
    /** Waits until the bot has finished replying to an action. */
    async act(answer: Promise<Answer>): Promise<void> {
      last = answer;
      await settled();
    },
    /** Returns the modal that opened last. @throws Error if no modal has opened */
    form(): SeenModal {
      if (opened === undefined) throw new Error('no form opened');
      return opened;
    },
    /**
     * Waits until the user can see a message for which `look` returns a value. Prefers newer messages.
     * @throws Error if no such message arrives in time
     */
    async find<Found>({ channelId, userId }: Person, look: (message: SeenMessage) => Found | undefined) {
      const newestFirst = () => [...discord.messages({ channelId, userId })].reverse();
      const first = () => {
        for (const message of newestFirst()) {
          const found = look(message);
          if (found !== undefined) return { message, found };
        }
        return undefined;
      };
      await until(sandbox.watch, () => first() !== undefined);
      const found = first();
      if (found === undefined) throw new Error('no message has the control to use');
      return found;
    },
  };
}

const wordsOf = (answer: Answer | undefined): string =>
  answer?.kind === 'rejected' ? answer.why : String(answer?.kind);

type Options = Readonly<Record<string, OptionValue>>;

/**
 * Builds a step that runs a command.
 * @param options the options, or a function that returns them right before the preview is shown
 */
export const runs = (
  who: Role,
  caption: Texts,
  command: string,
  options: Options | ((stage: Stage) => Promise<Options>),
): Step => ({
  who,
  caption,
  async prepare(stage) {
    const given = typeof options === 'function' ? await options(stage) : options;
    const values = Object.entries(given).map(([name, value]) => `${name}:${optionText(value)}`);
    return {
      preview: { line: [`/${command}`, ...values].join(' ') },
      act: () => stage.act(stage.person(who).slash(command, given)),
    };
  },
});

const optionText = (value: OptionValue): string | number =>
  typeof value === 'object' ? value.filename : value;

interface FormToFill {
  /** The ids and initial values of the modal's fields. */
  readonly values: readonly (readonly [id: string, value: string])[];
  readonly text: (texts: Texts) => string;
}

/** Builds a step that fills in and submits the modal that the previous step opened. */
export const fills = (
  who: Role,
  caption: Texts,
  fill: (form: FormToFill) => Readonly<Record<string, string>>,
  channel?: string,
): Step => ({
  who,
  caption,
  channel,
  async prepare(stage) {
    const form = stage.form();
    const values = modalFields(form.data).map(({ id, value = '' }) => [id, value] as const);
    const filled = fill({ values, text: stage.text });
    const view = modalView(form, stage.sandbox.discord.nameOf);
    const fields = view.fields.map((field) => ({ ...field, value: filled[field.id] ?? field.value }));
    return {
      preview: { modal: { ...view, fields: fields as ModalView['fields'] } },
      act: () => stage.act(stage.person(who).submit(form, filled)),
    };
  },
});

type FindButton = (message: SeenMessage) => string | undefined;

/**
 * Builds a step that presses a button. If several messages have the button, uses the newest.
 * @param how replaces the default action of pressing the button and waiting for the reply
 */
export const presses = (
  who: Role,
  caption: Texts,
  find: FindButton,
  {
    channel,
    how,
  }: {
    readonly channel?: string;
    readonly how?: (stage: Stage, press: () => Promise<Answer>) => Promise<void>;
  } = {},
): Step => ({
  who,
  caption,
  channel,
  async prepare(stage) {
    const person = stage.person(who, channel);
    const { message, found } = await stage.find(person, find);
    const press = () => stage.begin(person.press(message, found));
    return {
      preview: { target: found },
      async act() {
        if (how !== undefined) return how(stage, press);
        void press();
        await stage.settled();
      },
    };
  },
});

/** Builds a step that chooses options in a select. If several messages have a select, uses the newest. */
export const picks = (who: Role, caption: Texts, values: readonly string[]): Step => ({
  who,
  caption,
  async prepare(stage) {
    const person = stage.person(who);
    const { message, found } = await stage.find(person, ({ current }) =>
      rowsOf(current).flat().find(isSelect),
    );
    return {
      preview: { target: found.custom_id },
      act: () => stage.act(person.pick(message, values)),
    };
  },
});

/** Builds a step that performs any other action. */
export const happens = (who: Role, caption: Texts, act: (stage: Stage) => Promise<unknown>): Step => ({
  who,
  caption,
  prepare: async (stage) => ({ preview: {}, act: () => act(stage) }),
});

const buttonsOf = ({ current }: SeenMessage): readonly APIButtonComponentWithCustomId[] =>
  rowsOf(current)
    .flat()
    .filter((control) => control.type === ComponentType.Button)
    .filter(
      (button) => 'custom_id' in button && button.disabled !== true,
    ) as APIButtonComponentWithCustomId[];

/** Returns the most prominent button: the first green one, otherwise the first blue one, otherwise the first button. */
export function mainButton(message: SeenMessage): string | undefined {
  const buttons = buttonsOf(message);
  const main =
    buttons.find(({ style }) => style === ButtonStyle.Success) ??
    buttons.find(({ style }) => style === ButtonStyle.Primary) ??
    buttons[0];
  return main?.custom_id;
}

/** Returns a function that finds a button by its custom id. @param text text that the message must contain */
export const buttonWith =
  (id: RegExp, text = ''): FindButton =>
  (message) =>
    JSON.stringify(message.current).includes(text)
      ? buttonsOf(message).find(({ custom_id }) => id.test(custom_id))?.custom_id
      : undefined;

/** Sets the key as an admin, in #staff, which members can't see. */
export async function setKey(stage: Stage): Promise<void> {
  const admin = stage.person('admin', 'staff');
  await stage.act(admin.slash('setkey'));
  const [field] = modalFields(stage.form().data);
  await stage.act(admin.submit(stage.form(), { [field?.id ?? '']: KEY }));
}

/** Sets the key and turns on approval as an admin, in #staff. */
export async function turnApprovalOn(stage: Stage): Promise<void> {
  await setKey(stage);
  const admin = stage.person('admin', 'staff');
  const pick = async (value: string) => {
    const { message } = await stage.find(admin, ({ current }) => rowsOf(current).flat().find(isSelect));
    await stage.act(admin.pick(message, [value]));
  };
  await pick('#staff');
  await stage.act(admin.slash('settings'));
  await pick('approval');
  await pick('@Moderators');
  const { message, found } = await stage.find(admin, buttonWith(/approval:on/));
  await stage.act(admin.press(message, found));
}

/** An API key that the simulated listing service accepts. */
export const KEY = 'sandbox-key-1234';

/** The maximum time to wait for a condition, in milliseconds. */
const PATIENCE_MS = 15_000;

/** Waits up to {@link PATIENCE_MS} for a condition to become true. Checks the condition on every event. */
export async function until(watch: Sandbox['watch'], holds: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = watch(() => holds() && resolve());
  const timer = setTimeout(resolve, PATIENCE_MS);
  if (holds()) resolve();
  await promise;
  clearTimeout(timer);
  stop();
}
