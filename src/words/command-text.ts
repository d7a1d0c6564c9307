import { ENGLISH, languages, type Sentences } from './languages.ts';

interface Text {
  readonly name: string;
  readonly description: string;
}

interface CommandText extends Text {
  readonly options?: Readonly<Record<string, Text>>;
}

type Described = keyof Sentences['commands'];

/** The fields of a command's or option's description that depend on language, as Discord takes them. */
interface LocalisedText extends Text {
  readonly name_localizations: Readonly<Record<string, string>>;
  readonly description_localizations: Readonly<Record<string, string>>;
}

/** Name and description of a command, in English and in every other language there is. */
export const commandText = (command: Described): LocalisedText =>
  localised(({ commands }) => commands[command]);

/** Name and description of an option of a command. */
export function optionText(command: Described, option: string): LocalisedText {
  return localised(({ commands }) => {
    const { options }: CommandText = commands[command];
    const text = options?.[option];
    if (!text) throw new Error(`The option ${option} of /${command} has no text`);
    return text;
  });
}

/** The name of a choice of an option: how a submission ended. */
export function choiceText(
  outcome: keyof Sentences['outcome'],
): Pick<LocalisedText, 'name' | 'name_localizations'> {
  const nameIn = (sentences: Sentences) => sentences.outcome[outcome];
  return { name: nameIn(ENGLISH.sentences), name_localizations: localizations(nameIn) };
}

/** The name of a message command, in every language; such commands have no description. */
export function messageCommandText(
  command: keyof Sentences['messageCommands'],
): Pick<LocalisedText, 'name' | 'name_localizations'> {
  const nameIn = ({ messageCommands }: Sentences) => messageCommands[command].name;
  return { name: nameIn(ENGLISH.sentences), name_localizations: localizations(nameIn) };
}

function localised(textIn: (sentences: Sentences) => Text): LocalisedText {
  const { name, description } = textIn(ENGLISH.sentences);
  return {
    name,
    description,
    name_localizations: localizations((sentences) => textIn(sentences).name),
    description_localizations: localizations((sentences) => textIn(sentences).description),
  };
}

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
