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

/** Converts the text typed for an option to its value as Discord sends it. A text that isn't a number stays a text. */
export function optionValue(option: APIApplicationCommandOption | undefined, text: string): OptionValue {
  const isNumber = option?.type === Type.Integer && text.trim() !== '' && Number.isFinite(Number(text));
  return isNumber ? Number(text) : text;
}

interface Named {
  readonly name: string;
  readonly name_localizations?: Readonly<Partial<Record<string, string | null>>> | null;
}

/** Returns the name of a command or an option in a user's language. */
export const shownName = ({ name, name_localizations }: Named, locale: string): string =>
  name_localizations?.[locale] ?? name;

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Reads a file of this machine. A path that doesn't exist in the current folder is tried in the project, which has samples.
 */
export async function readUpload(path: string): Promise<Upload> {
  const bytes = await readFile(path).catch(() => readFile(resolve(PROJECT, path)));
  return { filename: basename(path), bytes };
}
