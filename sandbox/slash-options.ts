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

/**
 * Converts the user's text for an option to the value that Discord would send. If the option expects a number but the text
 * isn't numeric, returns the text.
 */
export function optionValue(option: APIApplicationCommandOption | undefined, text: string): OptionValue {
  const isNumber = option?.type === Type.Integer && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

interface NamedItem {
  readonly name: string;
  readonly name_localizations?: Readonly<Partial<Record<string, string | null>>> | null;
}

/** Returns the name of a command or an option in the user's language. */
export const shownName = ({ name, name_localizations }: NamedItem, locale: string): string =>
  name_localizations?.[locale] ?? name;

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Reads a file from this machine. If a relative path doesn't exist in the current folder, tries the project folder, which
 * contains samples.
 */
export async function readUpload(path: string): Promise<Upload> {
  const bytes = await readFile(path).catch(() => readFile(resolve(PROJECT, path)));
  return { filename: basename(path), bytes };
}
