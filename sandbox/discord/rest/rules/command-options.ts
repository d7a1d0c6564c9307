import { fileTypeFlaws } from './attachments.ts';
import {
  type ChoiceBody,
  isSubcommand,
  type Localizations,
  type Named,
  type OptionBody,
  optionType,
} from './command-body.ts';
import { type Flaw, lengthOf, notAnInteger, type Path, repeats, required, tooLong } from './flaws.ts';

const { string, integer, number, channel, attachment } = optionType;

/** Which option types a field belongs to (rules 13 and 16). */
const BELONGS: readonly (readonly [field: keyof OptionBody, types: readonly number[], rule: number])[] = [
  ['autocomplete', [string, integer, number], 16],
  ['choices', [string, integer, number], 13],
  ['min_length', [string], 13],
  ['max_length', [string], 13],
  ['min_value', [integer, number], 13],
  ['max_value', [integer, number], 13],
  ['channel_types', [channel], 16],
  ['file_types', [attachment], 16],
];

/** Rules 11, 13–17 and 19 for one array of options and everything below it. */
export function optionFlaws(options: readonly OptionBody[], at: Path): Flaw[] {
  return [
    ...mixedFlaws(options, at),
    ...orderFlaws(options, at),
    ...uniqueNameFlaws(options, at),
    ...options.flatMap((option, index) => oneOptionFlaws(option, [...at, index])),
  ];
}

/** Rule 17. The nesting itself (command, group, subcommand, option) is in Discord's schema. */
function mixedFlaws(options: readonly OptionBody[], at: Path): Flaw[] {
  const first = options[0];
  if (first === undefined) return [];
  return options.flatMap((option, index) =>
    isSubcommand(option) === isSubcommand(first)
      ? []
      : [
          {
            rule: 17,
            path: [...at, index],
            code: 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
            message:
              'Sub-command and sub-command group option types are mutually exclusive to all other types',
          },
        ],
  );
}

/** Rule 14. */
function orderFlaws(options: readonly OptionBody[], at: Path): Flaw[] {
  const firstOptional = options.findIndex((option) => option.required !== true);
  return options.flatMap((option, index) =>
    option.required === true && firstOptional !== -1 && index > firstOptional
      ? [
          {
            rule: 14,
            path: [...at, index],
            code: 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
            message: 'Required options must be placed before non-required options',
          },
        ]
      : [],
  );
}

function oneOptionFlaws(option: OptionBody, at: Path): Flaw[] {
  const choices = option.choices ?? [];
  const flaws = [...nameFlaws(option, at), ...localeFlaws(option, at)];
  for (const [field, types, rule] of BELONGS)
    if (isGiven(option[field]) && !types.includes(option.type))
      flaws.push({
        rule,
        path: [...at, field],
        code: 'APPLICATION_COMMAND_OPTIONS_FIELD_INVALID',
        message: `${field} is not allowed for this option type`,
      });
  if (option.autocomplete === true && choices.length > 0)
    flaws.push({
      rule: 16,
      path: [...at, 'autocomplete'],
      code: 'APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES',
      message: 'Autocomplete and choices are mutually exclusive',
    });
  flaws.push(
    ...fileTypeFlaws(option.file_types ?? [], [...at, 'file_types'], 16),
    ...rangeFlaws(option, at),
    ...choiceFlaws(choices, option.type, [...at, 'choices'], 13),
    ...optionFlaws(option.options ?? [], [...at, 'options']),
  );
  return flaws;
}

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0);

function rangeFlaws(option: OptionBody, at: Path): Flaw[] {
  const flaws: Flaw[] = [];
  for (const [low, high] of [
    ['min_length', 'max_length'],
    ['min_value', 'max_value'],
  ] as const) {
    const [min, max] = [option[low] ?? undefined, option[high] ?? undefined];
    if (min !== undefined && max !== undefined && min > max)
      flaws.push({
        rule: 13,
        path: [...at, low],
        code: 'NUMBER_TYPE_MAX',
        message: `int value should be less than or equal to ${max}.`,
      });
    if (low === 'min_value' && option.type === number) continue;
    if (min !== undefined && !Number.isInteger(min)) flaws.push(notAnInteger(13, [...at, low], min));
    if (max !== undefined && !Number.isInteger(max)) flaws.push(notAnInteger(13, [...at, high], max));
  }
  return flaws;
}

/**
 * Rule 13, and 31 for suggestions: a string value has 1 to 100 characters (the published schema allows 6000, the
 * documentation 100), an integer's value is whole.
 */
export function choiceFlaws(choices: readonly ChoiceBody[], type: number, at: Path, rule: number): Flaw[] {
  const flaws = choices.flatMap((choice, index) => {
    const path = [...at, index, 'value'];
    const found = localeFlaws(choice, [...at, index]);
    if (choice.value === '') found.push(required(rule, path));
    if (typeof choice.value === 'string' && lengthOf(choice.value) > 100)
      found.push(tooLong(rule, path, 100));
    if (type === integer && !Number.isInteger(choice.value))
      found.push(notAnInteger(rule, path, choice.value));
    return found;
  });
  for (const index of repeats(choices.map(({ name }) => name)))
    flaws.push({
      rule,
      path: [...at, index],
      code: 'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS',
      message: 'Option choice name already exists',
    });
  return flaws;
}

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
