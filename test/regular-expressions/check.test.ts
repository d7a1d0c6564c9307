import { describe, expect, it } from 'vitest';
import { faultsIn } from './check.ts';
import { expressionsIn } from './find.ts';

describe('the regular expression check', () => {
  it.each([
    'export const end = (text: string) => text.replace(/[a-z]+$/u, "");',
    `const SET = "[a-z]"; new RegExp(\`\${SET}+$\`, "u");`,
    'const SET = "[a-z]"; const END: RegExp = RegExp(SET + String.raw`+\\s*$`);',
    '/^(?:a+)+b/;',
    '/(?<!a)[a-z]+$/;',
    '/\\[[^\\]]*\\]\\(x\\)/;',
  ])('rejects a super-linear pattern: %s', async (source) => {
    expect(await faultsIn(source)).toEqual([expect.stringMatching(/^1: .*(?:polynomial|exponential)/)]);
  });

  it.each([
    'const make = (text: string) => new RegExp(text);',
    `const WORD = /[a-z]+/; new RegExp(\`\${WORD.source}$\`);`,
    '"a".match("[a-z]+$");',
  ])('rejects a non-constant pattern: %s', async (source) => {
    expect(await faultsIn(source)).toEqual(['1: the pattern is not a constant']);
  });

  it('accepts linear patterns, and ignores strings and comments', async () => {
    const source = 'const s = "/[a-z]+$/"; // /[a-z]+$/\n/^[a-z]+$/u.test(s); s.matchAll(/ /g); 4 / 2 / 1;';
    expect(await faultsIn(source)).toEqual([]);
  });

  it('reports the line of each expression in a TypeScript file', () => {
    const source = 'interface A {\n  readonly a: string;\n}\nconst a = (b: A) => /x/g.test(b.a);\n';
    expect(expressionsIn(source)).toEqual([{ line: 4, pattern: 'x', flags: 'g' }]);
  });
});
