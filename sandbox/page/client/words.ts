/** What Discord's own client says, in the languages that the bot speaks; in English for all others. */
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
  },
} as const;

export type Words = Readonly<Record<keyof (typeof WORDS)['en'], string>>;

export const wordsFor = (locale: string): Words => (locale.startsWith('de') ? WORDS.de : WORDS.en);
