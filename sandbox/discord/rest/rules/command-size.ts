import type { CommandBody, Localizations, OptionBody } from './command-body.ts';
import { lengthOf } from './flaws.ts';
import type { Flaw, Path } from './refusal.ts';

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
