import { readUpload } from '../slash-options.ts';
import {
  buttonWith,
  fills,
  happens,
  mainButton,
  picks,
  presses,
  runs,
  type Stage,
  type Step,
  setKey,
  turnApprovalOn,
  until,
} from './steps.ts';
import type { Texts } from './texts.ts';

/** Something that is played in a new Discord server, so that nothing from before is in its way. */
export interface Scenario {
  /** Its name in the address of the page. */
  readonly name: string;
  readonly title: Texts;
  /** One sentence for its card. */
  readonly about: Texts;
  /** What has been done before it begins; an admin has set the key, unless said. */
  readonly before?: (stage: Stage) => Promise<unknown>;
  readonly steps: readonly Step[];
}

/** What an admin puts on the panel. */
const PANEL_LINE = {
  en: 'Only servers that are open to everybody, please.',
  de: 'Bitte nur Server, die allen offenstehen.',
};
const SECOND_PANEL_LINE = {
  en: 'Only servers that are open to everybody, please. No test servers.',
  de: 'Bitte nur Server, die allen offenstehen. Keine Testserver.',
};

/** What a member copies from a chat. */
const PASTED = {
  en: `Hi! Please add ours:
CS2: play.example.com:27015
rust.example.com:28015 (Rust)
steam://connect/eu.example.com:27015 cs2
192.168.0.4:27015 cs2
cs2 us.example.com:270155
CS2: play.example.com:27015`,
  de: `Hallo! Bitte unsere aufnehmen:
CS2: play.example.com:27015
rust.example.com:28015 (Rust)
steam://connect/eu.example.com:27015 cs2
192.168.0.4:27015 cs2
cs2 us.example.com:270155
CS2: play.example.com:27015`,
};

const REASON = {
  en: 'We moved: please use the new address.',
  de: 'Wir sind umgezogen: bitte die neue Adresse.',
};

const LIST = 'servers-250.csv';

const server = (address: string) => ({ game: 'cs2', server: address });

/** Sends the file of 250 lines. */
const sendsList = (caption: Texts): Step =>
  runs('member', caption, 'addservers', async () => ({ file: await readUpload(`docs/${LIST}`) }));

/** Rust at Steam. */
const RUST_APP_ID = 252_490;

