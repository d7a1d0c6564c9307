import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createListingPages, createWords, languages } from '../../src/words/words.ts';
import { rendered } from '../support/rendered.ts';

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

/** Looked up otherwise than by a key in quotes: by a command's name, and for every sentence about the service. */
const LOOKED_UP_BY_NAME = /^(?:commands|messageCommands|listing\.(?:un)?named)\./;

/** Every key that the code has in quotes; where a part of it is filled in, anything may stand there. */
function keysInCode(): RegExp {
  const root = join(import.meta.dirname, '../..');
  const code = globSync(['src/**/*.ts', 'commands/**/*.ts'], { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const quoted = [...code.matchAll(/'([a-z]\w*(?:\.[\w-]+)*)'/gi)].map(([, key = '']) => key);
  const filled = [...code.matchAll(/`([a-z]\w*\.[^`\n ]*\$\{[^`\n]*\}[^`\n ]*)`/gi)].map(
    ([, key = '']) => key,
  );
  const patterns = [...quoted, ...filled].map((key) =>
    key
      .split(/\$\{[^}]*\}/)
      .map(RegExp.escape)
      .join('[\\w-]*'),
  );
  return new RegExp(`^(?:${[...new Set(patterns)].join('|')})$`);
}

describe('the sentences', () => {
  const english = sentences(languages.en);

  it('are all said somewhere', () => {
    const known = keysInCode();
    const stems = [...english.keys()].map((key) => key.replace(PLURAL, ''));
    expect(stems.filter((key) => !LOOKED_UP_BY_NAME.test(key) && !known.test(key))).toEqual([]);
    expect(known.test('setkey.nowhere')).toBe(false);
  });

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

  it.each(
    Object.keys(languages),
  )('are filled in with named values and counts in %s, each time anew', (language) => {
    const t = wordsFor(language) as unknown as (key: string, values?: object) => string;
    const plurals = new Intl.PluralRules(language);
    for (const [key, sentence] of sentences(languages[language as keyof typeof languages])) {
      if (key.startsWith('listing.')) continue;
      // Nothing else of i18next's templates is used.
      expect(sentence).not.toMatch(/\{\{(?!\w+\}\})|\$t\(/);
      const names = placeholders(sentence).map((each) => each.slice(2, -2));
      const counts = PLURAL.test(key)
        ? [0, 1, 2, 21, 1000].filter((count) => key.endsWith(`_${plurals.select(count)}`))
        : [7];
      for (const count of counts) {
        const values = {
          ...Object.fromEntries(names.map((name) => [name, `<${name} ${count} $& $t(x)>`])),
          count,
        };
        const filled = Object.entries(values).reduce<string>(
          (text, [name, value]) => text.replaceAll(`{{${name}}}`, () => String(value)),
          sentence,
        );
        const [before = '', ...rest] = filled.split(/\{\{\w+\}\}/);
        const said = t(
          key.replace(PLURAL, ''),
          names.includes('count') || PLURAL.test(key) ? values : { ...values, count: undefined },
        );
        expect(said.startsWith(before)).toBe(true);
        expect(said.endsWith(rest.at(-1) ?? before)).toBe(true);
        expect(said).not.toContain('{{');
      }
    }
  });

  it('leave out a value that is not there', () => {
    const t = wordsFor('en-US') as unknown as (key: string, values?: object) => string;
    expect(t('games.line', { name: undefined, alias: null })).toBe('**** — ``');
    expect(t('games.line')).toBe('**** — ``');
  });

  it('never read what people typed as a template', () => {
    const typed = '$t(pager.next) {{alias}} {{count}}';
    expect(wordsFor('en-US')('games.line', { name: typed, alias: 'x' })).toBe(`**${typed}** — \`x\``);
  });
});

describe('the page of the listing service', () => {
  it('is the one that the operator named', () => {
    expect(createListingPages('https://list.example/games')()).toBe('https://list.example/games');
    expect(createListingPages('https://list.example/games')('play.example.com:27015')).toBe(
      'https://list.example/games',
    );
    expect(createListingPages(undefined)('play.example.com:27015')).toBeUndefined();
  });

  it('is about an address where the operator has left a place for it', () => {
    const inQuery = createListingPages('https://list.example/search?q={address}&lang=en');
    expect(inQuery('play.example.com:27015')).toBe(
      'https://list.example/search?q=play.example.com%3A27015&lang=en',
    );
    expect(inQuery('[2606:4700::1111]:25565')).toBe(
      'https://list.example/search?q=%5B2606%3A4700%3A%3A1111%5D%3A25565&lang=en',
    );
    expect(createListingPages('http://list.example/server/{address}/')('a.example:1')).toBe(
      'http://list.example/server/a.example%3A1/',
    );
  });

  it.each([
    ['https://list.example/search?q={address}&lang=en', 'https://list.example/search'],
    ['https://list.example/search?{address}', 'https://list.example/search'],
    ['https://list.example/#/{address}', 'https://list.example/'],
    ['https://list.example/servers/{address}', 'https://list.example/servers/'],
    ['https://list.example/servers/at-{address}/all', 'https://list.example/servers/'],
  ])('without an address %s leads to %s', (template, list) => {
    expect(createListingPages(template)()).toBe(list);
  });

  it('is the list where a link to the address would be longer than Discord takes', () => {
    const pages = createListingPages(`https://list.example/?q={address}&x=${'x'.repeat(160)}`);
    expect(pages(`${'a'.repeat(253)}:65535`)).toContain('aaaa');
    expect(pages('é'.repeat(60))).toBe('https://list.example/');
  });

  it('does not end in the middle of a link', () => {
    expect(createListingPages('https://list.example/a_(b)?q=<{address}>')('x')).toBe(
      'https://list.example/a_%28b%29?q=%3Cx%3E',
    );
  });
});

describe('the name of the listing service', () => {
  const page = 'https://list.example/?q={address}';

  it('is in every sentence about it, with a link, in each language', () => {
    const words = createWords({ name: 'Game List', page }).wordsFor;
    const link = '[Game List](<https://list.example/>)';
    expect(words('en-US')('service.down')).toBe(`${link} could not be reached.`);
    expect(words('en-US')('keystatus.none', { setkey: '/setkey' })).toContain(`no API key for ${link}.`);
    expect(words('de')('service.tooLarge')).toContain(`Die Antwort von ${link} `);
    expect(words('de')('keystatus.none', { setkey: '/setkey' })).toContain(
      `keinen API-Schlüssel für ${link}.`,
    );
  });

  it('is what it is where the operator gives none, with a link where there is a page', () => {
    expect(createWords().wordsFor('en-US')('service.down')).toBe('The listing service could not be reached.');
    expect(createWords({ page }).wordsFor('de')('service.down')).toBe(
      'Der [Listendienst](<https://list.example/>) war nicht erreichbar.',
    );
  });

  it('stands alone where no link is understood', () => {
    const words = createWords({ name: 'A*B', page }).wordsFor;
    expect(words('en-US')('setkey.hint')).toContain('your account at A*B.');
    expect(words('de')('setkey.hint')).toContain('Konto bei A*B.');
  });

  it('is no markup and no template', () => {
    const name = '**x** $t(pager.next) @here ](https://evil.example)';
    const said = createWords({ name }).wordsFor('en-US')('service.down');
    expect(said).toContain('could not be reached.');
    expect(rendered(said).active).toEqual([]);
    expect(rendered(said).text).toBe(`${name} could not be reached.`);
  });
});
