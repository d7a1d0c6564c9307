import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  ContextMenuCommandBuilder,
  InteractionContextType,
  PermissionFlagsBits,
  SlashCommandBuilder,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import {
  checkCommand,
  checkCommandCaps,
  checkCommandList,
  checkCommandPatch,
} from '../../../../../sandbox/discord/rest/rules/commands.ts';
import { expectFlaw, leaves, messageAt } from './refused.ts';

const check = (body: unknown) => checkCommand(body, 'global');
const chat = (extra: object = {}) => ({ name: 'games', description: 'All games', ...extra });
const option = (extra: object = {}) => ({ type: 3, name: 'game', description: 'Which game', ...extra });
const withOption = (extra: object) => chat({ options: [option(extra)] });
const text = (length: number, letter = 'a') => letter.repeat(length);
const named = (count: number) => Array.from({ length: count }, (_, i) => option({ name: `o${i}` }));

describe('commands of the discord.js builders', () => {
  it('accepts a full slash command', () => {
    const command = new SlashCommandBuilder()
      .setName('addserver')
      .setNameLocalizations({ de: 'server-hinzufügen', fr: 'ajouter-serveur' })
      .setDescription('Submit a server')
      .setDescriptionLocalizations({ de: 'Einen Server einreichen' })
      .setContexts(InteractionContextType.Guild)
      .setIntegrationTypes(ApplicationIntegrationType.GuildInstall)
      .setDefaultMemberPermissions(PermissionFlagsBits.ManageGuild)
      .addStringOption((o) =>
        o.setName('game').setDescription('Game').setRequired(true).setAutocomplete(true).setMaxLength(100),
      )
      .addIntegerOption((o) =>
        o
          .setName('port')
          .setDescription('Port')
          .setMinValue(1)
          .setMaxValue(65_535)
          .addChoices({ name: 'usual', value: 25_565 }),
      )
      .addAttachmentOption((o) => o.setName('file').setDescription('List').setFileTypes('.csv', '.txt'));
    expect(check(command.toJSON())).toBeUndefined();
    expect(checkCommand(command.toJSON(), 'guild')).toBeUndefined();
  });

  it('accepts groups and subcommands, and a context menu command', () => {
    const command = new SlashCommandBuilder()
      .setName('settings')
      .setDescription('Settings')
      .addSubcommandGroup((group) =>
        group
          .setName('key')
          .setDescription('The key')
          .addSubcommand((sub) => sub.setName('set').setDescription('Set it')),
      )
      .addSubcommand((sub) => sub.setName('show').setDescription('Show them'));
    const menu = new ContextMenuCommandBuilder()
      .setName('Submit Servers')
      .setType(ApplicationCommandType.Message);
    expect(checkCommandList([command.toJSON(), menu.toJSON()], 'global')).toBeUndefined();
  });

  it('refuses what the builders let through', () => {
    const build = () => new SlashCommandBuilder().setName('a').setDescription('b');
    const late = build()
      .addStringOption((o) => o.setName('x').setDescription('x'))
      .addStringOption((o) => o.setName('y').setDescription('y').setRequired(true));
    expectFlaw(check(late.toJSON()), 14, 'options.1', 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID');
    const twice = build()
      .addStringOption((o) => o.setName('x').setDescription('x'))
      .addStringOption((o) => o.setName('x').setDescription('y'));
    expectFlaw(
      check(twice.toJSON()),
      15,
      'options.1.name',
      'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
    );
    expectFlaw(check(build().setContexts([]).toJSON()), 20, 'contexts', 'BASE_TYPE_MIN_LENGTH');
    const big = build();
    for (const name of ['x', 'y', 'z'])
      big.addStringOption((o) =>
        o
          .setName(name)
          .setDescription(text(100))
          .addChoices(
            Array.from({ length: 25 }, (_, i) => ({ name: `${i}${text(90)}`, value: `${i}${text(90)}` })),
          ),
      );
    expectFlaw(check(big.toJSON()), 18, '', 'APPLICATION_COMMAND_TOO_LARGE');
  });
});

describe('rule 11: names', () => {
  it.each(['games', 'a', text(32), "o'clock", 'spiele-liste', 'खेल', 'เกม', 'a_b-1'])('accepts %s', (name) => {
    expect(check(chat({ name }))).toBeUndefined();
  });

  it.each(['two words', 'a.b', '🎮', 'a/b'])('refuses %s by its pattern', (name) => {
    expectFlaw(check(chat({ name })), 11, 'name', 'STRING_TYPE_REGEX');
    expectFlaw(check(withOption({ name })), 11, 'options.0.name', 'STRING_TYPE_REGEX');
  });

  it('refuses upper case, 33 characters, nothing, and another type', () => {
    expectFlaw(check(chat({ name: 'Games' })), 11, 'name', 'APPLICATION_COMMAND_INVALID_NAME');
    const long = check(chat({ name: text(33) }));
    expectFlaw(long, 11, 'name', 'BASE_TYPE_BAD_LENGTH');
    expect(messageAt(long, 'name')).toBe('Must be between 1 and 32 in length.');
    expectFlaw(check(chat({ name: '' })), 11, 'name', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(check({ description: 'x' }), 11, 'name', 'BASE_TYPE_REQUIRED');
    expectFlaw(check(chat({ name: 5 })), 11, 'name', 'STRING_TYPE_CONVERT');
  });

  it('lets context menu commands have capitals and spaces', () => {
    expect(check({ type: 3, name: 'Submit This' })).toBeUndefined();
    expectFlaw(check({ type: 3, name: text(33) }), 11, 'name', 'BASE_TYPE_BAD_LENGTH');
  });
});

describe('rule 12: descriptions', () => {
  it('accepts 1 and 100 characters, counted by code point', () => {
    expect(check(chat({ description: 'x' }))).toBeUndefined();
    expect(check(chat({ description: text(100, '🎮') }))).toBeUndefined();
    expect(check(withOption({ description: text(100, '🎮') }))).toBeUndefined();
  });

  it('refuses none, an empty one and 101 characters', () => {
    expectFlaw(check({ name: 'games' }), 12, 'description', 'BASE_TYPE_REQUIRED');
    expectFlaw(check(chat({ description: '' })), 12, 'description', 'BASE_TYPE_BAD_LENGTH');
    const long = check(chat({ description: text(101, '🎮') }));
    expectFlaw(long, 12, 'description', 'BASE_TYPE_BAD_LENGTH');
    expect(messageAt(long, 'description')).toBe('Must be between 1 and 100 in length.');
    expectFlaw(
      check(withOption({ description: undefined })),
      12,
      'options.0.description',
      'BASE_TYPE_REQUIRED',
    );
  });

  it('refuses a description or options on a context menu command, but not an empty description', () => {
    const code = (field: string) => `CONTEXT_MENU_APPLICATION_COMMAND_${field}_CANNOT_BE_SET`;
    expectFlaw(check({ type: 2, name: 'Who', description: 'x' }), 12, 'description', code('DESCRIPTION'));
    expectFlaw(check({ type: 2, name: 'Who', options: [option()] }), 12, 'options', code('OPTIONS'));
    expect(check({ type: 2, name: 'Who', description: '', options: [] })).toBeUndefined();
  });
});

describe('rule 13: options and choices', () => {
  const choices = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `n${i}`, value: `v${i}` }));

  it('accepts 25 options and 25 choices, refuses 26', () => {
    expect(check(chat({ options: named(25) }))).toBeUndefined();
    const many = check(chat({ options: named(26) }));
    expectFlaw(many, 13, 'options', 'BASE_TYPE_MAX_LENGTH');
    expect(messageAt(many, 'options')).toBe('Must be 25 or fewer in length.');
    expect(check(withOption({ choices: choices(25) }))).toBeUndefined();
    expectFlaw(check(withOption({ choices: choices(26) })), 13, 'options.0.choices', 'BASE_TYPE_MAX_LENGTH');
  });

  it('accepts a choice of 100 characters, refuses 101 and repeated names', () => {
    const choice = (name: string, value: unknown) => withOption({ choices: [{ name, value }] });
    expect(check(choice(text(100), text(100)))).toBeUndefined();
    expectFlaw(check(choice(text(101), 'v')), 13, 'options.0.choices.0.name', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(check(choice('n', text(101))), 13, 'options.0.choices.0.value', 'BASE_TYPE_MAX_LENGTH');
    expectFlaw(check(choice('n', '')), 13, 'options.0.choices.0.value', 'BASE_TYPE_REQUIRED');
    expectFlaw(check(choice('n', 5)), 13, 'options.0.choices.0.value', 'STRING_TYPE_CONVERT');
    const same = { name: 'n', value: 'v' };
    expectFlaw(
      check(withOption({ choices: [same, { ...same, value: 'w' }] })),
      13,
      'options.0.choices.1',
      'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS',
    );
  });

  it('keeps lengths and values within their ranges', () => {
    expect(check(withOption({ min_length: 0, max_length: 6000 }))).toBeUndefined();
    expectFlaw(check(withOption({ max_length: 6001 })), 13, 'options.0.max_length', 'NUMBER_TYPE_MAX');
    expectFlaw(check(withOption({ max_length: 0 })), 13, 'options.0.max_length', 'NUMBER_TYPE_MIN');
    expectFlaw(
      check(withOption({ min_length: 5, max_length: 4 })),
      13,
      'options.0.min_length',
      'NUMBER_TYPE_MAX',
    );
    expectFlaw(
      check(withOption({ type: 4, min_value: 1.5 })),
      13,
      'options.0.min_value',
      'NUMBER_TYPE_COERCE',
    );
    expect(check(withOption({ type: 10, min_value: 1.5 }))).toBeUndefined();
    expectFlaw(
      check(withOption({ type: 4, choices: [{ name: 'n', value: 1.5 }] })),
      13,
      'options.0.choices.0.value',
      'NUMBER_TYPE_COERCE',
    );
    expectFlaw(
      check(withOption({ type: 5, choices: choices(1) })),
      13,
      'options.0.choices',
      'APPLICATION_COMMAND_OPTIONS_FIELD_INVALID',
    );
  });
});

