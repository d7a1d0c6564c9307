import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createListingPages } from '../../src/words/listing-pages.ts';
import { createWords, languages } from '../../src/words/words.ts';
import { rendered } from '../support/rendered.ts';

type Tree = { readonly [key: string]: string | Tree };

/** Every sentence of a language by its key. */
function sentencesOf(tree: Tree, path: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'string'
        ? [[[...path, key].join('.'), value] as const]
        : [...sentencesOf(value, [...path, key])],
    ),
  );
}

const { wordsFor } = createWords();
const english = sentencesOf(languages.en);
const PLURAL = /_(zero|one|two|few|many|other)$/;
/** How the service is called differs from language to language. */
const isAboutName = (key: string) => key.startsWith('listing.');
/** The service's name takes the form that each language needs. */
const NAMES = new Set(Object.values(languages).flatMap(({ listing }) => Object.keys(listing.named)));
const valuesIn = (sentence: string) =>
  [...new Set(sentence.match(/(?<=\{\{)\w+(?=\}\})/g))]
    .filter((name) => !NAMES.has(name.replace(/_plain$/, '')))
    .toSorted();

/** Looked up otherwise than by a key in quotes: by a command's name, and for every sentence about the service. */
const LOOKED_UP_BY_NAME =
  /^(?:commands|messageCommands|listing\.(?:un)?named)\.|^(?:look\.servers|submissions\.show)$/;

