/** English and German text: first the Discord client's wording, then the page's own. */
const WORDS = {
  onlyYou: { en: 'Only you can see this', de: 'Nur du kannst das sehen' },
  dismiss: { en: 'Dismiss message', de: 'Nachricht verwerfen' },
  used: { en: 'used', de: 'hat verwendet:' },
  thinking: { en: 'is thinking…', de: 'denkt nach …' },
  sending: { en: 'Sending command…', de: 'Befehl wird gesendet …' },
  failed: { en: 'The application did not respond', de: 'Die Anwendung hat nicht reagiert' },
  pressFailed: { en: 'This interaction failed', de: 'Diese Interaktion ist fehlgeschlagen' },
  changed: {
    en: 'This message has just changed. Check it again.',
    de: 'Diese Nachricht hat sich geändert. Sieh noch einmal hin.',
  },
  edited: { en: '(edited)', de: '(bearbeitet)' },
  app: { en: 'APP', de: 'APP' },
  apps: { en: 'Apps', de: 'Apps' },
  more: { en: 'More', de: 'Mehr' },
  send: { en: 'Send', de: 'Senden' },
  submit: { en: 'Submit', de: 'Absenden' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  choose: { en: 'Make a selection', de: 'Triff eine Auswahl' },
  done: { en: 'Done', de: 'Fertig' },
  required: { en: 'This field is required.', de: 'Dieses Feld muss ausgefüllt sein.' },
  wrongFile: {
    en: 'Files of this type aren’t accepted.',
    de: 'Dateien dieses Typs werden nicht angenommen.',
  },
  somethingWrong: {
    en: 'Something went wrong. Try again.',
    de: 'Etwas ist schiefgelaufen. Versuche es noch einmal.',
  },
  message: { en: 'Message', de: 'Nachricht an' },
  messagesIn: { en: 'Messages in', de: 'Nachrichten in' },
  leave: { en: 'Leave this command', de: 'Befehl verlassen' },
  accepted: { en: 'Accepted files:', de: 'Erlaubte Dateien:' },
  unknown: { en: 'There’s no command called', de: 'Hier gibt es keinen Befehl namens' },
  channel: { en: 'Channel', de: 'Kanal' },
  channels: { en: 'Channels', de: 'Kanäle' },
  servers: { en: 'Discord servers', de: 'Discord-Server' },
  direct: { en: 'Direct messages', de: 'Direktnachrichten' },
  close: { en: 'Close', de: 'Schließen' },
  // The page's own text.
  title: { en: 'Game servers, submitted from Discord', de: 'Spielserver, eingereicht aus Discord' },
  what: {
    en: 'Members submit game servers with a command or a button, and the bot sends them to a listing service.',
    de: 'Mitglieder reichen Server mit einem Befehl oder Knopf ein, und der Bot sendet sie an einen Listendienst.',
  },
  cardboard: {
    en: 'This is the real bot. Discord and the listing service are local stand-ins, so nothing leaves this machine.',
    de: 'Das ist der echte Bot. Discord und der Listendienst sind nur nachgebaut, und nichts verlässt diesen Rechner.',
  },
  tryIt: { en: 'Try it yourself', de: 'Selbst ausprobieren' },
  tryAbout: {
    en: 'Type /addserver, then a game and an address.',
    de: 'Tippe /addserver, dann ein Spiel und eine Adresse.',
  },
  nothing: { en: 'There are no messages here yet.', de: 'Hier steht noch nichts.' },
  next: { en: 'Next', de: 'Weiter' },
  again: { en: 'Again', de: 'Noch einmal' },
  nextOne: { en: 'Next:', de: 'Weiter:' },
  over: { en: 'End of', de: 'Ende von' },
  of: { en: 'of', de: 'von' },
  gone: { en: 'The sandbox has ended.', de: 'Die Sandbox ist beendet.' },
  sandbox: { en: 'Sandbox', de: 'Sandbox' },
  admin: { en: 'Admin', de: 'Admin' },
  moderator: { en: 'Moderator', de: 'Moderatorin' },
  member: { en: 'Member', de: 'Mitglied' },
  other: { en: 'Another member', de: 'Anderes Mitglied' },
  scenarios: { en: 'Scenarios', de: 'Szenarien' },
  you: { en: 'You', de: 'Du' },
  who: { en: 'Your role', de: 'Wer du bist' },
  server: { en: 'Discord server', de: 'Discord-Server' },
  language: { en: 'Language', de: 'Sprache' },
  bot: { en: 'The bot', de: 'Der Bot' },
  starting: { en: 'It is starting…', de: 'Er startet …' },
  ready: { en: 'It is running.', de: 'Er läuft.' },
  stopped: { en: 'It is not running.', de: 'Er läuft nicht.' },
  crashed: { en: 'It crashed.', de: 'Er ist abgestürzt.' },
  start: { en: 'Start', de: 'Starten' },
  badDays: { en: 'Bad days', de: 'Schlechte Tage' },
  serviceShort: { en: 'Service', de: 'Dienst' },
  service: { en: 'The listing service', de: 'Der Listendienst' },
  keys: { en: 'Keys', de: 'Schlüssel' },
  revoke: { en: 'Revoke', de: 'Widerrufen:' },
  newKey: { en: 'A new key for the service to accept', de: 'Ein Schlüssel, den der Dienst annehmen soll' },
  anotherKey: { en: 'another-key', de: 'noch-ein-schlüssel' },
  allow: { en: 'Allow', de: 'Annehmen' },
  held: { en: 'Game servers it has:', de: 'Server, die er hat:' },
  wire: { en: 'Between bot and Discord', de: 'Zwischen Bot und Discord' },
  noneBroken: { en: 'The bot broke no Discord rules.', de: 'Keine Regel von Discord wurde verletzt.' },
  broken: { en: 'Broken Discord rules:', de: 'Verletzte Regeln von Discord:' },
  trace: {
    en: 'Traffic, newest first',
    de: 'Verkehr, das Neueste zuerst',
  },
} as const;

type Words = Readonly<Record<keyof typeof WORDS, string>>;

const wordsIn = (language: 'en' | 'de') =>
  Object.fromEntries(Object.entries(WORDS).map(([name, texts]) => [name, texts[language]])) as Words;
const ENGLISH = wordsIn('en');
const GERMAN = wordsIn('de');

/** The name of the user's direct message channel, as in Discord's URLs. Real channels can't have this name. */
export const DIRECT = '@me';

/** Returns German text for German locales, and English text for all others. */
export const wordsFor = (locale: string): Words => (locale.startsWith('de') ? GERMAN : ENGLISH);

/** Returns the name of a channel as Discord shows it. */
export const channelTitle = (name: string, locale: string): string =>
  name === DIRECT ? wordsFor(locale).direct : `#${name}`;

/** Describes the file types that a field accepts. Returns an empty string if it accepts all types. */
export const acceptedText = (types: readonly string[], locale: string): string =>
  types.length === 0 ? '' : `${wordsFor(locale).accepted} ${types.join(', ')}`;
