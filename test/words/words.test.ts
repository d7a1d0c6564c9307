import { describe, expect, it } from 'vitest';
import { createWords, languages } from '../../src/words/words.ts';

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

const { wordsFor } = createWords();
const PLURAL = /_(zero|one|two|few|many|other)$/;
/** The service's name takes the form that each language needs. */
const NAMES = new Set(Object.values(languages).flatMap(({ listing }) => Object.keys(listing.named)));
const placeholders = (sentence: string) =>
  [...new Set(sentence.match(/\{\{\w+\}\}/g))]
    .filter((each) => !NAMES.has(each.slice(2, -2).replace(/_plain$/, '')))
    .sort();

/** Names of commands and options, what the service says, and how the service is called. */
const NOT_SAID_BY_US = /^(commands\..*\.name|messageCommands\..*|help\.example|listing\..*|said\..*)$/;
/** A key is accepted, or not; that is no outcome of a submission. */
const ABOUT_KEYS = /key|said/i;
/** What "server" may stand in: the rest of the name of what is meant, and names that Discord gave. */
const NAMED_SERVER = {
  en: /\bDiscord servers?\b|\bgame servers?\b|\bservers of (?:this game|\{\{game\}\})|`server`|“Manage Server”|\bServer Settings\b/gi,
  de: /(?<!\p{L})Discord-Servern?s?(?!\p{L})|(?<!\p{L})Spielservern?s?(?!\p{L})|\bServer (?:dieses Spiels|für \{\{game\}\})|`server`|„Server verwalten“|\bServereinstellungen\b/gu,
};

describe('the sentences', () => {
  const english = sentences(languages.en);

  for (const [language, words] of Object.entries(languages)) {
    const translated = sentences(words);

    it(`exist for the same keys in English and in ${language}`, () => {
      const keys = (map: ReadonlyMap<string, string>) =>
        [...new Set([...map.keys()].map((key) => key.replace(PLURAL, '')))]
          .filter((key) => !key.startsWith('listing.'))
          .sort();
      expect(keys(translated)).toEqual(keys(english));
    });

    it(`carry the same named values in English and in ${language}`, () => {
      for (const [key, sentence] of translated) {
        if (key.startsWith('listing.')) continue;
        const original = english.get(key) ?? english.get(key.replace(PLURAL, '_other'));
        expect([key, ...placeholders(sentence)]).toEqual([key, ...placeholders(original ?? '')]);
      }
    });

    it(`never say "server" alone in ${language}: there are Discord servers and game servers`, () => {
      const named = NAMED_SERVER[language as keyof typeof NAMED_SERVER];
      const alone = [...translated].filter(
        ([key, sentence]) =>
          !NOT_SAID_BY_US.test(key) &&
          /server/i.test(sentence.replace(named, '').replace(/\{\{\w+\}\}/g, '')),
      );
      expect(alone).toEqual([]);
    });

    it(`call outcomes by one name in ${language}`, () => {
      const others = {
        en: /\b(?:accepted|rejected|sent without)\b|⏸|❔/i,
        de: /angenommen|ungewiss|Prüfung geschickt|⏸|❔/i,
      };
      const strange = [...translated].filter(
        ([key, sentence]) =>
          !ABOUT_KEYS.test(key) &&
          others[language as keyof typeof others].test(sentence.replaceAll('rejected.csv', '')),
      );
      expect(strange).toEqual([]);
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