/** Every key that the code has in quotes; where a part of it is filled in, anything may stand there. */
function keysInCode(): RegExp {
  const root = join(import.meta.dirname, '../..');
  const code = globSync(['src/**/*.ts', 'commands/**/*.ts'], { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const quoted = code.matchAll(/'([a-z]\w*(?:\.[\w-]+)*)'/gi);
  const filled = code.matchAll(/`([a-z]\w*\.[^`\n ]*\$\{[^`\n]*\}[^`\n ]*)`/gi);
  const patterns = [...quoted, ...filled].map(([, key = '']) =>
    key
      .split(/\$\{[^}]*\}/)
      .map(RegExp.escape)
      .join('[\\w-]*'),
  );
  return new RegExp(`^(?:${[...new Set(patterns)].join('|')})$`);
}

describe('the sentences', () => {
  it('are all said somewhere', () => {
    const known = keysInCode();
    const stems = [...english.keys()].map((key) => key.replace(PLURAL, ''));
    expect(stems.filter((key) => !LOOKED_UP_BY_NAME.test(key) && !known.test(key))).toEqual([]);
    expect(known.test('setkey.nowhere')).toBe(false);
  });

  describe.each(Object.keys(languages) as (keyof typeof languages)[])('in %s', (language) => {
    const sentences = sentencesOf(languages[language]);
    const plurals = new Intl.PluralRules(language);

    it('are the same as in English, with the same values', () => {
      const stemsOf = (map: ReadonlyMap<string, string>) =>
        [...new Set([...map.keys()].map((key) => key.replace(PLURAL, '')))].filter(
          (key) => !isAboutName(key),
        );
      expect(stemsOf(sentences).toSorted()).toEqual(stemsOf(english).toSorted());
      for (const [key, sentence] of sentences) {
        if (isAboutName(key)) continue;
        const original = english.get(key) ?? english.get(key.replace(PLURAL, '_other')) ?? '';
        expect([key, ...valuesIn(sentence)]).toEqual([key, ...valuesIn(original)]);
        // Nothing else of i18next's templates is used.
        expect(sentence).not.toMatch(/\{\{(?!\w+\}\})|\$t\(/);
      }
    });

    it('have every plural form', () => {
      const stems = [...sentences.keys()]
        .filter((key) => PLURAL.test(key))
        .map((key) => key.replace(PLURAL, ''));
      const forms = plurals.resolvedOptions().pluralCategories;
      const wanted = [...new Set(stems)].flatMap((stem) => forms.map((form) => `${stem}_${form}`));
      expect(wanted.filter((key) => !sentences.has(key))).toEqual([]);
    });

    it('are filled in with values and counts, each time anew', () => {
      const t = wordsFor(language) as unknown as (key: string, values?: object) => string;
      for (const [key, sentence] of sentences) {
        if (isAboutName(key)) continue;
        const counts = [0, 1, 2, 21, 1000].filter((count) => key.endsWith(`_${plurals.select(count)}`));
        for (const count of PLURAL.test(key) ? counts : [undefined]) {
          const names = valuesIn(sentence).filter((name) => name !== 'count');
          const values = Object.fromEntries(names.map((name) => [name, `<${name} ${count} $& $t(x)>`]));
          const said = t(key.replace(PLURAL, ''), { ...values, count: count ?? 7 });
          for (const value of Object.values(values)) expect(said).toContain(value);
          if (valuesIn(sentence).includes('count')) expect(said).toContain(String(count ?? 7));
          const [beginning = ''] = sentence.split('{{');
          expect(said.startsWith(beginning)).toBe(true);
          expect(said).not.toContain('{{');
        }
      }
    });
  });

  it('are in the language of the locale, and in English where a language is not there', () => {
    expect(wordsFor('de')('pager.next')).toBe('Weiter');
    for (const locale of ['en-US', 'en-GB', 'ja', 'toString'])
      expect(wordsFor(locale)('pager.next')).toBe('Next');
  });

  it('take their plural form from the count', () => {
    expect(wordsFor('en-US')('games.total', { count: 1 })).toBe('1 game');
    expect(wordsFor('de')('games.total', { count: 2 })).toBe('2 Spiele');
  });

  it('leave out a value that is not there, and read none as a template', () => {
    const t = wordsFor('en-US') as unknown as (key: string, values?: object) => string;
    expect(t('pager.page', { page: undefined, pages: null })).toBe('Page  of ');
    const typed = '$t(pager.next) {{pages}} {{count}}';
    expect(t('pager.page', { page: typed, pages: 'x' })).toBe(`Page ${typed} of x`);
  });
});

describe('the page of the listing service', () => {
  it.each([
    ['https://list.example/games', 'https://list.example/games', 'https://list.example/games'],
    [
      'https://list.example/s?q={address}&x',
      'https://list.example/s?q=a.example%3A1&x',
      'https://list.example/s',
    ],
    ['https://list.example/s?{address}', 'https://list.example/s?a.example%3A1', 'https://list.example/s'],
    ['https://list.example/#/{address}', 'https://list.example/#/a.example%3A1', 'https://list.example/'],
    [
      'https://list.example/at/{address}',
      'https://list.example/at/a.example%3A1',
      'https://list.example/at/',
    ],
    [
      'https://list.example/at-{address}/all',
      'https://list.example/at-a.example%3A1/all',
      'https://list.example/',
    ],
    ['https://list.example/a_(b)', 'https://list.example/a_%28b%29', 'https://list.example/a_%28b%29'],
  ])('as %s is %s for an address, and %s without one', (template, page, list) => {
    const pages = createListingPages(template);
    expect([pages('a.example:1'), pages()]).toEqual([page, list]);
  });

  it('is the list where a link to the address would be longer than Discord takes', () => {
    const pages = createListingPages(`https://list.example/?q={address}&x=${'x'.repeat(160)}`);
    expect(pages(`${'a'.repeat(253)}:65535`)).toContain('aaaa');
    expect(pages('é'.repeat(60))).toBe('https://list.example/');
  });
});

describe('the name of the listing service', () => {
  const page = 'https://list.example/?q={address}';

  it('is in every sentence about it, with a link, in each language', () => {
    const words = createWords({ name: 'Game List', page }).wordsFor;
    const link = '[Game List](<https://list.example/>)';
    expect(words('en-US')('notSent.down')).toContain(`${link} is down`);
    expect(words('de')('unknown.reset')).toContain(`Die Verbindung zu ${link} `);
  });

  it('is what it is where the operator gives none, with a link where there is a page', () => {
    expect(createWords().wordsFor('en-US')('notSent.down')).toContain('The listing service is down');
    const german = createWords({ page }).wordsFor('de')('notSent.down');
    expect(german).toContain('Der [Listendienst](<https://list.example/>) ');
  });

  it('is no markup and no template', () => {
    const name = '**x** $t(pager.next) @here ](https://evil.example)';
    const said = createWords({ name }).wordsFor('en-US')('notSent.down');
    expect(rendered(said).active).toEqual([]);
    expect(rendered(said).text).toContain(`${name} is down`);
  });
});
