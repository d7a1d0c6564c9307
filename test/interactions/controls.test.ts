import { describe, expect, it } from 'vitest';
import {
  button,
  linkButton,
  type ModalOptions,
  modal,
  parseCustomId,
  roleSelect,
  rows,
  select,
} from '../../src/interactions/controls.ts';

const LONG = 'x'.repeat(300);

it("labels that exceed Discord's limits are truncated", () => {
  const field = { id: 'a', label: LONG, hint: LONG, example: LONG, maxLength: 10 };
  const { title, components } = modal({ id: 'a', title: LONG, fields: [field] });
  const [above] = modal({ id: 'a', title: LONG, text: LONG.repeat(20), fields: [field] }).components;
  const options = [{ label: 'a', value: 'a' }];
  const cut = [
    [button('a', LONG), 80],
    [linkButton('https://a', LONG), 80],
    [select({ id: 'a', placeholder: LONG, options }), 150],
    [roleSelect('a', LONG), 150],
    [title, 45],
    [Object(above).content, 4_000],
    [Object(components[0]).label, 45],
    [Object(components[0]).description, 100],
    [Object(components[0]).component.placeholder, 100],
  ] as const;
  for (const [control, most] of cut) {
    const text = Object(control).label ?? Object(control).placeholder ?? control;
    expect(text).toHaveLength(most);
  }
});

it('a field with a minimum length is required', () => {
  const field = { id: 'a', label: 'A', hint: 'B', maxLength: 10 };
  const fieldOf = (more: object) =>
    Object(modal({ id: 'a', title: 'A', fields: [{ ...field, ...more }] }).components[0]).component;
  expect(fieldOf({})).toMatchObject({ required: false, max_length: 10, style: 1 });
  expect(fieldOf({ value: '' })).not.toHaveProperty('value');
  expect(fieldOf({ minLength: 1, value: 'x', isMultiline: true })).toMatchObject({
    required: true,
    min_length: 1,
    value: 'x',
    style: 2,
  });
});

it('undefined controls and empty rows are omitted', () => {
  const shown = button('a', 'A');
  expect(rows([false, shown, undefined], [undefined], [])).toMatchObject([{ components: [shown] }]);
  expect(select({ id: 'a', placeholder: 'A', options: [] })).toBeUndefined();
});

it('a select menu with a minimum of 0 accepts any number of its options', () => {
  const options = ['a', 'b'].map((value) => ({ label: value, value }));
  expect(select({ id: 'a', placeholder: 'A', options, minChosen: 0 })).toMatchObject({
    min_values: 0,
    max_values: 2,
  });
  expect(select({ id: 'a', placeholder: 'A', options })).not.toHaveProperty('max_values');
});

it('an optional select menu in a modal has a minimum of 0', () => {
  const field = { kind: 'select', id: 'a', label: 'A', hint: 'B', placeholder: 'C' } as const;
  const options = [{ label: 'a', value: 'a' }];
  const fieldOf = (required: boolean) =>
    Object(modal({ id: 'a', title: 'A', fields: [{ ...field, options, required }] }).components[0]).component;
  expect(fieldOf(false)).toMatchObject({ min_values: 0, required: false });
  expect(fieldOf(true)).toMatchObject({ min_values: 1, required: true });
});

describe("a modal's custom id", () => {
  const field = { id: 'a', label: 'A', hint: 'B', maxLength: 10 };
  const shown = { id: 'x:y:z', title: 'A', text: 'B', fields: [field] };
  const idOf = (more: Partial<ModalOptions> = {}) => modal({ ...shown, ...more }).custom_id;

  it('stays the same while the modal is unchanged', () => {
    expect(idOf()).toBe(idOf());
    expect(parseCustomId(idOf())).toEqual({ command: 'x', action: 'y', argument: 'z' });
  });

  it.each<[what: string, more: Partial<ModalOptions>]>([
    ['title', { title: 'C' }],
    ['text', { text: 'C' }],
    ['text, even if it becomes empty', { text: '' }],
    ['label', { fields: [{ ...field, label: 'C' }] }],
    ['hint', { fields: [{ ...field, hint: 'C' }] }],
    ['example', { fields: [{ ...field, example: 'C' }] }],
    ['fields', { fields: [field, { ...field, id: 'b' }] }],
  ])('changes with the %s', (_what, more) => {
    expect(idOf(more)).not.toBe(idOf());
  });

  it('changes if a select menu offers different options', () => {
    const select = {
      kind: 'select',
      id: 'a',
      label: 'A',
      hint: 'B',
      placeholder: 'C',
      required: false,
    } as const;
    const idWith = (name: string) =>
      idOf({ fields: [{ ...select, options: [{ label: name, value: name }] }] });
    expect(idWith('rust')).toBe(idWith('rust'));
    expect(idWith('rust')).not.toBe(idWith('cs2'));
  });

  it('is different every time if a field is secret or prefilled', () => {
    const filled = { fields: [{ ...field, value: 'typed' }] };
    for (const more of [filled, { isSecret: true } as const]) expect(idOf(more)).not.toBe(idOf(more));
  });
});
