import { describe, expect, it } from 'vitest';
import { fitReply } from '../../src/discord/deliver.ts';
import { fitChoices, LIMITS } from '../../src/discord/limits.ts';

describe('fitChoices', () => {
  it('leaves out what Discord would refuse the whole answer for', () => {
    const choice = (value: string) => ({ name: value, value });
    const values = ['', ' ', '🎮'.repeat(51), '🎮'.repeat(50), 'a'.repeat(101)];
    expect(fitChoices(values.map(choice)).map(({ value }) => value)).toEqual(['🎮'.repeat(50)]);
  });

  it('leaves out a second choice of the same name, and names one that shows nothing by its value', () => {
    const names = ['x'.repeat(101), 'x'.repeat(102), '', 'y'];
    const fit = fitChoices(names.map((name, n) => ({ name, value: String(n) })));
    expect(fit.map(({ name, value }) => `${name.length} ${value}`)).toEqual(['100 0', '1 2', '1 3']);
  });
});

describe('fitReply', () => {
  it('keeps a message and its embed inside Discord’s limits, in UTF-16 units too', () => {
    for (const character of ['x', '🎮', '\\*', '`']) {
      const long = (length: number) => character.repeat(length);
      const { content = '', embeds = [] } = fitReply({
        content: long(3000),
        embeds: [
          {
            title: long(300),
            description: long(5000),
            footer: { text: long(2500) },
            fields: Array.from({ length: 30 }, () => ({ name: long(300), value: long(1100) })),
          },
        ],
      });
      const [{ title = '', description = '', footer, fields = [] } = {}] = embeds;
      expect(content.length).toBeLessThanOrEqual(LIMITS.content);
      expect(title.length).toBeLessThanOrEqual(LIMITS.embedTitle);
      expect(description.length).toBeLessThanOrEqual(LIMITS.embedDescription);
      expect(fields.length).toBeLessThanOrEqual(LIMITS.embedFields);
      for (const { name, value } of fields) {
        expect(name.length).toBeLessThanOrEqual(LIMITS.embedFieldName);
        expect(value.length).toBeLessThanOrEqual(LIMITS.embedFieldValue);
        expect(Math.min(name.length, value.length)).toBeGreaterThan(0);
      }
      const texts = [
        title,
        description,
        footer?.text ?? '',
        ...fields.flatMap(({ name, value }) => [name, value]),
      ];
      expect(texts.join('').length).toBeLessThanOrEqual(LIMITS.embedTotal);
    }
  });

  it('keeps the fields of an embed that fits', () => {
    const embed = { title: 'a', description: 'b', fields: [{ name: 'c', value: 'd', inline: true }] };
    expect(fitReply({ embeds: [embed] })).toEqual({ embeds: [embed] });
  });
});
