import type { APIApplicationCommand, APIApplicationCommandOption } from 'discord.js';
import type { CommandBody } from './commands.ts';

/**
 * Rule 23: a command as Discord keeps and returns it. What is left out of a body comes back with its default, and
 * defaults of options (`required: false`) do not come back at all.
 */
export function kept(
  body: CommandBody,
  of: {
    readonly id: string;
    readonly applicationId: string;
    readonly version: string;
    readonly guildId: string | undefined;
  },
): APIApplicationCommand {
  const { default_member_permissions, ...rest } = body;
  const options = 'options' in body ? body.options : undefined;
  const command = {
    ...rest,
    options: options?.length ? options.map(keptOption) : undefined,
    id: of.id,
    application_id: of.applicationId,
    version: of.version,
    type: body.type ?? 1,
    description: 'description' in body ? (body.description ?? '') : '',
    name_localizations: body.name_localizations ?? null,
    description_localizations:
      'description_localizations' in body ? (body.description_localizations ?? null) : null,
    // A bitset may be sent as a number, and always comes back as a string.
    default_member_permissions:
      default_member_permissions === undefined || default_member_permissions === null
        ? null
        : String(default_member_permissions),
    // Rule 20: where a command of one guild is offered needs no saying, and what is said counts for nothing.
    contexts: of.guildId === undefined ? (body.contexts ?? null) : null,
    integration_types: of.guildId === undefined ? (body.integration_types ?? [0]) : [0],
    nsfw: body.nsfw ?? false,
    ...(of.guildId !== undefined && { guild_id: of.guildId }),
  };
  return defined(command) as APIApplicationCommand;
}

const defined = <T extends object>(object: T): object =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function keptOption(option: APIApplicationCommandOption): APIApplicationCommandOption {
  const entries = Object.entries({
    ...option,
    name_localizations: option.name_localizations ?? null,
    description_localizations: option.description_localizations ?? null,
    ...('options' in option && { options: option.options?.map(keptOption) }),
  });
  return Object.fromEntries(
    entries.filter(
      ([key, value]) =>
        value !== undefined && !((key === 'required' || key === 'autocomplete') && value === false),
    ),
  ) as unknown as APIApplicationCommandOption;
}

/**
 * The form of the lists (`GET …/commands`): without `with_localizations`, only the name and the description in the
 * language that was asked for (Discord docs: Application Commands, Localization).
 */
export function listed<C extends object>(
  command: C,
  options: { readonly withLocalizations: boolean; readonly locale: string | undefined },
): C {
  if (options.withLocalizations) return command;
  const entries = Object.entries(command).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'name_localizations' || key === 'description_localizations') {
      const inLocale = localized(value, options.locale);
      return inLocale === undefined ? [] : [[key.replace('localizations', 'localized'), inLocale]];
    }
    if (key === 'options' || key === 'choices')
      return [[key, (value as object[]).map((child) => listed(child, options))]];
    return [[key, value]];
  });
  return Object.fromEntries(entries) as C;
}

function localized(names: unknown, locale: string | undefined): unknown {
  if (typeof names !== 'object' || names === null || locale === undefined) return undefined;
  return new Map(Object.entries(names)).get(locale) ?? undefined;
}
