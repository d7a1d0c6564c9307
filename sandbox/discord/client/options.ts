import type { APIApplicationCommand, APIApplicationCommandOption } from 'discord.js';
import type { OptionValue, Upload } from '../contract.ts';
import type { World } from '../world/world.ts';
import type { Actor } from './actor.ts';
import { createResolved, type Resolved } from './payload.ts';

/** What a command interaction says in `data` besides the command itself. */
export interface FilledOptions {
  readonly options: readonly object[];
  readonly resolved: object | undefined;
  /** The options that name somebody or something that is not here, or a channel of a type that they do not take. */
  readonly strangers: readonly string[];
}

/**
 * The options of an invocation as Discord sends them: those that were filled in, in the command's order, inside
 * their group and subcommand; people, roles, channels and files by id, with the rest in `resolved`.
 */
export function fillOptions(
  world: World,
  actor: Actor,
  about: {
    readonly command: APIApplicationCommand;
    readonly subcommand: readonly string[];
    readonly given: Readonly<Record<string, OptionValue>>;
    /** Rule 24 and §1.5: the option that is being typed; nothing is resolved then. */
    readonly focused?: string;
  },
): FilledOptions {
  const { command, subcommand, given, focused } = about;
  const resolved = createResolved(world, actor);
  const strangers: string[] = [];
  const values = new Map(Object.entries(given));

  const one = (option: APIApplicationCommandOption): object[] => {
    const value = values.get(option.name) ?? (option.name === focused ? '' : undefined);
    if (value === undefined) return [];
    const { name, type } = option;
    const isFocused = name === focused;
    const sent = focused === undefined ? sentFor(type, value, resolved) : typed(value);
    if (focused === undefined && !isHere(option, value, { resolved, actor })) strangers.push(name);
    return [{ name, type, value: sent, ...(isFocused && { focused: true }) }];
  };
  const below = (options: readonly APIApplicationCommandOption[], path: readonly string[]): object[] => {
    const [next, ...rest] = path;
    if (next === undefined) return options.flatMap(one);
    return options
      .filter(({ name }) => name === next)
      .map((option) => ({
        name: option.name,
        type: option.type,
        options: below('options' in option ? (option.options ?? []) : [], rest),
      }));
  };
  return { options: below(command.options ?? [], subcommand), resolved: resolved.all(), strangers };
}

/** The option of that name inside the subcommand. */
export function optionNamed(
  command: APIApplicationCommand,
  subcommand: readonly string[],
  name: string,
): APIApplicationCommandOption | undefined {
  const inside = subcommand.reduce<readonly APIApplicationCommandOption[]>((options, part) => {
    const found = options.find((option) => option.name === part);
    return found !== undefined && 'options' in found ? (found.options ?? []) : [];
  }, command.options ?? []);
  return inside.find((option) => option.name === name);
}

/** Rule 24: the client offers only who and what is in the guild, and channels of the types that the option takes. */
function isHere(
  option: APIApplicationCommandOption,
  value: OptionValue,
  { resolved, actor }: { readonly resolved: Resolved; readonly actor: Actor },
): boolean {
  if (!NAMING.includes(option.type) || typeof value !== 'string') return true;
  const types: readonly number[] = 'channel_types' in option ? (option.channel_types ?? []) : [];
  const type = actor.guild?.channels.get(value)?.type;
  return resolved.knows(value) && (types.length === 0 || (type !== undefined && types.includes(type)));
}

/** User, channel, role, mentionable. */
const NAMING: readonly number[] = [6, 7, 8, 9];

/** A file cannot be looked at while a command is typed; its name stands for it. */
const typed = (value: OptionValue): string | number | boolean => (isUpload(value) ? value.filename : value);

/** Types of option that name something of the guild, or a file (Discord docs: Application Command Option Type). */
function sentFor(type: number, value: OptionValue, resolved: Resolved): string | number | boolean {
  if (isUpload(value)) return resolved.file(value);
  if (typeof value === 'string') {
    if (type === 6) resolved.user(value);
    if (type === 7) resolved.channel(value);
    if (type === 8) resolved.role(value);
    if (type === 9) resolved.mentionable(value);
  }
  return value;
}

export const isUpload = (value: unknown): value is Upload =>
  typeof value === 'object' && value !== null && 'bytes' in value;
