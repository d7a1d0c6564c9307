import { ButtonStyle, ComponentType } from 'discord.js';
import { rowsOf } from '../discord/client/components.ts';
import type { Answer, Person } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { isFinished } from '../prompt/show.ts';
import type { Sandbox } from '../sandbox.ts';
import { readUpload } from '../slash-options.ts';
import type { SeatView } from './protocol.ts';

/** Those who act in a scenario, and what they act with. */
interface Stage {
  readonly sandbox: Sandbox;
  readonly admin: Person;
  readonly member: Person;
  /** Discord's name of their language. */
  readonly locale: string;
  /** Says what happens next, and through whose eyes, and gives people the time to read it. */
  tell(role: 'admin' | 'member', caption: string): Promise<void>;
}

/** Something that is played in a new Discord server, so that nothing that was there before is in its way. */
interface Scenario {
  /** What stands in its address. */
  readonly name: string;
  readonly title: string;
  /** @throws Error when it does not come as it should */
  play(stage: Stage): Promise<void>;
}

const KEY = 'sandbox-key-1234';
/** What an admin puts on the panel, in the languages of the pictures. */
const PANEL_LINE = {
  en: 'Only servers that are open to everybody, please.',
  de: 'Bitte nur Server, die allen offenstehen.',
};

/** What can be played. To add one: an entry here; the page, its tests and the pictures follow. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'first-key',
    title: 'First key',
    async play(stage) {
      await stage.tell('admin', 'An admin runs /setkey and types the key of their account.');
      const saved = await setKey(stage);
      await stage.tell('admin', 'They choose a log channel below the answer.');
      await finished(await stage.admin.pick(saved, ['#staff']));
      await stage.tell('admin', 'Each setting is shown, with what changes it.');
      await stage.tell('member', 'A member submits a server.');
      await addServer(stage);
    },
  },
  {
    name: 'panel',
    title: 'A panel',
    async play(stage) {
      await withKey(stage);
      await stage.tell('admin', 'They post a panel with /panel, with a line of their own.');
      const panel = await finished(
        await typeInto(stage.admin, await stage.admin.slash('panel'), {
          text: PANEL_LINE[stage.locale === 'de' ? 'de' : 'en'],
        }),
      );
      await stage.tell(
        'member',
        'A member who knows no command presses a button of it, and fills the window in.',
      );
      await finished(
        await typeInto(stage.member, await pressMain(stage.member, panel), {
          game: 'cs2',
          server: 'play.example.com',
          port: '27015',
        }),
      );
    },
  },
  {
    name: 'wrong-first-try',
    title: 'A wrong first try',
    async play(stage) {
      await withKey(stage);
      await stage.tell('member', 'A member forgets the port.');
      const noPort = await addServer(stage, 'play.example.com');
      await stage.tell('member', 'They put it right.');
      await finished(await pressMain(stage.member, noPort));
      await stage.tell('member', 'They try an address that nobody outside can reach.');
      await addServer(stage, '192.168.0.4:27015');
    },
  },
  {
    name: 'list-of-250',
    title: 'A list of 250 with 12 wrong ones',
    async play(stage) {
      await withKey(stage);
      await stage.tell('member', 'A member sends a file of 250 lines; 12 of them are wrong.');
      const preview = await sendList(stage);
      await stage.tell('member', 'They submit the others.');
      await finished(await pressMain(stage.member, preview));
    },
  },
  {
    name: 'service-outage',
    title: 'A service outage',
    async play(stage) {
      const { troubleService } = stage.sandbox;
      await withKey(stage);
      await stage.tell('member', 'The listing service refuses connections, and a member submits a server.');
      await troubleService('down');
      const notSent = await addServer(stage);
      await stage.tell('member', 'The service is back, and they try again.');
      await troubleService('ok');
      await finished(await pressMain(stage.member, notSent));
    },
  },
  {
    name: 'crash-in-a-list',
    title: 'A crash in the middle of a list',
    async play(stage) {
      const { bot, listing, startBot, troubleService, watch } = stage.sandbox;
      await withKey(stage);
      await stage.tell('member', 'A member submits a list of 250, and the service answers slowly.');
      const preview = await sendList(stage);
      await troubleService('slow');
      const before = listing.submitted.length;
      const held = until(watch, () => listing.submitted.length > before);
      // The answer comes from the bot's next run.
      const answer = pressMain(stage.member, preview);
      await held;
      await stage.tell('member', 'The bot is killed in the middle of it.');
      await bot.stop('SIGKILL');
      await troubleService('ok');
      await stage.tell(
        'member',
        'It is started again, and tells what became of the list: nothing is sent twice.',
      );
      await startBot();
      await finished(await answer);
    },
  },
  {
    name: 'discord-unwell',
    title: 'Discord on a bad day',
    async play(stage) {
      const { troubleDiscord } = stage.sandbox;
      await withKey(stage);
      await stage.tell(
        'member',
        'Every kept connection to Discord dies silently, and a member submits a server.',
      );
      troubleDiscord('dead');
      await addServer(stage);
      await stage.tell(
        'member',
        'The first request of each kind fails, and the member asks for their submissions.',
      );
      troubleDiscord('first-failing');
      await finished(await stage.member.slash('submissions'));
      troubleDiscord('ok');
    },
  },
];

/** How a scenario begins that is not about the key. */
async function withKey(stage: Stage): Promise<void> {
  await stage.tell('admin', 'An admin has set the key.');
  await setKey(stage);
}

