import {
  FileUploadBuilder,
  LabelBuilder,
  ModalBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import {
  checkModal,
  checkModalValues,
  type FieldValue,
} from '../../../../../sandbox/discord/rest/rules/modals.ts';
import { expectFlaw, messageAt } from './refused.ts';

const text = (length: number, letter = 'a') => letter.repeat(length);
const input = (extra: object = {}) => ({ type: 4, custom_id: 'key', style: 1, ...extra });
const label = (component: object, extra: object = {}) => ({
  type: 18,
  label: 'API key',
  component,
  ...extra,
});
const modal = (...components: object[]) => ({ custom_id: 'm', title: 'Set the key', components });
const check = (...components: object[]) => checkModal(modal(...components), ['data']);
const field = (component: object) => check(label(component));
const at = (path = '') => `data.components.0.component${path}`;
const choices = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ label: `l${i}`, value: `v${i}` }));

describe('rule 37: modals', () => {
  it('accepts what the builders make', () => {
    const built = new ModalBuilder()
      .setCustomId('setkey')
      .setTitle('Set the key')
      .addTextDisplayComponents((display) => display.setContent('It stays with the host.'))
      .addLabelComponents(
        new LabelBuilder()
          .setLabel('API key')
          .setDescription('From your account')
          .setTextInputComponent(
            new TextInputBuilder()
              .setCustomId('key')
              .setStyle(TextInputStyle.Short)
              .setMinLength(8)
              .setMaxLength(128),
          ),
        new LabelBuilder()
          .setLabel('File')
          .setFileUploadComponent(
            new FileUploadBuilder()
              .setCustomId('file')
              .setMinValues(0)
              .setRequired(false)
              .setFileTypes('.csv', '.txt'),
          ),
        new LabelBuilder()
          .setLabel('Game')
          .setStringSelectMenuComponent(
            new StringSelectMenuBuilder().setCustomId('game').addOptions(choices(3)),
          ),
      );
    expect(checkModal(built.toJSON())).toBeUndefined();
  });

  it('accepts five components and refuses none and the sixth that the builder lets through', () => {
    const five = Array.from({ length: 5 }, (_, i) => label(input({ custom_id: `f${i}` })));
    expect(check(...five)).toBeUndefined();
    const built = new ModalBuilder().setCustomId('m').setTitle('t');
    for (const letter of 'abcdef')
      built.addLabelComponents(
        new LabelBuilder()
          .setLabel(letter)
          .setTextInputComponent(new TextInputBuilder().setCustomId(letter).setStyle(TextInputStyle.Short)),
      );
    const six = checkModal(built.toJSON(), ['data']);
    expectFlaw(six, 37, 'data.components', 'BASE_TYPE_BAD_LENGTH');
    expect(messageAt(six, 'data', 'components')).toBe('Must be between 1 and 5 in length.');
    const none = check();
    expectFlaw(none, 37, 'data.components', 'BASE_TYPE_BAD_LENGTH');
    expect(messageAt(none, 'data', 'components')).toBe('Must be between 1 and 5 in length.');
  });

  it('keeps title and custom id within their lengths', () => {
    const body = (extra: object) => checkModal({ ...modal(label(input())), ...extra });
    expect(body({ title: text(45), custom_id: text(100) })).toBeUndefined();
    expectFlaw(body({ title: text(46) }), 37, 'title', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(body({ title: '' }), 37, 'title', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(body({ custom_id: text(101) }), 37, 'custom_id', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(body({ custom_id: undefined }), 37, 'custom_id', 'BASE_TYPE_REQUIRED');
  });

  it('keeps labels within theirs and lets only fields be labelled', () => {
    expect(check(label(input(), { label: text(45), description: text(100) }))).toBeUndefined();
    expectFlaw(
      check(label(input(), { label: text(46) })),
      37,
      'data.components.0.label',
      'BASE_TYPE_BAD_LENGTH',
    );
    expectFlaw(
      check(label(input(), { description: text(101) })),
      37,
      'data.components.0.description',
      'BASE_TYPE_BAD_LENGTH',
    );
    expectFlaw(field({ type: 2, style: 1, custom_id: 'b', label: 'x' }), 37, at(), 'UNION_TYPE_CHOICES');
    expectFlaw(check({ type: 18, label: 'x' }), 37, at(), 'BASE_TYPE_REQUIRED');
    expectFlaw(check({ type: 17, components: [] }), 37, 'data.components.0', 'UNION_TYPE_CHOICES');
  });

  it('refuses a label on an input that has one, and wants one in an action row', () => {
    expectFlaw(field(input({ label: 'x' })), 37, at('.label'), 'TEXT_INPUT_LABEL_IN_LABEL');
    expect(check({ type: 1, components: [input({ label: 'x' })] })).toBeUndefined();
    expectFlaw(
      check({ type: 1, components: [input()] }),
      37,
      'data.components.0.components.0.label',
      'BASE_TYPE_REQUIRED',
    );
    const two = [input({ label: 'x' }), input({ label: 'y', custom_id: 'other' })];
    expectFlaw(
      check({ type: 1, components: two }),
      37,
      'data.components.0.components.1',
      'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
    );
  });

  it.each([
    ['placeholder of 101', input({ placeholder: text(101) }), '.placeholder', 'BASE_TYPE_MAX_LENGTH'],
    ['value of 4001', input({ value: text(4001) }), '.value', 'BASE_TYPE_MAX_LENGTH'],
    ['maximum of 4001', input({ max_length: 4001 }), '.max_length', 'NUMBER_TYPE_MAX'],
    ['maximum of 0', input({ max_length: 0 }), '.max_length', 'NUMBER_TYPE_MIN'],
    ['minimum above the maximum', input({ min_length: 9, max_length: 8 }), '.min_length', 'NUMBER_TYPE_MAX'],
    ['unknown style', input({ style: 3 }), '.style', 'BASE_TYPE_CHOICES'],
    [
      'disabled select',
      { type: 3, custom_id: 's', options: choices(2), disabled: true },
      '.disabled',
      'COMPONENT_DISABLED_IN_MODAL',
    ],
    [
      'minimum 0 of a required select',
      { type: 3, custom_id: 's', options: choices(2), min_values: 0 },
      '.min_values',
      'NUMBER_TYPE_MIN',
    ],
    [
      'minimum 0 of a required upload',
      { type: 19, custom_id: 'u', min_values: 0 },
      '.min_values',
      'NUMBER_TYPE_MIN',
    ],
    ['eleven uploads', { type: 19, custom_id: 'u', max_values: 11 }, '.max_values', 'NUMBER_TYPE_MAX'],
    [
      'unknown file type',
      { type: 19, custom_id: 'u', file_types: ['csv'] },
      '.file_types.0',
      'STRING_TYPE_REGEX',
    ],
    [
      'one radio button',
      { type: 21, custom_id: 'r', options: choices(1) },
      '.options',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'eleven check boxes',
      { type: 22, custom_id: 'c', options: choices(11) },
      '.options',
      'BASE_TYPE_BAD_LENGTH',
    ],
  ])('refuses a %s', (_, component, path, code) => {
    expectFlaw(field(component), 37, at(path), code);
  });

  it('accepts fields at their limits', () => {
    expect(
      field(input({ min_length: 4000, max_length: 4000, value: text(4000), placeholder: text(100) })),
    ).toBeUndefined();
    expect(
      field({ type: 3, custom_id: 's', options: choices(25), min_values: 0, required: false }),
    ).toBeUndefined();
    expect(field({ type: 21, custom_id: 'r', options: choices(10) })).toBeUndefined();
    expect(field({ type: 22, custom_id: 'c', options: choices(10) })).toBeUndefined();
    expect(field({ type: 23, custom_id: 'x' })).toBeUndefined();
  });

  it('refuses the same custom id twice (rule 35)', () => {
    expectFlaw(
      check(label(input()), label(input())),
      35,
      'data.components.1.component.custom_id',
      'COMPONENT_CUSTOM_ID_DUPLICATED',
    );
  });
});

describe('rule 38: what a member may submit', () => {
  const complaints = (component: object, value: FieldValue) => {
    const found = checkModalValues(
      modal(label({ custom_id: 'f', ...component })),
      value === undefined ? {} : { f: value },
    );
    return found.map(({ code }) => code);
  };

  it.each<[string, object, FieldValue, string[]]>([
    ['a text', { type: 4, style: 1 }, 'x', []],
    ['nothing in a required text', { type: 4, style: 1 }, '', ['required']],
    [
      'nothing in an optional text with a minimum',
      { type: 4, style: 1, required: false, min_length: 8 },
      '',
      [],
    ],
    ['the prefilled text', { type: 4, style: 1, value: 'x' }, undefined, []],
    ['7 of 8 characters', { type: 4, style: 1, min_length: 8 }, text(7), ['too_short']],
    ['8 of 8 characters', { type: 4, style: 1, min_length: 8, max_length: 8 }, text(8, '🎮'), []],
    ['9 of 8 characters', { type: 4, style: 1, max_length: 8 }, text(9), ['too_long']],
    ['4000 characters', { type: 4, style: 2 }, text(4000), []],
    ['4001 characters', { type: 4, style: 2 }, text(4001), ['too_long']],
    ['a line break in a short input', { type: 4, style: 1 }, 'a\nb', ['line_break']],
    ['a line break in a paragraph', { type: 4, style: 2 }, 'a\nb', []],
    ['a list for a text', { type: 4, style: 1 }, ['x'], ['wrong_kind']],
    ['an option', { type: 3, options: choices(3) }, 'v1', []],
    ['no option', { type: 3, options: choices(3) }, [], ['required']],
    ['no option of an optional select', { type: 3, options: choices(3), required: false }, undefined, []],
    ['another option', { type: 3, options: choices(3) }, 'l1', ['not_an_option']],
    ['two where one may be chosen', { type: 3, options: choices(3) }, ['v0', 'v1'], ['too_many']],
    [
      'one where two must be chosen',
      { type: 3, options: choices(3), min_values: 2, max_values: 3 },
      ['v0'],
      ['too_few'],
    ],
    ['the same twice', { type: 3, options: choices(3), max_values: 3 }, ['v0', 'v0'], ['not_an_option']],
    ['a user', { type: 5 }, ['555555555555555555'], []],
    ['a user by name', { type: 5 }, ['mason'], ['not_an_option']],
    ['a file', { type: 19, file_types: ['.csv'] }, ['list.CSV'], []],
    ['a file of another type', { type: 19, file_types: ['.csv'] }, ['list.exe'], ['file_type']],
    ['two files', { type: 19 }, ['a', 'b'], ['too_many']],
    ['all boxes', { type: 22, options: choices(3) }, ['v0', 'v1', 'v2'], []],
    ['two radio buttons', { type: 21, options: choices(3) }, ['v0', 'v1'], ['too_many']],
    ['a tick', { type: 23 }, true, []],
    ['a text for a tick', { type: 23 }, 'yes', ['wrong_kind']],
  ])('%s', (_, component, value, expected) => {
    expect(complaints(component, value)).toEqual(expected);
  });

  it('knows the fields of action rows and refuses those that the modal does not have', () => {
    const old = modal({ type: 1, components: [input({ label: 'x' })] });
    expect(checkModalValues(old, { key: 'v' })).toEqual([]);
    expect(checkModalValues(old, { key: 'v', other: 'w' })).toEqual([
      { customId: 'other', code: 'unknown_field' },
    ]);
  });
});
