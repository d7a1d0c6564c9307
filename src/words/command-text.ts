import { ENGLISH, languages, type Sentences } from './languages.ts';

/*
 * Commands in Discord's fields. Their names and those of options are the same in every language: Discord's clickable mentions and
 * pasted commands show the default name to everybody (discord-api-docs#7309, #5446).
 */

interface CommandSentences {
  readonly description: string;
  readonly options?: Readonly<Record<string, { readonly description: string }>>;
}

type Described = keyof Sentences['commands'];

/** Name and description of a command, the description in every language. */
export const commandText = (command: Described) =>
  described(command, ({ commands }) => commands[command].description);

/** Name and description of an option of a command. */
export const optionText = (command: Described, option: string) =>
  described(option, ({ commands }) => {
    const { options }: CommandSentences = commands[command];
    const text = options?.[option];
    if (!text) throw new Error(`The option ${option} of /${command} has no text`);
    return text.description;
  });

/** The name of an option's choice: an outcome. */
export const choiceText = (outcome: keyof Sentences['outcome']) =>
  named((sentences) => sentences.outcome[outcome]);

/** The name of a message command, in every language; such commands have no description. */
export const messageCommandText = (command: keyof Sentences['messageCommands']) =>
  named(({ messageCommands }) => messageCommands[command].name);

const named = (nameIn: (sentences: Sentences) => string) => ({
  name: nameIn(ENGLISH.sentences),
  name_localizations: localizations(nameIn),
});

const described = (name: string, descriptionIn: (sentences: Sentences) => string) => ({
  name,
  description: descriptionIn(ENGLISH.sentences),
  description_localizations: localizations(descriptionIn),
});

/**
 * A text under each of Discord's names for a language. Discord drops localized texts that say the same as the default,
 * English among them, so they are not sent.
 */
function localizations(textIn: (sentences: Sentences) => string): Readonly<Record<string, string>> {
  const english = textIn(ENGLISH.sentences);
  const texts = languages.flatMap(({ locales, sentences }) => {
    const text = textIn(sentences);
    return text === english ? [] : locales.map((locale) => [locale, text] as const);
  });
  return Object.fromEntries(texts);
}
