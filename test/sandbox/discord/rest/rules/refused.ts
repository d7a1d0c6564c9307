import { expect } from 'vitest';
import type { Refusal } from '../../../../../sandbox/discord/rest/rules/flaws.ts';

/** Asserts 400/50035 for a rule, with an error code at a path: `expectFlaw(refusal, 14, 'options.1', 'CODE')`. */
export function expectFlaw(refusal: Refusal | undefined, rule: number, path: string, code: string): void {
  expect(refusal).toMatchObject({ rule, status: 400, code: 50035, message: 'Invalid Form Body' });
  expect(leaves(refusal?.errors), JSON.stringify(refusal?.errors)).toContainEqual([path, code]);
}

/** Every error code with its path, as `['data.choices.0.name', 'BASE_TYPE_REQUIRED']`. */
export function leaves(tree: unknown, at: readonly string[] = []): [path: string, code: string][] {
  return Object.entries(tree ?? {}).flatMap(([key, below]) =>
    key === '_errors'
      ? (below as { code: string }[]).map(({ code }): [string, string] => [at.join('.'), code])
      : leaves(below, [...at, key]),
  );
}

export const messageAt = (refusal: Refusal | undefined, ...path: string[]): string | undefined => {
  let node: unknown = refusal?.errors;
  for (const key of [...path, '_errors', '0', 'message']) node = Reflect.get(Object(node), key);
  return node as string | undefined;
};
