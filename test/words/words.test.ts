import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENGLISH } from '../../src/words/languages.ts';
import { createListingPages } from '../../src/words/listing-pages.ts';
import { createWords } from '../../src/words/words.ts';
import { PLURAL, sentencesOf } from './language-files.ts';
import { rendered } from './rendered.ts';

const { wordsFor } = createWords();
const english = sentencesOf(ENGLISH.sentences);

/** Keys that aren't quoted in the code, because they contain a command's name or belong to sentences about the service. */
const LOOKED_UP_BY_NAME = /^(?:languageName$|(?:commands|messageCommands|discord|listing\.(?:un)?named)\.)/;

/** Returns a pattern for all quoted keys in the code. Placeholders in keys match anything. */
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

describe("the bot's strings", () => {
  it('are all used', () => {
    const known = keysInCode();
    const stems = [...english.keys()].map((key) => key.replace(PLURAL, ''));
    expect(stems.filter((key) => !LOOKED_UP_BY_NAME.test(key) && !known.test(key))).toEqual([]);
    expect(known.test('setkey.nowhere')).toBe(false);
  });

  it.each([
    ['en-US', 1, '1 game server'],
    ['en-US', 1_000, '1,000 game servers'],
    ['de', 1_000, '1.000 Spielserver'],
    ['ru', 21, '21 игровой сервер'],
    ['ru', 22, '22 игровых сервера'],
    ['ru', 25, '25 игровых серверов'],
    ['ja', 1, 'ゲームサーバー1件'],
  ])('use the correct plural and number format (%s, %i: %s)', (locale, count, text) => {
    expect(wordsFor(locale)('look.servers', { count })).toBe(text);
  });

  it('use thousands separators only for quantities', () => {
    const t = wordsFor('en-US');
    expect(t('again.gameAndPort', { game: '<b>', port: 27_015 })).toBe('<b>, port 27015');
    expect(t('again.gameAndPort', { game: '<b>', port: 27_016 })).toBe('<b>, port 27016');
    expect(t('settings.quotaHint', { most: 10_000 })).toContain('from 1 to 10,000,');
  });

  it('fall back to English for unsupported locales', () => {
    expect(wordsFor('de')('pager.next')).toBe('Weiter');
    for (const locale of ['en-US', 'en-GB', 'fi', 'toString'])
      expect(wordsFor(locale)('pager.next')).toBe('Next');
  });

  it("don't expand templates in inserted values", () => {
    const t = wordsFor('en-US') as unknown as (key: string, values?: object) => string;
    expect(t('pager.page', { page: undefined, pages: null })).toBe('Page  of ');
    const typed = '$& $t(pager.next) {{pages}} {{count}}';
    expect(t('pager.page', { page: typed, pages: 'x' })).toBe(`Page ${typed} of x`);
  });
});

describe('a link to the listing service', () => {
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
  ])('is built from a template (%s → %s, or %s without an address)', (template, page, list) => {
    const pages = createListingPages(template);
    expect([pages('a.example:1'), pages()]).toEqual([page, list]);
  });

  it('falls back to the full list if the address would make the URL too long', () => {
    const pages = createListingPages(`https://list.example/?q={address}&x=${'x'.repeat(160)}`);
    expect(pages(`${'a'.repeat(253)}:65535`)).toContain('aaaa');
    expect(pages('é'.repeat(60))).toBe('https://list.example/');
  });
});

describe("the listing service's name", () => {
  const page = 'https://list.example/?q={address}';

  it('is a link in messages about the service', () => {
    const words = createWords({ name: 'Game List', page }).wordsFor;
    const link = '[Game List](<https://list.example/>)';
    expect(words('en-US')('notSent.unreachable')).toContain(`${link} couldn't be reached`);
    expect(words('de')('unknown.reset')).toContain(`Die Verbindung zu ${link} `);
  });

  it("is generic if the operator hasn't set a name", () => {
    expect(createWords().wordsFor('en-US')('notSent.unreachable')).toContain(
      "The listing service couldn't be reached",
    );
    const german = createWords({ page }).wordsFor('de')('notSent.unreachable');
    expect(german).toContain('Der [Listendienst](<https://list.example/>) ');
  });

  it("isn't treated as markup or as a template", () => {
    const name = '**x** $t(pager.next) @here ](https://evil.example)';
    const said = createWords({ name }).wordsFor('en-US')('notSent.unreachable');
    expect(rendered(said).active).toEqual([]);
    expect(rendered(said).text).toContain(`${name} couldn't be reached`);
  });
});
