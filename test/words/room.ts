import { ENGLISH, languages } from '../../src/words/languages.ts';
import { sentencesOf, stemOf } from './language-files.ts';

/*
 * Checks that short strings, such as button labels, fit into Discord's limits in every language. Finds these strings by
 * their English text in everything that bots send in tests. The stand-in checks commands.
 */

/** The properties of a component or a modal that this file reads. */
interface Part {
  readonly type?: unknown;
  readonly custom_id?: unknown;
  readonly value?: unknown;
  readonly title?: unknown;
  readonly label?: unknown;
  readonly description?: unknown;
  readonly placeholder?: unknown;
}

interface Place {
  readonly name: string;
  /** The maximum number of characters (Discord docs: Components and Modals). */
  readonly most: number;
  readonly textIn: (part: Part) => unknown;
}

/** Types of components (Discord docs: Component Reference). */
const BUTTON = 2;
const LABEL = 18;

const PLACES: readonly Place[] = [
  { name: 'a button', most: 80, textIn: ({ type, label }) => type === BUTTON && label },
  { name: 'a placeholder', most: 150, textIn: ({ placeholder }) => placeholder },
  { name: 'an option', most: 100, textIn: ({ value, label }) => value !== undefined && label },
  { name: 'the title of a window', most: 45, textIn: ({ custom_id, title }) => custom_id && title },
  { name: 'the label of a field', most: 45, textIn: ({ type, label }) => type === LABEL && label },
  {
    name: 'the hint of a field',
    most: 100,
    textIn: ({ type, description }) => type === LABEL && description,
  },
];

interface Found {
  readonly place: Place;
  readonly text: string;
}

/** Returns the short strings in a message or a modal. */
function textsIn(sent: unknown): readonly Found[] {
  if (typeof sent !== 'object' || sent === null) return [];
  const own = PLACES.flatMap((place) => {
    const text = place.textIn(sent);
    return typeof text === 'string' ? [{ place, text }] : [];
  });
  return [...own, ...Object.values(sent).flatMap(textsIn)];
}

const VALUE = /\{\{(\w+)\}\}/g;

/** English sentences that contain values. A sentence that consists only of values could be any string. */
const SENTENCES = [...sentencesOf(ENGLISH.sentences)]
  .filter(([, sentence]) => /\p{L}/u.test(sentence.replace(VALUE, '')))
  .map(([key, sentence]) => {
    const fixed = sentence.split(/\{\{\w+\}\}/).map(RegExp.escape);
    const names = [...sentence.matchAll(VALUE)].map(([, name = '']) => name);
    return { stem: stemOf(key), sentence, names, filledIn: new RegExp(`^${fixed.join('(.*)')}$`, 's') };
  });

/** Each sentence's translations, by the sentence's key. Plural forms share a key. */
const TRANSLATIONS = Map.groupBy(
  languages.flatMap(({ tag, sentences: tree }) =>
    [...sentencesOf(tree)].map(([key, sentence]) => ({ tag, tree, key, sentence })),
  ),
  ({ key }) => stemOf(key),
);

/** Numbers are measured as if they were the longest port or quota. */
const LONG_NUMBER = '65,535';

/** The longest name that `LISTING_NAME` allows (32), minus two square brackets that are measured but not shown. */
const LONG_NAME = 'x'.repeat(30);

/** Returns the strings that are too long, in each language. */
function faultsOf({ place, text }: Found): readonly string[] {
  return SENTENCES.flatMap(({ stem, sentence: english, names, filledIn }) => {
    const match = filledIn.exec(text);
    const isCut = text.length > 1 && text.endsWith('…') && english.startsWith(text.slice(0, -1));
    if (match === null && !isCut) return [];
    const values = new Map(names.map((name, index) => [name, match?.[index + 1] ?? '']));
    return (TRANSLATIONS.get(stem) ?? []).flatMap(({ tag, tree, key, sentence }) => {
      const named: Readonly<Record<string, string>> = tree.listing.named;
      const unnamed: Readonly<Record<string, string>> = tree.listing.unnamed;
      const filling = (name: string) => {
        const form = name.replace(/_plain$/, '');
        const longest = [
          unnamed[form] ?? '',
          (named[form] ?? '').replace('{{name}}', LONG_NAME),
          values.get(name) ?? '',
          LONG_NUMBER,
        ].toSorted((one, other) => other.length - one.length);
        return longest[0] ?? '';
      };
      const said = sentence.replace(VALUE, (_all, name) => filling(name));
      if (said.length <= place.most) return [];
      return `${tag}, ${key}: ${said.length} of ${place.most} characters of ${place.name}: ${said}`;
    });
  });
}

/** Results are stored by place and text, because most strings are sent many times. */
const measured = new Map<string, readonly string[]>();

/** Returns the sentences in these messages and modals that would be too long in one of the languages. */
export function withoutRoom(sent: readonly unknown[]): readonly string[] {
  const faults = sent.flatMap(textsIn).flatMap((found) => {
    const id = `${found.place.name}: ${found.text}`;
    const own = measured.get(id) ?? faultsOf(found);
    measured.set(id, own);
    return own;
  });
  return [...new Set(faults)];
}
