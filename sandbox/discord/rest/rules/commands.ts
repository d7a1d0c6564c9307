import { ApplicationCommandUpdateRequestSchema } from 'discord-api-spec/zod';
import type { CommandBody, Localizations, OptionBody } from './command-body.ts';
import { localeFlaws, nameFlaws, optionFlaws } from './command-options.ts';
import {
  badLength,
  type Flaw,
  invalidForm,
  isAt,
  lengthOf,
  type Path,
  type Refusal,
  repeats,
  required,
  tooLong,
} from './flaws.ts';
import { shapeFlaws } from './shape.ts';

export type Scope = 'global' | 'guild';

/** Commands per application and scope, by type (Discord docs: Application Commands, since 2026-03-03). */
const CAPS: Readonly<Record<Scope, ReadonlyMap<number, number>>> = {
  global: new Map([
    [1, 100],
    [2, 15],
    [3, 15],
    [4, 1],
  ]),
  guild: new Map([
    [1, 100],
    [2, 15],
    [3, 15],
    [4, 0],
  ]),
};

/** Rules 11–20 for the body of `POST …/commands`. */
export const checkCommand = (body: unknown, scope: Scope): Refusal | undefined =>
  invalidForm(commandFlaws(body, [])) ?? checkCommandCaps([body as CommandBody], scope);

/**
 * Rules 11–21 for the body of `PATCH …/commands/{id}`: for the command as it would become among the `others` of its
 * scope. It stays of its type: Discord's schema of a PATCH has none.
 */
export function checkCommandPatch(
  body: unknown,
  current: { readonly id: string; readonly type: number },
  { scope, others }: { readonly scope: Scope; readonly others: readonly Published[] },
): Refusal | undefined {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const whole = isObject ? { ...current, ...body, type: current.type } : body;
  const refusal = checkCommand(whole, scope);
  if (refusal !== undefined) return refusal;
  const { name } = whole as CommandBody;
  const taken = others.some(
    (other) => other.id !== current.id && other.type === current.type && other.name === name,
  );
  return taken ? invalidForm([duplicateName(['name'])]) : undefined;
}

interface Published {
  readonly id: string;
  readonly type: number;
  readonly name: string;
}

/** Rule 21. */
const duplicateName = (path: Path): Flaw => ({
  rule: 21,
  path,
  code: 'APPLICATION_COMMANDS_DUPLICATE_NAME',
  message: 'Application command names must be unique',
});

/** Rules 11–22 for the body of `PUT …/commands`; errors are indexed: `errors["0"].options["0"].name`. */
export function checkCommandList(bodies: unknown, scope: Scope): Refusal | undefined {
  if (!Array.isArray(bodies))
    return invalidForm([
      { rule: 21, path: [], code: 'LIST_TYPE_CONVERT', message: 'Only iterables may be used in a ListType' },
    ]);
  // Discord's published schema: at most 130 in one request.
  if (bodies.length > 130) return invalidForm([tooLong(22, [], 130)]);
  const flaws = bodies.flatMap((body, index) => commandFlaws(body, [index]));
  if (flaws.length > 0) return invalidForm(flaws);
  const commands = bodies as readonly CommandBody[];
  const twice = repeats(commands.map(({ name, type }) => `${type ?? 1} ${name}`));
  return invalidForm(twice.map((index) => duplicateName([index]))) ?? checkCommandCaps(commands, scope);
}

/** Rule 22: the commands that a scope would have after the request, against the caps of each type. */
export function checkCommandCaps(
  commands: readonly { readonly type?: number | null }[],
  scope: Scope,
): Refusal | undefined {
  const counts = Map.groupBy(commands, ({ type }) => type ?? 1);
  for (const [type, cap] of CAPS[scope])
    if ((counts.get(type)?.length ?? 0) > cap)
      return {
        rule: 22,
        status: 400,
        code: 30032,
        message: `Maximum number of application commands reached (${cap})`,
      };
  return undefined;
}

