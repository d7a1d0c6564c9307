import { languages } from './words.ts';

interface Text {
  readonly name: string;
  readonly description: string;
}

interface CommandText extends Text {
  readonly options?: Readonly<Record<string, Text>>;
}

type Language = (typeof languages)[keyof typeof languages];
type Described = keyof (typeof languages)['en']['commands'] & string;

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
  outcome: keyof (typeof languages)['en']['outcome'],
): Pick<LocalisedText, 'name' | 'name_localizations'> {
  const nameIn = (language: Language) => language.outcome[outcome];
  return { name: nameIn(languages.en), name_localizations: localizations(nameIn) };
}

/** The name of a message command, in every language; such commands have no description. */
export function messageCommandText(
  command: keyof (typeof languages)['en']['messageCommands'],
): Pick<LocalisedText, 'name' | 'name_localizations'> {
  const nameIn = ({ messageCommands }: Language) => messageCommands[command].name;
  return { name: nameIn(languages.en), name_localizations: localizations(nameIn) };
}

function localised(textIn: (language: Language) => Text): LocalisedText {
  const { name, description } = textIn(languages.en);
  return {
    name,
    description,
    name_localizations: localizations((language) => textIn(language).name),
    description_localizations: localizations((language) => textIn(language).description),
  };
}

/** Discord drops localized texts that say the same as the default, English among them, so they are not sent. */
function localizations(textIn: (language: Language) => string): Readonly<Record<string, string>> {
  const texts = Object.entries(languages).map(([locale, language]) => [locale, textIn(language)] as const);
  return Object.fromEntries(texts.filter(([, text]) => text !== textIn(languages.en)));
}
