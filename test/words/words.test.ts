import { describe, expect, it } from 'vitest';
import { languages, wordsFor } from '../../src/words/words.ts';

type Tree = { readonly [key: string]: string | Tree };

function sentences(tree: Tree, path: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[[...path, key].join('.'), value] as const]
        : [...sentences(value, [...path, key])],
    ),
  );
}

const PLURAL = /_(zero|one|two|few|many|other)$/;
const placeholders = (sentence: string) => [...new Set(sentence.match(/\{\{\w+\}\}/g))].sort();

describe('the sentences', () => {
  const english = sentences(languages.en);

  for (const [language, words] of Object.entries(languages)) {
    const translated = sentences(words);

    it(`exist for the same keys in English and in ${language}`, () => {
      const keys = (map: ReadonlyMap<string, string>) =>
        [...new Set([...map.keys()].map((key) => key.replace(PLURAL, '')))].sort();
      expect(keys(translated)).toEqual(keys(english));
    });

    it(`carry the same named values in English and in ${language}`, () => {
      for (const [key, sentence] of translated) {
        const original = english.get(key) ?? english.get(key.replace(PLURAL, '_other'));
        expect([key, ...placeholders(sentence)]).toEqual([key, ...placeholders(original ?? '')]);
      }
    });

    it(`have every plural form that ${language} needs`, () => {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      const plurals = [...translated.keys()].filter((key) => PLURAL.test(key));
      for (const stem of new Set(plurals.map((key) => key.replace(PLURAL, '')))) {
        for (const form of forms) expect(translated.has(`${stem}_${form}`), `${stem}_${form}`).toBe(true);
      }
    });
  }

  it('are in the language of the locale, and in English where a language is not there', () => {
    expect(wordsFor('de')('pager.next')).toBe('Weiter');
    expect(wordsFor('en-US')('pager.next')).toBe('Next');
    expect(wordsFor('en-GB')('pager.next')).toBe('Next');
    expect(wordsFor('ja')('pager.next')).toBe('Next');
    expect(wordsFor('toString')('pager.next')).toBe('Next');
  });

  it('take their plural form from the count', () => {
    expect(wordsFor('en-US')('games.total', { count: 1 })).toBe('1 game');
    expect(wordsFor('de')('games.total', { count: 2 })).toBe('2 Spiele');
  });

  it('never read what people typed as a template', () => {
    const typed = '$t(pager.next) {{alias}} {{count}}';
    expect(wordsFor('en-US')('games.line', { name: typed, alias: 'x' })).toBe(`**${typed}** — \`x\``);
  });
});
