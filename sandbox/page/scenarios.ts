import { ButtonStyle, ComponentType } from 'discord.js';
import { rowsOf } from '../discord/client/components.ts';
import type { Answer, Person } from '../discord/contract.ts';
import type { SeenMessage } from '../discord/world/messages.ts';
import { isFinished } from '../prompt/show.ts';
import type { Sandbox } from '../sandbox.ts';
import { readUpload } from '../slash-options.ts';
import type { SeatView } from './protocol.ts';

/** What the page itself says, in its two languages. */
export interface Texts {
  readonly en: string;
  readonly de: string;
}

/** @param locale Discord's name of a language; English for whoever has another */
export const inLanguage = ({ en, de }: Texts, locale: string): string => (locale === 'de' ? de : en);

/** Those who act in a scenario, and what they act with. */
interface Stage {
  readonly sandbox: Sandbox;
  readonly admin: Person;
  readonly member: Person;
  /** Discord's name of their language. */
  readonly locale: string;
  /** Says what happens next, and through whose eyes, and gives people the time to read it. */
  tell(role: 'admin' | 'member', caption: Texts): Promise<void>;
}

/** Something that is played in a new Discord server, so that nothing that was there before is in its way. */
interface Scenario {
  /** What stands in its address. */
  readonly name: string;
  readonly title: Texts;
  /** @throws Error when it does not come as it should */
  play(stage: Stage): Promise<void>;
}

const KEY = 'sandbox-key-1234';
/** What an admin puts on the panel, in the languages of the pictures. */
const PANEL_LINE = {
  en: 'Only servers that are open to everybody, please.',
  de: 'Bitte nur Server, die allen offenstehen.',
};

const SECOND_PANEL_LINE = {
  en: 'Only servers that are open to everybody, please. No test servers.',
  de: 'Bitte nur Server, die allen offenstehen. Keine Testserver.',
};

/** What can be played. To add one: an entry here; the page, its tests and the pictures follow. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'first-key',
    title: { en: 'First key', de: 'Der erste Schlüssel' },
    async play(stage) {
      await stage.tell('admin', {
        en: 'An admin runs /setkey and types the key of their account.',
        de: 'Ein Admin gibt /setkey ein und dann den Schlüssel seines Kontos.',
      });
      const saved = await setKey(stage);
      await stage.tell('admin', {
        en: 'They choose a log channel below the answer.',
        de: 'Unter der Antwort wählt er einen Logkanal.',
      });
      await finished(await stage.admin.pick(saved, ['#staff']));
      await stage.tell('admin', {
        en: 'Each setting is shown, and what can be changed.',
        de: 'Jede Einstellung ist zu sehen, und was sich ändern lässt.',
      });
      await stage.tell('member', {
        en: 'A member submits a server.',
        de: 'Ein Mitglied reicht einen Server ein.',
      });
      await addServer(stage);
    },
  },
  {
    name: 'panel',
    title: { en: 'A panel', de: 'Ein Panel' },
    async play(stage) {
      const { admin, member, locale } = stage;
      await withKey(stage);
      await stage.tell('admin', {
        en: 'They post a panel with /panel, with a line of their own.',
        de: 'Er postet mit /panel ein Panel, mit einem eigenen Satz darauf.',
      });
      await typeInto(admin, await admin.slash('panel'), { text: inLanguage(PANEL_LINE, locale) });
      await stage.tell('admin', {
        en: 'They change its text with /settings.',
        de: 'Er ändert den Text mit /settings.',
      });
      const panels = await finished(await admin.pick(await admin.slash('settings'), ['panels']));
      const text = inLanguage(SECOND_PANEL_LINE, locale);
      await typeInto(admin, await pressMain(admin, panels), { text });
      const panel = postedIn(stage);
      await stage.tell('member', {
        en: 'A member who knows no command presses a button of it, and fills the form in.',
        de: 'Ein Mitglied, das keinen Befehl kennt, drückt einen Knopf darauf und füllt das Formular aus.',
      });
      const server = { game: 'cs2', server: 'play.example.com', port: '27015' };
      await typeInto(member, await pressMain(member, panel), server);
    },
  },
  {
    name: 'wrong-first-try',
    title: { en: 'A wrong first try', de: 'Ein falscher erster Versuch' },
    async play(stage) {
      await withKey(stage);
      await stage.tell('member', { en: 'A member forgets the port.', de: 'Ein Mitglied vergisst den Port.' });
      const noPort = await addServer(stage, 'play.example.com');
      await stage.tell('member', { en: 'They put it right.', de: 'Es verbessert das.' });
      await finished(await pressMain(stage.member, noPort));
      await stage.tell('member', {
        en: 'They try an address that nobody outside can reach.',
        de: 'Es versucht eine Adresse, die von außen niemand erreicht.',
      });
      await addServer(stage, '192.168.0.4:27015');
    },
  },
  {
    name: 'list-of-250',
    title: { en: 'A list of 250 with 12 wrong ones', de: 'Eine Liste von 250, 12 davon falsch' },
    async play(stage) {
      await withKey(stage);
      await stage.tell('member', {
        en: 'A member sends a file of 250 lines; 12 of them are wrong.',
        de: 'Ein Mitglied schickt eine Datei mit 250 Zeilen; 12 davon sind falsch.',
      });
      const preview = await sendList(stage);
      await stage.tell('member', { en: 'They submit the others.', de: 'Es reicht die anderen ein.' });
      await finished(await pressMain(stage.member, preview));
    },
  },
  {
    name: 'service-outage',
    title: { en: 'A service outage', de: 'Der Dienst fällt aus' },
    async play(stage) {
      const { troubleService } = stage.sandbox;
      await withKey(stage);
      await stage.tell('member', {
        en: 'The listing service refuses connections, and a member submits a server.',
        de: 'Der Listendienst nimmt keine Verbindungen an, und ein Mitglied reicht einen Server ein.',
      });
      await troubleService('down');
      const notSent = await addServer(stage);
      await stage.tell('member', {
        en: 'The service is back, and they try again.',
        de: 'Der Dienst ist wieder da, und es versucht es noch einmal.',
      });
      await troubleService('ok');
      await finished(await pressMain(stage.member, notSent));
    },
  },
  {
    name: 'crash-in-a-list',
    title: { en: 'A crash in the middle of a list', de: 'Ein Absturz mitten in einer Liste' },
    async play(stage) {
      const { bot, listing, startBot, troubleService, watch } = stage.sandbox;
      await withKey(stage);
      await stage.tell('member', {
        en: 'A member submits a list of 250, and the service answers slowly.',
        de: 'Ein Mitglied reicht eine Liste von 250 ein, und der Dienst antwortet langsam.',
      });
      const preview = await sendList(stage);
      await troubleService('slow');
      const before = listing.submitted.length;
      const held = until(watch, () => listing.submitted.length > before);
      // The answer comes from the bot's next run.
      const answer = pressMain(stage.member, preview);
      await held;
      await stage.tell('member', {
        en: 'The bot is killed in the middle of it.',
        de: 'Mittendrin wird der Bot abgeschossen.',
      });
      await bot.stop('SIGKILL');
      await troubleService('ok');
      await stage.tell('member', {
        en: 'It is started again, and tells what became of the list: nothing is sent twice.',
        de: 'Er wird neu gestartet und sagt, was aus der Liste geworden ist: Nichts wird doppelt gesendet.',
      });
      await startBot();
      await finished(await answer);
    },
  },
  {
    name: 'discord-unwell',
    title: { en: 'Discord on a bad day', de: 'Discord hat einen schlechten Tag' },
    async play(stage) {
      const { troubleDiscord } = stage.sandbox;
      await withKey(stage);
      await stage.tell('member', {
        en: 'Every kept connection to Discord dies silently, and a member submits a server.',
        de: 'Alle offenen Verbindungen zu Discord sterben unbemerkt, und ein Mitglied reicht einen Server ein.',
      });
      troubleDiscord('dead');
      await addServer(stage);
      await stage.tell('member', {
        en: 'The first request of each kind fails, and the member asks for their submissions.',
        de: 'Die erste Anfrage jeder Art scheitert, und das Mitglied fragt nach seinen Einreichungen.',
      });
      troubleDiscord('first-failing');
      await finished(await stage.member.slash('submissions'));
      troubleDiscord('ok');
    },
  },
];

/** How a scenario begins that is not about the key. */
async function withKey(stage: Stage): Promise<void> {
  await stage.tell('admin', { en: 'An admin has set the key.', de: 'Ein Admin hat den Schlüssel gesetzt.' });
  await setKey(stage);
}

