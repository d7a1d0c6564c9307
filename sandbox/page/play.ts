import type { Sandbox } from '../sandbox.ts';
import type { ScenarioView } from './protocol.ts';
import { SCENARIOS } from './scenarios.ts';

/** Plays one scenario after the other. */
export function createPlayer(deps: {
  readonly sandbox: Sandbox;
  /** Waits while a caption stands, before what it says happens. */
  readonly read: (caption: string) => Promise<unknown>;
  readonly onChange: () => void;
}) {
  const { sandbox, read, onChange } = deps;
  let current: ScenarioView | undefined;

  function show(next: ScenarioView): void {
    current = next;
    onChange();
  }

  return {
    /** The one that was played last, or is being played. */
    get current() {
      return current;
    },
    /**
     * Begins it in a new Discord server; while another is being played nothing happens.
     * @throws Error when there is none of that name
     */
    play(name: string, locale: string): void {
      const scenario = SCENARIOS.find((each) => each.name === name);
      if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
      if (current?.state === 'playing') return;
      const guild = sandbox.discord.guildEvents.add({ name: scenario.title, locale });
      const person = (role: 'admin' | 'member') => sandbox.people.at({ role, guild, locale });
      let told: ScenarioView = {
        name,
        state: 'playing',
        caption: scenario.title,
        seat: { role: 'admin', guild: guild.id, locale },
      };
      show(told);
      const tell = async (role: 'admin' | 'member', caption: string) => {
        told = { ...told, caption, seat: { ...told.seat, role } };
        show(told);
        await read(caption);
      };
      async function run(): Promise<void> {
        await sandbox.troubleService('ok');
        sandbox.troubleDiscord('ok');
        sandbox.listing.allow('sandbox-key-1234');
        if (!sandbox.bot.running) await sandbox.startBot();
        await scenario?.play({ sandbox, admin: person('admin'), member: person('member'), tell });
      }
      run().then(
        () => show({ ...told, state: 'over', caption: `${scenario.title}: this was all.` }),
        (error: unknown) =>
          show({ ...told, state: 'failed', caption: `It did not come so: ${messageOf(error)}` }),
      );
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
