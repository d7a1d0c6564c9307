import type { Guild } from '../discord/world/guilds.ts';
import type { Sandbox } from '../sandbox.ts';
import type { SeatView } from './protocol.ts';
import { SCENARIOS, type Scenario } from './scenarios.ts';
import { createStage, KEY, type Preview, type Step, setKey } from './steps.ts';
import { inLanguage, type Texts } from './texts.ts';

/** The current or last scenario. */
export interface ScenarioView extends Preview {
  readonly name: string;
  readonly title: string;
  readonly state: 'playing' | 'over' | 'failed' | 'left';
  /** Describes the next step, or why the scenario failed. Empty before the first step. */
  readonly caption: string;
  /** The error that ended a failed scenario. */
  readonly cause?: string;
  /** The number of the current step, starting from 1. */
  readonly step: number;
  readonly steps: number;
  /** The user who acts in this step. The page shows Discord as this user sees it. */
  readonly seat: SeatView;
}

export type Player = ReturnType<typeof createPlayer>;

const FAILED = { en: 'Something unexpected happened', de: 'Es kam anders als erwartet' };

/** Creates a player, which plays one scenario at a time. */
export function createPlayer(deps: {
  readonly sandbox: Sandbox;
  /** Called with each step's caption; the step waits for the returned promise or, by default, for `next`. */
  readonly read?: ((caption: Texts) => Promise<unknown>) | undefined;
  readonly onChange: () => void;
}) {
  const { sandbox, onChange } = deps;
  let current: ScenarioView | undefined;
  let pressed = Promise.withResolvers<void>();
  const read = deps.read ?? (() => pressed.promise);
  /** Counts how often a scenario was started or stopped. When the count changes, the previous scenario ends. */
  let latest = 0;
  let played: Promise<void> = Promise.resolve();
  /** The Discord server in which each scenario was last played. */
  const lastGuilds = new Map<string, Guild>();

  function show(next: ScenarioView): void {
    current = next;
    onChange();
  }

  /** Stops waiting for the user to read the current caption, and plays the step. */
  function next(): void {
    pressed.resolve();
    pressed = Promise.withResolvers();
  }

  /** Shows and plays each step until the scenario is stopped or another scenario starts. @throws Error if a step fails */
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
    /** Returns the current or last scenario. */
    get current() {
      return current;
    },
    next,
    /** Stops the current scenario and, after its current step, removes its Discord server unless the user stays there. */
    leave(keepsServer: boolean): void {
      latest += 1;
      if (current !== undefined) {
        const guild = lastGuilds.get(current.name);
        if (guild !== undefined && !keepsServer) {
          lastGuilds.delete(current.name);
          played = played.then(() => {
            sandbox.discord.guildEvents.remove(guild);
            onChange();
          });
        }
        show({ ...ended(current), state: 'left' });
      }
      next();
    },
    /**
     * Plays a scenario in a new Discord server, which replaces the scenario's previous one. If another scenario is playing,
     * waits until the current step ends.
     * @throws Error if the scenario doesn't exist
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
      const former = lastGuilds.get(name);
      lastGuilds.set(name, guild);
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
        .then(() => {
          if (former !== undefined) sandbox.discord.guildEvents.remove(former);
        })
        .then(() => run(scenario, begun, isLatest))
        .then(
          () => showEnd({ state: 'over' }),
          (error: Error) =>
            showEnd({ state: 'failed', caption: inLanguage(FAILED, locale), cause: error.message }),
        );
    },
  };
}

/** Returns the caption of a step, and the seat of the user who acts in it. */
const about = ({ who, caption, channel = 'general' }: Step, { seat }: ScenarioView) => ({
  caption: inLanguage(caption, seat.locale),
  seat: { ...seat, role: who, channel },
});

/** Removes the caption and the preview of the next step. */
const ended = ({ line: _line, modal: _modal, target: _target, ...rest }: ScenarioView) => ({
  ...rest,
  caption: '',
});
