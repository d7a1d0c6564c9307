import {
  type APIApplicationCommand,
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType as Type,
} from 'discord.js';
import { shownName } from '../slash-options.ts';
import type { GuildInDiscord } from './messages.ts';
import type { Choice } from './protocol.ts';

export type CommandView = ReturnType<typeof commandViews>[number];
export type OptionView = ReturnType<typeof optionView>;

interface DescribedItem {
  readonly description: string;
  readonly description_localizations?: Readonly<Partial<Record<string, string | null>>> | null;
}

const descriptionOf = (about: DescribedItem, locale: string): string =>
  about.description_localizations?.[locale] ?? about.description;

/** Returns the slash commands as Discord lists them for this user. */
export const commandViews = (
  commands: readonly APIApplicationCommand[],
  locale: string,
  where: GuildInDiscord,
) =>
  commands
    .map((command) => ({
      name: command.name,
      label: shownName(command, locale),
      description: descriptionOf(command, locale),
      options: ((command.options ?? []) as readonly APIApplicationCommandBasicOption[]).map((option) =>
        optionView(option, locale, where),
      ),
    }))
    .sort((a, b) => a.label.localeCompare(b.label, locale));

interface Limits {
  readonly min_value?: number;
  readonly max_value?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly autocomplete?: boolean;
  readonly file_types?: readonly string[];
}

function optionView(option: APIApplicationCommandBasicOption, locale: string, where: GuildInDiscord) {
  const limits = option as Limits;
  const choices = choicesOf(option, locale, where);
  return {
    name: option.name,
    /** The option's name in the user's language. */
    label: shownName(option, locale),
    description: descriptionOf(option, locale),
    kind: choices.length > 0 ? ('choice' as const) : kindOf(option.type),
    required: option.required ?? false,
    autocomplete: limits.autocomplete ?? false,
    choices,
    /** The file types that the option accepts. */
    types: limits.file_types ?? [],
    least: limits.min_value ?? limits.min_length,
    most: limits.max_value ?? limits.max_length,
  };
}

/** Returns the choices that Discord shows without asking the bot. */
function choicesOf(
  option: APIApplicationCommandBasicOption,
  locale: string,
  { discord, guild }: GuildInDiscord,
): readonly Choice[] {
  if (option.type === Type.User)
    return discord.members(guild).map(({ id, name }) => ({ label: `@${name}`, value: id }));
  const choices = 'choices' in option ? (option.choices ?? []) : [];
  return choices.map((choice) => ({ label: shownName(choice, locale), value: String(choice.value) }));
}

function kindOf(type: Type) {
  if (type === Type.Attachment) return 'file' as const;
  return type === Type.Integer ? ('number' as const) : ('text' as const);
}
