/** What Discord's own client says, and the page, in English and in German. */
const WORDS = {
  onlyYou: { en: 'Only you can see this', de: 'Nur du kannst das sehen' },
  dismiss: { en: 'Dismiss message', de: 'Nachricht verwerfen' },
  used: { en: 'used', de: 'hat verwendet:' },
  thinking: { en: 'is thinking…', de: 'denkt nach …' },
  sending: { en: 'Sending command…', de: 'Befehl wird gesendet …' },
  failed: { en: 'The application did not respond', de: 'Die Anwendung hat nicht reagiert' },
  pressFailed: { en: 'This interaction failed', de: 'Diese Interaktion ist fehlgeschlagen' },
  edited: { en: '(edited)', de: '(bearbeitet)' },
  apps: { en: 'Apps', de: 'Apps' },
  send: { en: 'Send', de: 'Senden' },
  submit: { en: 'Submit', de: 'Absenden' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  choose: { en: 'Make a selection', de: 'Triff eine Auswahl' },
  done: { en: 'Done', de: 'Fertig' },
  somethingWrong: {
    en: 'Something went wrong. Try again.',
    de: 'Etwas ist schiefgelaufen. Versuche es noch einmal.',
  },
  message: { en: 'Message', de: 'Nachricht an' },
  leave: { en: 'Leave this command', de: 'Befehl verlassen' },
  accepted: { en: 'Accepted files:', de: 'Erlaubte Dateien:' },
  unknown: { en: 'There is no command here called', de: 'Hier gibt es keinen Befehl namens' },
  // From here on it is the page's own.
  channel: { en: 'Channel', de: 'Kanal' },
  direct: { en: 'Direct messages', de: 'Direktnachrichten' },
  next: { en: 'Next', de: 'Weiter' },
  close: { en: 'Close', de: 'Schließen' },
  nothing: { en: 'Nothing is written here yet.', de: 'Hier steht noch nichts.' },
  newHere: { en: 'New here? Play', de: 'Neu hier? Spiel' },
  orElse: { en: 'Or:', de: 'Oder:' },
} as const;

type Words = Readonly<Record<keyof typeof WORDS, string>>;

const wordsIn = (language: 'en' | 'de') =>
  Object.fromEntries(Object.entries(WORDS).map(([name, texts]) => [name, texts[language]])) as Words;
const ENGLISH = wordsIn('en');
const GERMAN = wordsIn('de');

/** Stands for the channel of direct messages, as in Discord's own addresses. No channel can be called so. */
export const DIRECT = '@me';

/** English for everybody whose language is not German. */
export const wordsFor = (locale: string): Words => (locale.startsWith('de') ? GERMAN : ENGLISH);

/** Which files are taken, by how their names end; nothing where all are. */
export const acceptedText = (types: readonly string[], locale: string): string =>
  types.length === 0 ? '' : `${wordsFor(locale).accepted} ${types.join(', ')}`;