async function setKey({ admin }: Stage): Promise<SeenMessage> {
  return finished(await typeInto(admin, await admin.slash('setkey'), { key: KEY }));
}

/** Fills the window in that came, and submits it. */
async function typeInto(
  person: Person,
  opened: Answer,
  values: Readonly<Record<string, string>>,
): Promise<Answer> {
  if (opened.kind !== 'modal') throw new Error(`no window opened: ${wordsOf(opened)}`);
  return person.submit(opened.modal, values);
}

async function addServer({ member }: Stage, server = 'play.example.com:27015'): Promise<SeenMessage> {
  return finished(await member.slash('addserver', { game: 'cs2', server }));
}

async function sendList({ member }: Stage): Promise<SeenMessage> {
  return finished(await member.slash('addservers', { file: await readUpload('docs/servers-250.csv') }));
}

/** The message of an answer, once nothing more is to come in it. */
async function finished(answer: Answer): Promise<SeenMessage> {
  if (answer.kind !== 'message') throw new Error(`no message came: ${wordsOf(answer)}`);
  while (!isFinished(answer.message)) await answer.message.changed();
  return answer.message;
}

const wordsOf = (answer: Answer): string => (answer.kind === 'refused' ? answer.why : answer.kind);

/** Presses the button that stands out: what sends, else the next thing to do, else the first that is there. */
function pressMain(person: Person, message: SeenMessage): Promise<Answer> {
  const buttons = rowsOf(message.current)
    .flat()
    .filter((control) => control.type === ComponentType.Button)
    .filter((button) => 'custom_id' in button && button.disabled !== true);
  const main =
    buttons.find(({ style }) => style === ButtonStyle.Success) ??
    buttons.find(({ style }) => style === ButtonStyle.Primary) ??
    buttons[0];
  if (main === undefined || !('custom_id' in main)) throw new Error('the message has no button');
  return person.press(message, main.custom_id);
}

/** Waits until something holds, looking whenever anything happens. */
async function until(watch: Sandbox['watch'], holds: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = watch(() => holds() && resolve());
  if (holds()) resolve();
  await promise;
  stop();
}

/** The scenario that was played last. */
export interface ScenarioView {
  readonly name: string;
  readonly state: 'playing' | 'over' | 'failed';
  /** What is happening in it. */
  readonly caption: string;
  /** Whose eyes to see it with. */
  readonly seat: SeatView;
}

export type Player = ReturnType<typeof createPlayer>;

/** Plays one scenario after the other. */
export function createPlayer(deps: {
  readonly sandbox: Sandbox;
  /** Waits while a caption stands, before what it says happens; until `next` is called, unless said. */
  readonly read?: ((caption: string) => Promise<unknown>) | undefined;
  readonly onChange: () => void;
}) {
  const { sandbox, onChange } = deps;
  let current: ScenarioView | undefined;
  let step = Promise.withResolvers<void>();
  const read = deps.read ?? (() => step.promise);
  /** The number of the play that was begun last, and its end. */
  let latest = 0;
  let played: Promise<void> = Promise.resolve();

  function show(next: ScenarioView): void {
    current = next;
    onChange();
  }

  return {
    /** The one that was played last, or is being played. */
    get current() {
      return current;
    },
    /** What the caption says happens now. */
    next(): void {
      step.resolve();
      step = Promise.withResolvers();
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
      const before = played;
      this.next();
      const guild = sandbox.discord.guildEvents.add({ name: scenario.title, locale });
      const person = (role: 'admin' | 'member') => sandbox.people.at({ role, guild, locale });
      let told: ScenarioView = {
        name,
        state: 'playing',
        caption: scenario.title,
        seat: { role: 'admin', guild: guild.id, locale },
      };
      const showMine = (next: ScenarioView) => mine === latest && show(next);
      show(told);
      const tell = async (role: 'admin' | 'member', caption: string) => {
        told = { ...told, caption, seat: { ...told.seat, role } };
        showMine(told);
        await read(caption);
        if (mine !== latest) throw new Error('another scenario was begun');
      };
      async function run(): Promise<void> {
        await before;
        await sandbox.troubleService('ok');
        sandbox.troubleDiscord('ok');
        sandbox.listing.allow(KEY);
        if (!sandbox.bot.running) await sandbox.startBot();
        const admin = person('admin');
        const member = person('member');
        await scenario?.play({ sandbox, admin, member, locale, tell });
      }
      played = run().then(
        () => void showMine({ ...told, state: 'over', caption: `${scenario.title}: this was all.` }),
        (error: unknown) =>
          void showMine({ ...told, state: 'failed', caption: `It did not come so: ${messageOf(error)}` }),
      );
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
