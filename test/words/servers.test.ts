import { describe, expect, it } from 'vitest';
import { fitChoices } from '../../src/discord/limits.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { gameChoices, gameLabels, gameOption, gameOptions } from '../../src/words/games.ts';
import {
  describeServer,
  readServerLines,
  serverEmbed,
  serverLine,
  targetsText,
  typedLine,
  worstOf,
} from '../../src/words/servers.ts';
import { createWords } from '../../src/words/words.ts';
import { rendered } from './rendered.ts';

const t = createWords().wordsFor('en-US');
const games = indexGames([{ name: 'Rust', alias: 'rust' }]);

describe('the game server embed', () => {
  it("shows each server's game and address on a single line", () => {
    const lines = [
      describeServer(t, { server: '2606:4700::1111', port: 28015, game: 'rust' }, games),
      describeServer(t, { server: 'a.example.com', port: 1, queryPort: 2, game: 'unheard' }, games),
    ];
    expect(serverEmbed(t, 'accepted', lines)).toEqual({
      color: 0x57f287,
      description: '**Rust** `[2606:4700::1111]:28015`\n**unheard** `a.example.com:1` · query port 2',
    });
  });

  it('shows how many servers were omitted', () => {
    expect(serverEmbed(t, 'rejected', ['a', 'b', 'c'], 1).description).toBe('a\n… and 2 more');
  });

  it("never exceeds Discord's length limit", () => {
    const long = 'x'.repeat(200);
    const lines = Array.from({ length: 1000 }, (_, n) => `**Game** — \`${n}.${long}.example.com:1\``);
    const { description } = serverEmbed(t, 'unknown', lines);
    expect(description.length).toBeLessThanOrEqual(4096);
    expect(description).toMatch(/… and 9\d\d more$/);
    expect(serverEmbed(t, 'unknown', ['x'.repeat(9000)]).description.length).toBeLessThanOrEqual(4096);
  });

  it('escapes markup in the input', () => {
    const evil = '`**x**` <@1> [x](https://evil.example)';
    const line = serverLine(t, { game: evil, address: evil, queryPort: evil });
    expect(rendered(line).active.toSorted()).toEqual(['inlineCode', 'strong']);
  });

  it('has the colour of the worst outcome', () => {
    expect(worstOf(['accepted', 'unknown', 'not-sent'])).toBe('unknown');
    expect(worstOf(['accepted', 'rejected', 'unknown'])).toBe('rejected');
    expect(worstOf(['accepted', 'not-sent'])).toBe('not-sent');
    expect(worstOf([])).toBe('not-sent');
  });
});

describe('a game server line in a message', () => {
  it('is parsed back into the same server', () => {
    const server = 'play.example.com:1';
    const empty = { port: '', queryPort: '', game: '' };
    expect(typedLine(t, { ...empty, server }, games)).toBe(`\`${server}\``);
    for (const row of [empty, { ...empty, game: 'Rust' }, { ...empty, queryPort: '2' }]) {
      const typed = { ...row, server };
      const description = typedLine(t, typed, games);
      expect(readServerLines({ content: 'Text', embeds: [{ description }] })).toEqual([typed]);
    }
  });

  it("isn't confused with other code spans", () => {
    expect(readServerLines({ content: '`rejected.csv` has all of them.', embeds: [] })).toEqual([]);
  });
});

describe('a list of games', () => {
  it('keeps labels unique when it truncates long names', () => {
    const same = Array.from({ length: 25 }, (_, n) => ({ name: 'x'.repeat(100), alias: `game${n}` }));
    const fit = fitChoices(gameChoices(same));
    expect(fit.map(({ value }) => value)).toEqual(same.map(({ alias }) => alias));
    for (const { name, value } of fit) {
      expect(name.length).toBeLessThanOrEqual(100);
      expect(name.endsWith(`… (${value})`)).toBe(true);
    }
  });

  it("shows a game's alias if the name doesn't fit", () => {
    const alias = 'a'.repeat(97);
    const choices = gameChoices([
      { name: 'Game', alias },
      { name: 'rust', alias: 'rust' },
      { name: 'Rust', alias: 'rust' },
    ]);
    expect(choices.map(({ name }) => name)).toEqual([alias, 'rust', 'Rust (rust)']);
  });

  it('shows aliases if two games have the same name', () => {
    const three = ['a', 'b'].map((alias) => ({ name: 'Same', alias }));
    const labels = gameLabels([...three, { name: 'Other', alias: 'c' }]).map(({ label }) => label);
    expect(labels).toEqual(['Same (a)', 'Same (b)', 'Other']);
  });

  it('puts popular games first in a select menu', () => {
    const options = gameOptions([
      { name: 'Other', alias: 'other' },
      { name: 'Blank', alias: ' ' },
      { name: 'Long', alias: 'a'.repeat(101) },
      { name: 'Rust', alias: 'rust' },
    ]);
    expect(options.map(({ value }) => value)).toEqual(['rust', 'other']);
    expect(gameOption({ name: '\u200b', alias: 'x' }).label).toBe('x');
  });
});

describe('a blocked range', () => {
  it.each([
    ['93.184.5.7/20', ' (`93.184.0.0`–`93.184.15.255`)'],
    ['255.255.255.255/16', ' (`255.255.0.0`–`255.255.255.255`)'],
    ['93.184.216.34', ''],
    ['2606:4700::/48', ''],
  ])('is shown with its first and last address: %s', (host, shown) => {
    const t = createWords().wordsFor('en-US');
    expect(targetsText(t, [{ kind: 'host', host }])).toBe(`\`${host}\`${shown}`);
  });
});
