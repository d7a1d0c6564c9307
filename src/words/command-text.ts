import { languages } from './words.ts';

interface Text {
  readonly name: string;
  readonly description: string;
}

interface CommandText extends Text {
  readonly options?: Readonly<Record<string, Text>>;
}

type Described = keyof (typeof languages)['en']['commands'] & string;

/** The fields of a command's or option's description that depend on language, as Discord takes them. */
interface LocalisedText {
  readonly name: string;
  readonly description: string;
  readonly name_localizations: Readonly<Record<string, string>>;
  readonly description_localizations: Readonly<Record<string, string>>;
}

/** Name and description of a command, in English and in every other language there is. */
export function commandText(command: Described): LocalisedText {
  return localised((words) => words[command]);
}

/** Name and description of an option of a command. */
export function optionText(command: Described, option: string): LocalisedText {
  return localised((words) => words[command]?.options?.[option]);
}

/** The name of a message command, in every language; such commands have no description. */
export function messageCommandText(
  command: keyof (typeof languages)['en']['messageCommands'],
): Pick<LocalisedText, 'name' | 'name_localizations'> {
  const { en, ...others } = languages;
  return {
    name: en.messageCommands[command].name,
    name_localizations: otherThan(
      en.messageCommands[command].name,
      Object.entries(others).map(([language, words]) => [language, words.messageCommands[command].name]),
    ),
  };
}

function localised(
  pick: (commands: Readonly<Record<string, CommandText>>) => Text | undefined,
): LocalisedText {
  const { en, ...others } = languages;
  const text = pick(en.commands);
  if (!text) throw new Error('A command or option has no English text');
  const translated = Object.entries(others).flatMap(([language, words]) => {
    const found = pick(words.commands);
    return found ? [[language, found] as const] : [];
  });
  return {
    name: text.name,
    description: text.description,
    name_localizations: otherThan(
      text.name,
      translated.map(([language, found]) => [language, found.name]),
    ),
    description_localizations: otherThan(
      text.description,
      translated.map(([language, found]) => [language, found.description]),
    ),
  };
}

/** Discord drops localized texts that say the same as the default, so they are not sent. */
const otherThan = (text: string, localized: readonly (readonly [string, string])[]) =>
  Object.fromEntries(localized.filter(([, other]) => other !== text));