describe('rules 14 and 15: order and names of options', () => {
  it('refuses a required option after an optional one, in subcommands too', () => {
    const options = [option({ name: 'a' }), option({ name: 'b', required: true })];
    expectFlaw(check(chat({ options })), 14, 'options.1', 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID');
    expectFlaw(
      check(chat({ options: [{ type: 1, name: 's', description: 's', options }] })),
      14,
      'options.0.options.1',
      'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    );
    expect(check(chat({ options: options.toReversed() }))).toBeUndefined();
  });

  it('refuses a name that another option has in the same language or as its default', () => {
    const code = 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS';
    const pair = (first: object, second: object) =>
      check(chat({ options: [option({ name: 'a', ...first }), option({ name: 'b', ...second })] }));
    expectFlaw(pair({}, { name: 'a' }), 15, 'options.1.name', code);
    expectFlaw(pair({}, { name_localizations: { de: 'a' } }), 15, 'options.1.name_localizations', code);
    expectFlaw(pair({ name_localizations: { de: 'b' } }, {}), 15, 'options.0.name_localizations', code);
    const both = { name_localizations: { de: 'x' } };
    expectFlaw(pair(both, both), 15, 'options.1.name_localizations', code);
    expect(pair(both, { name_localizations: { fr: 'x' } })).toBeUndefined();
    expect(pair({ name_localizations: { 'en-US': 'a' } }, {})).toBeUndefined();
  });
});

describe('rules 16 and 17: what belongs where', () => {
  it('refuses autocomplete with choices, or on a type that has none', () => {
    const choices = [{ name: 'n', value: 'v' }];
    expectFlaw(
      check(withOption({ autocomplete: true, choices })),
      16,
      'options.0.autocomplete',
      'APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES',
    );
    expect(check(withOption({ autocomplete: true, choices: [] }))).toBeUndefined();
    expectFlaw(
      check(withOption({ type: 6, autocomplete: true })),
      16,
      'options.0.autocomplete',
      'APPLICATION_COMMAND_OPTIONS_FIELD_INVALID',
    );
  });

  it('refuses file types that are none, on another option, or eleven', () => {
    const file = (file_types: string[], type = 11) => check(withOption({ type, file_types }));
    expect(file(['image', '.csv'])).toBeUndefined();
    expectFlaw(file(['csv']), 16, 'options.0.file_types.0', 'STRING_TYPE_REGEX');
    expectFlaw(file(['.csv'], 3), 16, 'options.0.file_types', 'APPLICATION_COMMAND_OPTIONS_FIELD_INVALID');
    const eleven = Array.from({ length: 11 }, (_, i) => `.x${i}`);
    expect(file(eleven.slice(1))).toBeUndefined();
    expectFlaw(file(eleven), 16, 'options.0.file_types', 'BASE_TYPE_MAX_LENGTH');
  });

  it('refuses options beside subcommands', () => {
    const sub = { type: 1, name: 's', description: 's' };
    const code = 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID';
    expectFlaw(check(chat({ options: [option(), sub] })), 17, 'options.1', code);
    expectFlaw(check(chat({ options: [sub, option()] })), 17, 'options.1', code);
  });

  it('refuses a group in a group, a subcommand in a subcommand and an unknown type', () => {
    const sub = { type: 1, name: 's', description: 's' };
    const group = { type: 2, name: 'g', description: 'g' };
    expect(
      check(chat({ options: [{ ...group, options: [{ ...sub, options: [option()] }] }, sub] })),
    ).toBeUndefined();
    expectFlaw(
      check(chat({ options: [{ ...group, options: [group] }] })),
      17,
      'options.0.options.0.type',
      'BASE_TYPE_CHOICES',
    );
    expectFlaw(
      check(chat({ options: [{ ...sub, options: [sub] }] })),
      17,
      'options.0.options.0',
      'UNION_TYPE_CHOICES',
    );
    expectFlaw(check(chat({ options: [option({ type: 12 })] })), 17, 'options.0', 'UNION_TYPE_CHOICES');
    expectFlaw(
      check(chat({ options: [option({ type: undefined })] })),
      17,
      'options.0.type',
      'BASE_TYPE_REQUIRED',
    );
    expectFlaw(check(chat({ options: ['x'] })), 17, 'options.0', 'MODEL_TYPE_CONVERT');
  });
});

describe('rule 18: size', () => {
  it('accepts 8000 characters and refuses 8001, counting only the longest language', () => {
    // 'games' + 5 options of (2 + 100) + choices of 98 + 98 = 8000.
    const filled = (extra: number) => {
      const options = named(5).map((each) => ({
        ...each,
        description: text(100),
        choices: Array.from({ length: 7 }, (_, i) => ({ name: `${i}${text(99)}`, value: `${i}${text(99)}` })),
      }));
      const used = 5 + 5 * 102 + 5 * 7 * 200;
      const more = 8000 - used + extra;
      const rest = Array.from({ length: 5 }, (_, i) => {
        const size = Math.floor(more / 5) + (i < more % 5 ? 1 : 0);
        return option({ name: `p${i}`, description: text(size - 2) });
      });
      return chat({ description: '', options: [...options, ...rest] });
    };
    const at = (extra: number) => {
      const body = filled(extra - 1);
      return check({ ...body, description: 'x' });
    };
    expect(at(0)).toBeUndefined();
    const refusal = at(1);
    expectFlaw(refusal, 18, '', 'APPLICATION_COMMAND_TOO_LARGE');
    expect(messageAt(refusal)).toBe('Command exceeds maximum size (8000)');
    const localized = { ...filled(-1), description: 'x', description_localizations: { de: 'y' } };
    expect(check(localized)).toBeUndefined();
    expectFlaw(
      check({ ...localized, description_localizations: { de: 'yy' } }),
      18,
      '',
      'APPLICATION_COMMAND_TOO_LARGE',
    );
  });
});

describe('rules 19 and 20: localizations, contexts, permissions', () => {
  it('refuses an unknown locale and a bad localized text, naming the field only', () => {
    expectFlaw(
      check(chat({ name_localizations: { en: 'x' } })),
      19,
      'name_localizations',
      'ENUM_TYPE_COERCE',
    );
    expectFlaw(
      check(chat({ name_localizations: { de: 'Zwei Wörter' } })),
      19,
      'name_localizations',
      'APPLICATION_COMMAND_INVALID_NAME',
    );
    expectFlaw(
      check(chat({ description_localizations: { de: text(101) } })),
      19,
      'description_localizations',
      'BASE_TYPE_BAD_LENGTH',
    );
    expectFlaw(
      check(withOption({ choices: [{ name: 'n', value: 'v', name_localizations: { xx: 'n' } }] })),
      19,
      'options.0.choices.0.name_localizations',
      'ENUM_TYPE_COERCE',
    );
  });

  it('refuses unknown, repeated and no contexts', () => {
    expect(check(chat({ contexts: [0, 1, 2], integration_types: [0, 1] }))).toBeUndefined();
    expectFlaw(check(chat({ contexts: [3] })), 20, 'contexts.0', 'BASE_TYPE_CHOICES');
    expectFlaw(check(chat({ contexts: [] })), 20, 'contexts', 'BASE_TYPE_MIN_LENGTH');
    expectFlaw(check(chat({ contexts: [0, 0] })), 20, 'contexts.1', 'SET_TYPE_ALREADY_CONTAINS_VALUE');
    expectFlaw(check(chat({ integration_types: [2] })), 20, 'integration_types.0', 'BASE_TYPE_CHOICES');
  });

  it('takes permissions as a string of digits or a number', () => {
    for (const value of ['32', 32, '0', null])
      expect(check(chat({ default_member_permissions: value }))).toBeUndefined();
    expectFlaw(
      check(chat({ default_member_permissions: 'ManageGuild' })),
      20,
      'default_member_permissions',
      'NUMBER_TYPE_COERCE',
    );
  });
});

describe('rules 21 and 22: lists of commands', () => {
  const list = (count: number, type: number) =>
    Array.from({ length: count }, (_, i) =>
      type === 1 ? chat({ name: `c${i}` }) : { type, name: `Menu ${i}` },
    );

  it('indexes the errors of every command', () => {
    const refusal = checkCommandList(
      [chat(), chat({ name: 'b', options: [option({ name: 'A' })] }), {}],
      'guild',
    );
    expect(leaves(refusal?.errors)).toEqual(
      [
        ['2.name', 'BASE_TYPE_REQUIRED'],
        ['1.options.0.name', 'APPLICATION_COMMAND_INVALID_NAME'],
      ].toSorted(),
    );
  });

  it('refuses what is no list, and a name twice for one type', () => {
    expectFlaw(checkCommandList({}, 'global'), 21, '', 'LIST_TYPE_CONVERT');
    expectFlaw(checkCommandList([chat(), chat()], 'global'), 21, '1', 'APPLICATION_COMMANDS_DUPLICATE_NAME');
    expect(checkCommandList([chat(), { type: 2, name: 'games' }], 'global')).toBeUndefined();
  });

  it('accepts 100, 15 and 15, and refuses one more of each', () => {
    expect(checkCommandList([...list(100, 1), ...list(15, 2), ...list(15, 3)], 'guild')).toBeUndefined();
    for (const [count, type] of [
      [101, 1],
      [16, 2],
      [16, 3],
    ] as const)
      expect(checkCommandList(list(count, type), 'global')).toMatchObject({
        rule: 22,
        status: 400,
        code: 30032,
      });
    expectFlaw(checkCommandList(list(131, 1), 'global'), 22, '', 'BASE_TYPE_MAX_LENGTH');
    expect(checkCommandCaps([{ type: 4 }], 'guild')).toMatchObject({ rule: 22, code: 30032 });
    expect(checkCommandCaps([{ type: 4 }], 'global')).toBeUndefined();
  });
});

describe('rule 21: patches', () => {
  const current = {
    ...chat(),
    type: 1,
    id: '666666666666666666',
    version: '1',
    default_member_permissions: '32',
  };
  const other = { ...current, id: '666666666666666667', name: 'other' };
  const patch = (body: unknown) =>
    checkCommandPatch(body, current, { scope: 'global', others: [current, other, { ...other, type: 2 }] });

  it('checks the command as it would become', () => {
    expect(patch({ description: 'new' })).toBeUndefined();
    expectFlaw(patch({ description: '' }), 12, 'description', 'BASE_TYPE_BAD_LENGTH');
    expectFlaw(patch([]), 13, '', 'MODEL_TYPE_CONVERT');
  });

  it('refuses the name of another command of the type, and cannot change the type', () => {
    expect(patch({ name: 'games' })).toBeUndefined();
    expectFlaw(patch({ name: 'other' }), 21, 'name', 'APPLICATION_COMMANDS_DUPLICATE_NAME');
    expectFlaw(patch({ name: 'My Games', type: 2 }), 11, 'name', 'STRING_TYPE_REGEX');
  });
});
