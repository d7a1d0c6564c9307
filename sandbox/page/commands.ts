import type { APIApplicationCommand, APIApplicationCommandOption } from 'discord.js';
import { choicesOf, type Where } from './messages.ts';
import type { CommandView, OptionView } from './protocol.ts';

/** Types of option (Discord docs: Application Commands, Application Command Option Type). */
const TYPE = {
  subcommand: 1,
  group: 2,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  file: 11,
};
/** Types of select that offer the same as a type of option. */
const SELECT_FOR: Readonly<Record<number, number>> = {
  [TYPE.user]: 5,
  [TYPE.role]: 6,
  [TYPE.mentionable]: 7,
  [TYPE.channel]: 8,
};

interface Localised {
  readonly name: string;
  readonly name_localizations?: Readonly<Partial<Record<string, string | null>>> | null;
  readonly description?: string;
  readonly description_localizations?: Readonly<Partial<Record<string, string | null>>> | null;
}

/** What a command or an option is called in a language. */
export const labelOf = ({ name, name_localizations: names }: Localised, locale: string): string =>
  names?.[locale] ?? name;
const descriptionOf = (
  { description = '', description_localizations: descriptions }: Localised,
  locale: string,
): string => descriptions?.[locale] ?? description;

/** The slash commands as a person's Discord lists them, each subcommand for itself. */
export function commandViews(
  commands: readonly APIApplicationCommand[],
  locale: string,
  where: Where,
): readonly CommandView[] {
  return commands
    .filter(({ type }) => Number(type) === 1)
    .flatMap((command) => {
      const { options = [] } = command;
      return below({ names: [command.name], labels: [labelOf(command, locale)] }, command, options);
    })
    .sort((a, b) => a.label.localeCompare(b.label, locale));

  function below(
    path: { readonly names: readonly string[]; readonly labels: readonly string[] },
    about: Localised,
    options: readonly APIApplicationCommandOption[],
  ): CommandView[] {
    const subcommands = options.filter(({ type }) => type === TYPE.subcommand || type === TYPE.group);
    if (subcommands.length === 0)
      return [
        {
          name: path.names.join(' '),
          label: path.labels.join(' '),
          description: descriptionOf(about, locale),
          options: options.map((option) => optionView(option, locale, where)),
        },
      ];
    return subcommands.flatMap((option) =>
      below(
        { names: [...path.names, option.name], labels: [...path.labels, labelOf(option, locale)] },
        option,
        'options' in option ? (option.options ?? []) : [],
      ),
    );
  }
}

interface Limits {
  readonly min_value?: number;
  readonly max_value?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly autocomplete?: boolean;
  readonly channel_types?: readonly number[];
  readonly choices?: readonly (Localised & { readonly value: string | number })[];
}

function optionView(option: APIApplicationCommandOption, locale: string, where: Where): OptionView {
  const { name, type, required = false } = option;
  const { choices = [], autocomplete = false, channel_types = [], ...limits } = option as Limits;
  const select = SELECT_FOR[type];
  const named = choices.map((choice) => ({ label: labelOf(choice, locale), value: String(choice.value) }));
  const here = select === undefined ? [] : choicesOf({ type: select, channel_types }, where);
  const truths = type === TYPE.boolean ? ['True', 'False'] : [];
  const offered = [...named, ...here, ...truths.map((label) => ({ label, value: label.toLowerCase() }))];
  return {
    name,
    label: labelOf(option, locale),
    description: descriptionOf(option, locale),
    kind: kindOf(type, offered.length > 0 || select !== undefined),
    required,
    autocomplete,
    choices: offered.map(({ label, value }) => ({ label, value })),
    least: limits.min_value ?? limits.min_length,
    most: limits.max_value ?? limits.max_length,
  };
}

function kindOf(type: number, isChosen: boolean): OptionView['kind'] {
  if (type === TYPE.file) return 'file';
  if (isChosen) return 'choice';
  if (type === TYPE.integer) return 'integer';
  return type === TYPE.number ? 'number' : 'text';
}

/** What was entered, as the option takes it: a choice of a number is a number, true and false are no words. */
export function optionValue(
  command: APIApplicationCommand | undefined,
  path: readonly string[],
  name: string,
  value: string,
): string | number | boolean {
  const inside = path.reduce<readonly APIApplicationCommandOption[]>((options, part) => {
    const found = options.find((option) => option.name === part);
    return found !== undefined && 'options' in found ? (found.options ?? []) : [];
  }, command?.options ?? []);
  const type = inside.find((option) => option.name === name)?.type ?? 3;
  if (type === TYPE.boolean) return value === 'true';
  const isNumber = type === TYPE.integer || type === TYPE.number;
  return isNumber && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}
