import type { FileValue, OptionView } from '../protocol.ts';
import type { Words } from './words.ts';

/** What stands in the field of an option. */
export interface Filled {
  readonly text: string;
  /** What was picked from its list, while `text` still says so. */
  readonly value?: string;
  readonly file?: FileValue;
}

/** What an option is sent with; or why Discord would not send it, in its words. */
export function optionEntered(
  option: OptionView,
  filled: Filled | undefined,
  words: Words,
): { readonly value: string | FileValue | undefined } | { readonly why: string } {
  const { text = '', value, file } = filled ?? {};
  if (option.kind === 'file') {
    if (file === undefined && option.required) return { why: words.required };
    return { value: file };
  }
  if (text.trim() === '') return option.required ? { why: words.required } : { value: undefined };
  if (value !== undefined) return { value };
  if (option.kind === 'choice') {
    const wanted = text.trim().toLowerCase();
    const choice = option.choices.find(({ label }) => label.toLowerCase() === wanted);
    return choice === undefined ? { why: words.pick } : { value: choice.value };
  }
  if (option.kind === 'integer' && !/^\s*-?\d+\s*$/.test(text)) return { why: words.integer };
  if (option.kind === 'number' && !Number.isFinite(Number(text))) return { why: words.number };
  const { least, most } = option;
  const isNumber = option.kind !== 'text';
  const size = isNumber ? Number(text) : [...text].length;
  if (least !== undefined && size < least) return { why: `≥ ${least}` };
  if (most !== undefined && size > most) return { why: `≤ ${most}` };
  return { value: text };
}
