import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  ApplicationCommandType,
  ApplicationCommandOptionType as Type,
} from 'discord.js';
import type { OptionValue, Upload } from '../discord/contract.ts';
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

/**
 * `/name option:value …` → what is to be done. A question mark behind the last value asks for its choices.
 * @param commands the slash commands there are, as they are registered
 * @throws BadLine
 */
export async function readSlashLine(
  line: string,
  commands: readonly APIApplicationCommand[],
): Promise<SlashLine> {
  const name = /^\/(\S*)/.exec(line)?.[1] ?? '';
  const command = commands.find((known) => known.name === name);
  if (!command) {
    const names = commands.map((known) => `/${known.name}`);
    throw new BadLine(
      names.length === 0
        ? 'The bot has no slash commands yet.'
        : `There is no /${name}.${suggestion(`/${name}`, names)} The commands are ${names.join(', ')}.`,
    );
  }

  const known = command.options ?? [];
  const assignments = readAssignments(line.slice(name.length + 1), {
    names: known.map((option) => option.name),
    sign: ':',
    of: `/${name}`,
  });
  const asked = assignments.findLast((assignment) => assignment.asked);
  if (asked && !offersChoices(known.find((option) => option.name === asked.name)))
    throw new BadLine(
      `${asked.name}: offers no choices. For a question mark at its end put the value in double quotes.`,
    );

  const options: Record<string, OptionValue> = {};
  for (const { name: optionName, value } of assignments) {
    if (optionName === asked?.name) options[optionName] = value;
    else {
      const read = await readValue(known.find((option) => option.name === optionName)?.type, value);
      if ('why' in read) return { kind: 'refused', why: `${optionName}: ${read.why}` };
      options[optionName] = read.value;
    }
  }
  return asked
    ? { kind: 'complete', command: name, focused: asked.name, options }
    : { kind: 'run', command: name, options };
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

/**
 * A file of this machine, as an upload.
 * @throws BadLine when it cannot be read
 */
export async function readUpload(path: string): Promise<Upload> {
  try {
    return { filename: basename(path), bytes: await readFile(path) };
  } catch (error) {
    throw new BadLine(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
