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

/** What is seen of a step before it happens. */
export interface Preview {
  /** A command as it is typed. */
  readonly line?: string;
  /** A form with the values that are about to be sent. */
  readonly modal?: ModalView;
  /** The custom id of the control that is about to be used. */
  readonly target?: string;
}

/** Something that a person does, and what the page shows of it beforehand. */
export interface Step {
  readonly who: Role;
  readonly caption: Texts;
  /** The name of the channel; the first one unless said. */
  readonly channel?: string | undefined;
  /** Looks for what it needs, and says what is seen of it. */
  prepare(stage: Stage): Promise<{ readonly preview: Preview; readonly act: () => Promise<unknown> }>;
}

/** Where a scenario is played. */
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

  /** Waits until nothing more is to come of the last action. */
  async function settled(): Promise<void> {
    const answer = await last;
    if (answer?.kind === 'modal') opened = answer.modal;
    else if (answer?.kind !== 'message') throw new Error(`no message came: ${wordsOf(answer)}`);
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
    /** Begins something that is answered. */
    begin(answer: Promise<Answer>): Promise<Answer> {
      last = answer;
      return answer;
    },
    /** Does something, and waits for everything that comes of it. */
    async act(answer: Promise<Answer>): Promise<void> {
      last = answer;
      await settled();
    },
    /** The form that opened last. @throws Error when there is none */
    form(): SeenModal {
      if (opened === undefined) throw new Error('no form opened');
      return opened;
    },
    /**
     * Waits for a message that the person sees and that has what is looked for; the last one, if there are several.
     * @throws Error when none comes
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
      if (found === undefined) throw new Error('no message has what is to be used');
      return found;
    },
  };
}

const wordsOf = (answer: Answer | undefined): string =>
  answer?.kind === 'refused' ? answer.why : String(answer?.kind);

type Options = Readonly<Record<string, OptionValue>>;

/** Runs a command. @param options its options, or what makes them, right before it is shown */
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

interface Filling {
  /** The fields of the form with what stands in them. */
  readonly values: readonly (readonly [id: string, value: string])[];
  readonly text: (texts: Texts) => string;
}

/** Fills in the form that the step before has opened, and submits it. */
export const fills = (
  who: Role,
  caption: Texts,
  fill: (form: Filling) => Readonly<Record<string, string>>,
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

/** Presses a button of the last message that has it. @param how how it is pressed, unless one waits for what comes of it */
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

/** Chooses in a select of the last message that has one. */
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

/** Something that no person does at Discord. */
export const happens = (
  who: Role,
  caption: Texts,
  act: (stage: Stage) => Promise<unknown>,
  channel?: string,
): Step => ({
  who,
  caption,
  channel,
  prepare: async (stage) => ({ preview: {}, act: () => act(stage) }),
});

const buttonsOf = ({ current }: SeenMessage): readonly APIButtonComponentWithCustomId[] =>
  rowsOf(current)
    .flat()
    .filter((control) => control.type === ComponentType.Button)
    .filter(
      (button) => 'custom_id' in button && button.disabled !== true,
    ) as APIButtonComponentWithCustomId[];

/** The button that stands out: what sends, else the next thing to do, else the first that is there. */
export function mainButton(message: SeenMessage): string | undefined {
  const buttons = buttonsOf(message);
  const main =
    buttons.find(({ style }) => style === ButtonStyle.Success) ??
    buttons.find(({ style }) => style === ButtonStyle.Primary) ??
    buttons[0];
  return main?.custom_id;
}

/** The button whose custom id matches. @param text what its message has to say by then */
export const buttonWith =
  (id: RegExp, text = ''): FindButton =>
  (message) =>
    JSON.stringify(message.current).includes(text)
      ? buttonsOf(message).find(({ custom_id }) => id.test(custom_id))?.custom_id
      : undefined;

/** An admin sets the key, in #staff, where no member sees it. */
export async function setKey(stage: Stage): Promise<void> {
  const admin = stage.person('admin', 'staff');
  await stage.act(admin.slash('setkey'));
  const [field] = modalFields(stage.form().data);
  await stage.act(admin.submit(stage.form(), { [field?.id ?? '']: KEY }));
}

/** An admin sets the key, and has what members submit wait for moderators in #staff. */
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

/** An API key that the stand-in of the service accepts. */
export const KEY = 'sandbox-key-1234';

/** The longest wait for something to press. */
const PATIENCE_MS = 15_000;

/** Waits until something holds, looking whenever anything happens; no longer than a person would. */
export async function until(watch: Sandbox['watch'], holds: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = watch(() => holds() && resolve());
  const timer = setTimeout(resolve, PATIENCE_MS);
  if (holds()) resolve();
  await promise;
  clearTimeout(timer);
  stop();
}
