import { describe, expect, it } from 'vitest';
import { createListingPages } from '../../src/words/listing-pages.ts';
import { createWords } from '../../src/words/words.ts';
import { rendered } from '../support/rendered.ts';

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
