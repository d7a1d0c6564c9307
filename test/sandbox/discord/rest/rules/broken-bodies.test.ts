import { describe, expect, it } from 'vitest';
import { checkCallback } from '../../../../../sandbox/discord/rest/rules/callbacks.ts';
import { checkCommand, checkCommandList } from '../../../../../sandbox/discord/rest/rules/commands.ts';
import { button, input, label, modal, row } from '../../support/bodies.ts';
import { leaves } from './refused.ts';

const text = (length: number) => 'x'.repeat(length);
const chat = (more: object = {}) => ({ name: 'games', description: 'Lists games', ...more });
const option = (more: object = {}) => ({ type: 3, name: 'search', description: 'What for', ...more });
const withOption = (more: object) => chat({ options: [option(more)] });
const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
const ruleIn = (title: string) => Number(/^rule (\d+)/.exec(title)?.[1]);

/** A command that breaks a rule: what is wrong, where, and with which code. */
const COMMANDS: readonly [title: string, command: object, at: string, code: string][] = [
  ['rule 11: an upper-case name', chat({ name: 'Games' }), 'name', 'APPLICATION_COMMAND_INVALID_NAME'],
  ['rule 11: a name with a space', chat({ name: 'my games' }), 'name', 'STRING_TYPE_REGEX'],
  ['rule 11: a name of 33 characters', chat({ name: text(33) }), 'name', 'BASE_TYPE_BAD_LENGTH'],
  ['rule 12: no description', { name: 'games' }, 'description', 'BASE_TYPE_REQUIRED'],
  ['rule 12: a description of 101', chat({ description: text(101) }), 'description', 'BASE_TYPE_BAD_LENGTH'],
  [
    'rule 12: a description on a message command',
    { type: 3, name: 'Read', description: 'x' },
    'description',
    'CONTEXT_MENU_APPLICATION_COMMAND_DESCRIPTION_CANNOT_BE_SET',
  ],
  [
    'rule 13: 26 options',
    chat({ options: many(26, (i) => option({ name: `o${i}` })) }),
    'options',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 13: 26 choices',
    withOption({ choices: many(26, (i) => ({ name: `${i}`, value: `${i}` })) }),
    'options.0.choices',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 13: a choice name of 101',
    withOption({ choices: [{ name: text(101), value: 'v' }] }),
    'options.0.choices.0.name',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 13: a value of 101',
    withOption({ choices: [{ name: 'n', value: text(101) }] }),
    'options.0.choices.0.value',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 14: required after optional',
    chat({ options: [option(), option({ name: 'b', required: true })] }),
    'options.1',
    'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
  ],
  [
    'rule 15: an option name twice',
    chat({ options: [option(), option()] }),
    'options.1.name',
    'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
  ],
  [
    'rule 15: an option name twice in one language',
    chat({
      options: ['a', 'b'].map((name) => option({ name, name_localizations: { de: 'gleich' } })),
    }),
    'options.1.name_localizations',
    'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
  ],
  [
    'rule 16: choices beside autocomplete',
    withOption({ autocomplete: true, choices: [{ name: 'a', value: 'a' }] }),
    'options.0.autocomplete',
    'APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES',
  ],
  [
    'rule 16: autocomplete of a user',
    withOption({ type: 6, autocomplete: true }),
    'options.0.autocomplete',
    'APPLICATION_COMMAND_OPTIONS_FIELD_INVALID',
  ],
  [
    'rule 16: eleven file types',
    withOption({ type: 11, file_types: many(11, (i) => `.x${i}`) }),
    'options.0.file_types',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 16: a file type on text',
    withOption({ file_types: ['.csv'] }),
    'options.0.file_types',
    'APPLICATION_COMMAND_OPTIONS_FIELD_INVALID',
  ],
  [
    'rule 17: an option beside a subcommand',
    chat({ options: [{ type: 1, name: 'a', description: 'b' }, option()] }),
    'options.1',
    'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
  ],
  [
    'rule 17: a group in a group',
    chat({
      options: [
        {
          type: 2,
          name: 'a',
          description: 'b',
          options: [{ type: 2, name: 'c', description: 'd', options: [] }],
        },
      ],
    }),
    'options.0.options.0.type',
    'BASE_TYPE_CHOICES',
  ],
  [
    'rule 18: more than 8000 characters',
    chat({
      options: many(5, (o) =>
        option({
          name: `o${o}`,
          choices: many(25, (i) => ({ name: `${i}${text(50)}`, value: `${i}${text(50)}` })),
        }),
      ),
    }),
    '',
    'APPLICATION_COMMAND_TOO_LARGE',
  ],
  [
    'rule 19: an unknown locale',
    chat({ name_localizations: { xx: 'spiele' } }),
    'name_localizations',
    'ENUM_TYPE_COERCE',
  ],
  [
    'rule 19: a localized name with a space',
    chat({ name_localizations: { de: 'alle spiele' } }),
    'name_localizations',
    'APPLICATION_COMMAND_INVALID_NAME',
  ],
  [
    'rule 19: a localized description of 101',
    chat({ description_localizations: { de: text(101) } }),
    'description_localizations',
    'BASE_TYPE_BAD_LENGTH',
  ],
  ['rule 20: no contexts', chat({ contexts: [] }), 'contexts', 'BASE_TYPE_MIN_LENGTH'],
  ['rule 20: an unknown context', chat({ contexts: [3] }), 'contexts.0', 'BASE_TYPE_CHOICES'],
  ['rule 20: a context twice', chat({ contexts: [0, 0] }), 'contexts.1', 'SET_TYPE_ALREADY_CONTAINS_VALUE'],
  [
    'rule 20: an unknown installation',
    chat({ integration_types: [2] }),
    'integration_types.0',
    'BASE_TYPE_CHOICES',
  ],
  [
    'rule 20: permissions by name',
    chat({ default_member_permissions: 'ManageGuild' }),
    'default_member_permissions',
    'NUMBER_TYPE_COERCE',
  ],
];

