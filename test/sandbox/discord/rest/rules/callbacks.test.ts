import { describe, expect, it } from 'vitest';
import {
  type CallbackSituation,
  checkCallback,
} from '../../../../../sandbox/discord/rest/rules/callbacks.ts';
import { expectFlaw, messageAt } from './refused.ts';

const command: CallbackSituation = { kind: 'command', hasSourceMessage: false };
const component: CallbackSituation = { kind: 'component', hasSourceMessage: true };
const modalOfCommand: CallbackSituation = { kind: 'modal', hasSourceMessage: false };
const modalOfButton: CallbackSituation = { kind: 'modal', hasSourceMessage: true };
const autocomplete: CallbackSituation = { kind: 'autocomplete', hasSourceMessage: false };

const bodies: Record<number, object> = {
  1: { type: 1 },
  4: { type: 4, data: { content: 'x' } },
  5: { type: 5 },
  6: { type: 6 },
  7: { type: 7, data: { content: 'x' } },
  8: { type: 8, data: { choices: [] } },
  9: {
    type: 9,
    data: {
      custom_id: 'm',
      title: 'T',
      components: [{ type: 18, label: 'L', component: { type: 4, custom_id: 'f', style: 1 } }],
    },
  },
  10: { type: 10 },
  12: { type: 12 },
  13: { type: 13 },
};

describe('rule 27: callback types by kind', () => {
  it.each([
    ['a command', command, [4, 5, 9]],
    ['a component', component, [4, 5, 6, 7, 9]],
    ['a modal of a command', modalOfCommand, [4, 5]],
    ['a modal of a button', modalOfButton, [4, 5, 6, 7]],
    ['autocomplete', autocomplete, [8]],
  ])('%s', (_, situation, allowed) => {
    for (const [type, body] of Object.entries(bodies)) {
      const refusal = checkCallback(body, situation);
      if (allowed.includes(Number(type))) expect(refusal, type).toBeUndefined();
      else expectFlaw(refusal, 27, 'type', 'BASE_TYPE_CHOICES');
    }
  });

  it('refuses no type, another kind of type and no object', () => {
    expectFlaw(checkCallback({}, command), 27, 'type', 'BASE_TYPE_REQUIRED');
    expectFlaw(checkCallback({ type: '4' }, command), 27, 'type', 'BASE_TYPE_CHOICES');
    for (const body of [undefined, null, [], 'x', 4])
      expectFlaw(checkCallback(body, command), 27, '', 'MODEL_TYPE_CONVERT');
  });
});

describe('rule 29: deferrals', () => {
  it('accepts no flags, 0 and 64 and refuses anything else', () => {
    for (const data of [undefined, null, {}, { flags: 0 }, { flags: 64 }])
      expect(checkCallback({ type: 5, data }, command)).toBeUndefined();
    for (const flags of [4, 32768, 64 | 4, '64'])
      expectFlaw(checkCallback({ type: 5, data: { flags } }, command), 29, 'data.flags', 'BASE_TYPE_CHOICES');
  });
});

describe('rules 30 and 32: messages and updates', () => {
  it('puts the paths under `data`', () => {
    const long = { content: 'a'.repeat(2001) };
    expectFlaw(checkCallback({ type: 4, data: long }, command), 32, 'data.content', 'BASE_TYPE_MAX_LENGTH');
    expectFlaw(checkCallback({ type: 7, data: long }, component), 32, 'data.content', 'BASE_TYPE_MAX_LENGTH');
    expectFlaw(
      checkCallback({ type: 4, data: { content: 'x', flags: 128 } }, command),
      30,
      'data.flags',
      'BASE_TYPE_CHOICES',
    );
    expectFlaw(
      checkCallback({ type: 4, data: { content: 'x', components: [{ type: 1, components: [] }] } }, command),
      34,
      'data.components.0.components',
      'BASE_TYPE_BAD_LENGTH',
    );
    expectFlaw(checkCallback({ type: 4, data: 'x' }, command), 32, 'data', 'MODEL_TYPE_CONVERT');
  });

  it('refuses a message without data, and an update that leaves nothing', () => {
    const empty = { rule: 32, status: 400, code: 50006 };
    expect(checkCallback({ type: 4 }, command)).toMatchObject(empty);
    const current = { content: 'x' };
    expect(checkCallback({ type: 7, data: { components: [] } }, { ...component, current })).toBeUndefined();
    expect(checkCallback({ type: 7, data: { content: '' } }, { ...component, current })).toMatchObject(empty);
  });

  it('knows the files of the request', () => {
    const data = { attachments: [{ id: '0' }] };
    const files = [{ id: 0, filename: 'a.txt', size: 20 }];
    expect(checkCallback({ type: 4, data }, { ...command, files })).toBeUndefined();
    expectFlaw(
      checkCallback({ type: 4, data }, command),
      5,
      'data.attachments.0.id',
      'MESSAGE_ATTACHMENT_NOT_FOUND',
    );
    expect(checkCallback({ type: 4, data }, { ...command, files, attachmentSizeLimit: 19 })).toMatchObject({
      rule: 5,
      status: 413,
      code: 40005,
    });
  });
});

