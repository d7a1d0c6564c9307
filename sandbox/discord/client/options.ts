import {
  type APIApplicationCommand,
  type APIApplicationCommandInteractionDataBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType as Type,
} from 'discord.js';
import type { OptionValue } from '../contract.ts';
import type { Actor, ResolvedObjects } from './payload.ts';

export type OptionValues = Readonly<Record<string, OptionValue>>;
type NumberOption = Extract<APIApplicationCommandOption, { readonly type: Type.Integer }>;
type TextOption = Extract<APIApplicationCommandOption, { readonly type: Type.String }>;

/** Returns why Discord's client wouldn't send this command, or `undefined` if it would. */
export function optionComplaint(
  { options = [] }: APIApplicationCommand,
  given: OptionValues,
  actor: Actor,
): string | undefined {
  for (const name of Object.keys(given)) {
    if (!options.some((option) => option.name === name)) return `${name} is not an option of this command`;
  }
  for (const option of options) {
    const complaint = valueComplaint(option, given[option.name], actor);
    if (complaint !== undefined) return `${option.name} ${complaint}`;
  }
  return undefined;
}

function valueComplaint(
  option: APIApplicationCommandOption,
  value: OptionValue | undefined,
  { guild }: Actor,
): string | undefined {
  if (value === undefined || value === '') {
    return option.required === true || value === '' ? 'is required' : undefined;
  }
  switch (option.type) {
    case Type.String:
      return typeof value === 'string' ? choiceComplaint(option, value) : WRONG_KIND;
    case Type.Integer:
      return typeof value === 'number' ? numberComplaint(option, value) : WRONG_KIND;
    case Type.User:
      return guild.members.has(String(value)) ? undefined : 'is not a member here';
    case Type.Attachment:
      if (typeof value !== 'object') return WRONG_KIND;
      return isFileAllowed(value.filename, Object(option).file_types)
        ? undefined
        : 'is not a file of an accepted type';
    default:
      throw new Error(`The stand-in does not serve options of type ${option.type}`);
  }
}

const WRONG_KIND = 'has a value of the wrong kind';

/** Returns why a field wouldn't accept this text. Lengths are in characters. */
export function textComplaint(
  text: string,
  field: { readonly isLong: boolean; readonly least: number; readonly most: number },
): string | undefined {
  const { length } = [...text];
  if (!field.isLong && /[\r\n]/.test(text)) return 'is a single line';
  if (length < field.least) return 'is too short';
  return length > field.most ? 'is too long' : undefined;
}

function choiceComplaint(option: TextOption, text: string): string | undefined {
  // Line breaks are rejected, because we don't know whether Discord keeps pasted line breaks.
  const { min_length: least = 0, max_length: most = 6_000 } = option;
  const complaint = textComplaint(text, { isLong: false, least, most });
  if (complaint !== undefined) return complaint;
  const choices = option.choices ?? [];
  const isOffered = choices.length === 0 || choices.some(({ value }) => value === text);
  return isOffered ? undefined : 'is not one of the choices';
}

function numberComplaint(option: NumberOption, value: number): string | undefined {
  if (!Number.isInteger(value)) return WRONG_KIND;
  if (value < (option.min_value ?? Number.NEGATIVE_INFINITY)) return 'is too small';
  return value > (option.max_value ?? Number.POSITIVE_INFINITY) ? 'is too large' : undefined;
}

/**
 * Whether a field accepts this file. Discord only checks the file's extension (Discord docs: Reference, File Type
 * Filtering).
 */
export function isFileAllowed(filename: string, types: readonly string[] = []): boolean {
  return types.length === 0 || types.some((type) => filename.toLowerCase().endsWith(type.toLowerCase()));
}

/** Builds the options to send, in the command's order. Omits options without a value. Files and users are sent as ids. */
export const filledOptions = (
  { options = [] }: APIApplicationCommand,
  given: OptionValues,
  resolved: ResolvedObjects,
): APIApplicationCommandInteractionDataBasicOption[] =>
  options.flatMap(({ name, type }) => {
    const value = given[name];
    if (value === undefined) return [];
    if (type === Type.User) resolved.user(String(value));
    const sent = typeof value === 'object' ? resolved.file(value) : value;
    return [{ name, type, value: sent } as APIApplicationCommandInteractionDataBasicOption];
  });
