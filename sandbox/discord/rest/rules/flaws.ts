import type { Flaw, Path } from './refusal.ts';

/** Discord counts characters as Unicode code points: an emoji outside the BMP is one, not two. */
export const lengthOf = (text: string): number => [...text].length;

/** `#` in a path stands for any array index: `isAt(path, 'options', '#', 'name')`. */
export const isAt = (path: Path, ...shape: readonly string[]): boolean =>
  path.length === shape.length &&
  shape.every((key, index) => (key === '#' ? typeof path[index] === 'number' : path[index] === key));

export const required = (rule: number, path: Path): Flaw => ({
  rule,
  path,
  code: 'BASE_TYPE_REQUIRED',
  message: 'This field is required',
});

export const tooLong = (rule: number, path: Path, max: number): Flaw => ({
  rule,
  path,
  code: 'BASE_TYPE_MAX_LENGTH',
  message: `Must be ${max} or fewer in length.`,
});

export const badLength = (rule: number, path: Path, min: number, max: number): Flaw => ({
  rule,
  path,
  code: 'BASE_TYPE_BAD_LENGTH',
  message: `Must be between ${min} and ${max} in length.`,
});

export const notAChoice = (rule: number, path: Path, choices: readonly unknown[]): Flaw => ({
  rule,
  path,
  code: 'BASE_TYPE_CHOICES',
  message: `Value must be one of {${choices.join(', ')}}.`,
});

export const notAnInteger = (rule: number, path: Path, value: unknown): Flaw => ({
  rule,
  path,
  code: 'NUMBER_TYPE_COERCE',
  message: `Value "${String(value)}" is not int.`,
});

export const notAnObject = (rule: number, path: Path): Flaw => ({
  rule,
  path,
  code: 'MODEL_TYPE_CONVERT',
  message: 'Only dictionaries may be used in a ModelType',
});

/** The indexes at which a value comes again. `undefined` and `null` are not values. */
export function repeats(values: readonly unknown[]): number[] {
  const seen = new Set<unknown>();
  return values.flatMap((value, index) => {
    if (value === undefined || value === null) return [];
    if (seen.has(value)) return [index];
    seen.add(value);
    return [];
  });
}
