import { isFileAllowed } from './attachments.ts';
import { isSubcommand, type OptionBody, optionType } from './command-body.ts';
import { lengthOf } from './flaws.ts';

/** What is typed into an option; a file by its name. People, roles and channels by id. */
export type GivenValue = string | number | boolean | { readonly filename: string };

export interface OptionComplaint {
  /** The name of the option, or of what was asked for as a subcommand. */
  readonly option: string;
  readonly code:
    | 'subcommand_needed'
    | 'unknown_subcommand'
    | 'unknown_option'
    | 'required'
    | 'wrong_kind'
    | 'too_short'
    | 'too_long'
    | 'line_break'
    | 'too_small'
    | 'too_large'
    | 'not_a_choice'
    | 'file_type';
}

export interface Invocation {
  /** The names of the group and the subcommand, outermost first. */
  readonly subcommand?: readonly string[];
  /** While an option is being completed nothing is required yet. */
  readonly typing?: boolean;
}

/** Rule 24: why a member's own Discord would not send this command; empty when it would. */
export function checkInvocation(
  command: { readonly options?: readonly object[] | undefined },
  given: Readonly<Record<string, GivenValue>>,
  { subcommand = [], typing = false }: Invocation = {},
): readonly OptionComplaint[] {
  let options = (command.options ?? []) as readonly OptionBody[];
  for (const name of subcommand) {
    const chosen = options.find((option) => isSubcommand(option) && option.name === name);
    if (chosen === undefined) return [{ option: name, code: 'unknown_subcommand' }];
    options = chosen.options ?? [];
  }
  // A command that has subcommands cannot be used by itself.
  if (options.some(isSubcommand)) return [{ option: subcommand.at(-1) ?? '', code: 'subcommand_needed' }];
  return [
    ...Object.keys(given).flatMap((option) =>
      options.some(({ name }) => name === option) ? [] : [{ option, code: 'unknown_option' as const }],
    ),
    ...options.flatMap((option) => {
      const code = complaint(option, given[option.name], typing);
      return code === undefined ? [] : [{ option: option.name, code }];
    }),
  ];
}

function complaint(
  option: OptionBody,
  value: GivenValue | undefined,
  typing: boolean,
): OptionComplaint['code'] | undefined {
  const { string, integer, number, boolean, attachment } = optionType;
  if (value === undefined || value === '') {
    if (typing) return undefined;
    return option.required === true || value === '' ? 'required' : undefined;
  }
  switch (option.type) {
    case string:
      return typeof value === 'string' ? textComplaint(option, value, typing) : 'wrong_kind';
    case integer:
    case number:
      // Half a number while typing is text.
      if (typing && typeof value === 'string') return undefined;
      return typeof value === 'number' ? numberComplaint(option, value) : 'wrong_kind';
    case boolean:
      return typeof value === 'boolean' ? undefined : 'wrong_kind';
    case attachment:
      if (typeof value !== 'object') return 'wrong_kind';
      return isFileAllowed(value.filename, option.file_types) ? undefined : 'file_type';
    default:
      return typeof value === 'string' && /^\d{17,20}$/.test(value) ? undefined : 'wrong_kind';
  }
}

function textComplaint(
  option: OptionBody,
  text: string,
  typing: boolean,
): OptionComplaint['code'] | undefined {
  // An option is a single line; whether a pasted line break would survive is not established.
  if (/[\r\n]/.test(text)) return 'line_break';
  if (lengthOf(text) > (option.max_length ?? 6000)) return 'too_long';
  if (typing) return undefined;
  if (lengthOf(text) < (option.min_length ?? 0)) return 'too_short';
  return choiceComplaint(option, text);
}

function numberComplaint(option: OptionBody, value: number): OptionComplaint['code'] | undefined {
  if (!Number.isFinite(value) || (option.type === optionType.integer && !Number.isInteger(value)))
    return 'wrong_kind';
  // Discord docs: Application Commands, option types: integers between -2^53+1 and 2^53-1, numbers ±2^53.
  const limit = option.type === optionType.integer ? Number.MAX_SAFE_INTEGER : 2 ** 53;
  if (value < (option.min_value ?? -limit)) return 'too_small';
  if (value > (option.max_value ?? limit)) return 'too_large';
  return choiceComplaint(option, value);
}

function choiceComplaint(option: OptionBody, value: string | number): OptionComplaint['code'] | undefined {
  const choices = option.choices ?? [];
  return choices.length === 0 || choices.some((choice) => choice.value === value)
    ? undefined
    : 'not_a_choice';
}
