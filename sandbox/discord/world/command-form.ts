import type {
  APIApplicationCommand,
  APIApplicationCommandOption,
  RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';

/** A command as a bot sends it; `id` names an existing one in a PUT (rule 21). */
export type CommandBody = RESTPostAPIApplicationCommandsJSONBody & { readonly id?: string };

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
    ...keptLocalizations(body),
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

type Localizations = Readonly<Record<string, string | null>> | null | undefined;

/** Rule 19: localized values that say the same as the default are dropped. */
function keptLocalizations(named: object) {
  const { name, name_localizations, description, description_localizations } = Object(named);
  return {
    name_localizations: otherThan(name, name_localizations),
    description_localizations: otherThan(description, description_localizations),
  };
}

function otherThan(text: unknown, localizations: Localizations): Localizations {
  const kept = Object.entries(localizations ?? {}).filter(([, value]) => value !== null && value !== text);
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

const keptChoice = <C extends { readonly name: string }>(choice: C): C => ({
  ...choice,
  name_localizations: keptLocalizations(choice).name_localizations,
});

const defined = <T extends object>(object: T): object =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

function keptOption(option: APIApplicationCommandOption): APIApplicationCommandOption {
  const entries = Object.entries({
    ...option,
    ...keptLocalizations(option),
    ...('options' in option && { options: option.options?.map(keptOption) }),
    ...('choices' in option && { choices: option.choices?.map(keptChoice) }),
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

/** How much Discord says of a command beyond what its documents promise. Both keep to its published schema. */
export type CommandAnswers = 'usual' | 'full' | 'sparse';

/**
 * The same command with every default said, deprecated fields, and lists in another order (`full`), or with all left
 * out that may be (`sparse`): what says nothing, and `file_types`.
 */
export function inForm(command: APIApplicationCommand, answers: CommandAnswers): APIApplicationCommand {
  if (answers === 'usual') return command;
  if (answers === 'full') {
    const forDirectMessages = command.contexts?.includes(1) ?? true;
    const said = { options: [], ...talkative(command), dm_permission: forDirectMessages };
    return said as object as APIApplicationCommand;
  }
  // The one field that the schema wants even when it says nothing.
  const { default_member_permissions } = command;
  return { ...laconic(command), default_member_permissions } as APIApplicationCommand;
}

function talkative(item: object): object {
  const { type, id, value } = Object(item);
  const isOption = id === undefined && value === undefined;
  return {
    ...(isOption && { required: false, ...([3, 4, 10].includes(type) && { autocomplete: false }) }),
    ...withEach(item, talkative),
  };
}

const laconic = (item: object): object =>
  Object.fromEntries(
    Object.entries(withEach(item, laconic)).filter(
      ([key, value]) => value !== null && value !== false && key !== 'file_types',
    ),
  );

/** With its options and choices changed; lists without an order come in another one. */
function withEach(item: object, change: (child: object) => object): object {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => {
      if (!Array.isArray(value)) return [key, value];
      return [key, ['options', 'choices'].includes(key) ? value.map(change) : value.toReversed()];
    }),
  );
}
