import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  ApplicationCommandType,
  ApplicationCommandOptionType as Type,
} from 'discord.js';
import type { OptionValue, Upload } from '../discord/contract.ts';
import { ROLE_NAMES } from '../people.ts';
import { readAssignments } from './assignments.ts';
import { BadLine, suggestion } from './bad-line.ts';

/** The slash commands among all kinds of commands. */
export function slashCommandsOf(
  commands: readonly APIApplicationCommand[],
): readonly APIApplicationCommand[] {
  return commands.filter(({ type }) => type === ApplicationCommandType.ChatInput);
}

export type SlashLine =
  | {
      readonly kind: 'run';
      readonly command: string;
      readonly options: Readonly<Record<string, OptionValue>>;
    }
  | {
      readonly kind: 'complete';
      readonly command: string;
      readonly focused: string;
      readonly options: Readonly<Record<string, OptionValue>>;
    }
  /** Discord would not let this be sent. */
  | { readonly kind: 'refused'; readonly why: string };

/** Who types the line. */
export interface Reader {
  /** Commands and options go by their names in this language too. */
  readonly locale?: string;
  /** The id of the person of that name. */
  readonly userNamed?: (name: string) => string | undefined;
}

interface Named {
  readonly name: string;
  readonly name_localizations?: Readonly<Record<string, string | null>> | null;
}

/** What a command or an option is called in somebody's Discord. */
export const shownName = ({ name, name_localizations }: Named, locale: string): string =>
  name_localizations?.[locale] ?? name;

export const shownDescription = (
  { description, description_localizations }: APIApplicationCommand,
  locale: string,
): string => Object(description_localizations)[locale] ?? description;

/** Discord takes the name in the person's language and the one that the bot gave. */
export const isNamed = (named: Named, name: string, locale: string): boolean =>
  name === named.name || name === shownName(named, locale);

/**
 * `/name option:value …` → what is to be done. A question mark behind the last value asks for its choices.
 * @param commands the slash commands there are, as they are registered
 * @throws BadLine
 */
export async function readSlashLine(
  line: string,
  commands: readonly APIApplicationCommand[],
  { locale = 'en-US', userNamed = () => undefined }: Reader = {},
): Promise<SlashLine> {
  const name = /^\/(\S*)/.exec(line)?.[1] ?? '';
  const command = commands.find((known) => isNamed(known, name, locale));
  if (!command) {
    const names = commands.map((known) => `/${shownName(known, locale)}`);
    throw new BadLine(
      names.length === 0
        ? 'The bot has no slash commands yet.'
        : `There is no /${name}.${suggestion(`/${name}`, names)} The commands are ${names.join(', ')}.`,
    );
  }

  const known = command.options ?? [];
  const assignments = readAssignments(line.slice(name.length + 1), {
    names: [...new Set(known.flatMap((option) => [shownName(option, locale), option.name]))],
    sign: ':',
    of: `/${name}`,
  }).map((assignment) => ({
    ...assignment,
    name: known.find((option) => isNamed(option, assignment.name, locale))?.name ?? assignment.name,
  }));
  const asked = assignments.findLast((assignment) => assignment.asked);
  if (asked && !offersChoices(known.find((option) => option.name === asked.name)))
    throw new BadLine(
      `${asked.name}: offers no choices. For a question mark at its end put the value in double quotes.`,
    );

  const options: Record<string, OptionValue> = {};
  for (const { name: optionName, value } of assignments) {
    if (optionName === asked?.name) options[optionName] = value;
    else {
      const type = known.find((option) => option.name === optionName)?.type;
      const read = type === Type.User ? readUser(value, userNamed) : await readValue(type, value);
      if ('why' in read) return { kind: 'refused', why: `${optionName}: ${read.why}` };
      options[optionName] = read.value;
    }
  }
  return asked
    ? { kind: 'complete', command: command.name, focused: asked.name, options }
    : { kind: 'run', command: command.name, options };
}

function offersChoices(option: APIApplicationCommandOption | undefined): boolean {
  return option !== undefined && 'autocomplete' in option && option.autocomplete === true;
}

async function readValue(
  type: Type | undefined,
  text: string,
): Promise<{ value: OptionValue } | { why: string }> {
  if (text === '') return { why: 'a value is needed behind the colon.' };
  if (type === Type.Integer)
    return /^-?\d+$/.test(text)
      ? { value: Number(text) }
      : { why: `only whole numbers can be typed here, not "${text}".` };
  if (type === Type.Number) {
    const value = Number(text);
    return Number.isFinite(value) ? { value } : { why: `only numbers can be typed here, not "${text}".` };
  }
  if (type === Type.Boolean)
    return text === 'true' || text === 'false'
      ? { value: text === 'true' }
      : { why: 'only true or false can be chosen here.' };
  if (type === Type.Attachment) return { value: await readUpload(text) };
  return { value: text };
}

/** A person by their name, or by their id as Discord's client sends it. */
function readUser(
  text: string,
  userNamed: (name: string) => string | undefined,
): { value: string } | { why: string } {
  if (/^\d{15,20}$/.test(text)) return { value: text };
  const value = userNamed(text);
  return value === undefined
    ? { why: `there is nobody named "${text}" here; there is ${ROLE_NAMES.join(', ')}.` }
    : { value };
}

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A file of this machine, as an upload. What is not in the folder where the sandbox was started is looked for from the
 * project's own, so that its samples are found from everywhere.
 * @throws BadLine when it cannot be read
 */
export async function readUpload(path: string): Promise<Upload> {
  try {
    const bytes = await readFile(path).catch(() => readFile(resolve(PROJECT, path)));
    return { filename: basename(path), bytes };
  } catch (error) {
    throw new BadLine(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