async function setKey({ admin }: Stage): Promise<SeenMessage> {
  return typeInto(admin, await admin.slash('setkey'), { key: KEY });
}

/** Fills the window in that came, and submits it. */
async function typeInto(
  person: Person,
  opened: Answer,
  values: Readonly<Record<string, string>>,
): Promise<SeenMessage> {
  if (opened.kind !== 'modal') throw new Error(`no window opened: ${wordsOf(opened)}`);
  return finished(await person.submit(opened.modal, values));
}

/** The last message that everybody in the channel sees. */
function postedIn({ sandbox, admin }: Stage): SeenMessage {
  const message = sandbox.discord.messages({ channelId: admin.channelId }).at(-1);
  if (message === undefined) throw new Error('nothing was posted');
  return message;
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
  readonly state: 'playing' | 'over' | 'failed' | 'left';
  /** What is about to happen in it, or why it failed. */
  readonly caption: string;
  /** Whose eyes to see it with. */
  readonly seat: SeatView;
}

export type Player = ReturnType<typeof createPlayer>;

/** Plays one scenario after the other. */
export function createPlayer(deps: {
  readonly sandbox: Sandbox;
  /** Waits while a caption stands, before what it says happens; until `next` is called, unless said. */
  readonly read?: ((caption: Texts) => Promise<unknown>) | undefined;
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

  /** What the caption says happens now. */
  function next(): void {
    step.resolve();
    step = Promise.withResolvers();
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
      if (current !== undefined) show({ ...current, state: 'left' });
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
      const before = played;
      next();
      const title = inLanguage(scenario.title, locale);
      const guild = sandbox.discord.guildEvents.add({ name: title, locale });
      const person = (role: 'admin' | 'member') => sandbox.people.at({ role, guild, locale });
      let told: ScenarioView = {
        name,
        state: 'playing',
        caption: title,
        seat: { role: 'admin', guild: guild.id, channel: '', locale },
      };
      const showMine = (next: ScenarioView) => mine === latest && show(next);
      show(told);
      const tell = async (role: 'admin' | 'member', caption: Texts) => {
        told = { ...told, caption: inLanguage(caption, locale), seat: { ...told.seat, role } };
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
        () => void showMine({ ...told, state: 'over' }),
        (error: unknown) =>
          void showMine({
            ...told,
            state: 'failed',
            caption: `${inLanguage(FAILED, locale)}: ${messageOf(error)}`,
          }),
      );
    },
  };
}

const FAILED = { en: 'It did not come so', de: 'Es kam nicht so' };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
