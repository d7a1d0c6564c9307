/** The sentences of a language, as in their file. */
export type Tree = { readonly [key: string]: string | Tree };

/** Yields every sentence of a language with its key. */
export function sentencesOf(tree: Tree, path: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[[...path, key].join('.'), value] as const]
        : [...sentencesOf(value, [...path, key])],
    ),
  );
}

/** The suffix of a plural form's key; its first group is the form. */
export const PLURAL = /_(zero|one|two|few|many|other)$/;

/** Returns the key that the code uses for a sentence, whatever its plural form. */
export const stemOf = (key: string): string => key.replace(PLURAL, '');

/** Returns the names of a sentence's values, each once, in alphabetical order. */
export const valuesIn = (sentence: string): readonly string[] =>
  [...new Set(sentence.match(/(?<=\{\{)\w+(?=\}\})/g))].toSorted();
