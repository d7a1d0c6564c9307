import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/sandbox/rules.ts';

const root = join(import.meta.dirname, '../..');

describe('the table of rules', () => {
  it('has all 59 in order, each with a title', () => {
    expect(RULES.map(({ rule }) => rule)).toEqual(Array.from({ length: 59 }, (_, i) => i + 1));
    expect(new Set(RULES.map(({ title }) => title)).size).toBe(59);
  });

  it.each(
    RULES.map((rule) => [rule.rule, rule] as const),
  )('names files that enforce and test rule %i', (number, rule) => {
    expect(rule.where).not.toEqual([]);
    for (const file of rule.where) expect(existsSync(join(root, file)), file).toBe(true);
    const [first = ''] = rule.tests;
    // The first one breaks it over real sockets and says so in the name of a test.
    const names = new RegExp(`(it|describe)(\\.each)?\\(\\s*['"\`]rule ${number}\\b|\\[\\s*'rule ${number}:`);
    expect(readFileSync(join(root, first), 'utf8')).toMatch(names);
    for (const file of rule.tests) expect(readFileSync(join(root, file), 'utf8'), file).toMatch(/rule/i);
  });

  it('knows every rule that the code mentions', () => {
    const files = readdirSync(join(root, 'src/sandbox'), { recursive: true, encoding: 'utf8' });
    const numbers = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(root, 'src/sandbox', file), 'utf8').matchAll(/\brule: (\d+)/g),
      ])
      .map(([, number]) => Number(number));
    expect(numbers.length).toBeGreaterThan(20);
    expect(numbers.filter((number) => !RULES.some(({ rule }) => rule === number))).toEqual([]);
  });
});
