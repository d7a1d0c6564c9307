import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  ApplicationCommandType,
  ApplicationCommandOptionType as Type,
} from 'discord.js';
import type { OptionValue, Upload } from './discord/contract.ts';

export const isSlash = ({ type }: APIApplicationCommand): boolean =>
  type === ApplicationCommandType.ChatInput;

/** What somebody has typed for an option, as Discord sends it; what is no number where one is wanted stays a text. */
export function optionValue(option: APIApplicationCommandOption | undefined, text: string): OptionValue {
  const isNumber = option?.type === Type.Integer && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

interface Named {
  readonly name: string;
  readonly name_localizations?: Readonly<Partial<Record<string, string | null>>> | null;
}

/** What a command or an option is called in somebody's Discord. */
export const shownName = ({ name, name_localizations }: Named, locale: string): string =>
  name_localizations?.[locale] ?? name;

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** A file of this machine. What is not where the sandbox was started is looked for in the project, which has samples. */
export async function readUpload(path: string): Promise<Upload> {
  const bytes = await readFile(path).catch(() => readFile(resolve(PROJECT, path)));
  return { filename: basename(path), bytes };
}
