/** What Discord's own client says, and the page, in English and in German. */
const WORDS = {
  onlyYou: ['Only you can see this', 'Nur du kannst das sehen'],
  dismiss: ['Dismiss message', 'Nachricht verwerfen'],
  used: ['used', 'hat verwendet:'],
  thinking: ['is thinking…', 'denkt nach …'],
  sending: ['Sending command…', 'Befehl wird gesendet …'],
  failed: ['The application did not respond', 'Die Anwendung hat nicht reagiert'],
  pressFailed: ['This interaction failed', 'Diese Interaktion ist fehlgeschlagen'],
  edited: ['(edited)', '(bearbeitet)'],
  apps: ['Apps', 'Apps'],
  send: ['Send', 'Senden'],
  submit: ['Submit', 'Absenden'],
  cancel: ['Cancel', 'Abbrechen'],
  choose: ['Make a selection', 'Triff eine Auswahl'],
  done: ['Done', 'Fertig'],
  somethingWrong: ['Something went wrong. Try again.', 'Etwas ist schiefgelaufen. Versuche es noch einmal.'],
  message: ['Message', 'Nachricht an'],
  leave: ['Leave this command', 'Befehl verlassen'],
  accepted: ['Accepted files:', 'Erlaubte Dateien:'],
  // From here on it is the page's own.
  channel: ['Channel', 'Kanal'],
  direct: ['Direct messages', 'Direktnachrichten'],
  next: ['Next', 'Weiter'],
  close: ['Close', 'Schließen'],
  nothing: ['Nothing is written here yet.', 'Hier steht noch nichts.'],
  newHere: ['New here? Play', 'Neu hier? Spiel'],
  orElse: ['Or:', 'Oder:'],
} as const;

type Words = Readonly<Record<keyof typeof WORDS, string>>;

const column = (index: 0 | 1) =>
  Object.fromEntries(Object.entries(WORDS).map(([name, texts]) => [name, texts[index]])) as Words;
const [ENGLISH, GERMAN] = [column(0), column(1)];

/** Stands for the channel of direct messages, as in Discord's own addresses. No channel can be called so. */
export const DIRECT = '@me';

/** English for everybody whose language is not German. */
export const wordsFor = (locale: string): Words => (locale.startsWith('de') ? GERMAN : ENGLISH);

/** Which files are taken, by how their names end; nothing where all are. */
export const acceptedText = (types: readonly string[], locale: string): string =>
  types.length === 0 ? '' : `${wordsFor(locale).accepted} ${types.join(', ')}`;
