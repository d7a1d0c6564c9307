import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../sandbox/discord/rules.ts';

const root = join(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** Every rule that a text names: `rule 5`, `rules 30 and 32`, `rule: 7`, `Rules 5, 27, 29–37 and 44`. */
function named(text: string): Set<number> {
  const lists = text.matchAll(/\brules?:? (\d+(?:(?:, | and (?:rule )?|–| to |, and (?:rule )?)\d+)*)/gi);
  return new Set(
    [...lists].flatMap(([, list = '']) =>
      [...list.matchAll(/(\d+)(?:(?:–| to )(\d+))?/g)].flatMap(([, from, to = from]) =>
        Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i),
      ),
    ),
  );
}

describe('the table of rules', () => {
  it('has all 60 in order, each with a title', () => {
    expect(RULES.map(({ rule }) => rule)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(new Set(RULES.map(({ title }) => title)).size).toBe(60);
  });

  it.each(
    RULES.map((rule) => [rule.rule, rule] as const),
  )('names files that enforce and test rule %i, and that say so', (number, rule) => {
    expect(rule.where).not.toEqual([]);
    for (const file of [...rule.where, ...rule.tests]) {
      expect(existsSync(join(root, file)), file).toBe(true);
      expect([...named(textOf(file))], file).toContain(number);
    }
    const [first = ''] = rule.tests;
    // The first one says so in the name of a test that runs.
    const names = new RegExp(`(it|describe)(\\.each)?\\(\\s*['"\`]rule ${number}\\b|\\[\\s*'rule ${number}:`);
    expect(textOf(first)).toMatch(names);
  });

  it('knows every rule that the code mentions', () => {
    const files = readdirSync(join(root, 'sandbox'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `sandbox/${file}`);
    const numbers = files.flatMap((file) => [...named(textOf(file))]);
    expect(new Set(numbers)).toEqual(new Set(RULES.map(({ rule }) => rule)));
  });

  it('reads lists and ranges of rules', () => {
    expect([...named('Rules 5, 29–31 and 44, rule: 7, rule 2; Rules 11 to 13, the rule 1')]).toEqual([
      5, 29, 30, 31, 44, 7, 2, 11, 12, 13, 1,
    ]);
  });
});