describe('rule 31: suggestions', () => {
  const suggest = (choices: unknown, focusedOptionType?: number) =>
    checkCallback({ type: 8, data: { choices } }, { ...autocomplete, focusedOptionType });
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `n${i}`, value: `v${i}` }));

  it('accepts none and 25, refuses 26 and no list', () => {
    expect(suggest([])).toBeUndefined();
    expect(suggest(many(25))).toBeUndefined();
    const refusal = suggest(many(26));
    expectFlaw(refusal, 31, 'data.choices', 'BASE_TYPE_MAX_LENGTH');
    expect(messageAt(refusal, 'data', 'choices')).toBe('Must be 25 or fewer in length.');
    expectFlaw(suggest(undefined), 31, 'data.choices', 'BASE_TYPE_REQUIRED');
    expectFlaw(checkCallback({ type: 8 }, autocomplete), 31, 'data.choices', 'BASE_TYPE_REQUIRED');
    expectFlaw(suggest({}), 31, 'data.choices', 'LIST_TYPE_CONVERT');
    expectFlaw(suggest([null]), 31, 'data.choices.0', 'BASE_TYPE_REQUIRED');
  });

  it('accepts names and values of 100 code points and refuses 101 and empty ones', () => {
    const long = (count: number) => '🎮'.repeat(count);
    expect(
      suggest([{ name: long(100), value: long(100), name_localizations: { fr: long(100) } }]),
    ).toBeUndefined();
    expectFlaw(suggest([{ name: long(101), value: 'v' }]), 31, 'data.choices.0.name', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(
      suggest([{ name: 'n', value: long(101) }]),
      31,
      'data.choices.0.value',
      'BASE_TYPE_MAX_LENGTH',
    );
    expectFlaw(suggest([{ name: '', value: 'v' }]), 31, 'data.choices.0.name', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(suggest([{ name: 'n' }]), 31, 'data.choices.0.value', 'BASE_TYPE_REQUIRED');
    expectFlaw(
      suggest([
        { name: 'n', value: 'v' },
        { name: 'n', value: 'w' },
      ]),
      31,
      'data.choices.1',
      'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS',
    );
  });

  it('wants values of the type of the option', () => {
    expectFlaw(suggest([{ name: 'n', value: 5 }]), 31, 'data.choices.0.value', 'STRING_TYPE_CONVERT');
    expect(suggest([{ name: 'n', value: 5 }], 4)).toBeUndefined();
    expectFlaw(suggest([{ name: 'n', value: 5.5 }], 4), 31, 'data.choices.0.value', 'NUMBER_TYPE_COERCE');
    expectFlaw(suggest([{ name: 'n', value: '5' }], 4), 31, 'data.choices.0.value', 'NUMBER_TYPE_COERCE');
    expectFlaw(suggest([{ name: 'n', value: 2 ** 53 }], 4), 31, 'data.choices.0.value', 'NUMBER_TYPE_MAX');
    expect(suggest([{ name: 'n', value: 5.5 }], 10)).toBeUndefined();
  });
});
