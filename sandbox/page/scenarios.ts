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

/** A scripted demonstration. It is played in a new Discord server, so it always starts from the same state. */
export interface Scenario {
  /** The name that identifies the scenario in the page's URL. */
  readonly name: string;
  readonly title: Texts;
  /** A one-sentence description. */
  readonly about: Texts;
  /** Prepares the Discord server before the first step. By default, an admin sets the key. */
  readonly before?: (stage: Stage) => Promise<unknown>;
  readonly steps: readonly Step[];
}

/** The text that an admin writes on the panel. */
const PANEL_LINE = {
  en: 'Please submit only servers that are open to everyone.',
  de: 'Bitte nur Server, die allen offenstehen.',
};
const SECOND_PANEL_LINE = {
  en: 'Please submit only servers that are open to everyone. No test servers.',
  de: 'Bitte nur Server, die allen offenstehen. Keine Testserver.',
};

/** The text that a member pastes from a chat. */
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

/** A server console's log with the addresses of two players. */
const CONSOLE_LOG = `[18:02:11] Server listening, connect to play.example.com:28015
[18:03:40] Mia joined from 93.184.216.10:51234
[18:05:02] Noah joined from 93.184.216.11:50122`;

const REASON = {
  en: 'We’ve moved. Please use the new address.',
  de: 'Wir sind umgezogen: bitte die neue Adresse.',
};

const LIST = 'servers-250.csv';

/** Fixes what can be fixed in the wrong lines of {@link LIST}. */
const fixed = (lines: string): string =>
  lines
    .replace('cs3', 'cs2')
    .replace('minecarft', 'minecraft')
    .replace('counterstrik', 'Counter-Strike 1.6')
    .replace(':99999', ':27015')
    .split('\n')
    .filter((line) => !/ (?:192\.168|10\.0|172\.16)\.|^(?:181|201|241)\. /.test(line))
    .join('\n');

const server = (address: string) => ({ game: 'cs2', server: address });

/** Builds a step in which a member sends the file with 250 lines. */
const sendsList = (caption: Texts): Step =>
  runs('member', caption, 'addservers', async () => ({ file: await readUpload(`docs/${LIST}`) }));

/** Steam's app id for Rust. */
const RUST_APP_ID = 252_490;

