/** A language's sentences, structured as in its file. */
export type Tree = { readonly [key: string]: string | Tree };

/** Yields each of a language's sentences with its key. */
export function sentencesOf(tree: Tree, path: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[[...path, key].join('.'), value] as const]
        : [...sentencesOf(value, [...path, key])],
    ),
  );
}

/** The suffix of a plural form's key. Its first group is the name of the form. */
export const PLURAL = /_(zero|one|two|few|many|other)$/;

/** Returns a sentence's key without the suffix of a plural form. */
export const stemOf = (key: string): string => key.replace(PLURAL, '');

/** Returns the names of the values in a sentence, without duplicates and in alphabetical order. */
export const valuesIn = (sentence: string): readonly string[] =>
  [...new Set(sentence.match(/(?<=\{\{)\w+(?=\}\})/g))].toSorted();
