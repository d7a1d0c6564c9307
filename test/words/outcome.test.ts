import { expect, describe as group, it } from 'vitest';
import { fitChoices } from '../../src/discord/limits.ts';
import { gameChoices } from '../../src/words/games.ts';
import { describe, LOOK, serverEmbed, serverLine } from '../../src/words/outcome.ts';
import { createWords } from '../../src/words/words.ts';
import { rendered } from '../support/rendered.ts';

const { wordsFor } = createWords();
const [en, de] = [wordsFor('en-US'), wordsFor('de')];
const games = { find: (alias: string) => (alias === 'rust' ? { name: 'Rust', alias } : undefined) };

group('the one embed with game servers', () => {
  it('has the colour of the outcome, and the game and the address of each server on a line', () => {
    const lines = [
      describe(en, { server: '2606:4700::1111', port: 28015, game: 'rust' }, games),
      describe(en, { server: 'a.example.com', port: 1, queryPort: 2, game: 'unheard' }, games),
    ];
    expect(serverEmbed(en, 'accepted', lines)).toEqual({
      color: 0x57f287,
      description: '**Rust** — `[2606:4700::1111]:28015`\n**unheard** — `a.example.com:1`, query port 2',
    });
  });

  it('says how many there are that it does not show', () => {
    const lines = ['a', 'b', 'c'];
    expect(serverEmbed(en, 'rejected', lines, 1).description).toBe('a\n… and 2 more');
    expect(serverEmbed(de, 'rejected', lines, 2).description).toBe('a\nb\n… und 1 weiterer');
  });

  it('fits into an embed whatever it is given', () => {
    const lines = Array.from(
      { length: 1000 },
      (_, i) => `**Game** — \`${i}.${'x'.repeat(200)}.example.com:1\``,
    );
    const { description } = serverEmbed(en, 'unknown', lines);
    expect(description.length).toBeLessThanOrEqual(4096);
    expect(description).toMatch(/… and 9\d\d more$/);
    expect(serverEmbed(en, 'unknown', ['x'.repeat(9000)]).description.length).toBeLessThanOrEqual(4096);
  });

  it('lets nothing act in what somebody typed', () => {
    const line = serverLine(en, {
      game: '**@everyone** [x](https://evil.example)',
      address: '`**x**` <@1> https://evil.example',
      queryPort: '`**2**`',
    });
    expect(rendered(line).active.toSorted()).toEqual(['inlineCode', 'strong']);
  });

  it('has a sign and a colour for every outcome', () => {
    expect(Object.values(LOOK).map(({ sign }) => sign)).toEqual(['✅', '❌', '⚠️', '❓']);
  });
});

group('games as choices', () => {
  it('can all be chosen, though their names are the same where Discord cuts them', () => {
    const games = Array.from({ length: 25 }, (_, n) => ({ name: 'x'.repeat(100), alias: `game${n}` }));
    const fit = fitChoices(gameChoices(games));
    expect(fit.map(({ value }) => value)).toEqual(games.map(({ alias }) => alias));
    for (const { name, value } of fit) {
      expect(name.length).toBeLessThanOrEqual(100);
      expect(name.endsWith(`… (${value})`)).toBe(true);
    }
  });

  it('are shown by their alias where it leaves no room for a name, or is the name', () => {
    const alias = 'a'.repeat(97);
    expect(
      gameChoices([
        { name: 'Game', alias },
        { name: 'rust', alias: 'rust' },
        { name: 'Rust', alias: 'rust' },
      ]),
    ).toEqual([
      { name: alias, value: alias },
      { name: 'rust', value: 'rust' },
      { name: 'Rust (rust)', value: 'rust' },
    ]);
  });
});
