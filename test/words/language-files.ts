/** The sentences of a language as their file has them. */
export type Tree = { readonly [key: string]: string | Tree };

/** Every sentence of a language by its key. */
export function sentencesOf(tree: Tree, path: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[[...path, key].join('.'), value] as const]
        : [...sentencesOf(value, [...path, key])],
    ),
  );
}

/** The end of the key of a plural form; its first group is the form. */
export const PLURAL = /_(zero|one|two|few|many|other)$/;

/** The key by which the code asks for a sentence, whatever its plural form. */
export const stemOf = (key: string): string => key.replace(PLURAL, '');

/** The names of the values of a sentence, each once, in order of the alphabet. */
export const valuesIn = (sentence: string): readonly string[] =>
  [...new Set(sentence.match(/(?<=\{\{)\w+(?=\}\})/g))].toSorted();
