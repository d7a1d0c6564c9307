import type { Localizations, Named } from './command-body.ts';
import type { Flaw, Path } from './refusal.ts';

/** Discord docs: Application Commands, naming. The builders of discord.js do not allow the apostrophe. */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

/** Discord docs: Reference, Locales. */
const LOCALES = new Set(
  (
    'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th ' +
    'zh-CN ja zh-TW ko'
  ).split(' '),
);

/** Rules 11 and 19: the name of a CHAT_INPUT command or of an option, in every language. */
export function nameFlaws({ name, name_localizations }: Named, at: Path): Flaw[] {
  const flaws: Flaw[] = [];
  const path = [...at, 'name'];
  if (!NAME.test(name))
    flaws.push({
      rule: 11,
      path,
      code: 'STRING_TYPE_REGEX',
      message: 'String value did not match validation regex.',
    });
  else if (name !== name.toLowerCase()) flaws.push({ rule: 11, path, ...INVALID_NAME });
  const localized = Object.values(name_localizations ?? {});
  // Discord names the field and not the locale (discord-api-docs#7712).
  if (localized.some((text) => text !== null && (!NAME.test(text) || text !== text.toLowerCase())))
    flaws.push({ rule: 19, path: [...at, 'name_localizations'], ...INVALID_NAME });
  return flaws;
}

const INVALID_NAME = { code: 'APPLICATION_COMMAND_INVALID_NAME', message: 'Command name is invalid' };

/** Rule 19: only locales that Discord knows. Of a command, an option or a choice. */
export function localeFlaws(
  named: { readonly name_localizations?: Localizations; readonly description_localizations?: Localizations },
  at: Path,
): Flaw[] {
  return (['name_localizations', 'description_localizations'] as const).flatMap((field) =>
    Object.keys(named[field] ?? {})
      .filter((locale) => !LOCALES.has(locale))
      .map((locale) => ({
        rule: 19,
        path: [...at, field],
        code: 'ENUM_TYPE_COERCE',
        message: `Value "${locale}" is not a valid enum value.`,
      })),
  );
}

/** Rule 15: names of the options of one array are unique, in every language and across languages. */
export function uniqueNameFlaws(options: readonly Named[], at: Path): Flaw[] {
  const taken = {
    code: 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
    message: 'Option name already exists',
  };
  return options.flatMap((option, index) => {
    const earlier = options.slice(0, index);
    if (earlier.some((other) => other.name === option.name))
      return [{ rule: 15, path: [...at, index, 'name'], ...taken }];
    const clash = Object.entries(option.name_localizations ?? {}).some(
      ([locale, text]) =>
        text !== null &&
        (options.some((other, place) => place !== index && other.name === text) ||
          earlier.some((other) => other.name_localizations?.[locale] === text)),
    );
    return clash ? [{ rule: 15, path: [...at, index, 'name_localizations'], ...taken }] : [];
  });
}
