import type { OptionComplaint } from '../rest/rules/invocation.ts';
import type { FieldComplaint } from '../rest/rules/modals.ts';

const WORDS: Readonly<Record<OptionComplaint['code'] | FieldComplaint['code'], string>> = {
  subcommand_needed: 'needs a subcommand',
  unknown_subcommand: 'is not a subcommand',
  unknown_option: 'is not an option of this command',
  unknown_field: 'is not a field of this modal',
  required: 'is required',
  wrong_kind: 'has a value of the wrong kind',
  too_short: 'is too short',
  too_long: 'is too long',
  line_break: 'is a single line',
  too_small: 'is too small',
  too_large: 'is too large',
  too_few: 'needs more values',
  too_many: 'takes fewer values',
  not_a_choice: 'is not one of the choices',
  not_an_option: 'is not one of the options',
  file_type: 'is not a file of an accepted type',
};

/** Why the member's own Discord did not send it, in words. */
export const optionWords = (complaints: readonly OptionComplaint[]): string =>
  complaints.map(({ option, code }) => `${option} ${WORDS[code]}`.trim()).join('; ');

export const fieldWords = (complaints: readonly FieldComplaint[]): string =>
  complaints.map(({ customId, code }) => `${customId} ${WORDS[code]}`).join('; ');