/** The scenarios, in the order of their cards. To add one, add an entry: the page, its tests and the pictures follow. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'wrong-first-try',
    title: { en: 'A wrong first try', de: 'Ein falscher erster Versuch' },
    about: {
      en: 'A member forgets the port. One press puts it right.',
      de: 'Ein Mitglied vergisst den Port. Ein Klick genügt, und er stimmt.',
    },
    steps: [
      runs(
        'member',
        {
          en: 'They submit a game server, but forget its port.',
          de: 'Es reicht einen Server ein, vergisst aber den Port.',
        },
        'addserver',
        server('play.example.com'),
      ),
      presses(
        'member',
        {
          en: 'One press adds the default port and submits it.',
          de: 'Ein Klick ergänzt den üblichen Port und reicht ihn ein.',
        },
        mainButton,
      ),
      runs(
        'member',
        {
          en: 'They try an address that nobody outside their home can reach.',
          de: 'Es versucht eine Adresse, die von außen niemand erreicht.',
        },
        'addserver',
        server('192.168.0.4:27015'),
      ),
    ],
  },
  {
    name: 'approval',
    title: { en: 'A moderator looks first', de: 'Erst schaut die Moderation' },
    about: {
      en: 'Correct, decline with a reason, hear of it, submit again.',
      de: 'Korrigieren, begründet ablehnen, davon erfahren, neu einreichen.',
    },
    before: turnApprovalOn,
    steps: [
      runs(
        'member',
        {
          en: 'They submit a game server, with a wrong digit.',
          de: 'Es reicht einen Server ein, mit einem Zahlendreher.',
        },
        'addserver',
        server('old.example.com:27051'),
      ),
      presses(
        'moderator',
        {
          en: 'In #staff it waits for them. They correct it first.',
          de: 'In #staff wartet er. Sie wird ihn korrigieren.',
        },
        buttonWith(/^submissions:correct/),
        { channel: 'staff' },
      ),
      fills(
        'moderator',
        { en: 'They put the port right.', de: 'Sie berichtigt den Port.' },
        ({ values }) =>
          Object.fromEntries(values.map(([name, value]) => [name, value.replace('27051', '27015')])),
        'staff',
      ),
      presses(
        'moderator',
        { en: 'Then they decline it.', de: 'Dann lehnt sie ihn ab.' },
        buttonWith(/^submissions:(refuse|decline)/, '27015'),
        { channel: 'staff' },
      ),
      fills(
        'moderator',
        { en: 'They say why.', de: 'Sie sagt, warum.' },
        ({ values, text }) => ({
          [values.at(-1)?.[0] ?? '']: text(REASON),
        }),
        'staff',
      ),
      happens(
        'member',
        {
          en: 'The bot writes to them directly, with the reason.',
          de: 'Der Bot schreibt ihm direkt, mit dem Grund.',
        },
        async () => undefined,
        '@me',
      ),
      presses(
        'member',
        {
          en: 'Nothing has to be typed again: they edit it.',
          de: 'Nichts muss neu getippt werden: Es bearbeitet ihn.',
        },
        buttonWith(/^submit:correct/),
      ),
      fills(
        'member',
        { en: 'They enter the new address.', de: 'Es gibt die neue Adresse ein.' },
        ({ values }) =>
          Object.fromEntries(values.map(([name, value]) => [name, value.replace('old.', 'new.')])),
      ),
      presses(
        'moderator',
        { en: 'They approve it, and the bot sends it.', de: 'Sie gibt ihn frei, und der Bot sendet ihn.' },
        buttonWith(/^submissions:approve/, 'new.example.com'),
        { channel: 'staff' },
      ),
    ],
  },
  {
    name: 'pasted-mess',
    title: { en: 'A pasted mess', de: 'Ein eingefügtes Durcheinander' },
    about: {
      en: 'Seven lines from a chat, and every one is understood or explained.',
      de: 'Sieben Zeilen aus einem Chat: verstanden oder erklärt, jede.',
    },
    steps: [
      runs(
        'member',
        { en: 'They want to submit several game servers.', de: 'Es möchte mehrere Server einreichen.' },
        'addservers',
        {},
      ),
      fills(
        'member',
        {
          en: 'They paste what others wrote, as it is.',
          de: 'Es fügt ein, was andere geschrieben haben, so wie es ist.',
        },
        ({ values, text }) => ({ [values[0]?.[0] ?? '']: text(PASTED) }),
      ),
      presses(
        'member',
        {
          en: 'The bot says what is wrong. They fix it.',
          de: 'Der Bot sagt, was nicht stimmt. Es verbessert das.',
        },
        buttonWith(/^submit:edit/),
      ),
      fills(
        'member',
        {
          en: 'Only the wrong lines are there. They remove one and correct the other.',
          de: 'Nur die falschen Zeilen stehen da. Es löscht eine und berichtigt die andere.',
        },
        ({ values }) => ({
          [values[0]?.[0] ?? '']: (values[0]?.[1] ?? '')
            .replace(/.*192\.168.*\n?/, '')
            .replace('270155', '27015'),
        }),
      ),
      presses('member', { en: 'They submit all of them.', de: 'Es reicht alle ein.' }, mainButton),
    ],
  },
  {
    name: 'list-of-250',
    title: { en: 'A list of 250 with 12 wrong ones', de: 'Eine Liste von 250, 12 davon falsch' },
    about: {
      en: 'A whole file, checked line by line before anything is sent.',
      de: 'Eine ganze Datei, Zeile für Zeile geprüft, bevor etwas gesendet wird.',
    },
    steps: [
      sendsList({
        en: 'They send a file of 250 lines; 12 of them are wrong.',
        de: 'Es schickt eine Datei mit 250 Zeilen; 12 davon sind falsch.',
      }),
      presses('member', { en: 'They submit the others.', de: 'Es reicht die anderen ein.' }, mainButton),
    ],
  },
  {
    name: 'crash-in-a-list',
    title: { en: 'A crash in the middle of a list', de: 'Ein Absturz mitten in einer Liste' },
    about: {
      en: 'kill -9 while it submits. Nothing is sent twice or lost.',
      de: 'kill -9, während er sendet. Nichts kommt doppelt, nichts geht verloren.',
    },
    steps: [
      sendsList({ en: 'They send a file of 250 lines.', de: 'Es schickt eine Datei mit 250 Zeilen.' }),
      presses(
        'member',
        {
          en: 'They submit it, and the service is slow.',
          de: 'Es reicht sie ein, und der Dienst ist langsam.',
        },
        mainButton,
        {
          async how({ sandbox }, press) {
            await sandbox.troubleService('slow');
            const before = sandbox.listing.submitted.length;
            // The bot's next run answers it.
            void press();
            await until(sandbox.watch, () => sandbox.listing.submitted.length > before);
          },
        },
      ),
      happens(
        'member',
        { en: 'kill -9, in the middle of it.', de: 'kill -9, mittendrin.' },
        async ({ sandbox }) => {
          await sandbox.bot.stop('SIGKILL');
          await sandbox.troubleService('ok');
        },
      ),
      happens(
        'member',
        {
          en: 'The bot starts again, and reports on the list: nothing is sent twice.',
          de: 'Der Bot startet neu und sagt, was aus der Liste wurde: Nichts wird doppelt gesendet.',
        },
        async (stage) => {
          await stage.sandbox.startBot();
          await stage.settled();
        },
      ),
    ],
  },
  {
    name: 'panel',
    title: { en: 'A panel', de: 'Ein Panel' },
    about: {
      en: 'Buttons in a channel, for members who know no command.',
      de: 'Knöpfe in einem Kanal, für alle, die keinen Befehl kennen.',
    },
    steps: [
      runs('admin', { en: 'They post a panel.', de: 'Er postet ein Panel.' }, 'panel', {}),
      fills(
        'admin',
        { en: 'They write a line of their own on it.', de: 'Er schreibt einen eigenen Satz darauf.' },
        ({ text }) => ({
          text: text(PANEL_LINE),
        }),
      ),
      runs(
        'admin',
        { en: 'Later they want to change it.', de: 'Später will er ihn ändern.' },
        'settings',
        {},
      ),
      picks(
        'admin',
        { en: 'Everything can be changed in one place.', de: 'Alles lässt sich an einer Stelle ändern.' },
        ['panels'],
      ),
      presses('admin', { en: 'They change the text.', de: 'Er ändert den Text.' }, mainButton),
      fills('admin', { en: 'They add a sentence.', de: 'Er ergänzt einen Satz.' }, ({ text }) => ({
        text: text(SECOND_PANEL_LINE),
      })),
      presses(
        'member',
        {
          en: 'A member who knows no command presses a button.',
          de: 'Ein Mitglied, das keinen Befehl kennt, drückt einen Knopf.',
        },
        mainButton,
      ),
      fills('member', { en: 'They fill the form in.', de: 'Es füllt das Formular aus.' }, () => ({
        game: 'cs2',
        server: 'play.example.com',
        port: '27015',
      })),
    ],
  },
  {
    name: 'first-key',
    title: { en: 'First key', de: 'Der erste Schlüssel' },
    about: {
      en: 'The whole setup: a key, and a channel for the log.',
      de: 'Die ganze Einrichtung: ein Schlüssel und ein Kanal fürs Protokoll.',
    },
    before: async () => undefined,
    steps: [
      runs(
        'admin',
        { en: 'They set the API key, once.', de: 'Er setzt den API-Schlüssel, einmal.' },
        'setkey',
        {},
      ),
      fills(
        'admin',
        {
          en: 'Only they see what they type. The bot stores it encrypted.',
          de: 'Nur er sieht, was er tippt. Der Bot speichert es verschlüsselt.',
        },
        ({ values }) => ({ [values[0]?.[0] ?? '']: 'sandbox-key-1234' }),
      ),
      picks('admin', { en: 'They choose a log channel.', de: 'Er wählt einen Protokollkanal.' }, ['#staff']),
      runs(
        'member',
        {
          en: 'From now on members can submit game servers.',
          de: 'Von nun an können Mitglieder Server einreichen.',
        },
        'addserver',
        server('play.example.com:27015'),
      ),
    ],
  },
  {
    name: 'query-port',
    title: { en: 'An address is enough', de: 'Eine Adresse genügt' },
    about: {
      en: 'Query ports come from Steam’s public list.',
      de: 'Query-Ports kommen aus Steams öffentlicher Liste.',
    },
    async before(stage) {
      stage.sandbox.records.list('93.184.216.34', [{ port: 28_015, queryPort: 28_017, appId: RUST_APP_ID }]);
      await setKey(stage);
    },
    steps: [
      runs(
        'member',
        {
          en: 'They submit a Rust server without its query port, which Steam knows.',
          de: 'Es reicht einen Rust-Server ohne Query-Port ein. Steam kennt ihn.',
        },
        'addserver',
        { game: 'rust', server: '93.184.216.34:28015' },
      ),
      runs(
        'member',
        {
          en: 'Steam doesn’t respond. They wait a moment, and it is submitted as typed.',
          de: 'Steam antwortet nicht. Nach kurzem Warten geht der Server ab wie eingegeben.',
        },
        'addserver',
        async ({ sandbox }) => {
          sandbox.troubleSteam('hang');
          return { game: 'rust', server: '93.184.216.35:28015' };
        },
      ),
    ],
  },
  {
    name: 'service-outage',
    title: { en: 'A service outage', de: 'Der Dienst fällt aus' },
    about: {
      en: 'The listing service is down. Nothing is typed twice.',
      de: 'Der Listendienst ist weg. Nichts wird zweimal getippt.',
    },
    steps: [
      runs(
        'member',
        {
          en: 'The service is down, and they submit a game server.',
          de: 'Der Dienst ist weg, und es reicht einen Server ein.',
        },
        'addserver',
        async ({ sandbox }) => {
          await sandbox.troubleService('down');
          return server('play.example.com:27015');
        },
      ),
      presses(
        'member',
        {
          en: 'The service is back, and they try again.',
          de: 'Der Dienst ist wieder da, und es versucht es noch einmal.',
        },
        mainButton,
        {
          async how({ sandbox, settled }, press) {
            await sandbox.troubleService('ok');
            void press();
            await settled();
          },
        },
      ),
    ],
  },
  {
    name: 'discord-unwell',
    title: { en: 'Discord on a bad day', de: 'Discord hat einen schlechten Tag' },
    about: {
      en: 'Connections die, requests fail. Everybody is answered.',
      de: 'Verbindungen sterben, Anfragen scheitern. Alle bekommen Antwort.',
    },
    steps: [
      runs(
        'member',
        {
          en: 'Every open connection to Discord dies silently.',
          de: 'Alle offenen Verbindungen zu Discord sterben unbemerkt.',
        },
        'addserver',
        async ({ sandbox }) => {
          sandbox.troubleDiscord('dead');
          return server('play.example.com:27015');
        },
      ),
      runs(
        'member',
        {
          en: 'The first request of each kind fails, and they ask for their submissions.',
          de: 'Die erste Anfrage jeder Art scheitert, und es fragt nach seinen Einreichungen.',
        },
        'submissions',
        async ({ sandbox }) => {
          sandbox.troubleDiscord('first-failing');
          return {};
        },
      ),
      happens(
        'member',
        { en: 'Discord is well again.', de: 'Discord geht es wieder gut.' },
        async ({ sandbox }) => sandbox.troubleDiscord('ok'),
      ),
    ],
  },
];
