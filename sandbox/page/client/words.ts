/** What Discord's own client says, and the page, in the languages that the bot speaks; in English for all others. */
const WORDS = {
  en: {
    onlyYou: 'Only you can see this',
    dismiss: 'Dismiss message',
    used: 'used',
    thinking: 'is thinking…',
    sending: 'Sending command…',
    failed: 'The application did not respond',
    pressFailed: 'This interaction failed',
    edited: '(edited)',
    apps: 'Apps',
    send: 'Send',
    submit: 'Submit',
    cancel: 'Cancel',
    choose: 'Make a selection',
    done: 'Done',
    somethingWrong: 'Something went wrong. Try again.',
    message: 'Message',
    leave: 'Leave this command',
    accepted: 'Accepted files:',
    // From here on it is the page's own.
    channel: 'Channel',
    direct: 'Direct messages',
    next: 'Next',
    close: 'Close',
    nothing: 'Nothing is written here yet.',
    newHere: 'New here? Play',
    orElse: 'Or:',
  },
  de: {
    onlyYou: 'Nur du kannst das sehen',
    dismiss: 'Nachricht verwerfen',
    used: 'hat verwendet:',
    thinking: 'denkt nach …',
    sending: 'Befehl wird gesendet …',
    failed: 'Die Anwendung hat nicht reagiert',
    pressFailed: 'Diese Interaktion ist fehlgeschlagen',
    edited: '(bearbeitet)',
    apps: 'Apps',
    send: 'Senden',
    submit: 'Absenden',
    cancel: 'Abbrechen',
    choose: 'Triff eine Auswahl',
    done: 'Fertig',
    somethingWrong: 'Etwas ist schiefgelaufen. Versuche es noch einmal.',
    message: 'Nachricht an',
    leave: 'Befehl verlassen',
    accepted: 'Erlaubte Dateien:',
    channel: 'Kanal',
    direct: 'Direktnachrichten',
    next: 'Weiter',
    close: 'Schließen',
    nothing: 'Hier steht noch nichts.',
    newHere: 'Neu hier? Spiel',
    orElse: 'Oder:',
  },
} as const;

/** Stands for the channel of direct messages, as in Discord's own addresses. No channel can be called so. */
export const DIRECT = '@me';

export const wordsFor = (locale: string) => (locale.startsWith('de') ? WORDS.de : WORDS.en);

/** Which files are taken, by how their names end; nothing where all are. */
export const acceptedText = (types: readonly string[], locale: string): string =>
  types.length === 0 ? '' : `${wordsFor(locale).accepted} ${types.join(', ')}`;
