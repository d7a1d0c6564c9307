import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCallback } from '../../../../../sandbox/discord/rest/rules/callbacks.ts';
import { checkCommandList } from '../../../../../sandbox/discord/rest/rules/commands.ts';
import { errorTree, invalidForm } from '../../../../../sandbox/discord/rest/rules/flaws.ts';
import { checkMessage } from '../../../../../sandbox/discord/rest/rules/messages.ts';
import { checkModal } from '../../../../../sandbox/discord/rest/rules/modals.ts';
import { RULES } from '../../../../../sandbox/discord/rules.ts';

describe('refusals', () => {
  it('nest errors as Discord does, array indexes as keys', () => {
    const leaf = { code: 'C', message: 'm' };
    const path = ['data', 'choices', 3, 'name'];
    expect(invalidForm([{ rule: 31, path, ...leaf }])).toEqual({
      rule: 31,
      status: 400,
      code: 50035,
      message: 'Invalid Form Body',
      errors: { data: { choices: { 3: { name: { _errors: [leaf] } } } } },
    });
    expect(invalidForm([])).toBeUndefined();
  });

  it('gather several errors, also of a field and of what is in it, and tell one only once', () => {
    const flaw = { rule: 1, code: 'C', message: 'm' };
    const tree = errorTree([
      { ...flaw, path: ['a'] },
      { ...flaw, path: ['a', 0] },
      { ...flaw, path: ['a', 0] },
    ]);
    const leaves = [{ code: 'C', message: 'm' }];
    expect(tree).toEqual({ a: { _errors: leaves, 0: { _errors: leaves } } });
  });
});

describe('any body at all', () => {
  const keys = [
    'type',
    'data',
    'content',
    'embeds',
    'components',
    'options',
    'choices',
    'name',
    'flags',
    'component',
  ];
  const leaf = fc.oneof(fc.string(), fc.integer({ min: -1, max: 25 }), fc.boolean(), fc.constant(null));
  const { body } = fc.letrec((tie) => ({
    body: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      leaf,
      fc.array(tie('body'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys), tie('body')),
    ),
  }));

  it('is accepted or refused with a known rule, and never throws', () => {
    fc.assert(
      fc.property(body, (value) => {
        for (const refusal of [
          checkCommandList([value], 'global'),
          checkCallback(value, { kind: 'component', hasSourceMessage: true }),
          checkMessage(value, { for: 'edit' }),
          checkModal(value),
        ])
          if (refusal !== undefined) expect(RULES.some(({ rule }) => rule === refusal.rule)).toBe(true);
      }),
      // Found once: a command has no choices, so what is called so can be anything.
      { numRuns: 300, examples: [[{ name: ' ', choices: '' }], [{ name: 'x', choices: [null] }]] },
    );
  });
});

describe('the work of a check', () => {
  const message = (count: number) => ({
    embeds: [
      {
        title: 'Servers',
        fields: Array.from({ length: count }, () => ({ name: 'n', value: 'v'.repeat(200) })),
      },
    ],
    components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Next', custom_id: 'next' }] }],
  });
  const list = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      name: `command${i}`,
      description: 'A command',
      options: ['a', 'b', 'c'].map((name) => ({ type: 3, name, description: 'An option', max_length: 100 })),
    }));

  it.each<[string, (count: number) => object, (body: object) => unknown]>([
    ['a message', message, (body) => checkMessage(body, { for: 'followup' })],
    ['the commands of a bot', list, (body) => checkCommandList(body, 'global')],
  ])('grows no faster than %s', (_what, make, check) => {
    const workOn = (count: number) => {
      const { value, reads } = counted(make(count));
      expect(check(value)).toBeUndefined();
      return reads();
    };
    const work = workOn(12);
    expect(work).toBeGreaterThan(12);
    expect(workOn(24)).toBeLessThan(2.2 * work);
  });
});

/** A value that counts how often anything in it, however deep, is read: work, without a clock. */
function counted<T extends object>(value: T): { readonly value: T; readonly reads: () => number } {
  let reads = 0;
  const seen = new WeakMap<object, object>();
  function watched<V extends object>(target: V): V {
    const known = seen.get(target);
    if (known !== undefined) return known as V;
    const proxy = new Proxy(target, {
      get(inner, key) {
        reads += 1;
        const found: unknown = Reflect.get(inner, key);
        return typeof found === 'object' && found !== null ? watched(found) : found;
      },
    });
    seen.set(target, proxy);
    return proxy;
  }
  return { value: watched(value), reads: () => reads };
}