function commandFlaws(body: unknown, at: Path): Flaw[] {
  const shape = shapeFlaws(body, { schema: ApplicationCommandUpdateRequestSchema, rule: ruleOf, at });
  // The schema has one description for all types; which length it must have depends on the type.
  const flaws = shape
    .filter(({ path, code }) => !(isAt(path.slice(at.length), 'description') && code.endsWith('LENGTH')))
    .map((flaw) => ({ ...flaw, path: withoutLocale(flaw.path) }));
  if (flaws.length > 0) return flaws;
  const command = body as CommandBody;
  return [
    ...descriptionFlaws(command, at),
    ...(isContextMenu(command) ? [] : nameFlaws(command, at)),
    ...localeFlaws(command, at),
    ...optionFlaws(command.options ?? [], [...at, 'options']),
    ...placeFlaws(command, at),
    ...sizeFlaws(command, at),
  ];
}

function ruleOf(path: Path): number {
  const last = path.findLast((key) => typeof key === 'string');
  if (path.some((key) => String(key).endsWith('_localizations'))) return 19;
  if (path.includes('choices')) return 13;
  if (last === 'name') return 11;
  if (last === 'description') return 12;
  if (last === 'type') return 17;
  if (last === 'contexts' || last === 'integration_types' || last === 'default_member_permissions') return 20;
  if (last === 'autocomplete' || last === 'file_types' || last === 'channel_types') return 16;
  // An option of a type that may not stand here is reported at the option itself.
  return typeof path.at(-1) === 'number' ? 17 : 13;
}

/** Discord reports a localized text at its field, without naming the locale (discord-api-docs#7712). */
function withoutLocale(path: Path): Path {
  const field = path.findIndex((key) => String(key).endsWith('_localizations'));
  return field === -1 ? path : path.slice(0, field + 1);
}

const isContextMenu = ({ type }: CommandBody): boolean => type === 2 || type === 3;

/** Rule 12. */
function descriptionFlaws(command: CommandBody, at: Path): Flaw[] {
  const path = [...at, 'description'];
  const { description, type } = command;
  if (isContextMenu(command)) {
    const forbidden = (field: string): Flaw => ({
      rule: 12,
      path: [...at, field],
      code: `CONTEXT_MENU_APPLICATION_COMMAND_${field.toUpperCase()}_CANNOT_BE_SET`,
      message: `Context menu commands cannot have ${field}`,
    });
    return [
      ...(description ? [forbidden('description')] : []),
      ...(command.options?.length ? [forbidden('options')] : []),
    ];
  }
  if (description === undefined || description === null) return type === 4 ? [] : [required(12, path)];
  const length = lengthOf(description);
  return length > 100 || (length === 0 && type !== 4) ? [badLength(12, path, 1, 100)] : [];
}

/**
 * Rule 20: unique values. On guild commands both fields mean nothing; discord.js's guide sends them there all the
 * same when the commands of a bot are tried in one guild, so they are checked and not refused.
 */
function placeFlaws(command: CommandBody, at: Path): Flaw[] {
  return (['contexts', 'integration_types'] as const).flatMap((field) =>
    repeats(command[field] ?? []).map((index) => ({
      rule: 20,
      path: [...at, field, index],
      code: 'SET_TYPE_ALREADY_CONTAINS_VALUE',
      message: 'The set already contains this value',
    })),
  );
}

/** Rule 18: name, description and value of the command, its options and choices, each in its longest language. */
export function sizeFlaws(command: CommandBody, at: Path): Flaw[] {
  if (sizeOf(command) <= 8000) return [];
  return [
    {
      rule: 18,
      path: at,
      code: 'APPLICATION_COMMAND_TOO_LARGE',
      message: 'Command exceeds maximum size (8000)',
    },
  ];
}

const sizeOf = (command: CommandBody): number =>
  total([ownSize(command), ...(command.options ?? []).map(optionSize)]);

/** Choices are counted on options only: on a command they are an unknown field, which may be anything. */
const optionSize = (option: OptionBody): number =>
  total([
    ownSize(option),
    ...(option.choices ?? []).map(
      (choice) => longest(choice.name, choice.name_localizations) + lengthOf(String(choice.value)),
    ),
    ...(option.options ?? []).map(optionSize),
  ]);

const ownSize = (item: CommandBody | OptionBody): number =>
  longest(item.name, item.name_localizations) + longest(item.description, item.description_localizations);

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

const longest = (text: string | null | undefined, localizations: Localizations): number =>
  Math.max(...[text, ...Object.values(localizations ?? {})].map((each) => lengthOf(each ?? '')));