describe('commands that break a rule', () => {
  it.each(COMMANDS)('%s', (title, command, at, code) => {
    const refused = { rule: ruleIn(title), status: 400, code: 50035, message: 'Invalid Form Body' };
    const inList = checkCommandList([command], 'global');
    expect(inList).toMatchObject(refused);
    expect(leaves(inList?.errors)[0]).toEqual([['0', ...(at === '' ? [] : [at])].join('.'), code]);
    const alone = checkCommand(command, 'guild');
    expect(alone).toMatchObject(refused);
    expect(leaves(alone?.errors)[0]).toEqual([at, code]);
  });
});

const choices = (count: number, more: object = {}) => ({
  type: 8,
  data: { choices: many(count, (i) => ({ name: `c${i}`, value: `${i}`, ...more })) },
});

/** An answer to a command that breaks a rule: what is wrong, where in its data, and with which code. */
const CALLBACKS: readonly [title: string, body: object, at: string, code: string][] = [
  ['rule 29: a deferral with another flag', { type: 5, data: { flags: 4 } }, 'flags', 'BASE_TYPE_CHOICES'],
  ['rule 29: a deferral with V2', { type: 5, data: { flags: 64 | 32768 } }, 'flags', 'BASE_TYPE_CHOICES'],
  ['rule 29: a deferral with text for data', { type: 5, data: 'x' }, '', 'MODEL_TYPE_CONVERT'],
  [
    'rule 30: a flag that cannot be set',
    { type: 4, data: { content: 'x', flags: 128 } },
    'flags',
    'BASE_TYPE_CHOICES',
  ],
  ['rule 32: content of 2001', { type: 4, data: { content: text(2001) } }, 'content', 'BASE_TYPE_MAX_LENGTH'],
  [
    'rule 33: eleven embeds',
    { type: 4, data: { embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) } },
    'embeds',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 33: a title of 257',
    { type: 4, data: { embeds: [{ title: text(257) }] } },
    'embeds.0.title',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 33: 26 fields',
    {
      type: 4,
      data: { embeds: [{ fields: Array.from({ length: 26 }, () => ({ name: 'n', value: 'v' })) }] },
    },
    'embeds.0.fields',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 33: 6001 characters in embeds',
    { type: 4, data: { embeds: [{ description: text(4000) }, { description: text(2001) }] } },
    'embeds',
    'MAX_EMBED_SIZE_EXCEEDED',
  ],
  [
    'rule 33: a field without a value',
    { type: 4, data: { embeds: [{ fields: [{ name: 'n', value: ' ' }] }] } },
    'embeds.0.fields.0.value',
    'BASE_TYPE_REQUIRED',
  ],
  [
    'rule 34: six buttons in a row',
    {
      type: 4,
      data: { components: [row(...Array.from({ length: 6 }, (_, i) => button({ custom_id: `b${i}` })))] },
    },
    'components.0.components',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 34: six rows',
    {
      type: 4,
      data: { components: Array.from({ length: 6 }, (_, i) => row(button({ custom_id: `b${i}` }))) },
    },
    'components',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 34: a label of 81',
    { type: 4, data: { components: [row(button({ label: text(81) }))] } },
    'components.0.components.0.label',
    'BASE_TYPE_MAX_LENGTH',
  ],
  [
    'rule 34: a link without an address',
    { type: 4, data: { components: [row({ type: 2, style: 5, label: 'x' })] } },
    'components.0.components.0.url',
    'BUTTON_COMPONENT_URL_REQUIRED',
  ],
  [
    'rule 34: a value twice in a select',
    {
      type: 4,
      data: {
        components: [
          row({ type: 3, custom_id: 's', options: ['a', 'b'].map((l) => ({ label: l, value: 'v' })) }),
        ],
      },
    },
    'components.0.components.0.options.1',
    'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
  ],
  [
    'rule 34: a select without options',
    { type: 4, data: { components: [row({ type: 3, custom_id: 's', options: [] })] } },
    'components.0.components.0.options',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 35: a custom id of 101',
    { type: 4, data: { components: [row(button({ custom_id: text(101) }))] } },
    'components.0.components.0.custom_id',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 35: the same custom id twice',
    { type: 4, data: { components: [row(button(), button({ disabled: true }))] } },
    'components.0.components.1.custom_id',
    'COMPONENT_CUSTOM_ID_DUPLICATED',
  ],
  [
    'rule 36: a text display without the flag',
    { type: 4, data: { components: [{ type: 10, content: 'x' }] } },
    'components.0',
    'UNION_TYPE_CHOICES',
  ],
  [
    'rule 36: 41 components',
    {
      type: 4,
      data: {
        flags: 32768,
        components: [
          { type: 17, components: Array.from({ length: 40 }, () => ({ type: 10, content: 'x' })) },
        ],
      },
    },
    'components',
    'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
  ],
  [
    'rule 36: 4001 characters in all',
    {
      type: 4,
      data: {
        flags: 32768,
        components: [
          { type: 10, content: text(4000) },
          { type: 10, content: 'x' },
        ],
      },
    },
    'components',
    'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
  ],
  [
    'rule 36: a section without an accessory',
    { type: 4, data: { flags: 32768, components: [{ type: 9, components: [{ type: 10, content: 'x' }] }] } },
    'components.0.accessory',
    'BASE_TYPE_REQUIRED',
  ],
  [
    'rule 36: a picture of a file that is not there',
    {
      type: 4,
      data: { flags: 32768, components: [{ type: 12, items: [{ media: { url: 'attachment://a.png' } }] }] },
    },
    'components.0.items.0.media.url',
    'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
  ],
  [
    'rule 36: content beside V2 components',
    { type: 4, data: { flags: 32768, content: 'x', components: [{ type: 10, content: 'x' }] } },
    'content',
    'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
  ],
  [
    'rule 36: an empty container',
    { type: 4, data: { flags: 32768, components: [{ type: 17, components: [] }] } },
    'components.0.components',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 37: six components in a modal',
    modal({ components: Array.from({ length: 6 }, (_, i) => label(input({ custom_id: `f${i}` }))) }),
    'components',
    'BASE_TYPE_BAD_LENGTH',
  ],
  ['rule 37: a title of 46', modal({ title: text(46) }), 'title', 'BASE_TYPE_BAD_LENGTH'],
  [
    'rule 37: a labelled input in a label',
    modal({ components: [label(input({ label: 'x' }))] }),
    'components.0.component.label',
    'TEXT_INPUT_LABEL_IN_LABEL',
  ],
  ['rule 37: a custom id of 101', modal({ custom_id: text(101) }), 'custom_id', 'BASE_TYPE_BAD_LENGTH'],
  [
    'rule 37: a label of 46',
    modal({ components: [label(input(), { label: text(46) })] }),
    'components.0.label',
    'BASE_TYPE_BAD_LENGTH',
  ],
  [
    'rule 37: a minimum above the maximum',
    modal({ components: [label(input({ min_length: 3, max_length: 2 }))] }),
    'components.0.component.min_length',
    'NUMBER_TYPE_MAX',
  ],
  [
    'rule 37: a disabled field',
    modal({ components: [label({ type: 5, custom_id: 'who', disabled: true })] }),
    'components.0.component.disabled',
    'COMPONENT_DISABLED_IN_MODAL',
  ],
  [
    'rule 37: a required field that takes nothing',
    modal({ components: [label({ type: 5, custom_id: 'who', min_values: 0 })] }),
    'components.0.component.min_values',
    'NUMBER_TYPE_MIN',
  ],
  [
    'rule 37: a button in a modal',
    modal({ components: [label(button())] }),
    'components.0.component',
    'UNION_TYPE_CHOICES',
  ],
  [
    'rule 44: users both parsed and listed',
    {
      type: 4,
      data: { content: 'x', allowed_mentions: { parse: ['users'], users: ['123456789012345678'] } },
    },
    'allowed_mentions',
    'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
  ],
];

/** The same for choices. */
const CHOICES: typeof CALLBACKS = [
  ['rule 31: 26 choices', choices(26), 'choices', 'BASE_TYPE_MAX_LENGTH'],
  ['rule 31: a name of 101', choices(1, { name: text(101) }), 'choices.0.name', 'BASE_TYPE_BAD_LENGTH'],
  ['rule 31: a value of 101', choices(1, { value: text(101) }), 'choices.0.value', 'BASE_TYPE_MAX_LENGTH'],
  ['rule 31: a number for a text option', choices(1, { value: 5 }), 'choices.0.value', 'STRING_TYPE_CONVERT'],
];

describe('answers that break a rule', () => {
  it.each([
    ...CALLBACKS.map((each) => [...each, 'command'] as const),
    ...CHOICES.map((each) => [...each, 'autocomplete'] as const),
  ])('%s', (title, body, at, code, kind) => {
    const refusal = checkCallback(body, { kind, hasSourceMessage: false });
    expect(refusal).toMatchObject({ rule: ruleIn(title), status: 400, code: 50035 });
    expect(leaves(refusal?.errors)).toContainEqual([at === '' ? 'data' : `data.${at}`, code]);
  });
});
