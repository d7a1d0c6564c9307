import type { Sandbox } from '../sandbox.ts';
import type { SeatView } from './protocol.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { createStage, KEY, type Preview, type Step, setKey } from './steps.ts';
import { inLanguage, type Texts } from './texts.ts';

/** The scenario that was played last. */
export interface ScenarioView extends Preview {
  readonly name: string;
  readonly title: string;
  readonly state: 'playing' | 'over' | 'failed' | 'left';
  /** What is about to happen in it, or why it failed; empty until it begins. */
  readonly caption: string;
  /** The number of the step, from 1. */
  readonly step: number;
  readonly steps: number;
  /** Whose eyes to see it with. */
  readonly seat: SeatView;
}

export type Player = ReturnType<typeof createPlayer>;

const FAILED = { en: 'Something else happened than expected', de: 'Es kam anders als erwartet' };

/** Plays one scenario after the other. */
export function createPlayer(deps: {
  readonly sandbox: Sandbox;
  /** Waits while a caption is shown, before its step happens; until `next` is called, unless said. */
  readonly read?: ((caption: Texts) => Promise<unknown>) | undefined;
  readonly onChange: () => void;
}) {
  const { sandbox, onChange } = deps;
  let current: ScenarioView | undefined;
  let pressed = Promise.withResolvers<void>();
  const read = deps.read ?? (() => pressed.promise);
  /** The number of the play that was begun last, and its end. */
  let latest = 0;
  let played: Promise<void> = Promise.resolve();

  function show(next: ScenarioView): void {
    current = next;
    onChange();
  }

  /** What the caption says happens now. */
  function next(): void {
    pressed.resolve();
    pressed = Promise.withResolvers();
  }

  /** Shows each step and plays it. @throws Error when something else comes of it, or another play was begun */
  async function run(scenario: Scenario, begun: ScenarioView, isLatest: () => boolean): Promise<void> {
    const { locale, guild: id } = begun.seat;
    const guild = sandbox.discord.everyGuild.find((each) => each.id === id);
    if (guild === undefined) throw new Error('there is no guild');
    await makeWell();
    const stage = createStage({ sandbox, guild, locale });
    await (scenario.before ?? setKey)(stage);
    for (const [index, step] of scenario.steps.entries()) {
      const { preview, act } = await step.prepare(stage);
      const told = { ...begun, ...about(step, begun), ...preview, step: index + 1 };
      if (!isLatest()) return;
      show(told);
      await read(step.caption);
      if (!isLatest()) return;
      await act();
    }
  }

  async function makeWell(): Promise<void> {
    await sandbox.troubleService('ok');
    sandbox.troubleSteam('ok');
    sandbox.troubleDiscord('ok');
    sandbox.listing.allow(KEY);
    if (!sandbox.bot.running) await sandbox.startBot();
  }

  return {
    /** The one that was played last, or is being played. */
    get current() {
      return current;
    },
    next,
    /** It is played no further. */
    leave(): void {
      latest += 1;
      if (current !== undefined) show({ ...ended(current), state: 'left' });
      next();
    },
    /**
     * Begins it in a new Discord server, once the one that is being played has come to its next caption.
     * @throws Error when there is none of that name
     */
    play(name: string, locale: string): void {
      const scenario = SCENARIOS.find((each) => each.name === name);
      if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
      latest += 1;
      const mine = latest;
      const isLatest = () => mine === latest;
      const before = played;
      next();
      const title = inLanguage(scenario.title, locale);
      const guild = sandbox.discord.guildEvents.add({ name: title, locale });
      const role = scenario.steps[0]?.who ?? 'member';
      const begun: ScenarioView = {
        ...{ name, title, state: 'playing', caption: '', step: 0, steps: scenario.steps.length },
        seat: { role, guild: guild.id, channel: 'general', locale },
      };
      show(begun);
      const showEnd = (end: Partial<ScenarioView>) => {
        if (isLatest() && current !== undefined) show({ ...ended(current), ...end });
      };
      played = before
        .then(() => run(scenario, begun, isLatest))
        .then(
          () => showEnd({ state: 'over' }),
          (error: Error) =>
            showEnd({ state: 'failed', caption: `${inLanguage(FAILED, locale)}: ${error.message}` }),
        );
    },
  };
}

/** Who acts where, and what they are about to do. */
const about = ({ who, caption, channel = 'general' }: Step, { seat }: ScenarioView) => ({
  caption: inLanguage(caption, seat.locale),
  seat: { ...seat, role: who, channel },
});

/** Nothing is about to happen any more. */
const ended = ({ line: _line, modal: _modal, target: _target, ...rest }: ScenarioView) => ({
  ...rest,
  caption: '',
});
