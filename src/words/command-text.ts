import { ENGLISH, languages, type Sentences } from './languages.ts';

/*
 * Builds the translated text for Discord's command fields. The names of slash commands and their options are the same in
 * every language, because clickable mentions and pasted commands show everyone the default name (discord-api-docs#7309,
 * #5446).
 */

interface CommandSentences {
  readonly description: string;
  readonly options?: Readonly<Record<string, { readonly description: string }>>;
}

type CommandName = keyof Sentences['commands'];

export const commandText = (command: CommandName) =>
  described(command, ({ commands }) => commands[command].description);

export const optionText = (command: CommandName, option: string) =>
  described(option, ({ commands }) => {
    const { options }: CommandSentences = commands[command];
    const text = options?.[option];
    if (!text) throw new Error(`The option ${option} of /${command} has no text`);
    return text.description;
  });

export const choiceText = (outcome: keyof Sentences['outcome']) =>
  named((sentences) => sentences.outcome[outcome]);

/** Message commands have no description. */
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

/** Returns a text's translations by Discord locale code. Omits any that equal the English default: Discord drops them. */
function localizations(textIn: (sentences: Sentences) => string): Readonly<Record<string, string>> {
  const english = textIn(ENGLISH.sentences);
  const texts = languages.flatMap(({ locales, sentences }) => {
    const text = textIn(sentences);
    return text === english ? [] : locales.map((locale) => [locale, text] as const);
  });
  return Object.fromEntries(texts);
}