/** All scenarios, in the order in which the page lists them. Tests and screenshots cover every scenario in this list. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'wrong-first-try',
    title: { en: 'A wrong first try', de: 'Ein falscher erster Versuch' },
    about: {
      en: 'A member forgets the port. One press fixes it.',
      de: 'Ein Mitglied vergisst den Port. Ein Klick genügt, und er stimmt.',
    },
    steps: [
      runs(
        'member',
        {
          en: 'They submit a game server but forget its port.',
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
          en: 'They try an address that can’t be reached from outside their home.',
          de: 'Es versucht eine Adresse, die von außen niemand erreicht.',
        },
        'addserver',
        server('192.168.0.4:27015'),
      ),
    ],
  },
  {
    name: 'approval',
    title: { en: 'A moderator checks first', de: 'Erst schaut die Moderation' },
    about: {
      en: 'A moderator corrects and declines it. The member submits it again.',
      de: 'Korrigieren, begründet ablehnen, davon erfahren, neu einreichen.',
    },
    before: turnApprovalOn,
    steps: [
      runs(
        'member',
        {
          en: 'They submit a game server with two digits swapped.',
          de: 'Es reicht einen Server ein, mit einem Zahlendreher.',
        },
        'addserver',
        server('old.example.com:27051'),
      ),
      presses(
        'moderator',
        {
          en: 'It is waiting in #staff. They will correct it.',
          de: 'In #staff wartet er. Sie wird ihn korrigieren.',
        },
        buttonWith(/^submissions:correct/),
        { channel: 'staff' },
      ),
      fills(
        'moderator',
        { en: 'They fix the port.', de: 'Sie berichtigt den Port.' },
        ({ values }) =>
          Object.fromEntries(values.map(([name, value]) => [name, value.replace('27051', '27015')])),
        'staff',
      ),
      presses(
        'moderator',
        { en: 'Then they decline it.', de: 'Dann lehnt sie ihn ab.' },
        buttonWith(/^submissions:decline/, '27015'),
        { channel: 'staff' },
      ),
      fills(
        'moderator',
        { en: 'They give a reason.', de: 'Sie sagt, warum.' },
        ({ text }) => ({ reason: text(REASON) }),
        'staff',
      ),
      runs(
        'member',
        {
          en: 'The moderator can undo this for a minute, so the bot notifies them later. They look themselves.',
          de: 'Eine Minute lang lässt sich das zurücknehmen. Danach erfährt es davon. Es schaut schon jetzt nach.',
        },
        'submissions',
        {},
      ),
      picks(
        'member',
        { en: 'They open it, and read the reason.', de: 'Es öffnet ihn und liest den Grund.' },
        ['old.example.com:27015'],
      ),
      presses(
        'member',
        {
          en: 'They don’t have to type it again: they edit it.',
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
      en: 'Seven lines from a chat. The bot understands each one, or explains why not.',
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
          en: 'They paste the lines from the chat, unchanged.',
          de: 'Es fügt ein, was andere geschrieben haben, so wie es ist.',
        },
        ({ values, text }) => ({ [values[0]?.[0] ?? '']: text(PASTED) }),
      ),
      presses(
        'member',
        {
          en: 'The bot shows the problems. They fix them.',
          de: 'Der Bot sagt, was nicht stimmt. Es verbessert das.',
        },
        buttonWith(/^submit:edit/),
      ),
      fills(
        'member',
        {
          en: 'The form has only the wrong lines. They remove one and correct the other.',
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
    name: 'console-log',
    title: { en: 'A console log', de: 'Ein Konsolenprotokoll' },
    about: {
      en: 'Two players and one server. The bot lets the member choose.',
      de: 'Zwei Mitspielende und ein Server: Ausgewählt wird von Hand.',
    },
    steps: [
      runs(
        'member',
        { en: 'They want to submit a Rust server.', de: 'Es möchte einen Rust-Server einreichen.' },
        'addservers',
        { game: 'rust' },
      ),
      fills(
        'member',
        {
          en: 'They paste the log, because the address is in it.',
          de: 'Es fügt das Protokoll ein, weil die Adresse darin steht.',
        },
        ({ values }) => ({ [values[0]?.[0] ?? '']: CONSOLE_LOG }),
      ),
      picks(
        'member',
        {
          en: 'The bot doesn’t choose the players’ addresses. They choose the server.',
          de: 'Der Bot wählt die Adressen der Mitspielenden nicht aus. Es wählt den Server.',
        },
        ['0'],
      ),
      presses(
        'member',
        { en: 'They submit only the server.', de: 'Es reicht nur den Server ein.' },
        mainButton,
      ),
    ],
  },
  {
    name: 'list-of-250',
    title: { en: 'A list of 250 with 12 errors', de: 'Eine Liste von 250, 12 davon falsch' },
    about: {
      en: 'A whole file, checked line by line before anything is sent.',
      de: 'Eine ganze Datei, Zeile für Zeile geprüft, bevor etwas gesendet wird.',
    },
    steps: [
      sendsList({
        en: 'They send a file of 250 lines, 12 of them wrong.',
        de: 'Es schickt eine Datei mit 250 Zeilen; 12 davon sind falsch.',
      }),
      presses(
        'member',
        { en: 'One press adds the default ports.', de: 'Ein Klick ergänzt die üblichen Ports.' },
        buttonWith(/^submit:ports/),
      ),
      presses(
        'member',
        { en: 'Then they fix the other lines.', de: 'Dann verbessert es die anderen Zeilen.' },
        buttonWith(/^submit:edit:\d+$/),
      ),
      fills(
        'member',
        {
          en: 'They correct four lines, and remove those that nobody can reach.',
          de: 'Es berichtigt vier Zeilen und löscht, was niemand erreicht.',
        },
        ({ values }) => ({ [values[0]?.[0] ?? '']: fixed(values[0]?.[1] ?? '') }),
      ),
      presses('member', { en: 'They submit the list.', de: 'Es reicht die Liste ein.' }, mainButton),
    ],
  },
  {
    name: 'crash-in-a-list',
    title: { en: 'A crash in the middle of a list', de: 'Ein Absturz mitten in einer Liste' },
    about: {
      en: 'kill -9 while the bot is sending. Nothing is lost or sent twice.',
      de: 'kill -9, während er sendet. Nichts kommt doppelt, nichts geht verloren.',
    },
    steps: [
      sendsList({ en: 'They send a file of 250 lines.', de: 'Es schickt eine Datei mit 250 Zeilen.' }),
      presses(
        'member',
        {
          en: 'They submit it. The service is slow.',
          de: 'Es reicht sie ein, und der Dienst ist langsam.',
        },
        mainButton,
        {
          async how({ sandbox }, press) {
            await sandbox.troubleService('slow');
            const before = sandbox.listing.submitted.length;
            // Doesn't wait, because the bot won't reply until its next run.
            void press();
            await until(sandbox.watch, () => sandbox.listing.submitted.length > before);
          },
        },
      ),
      happens(
        'member',
        { en: 'kill -9, in the middle of the list.', de: 'kill -9, mittendrin.' },
        async ({ sandbox }) => {
          await sandbox.bot.stop('SIGKILL');
          await sandbox.troubleService('ok');
        },
      ),
      happens(
        'member',
        {
          en: 'The bot starts again and reports the results. Nothing is sent twice.',
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
      en: 'Buttons in a channel, for members who don’t know the commands.',
      de: 'Knöpfe in einem Kanal, für alle, die keinen Befehl kennen.',
    },
    steps: [
      runs('admin', { en: 'They post a panel.', de: 'Er postet ein Panel.' }, 'panel', {}),
      fills(
        'admin',
        { en: 'They add their own text to it.', de: 'Er schreibt einen eigenen Satz darauf.' },
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
          en: 'A member who doesn’t know the commands presses a button.',
          de: 'Ein Mitglied, das keinen Befehl kennt, drückt einen Knopf.',
        },
        mainButton,
      ),
      fills('member', { en: 'They fill in the form.', de: 'Es füllt das Formular aus.' }, () => ({
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
      en: 'The whole setup: a key and a log channel.',
      de: 'Die ganze Einrichtung: ein Schlüssel und ein Kanal fürs Protokoll.',
    },
    before: async () => undefined,
    steps: [
      runs(
        'admin',
        { en: 'They set the API key. This is needed only once.', de: 'Er setzt den API-Schlüssel, einmal.' },
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
      en: 'The bot gets query ports from Steam’s public list.',
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
          en: 'They submit a Rust server without its query port. Steam’s list has it.',
          de: 'Es reicht einen Rust-Server ohne Query-Port ein. Steam kennt ihn.',
        },
        'addserver',
        { game: 'rust', server: '93.184.216.34:28015' },
      ),
      runs(
        'member',
        {
          en: 'Steam doesn’t respond. After a moment, the server is submitted as typed.',
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
      en: 'The listing service is down. Members don’t have to type anything twice.',
      de: 'Der Listendienst ist weg. Nichts wird zweimal getippt.',
    },
    steps: [
      runs(
        'member',
        {
          en: 'The service is down when they submit a game server.',
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
          en: 'The service is back. They try again.',
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
      en: 'Connections die and requests fail, but every member gets a reply.',
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
          en: 'They ask for their submissions, and the first request of each kind fails.',
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
        { en: 'Discord works again.', de: 'Discord geht es wieder gut.' },
        async ({ sandbox }) => sandbox.troubleDiscord('ok'),
      ),
    ],
  },
];
