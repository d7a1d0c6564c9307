import { SlashCommandBuilder } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { checkInvocation, type GivenValue } from '../../../../../sandbox/discord/rest/rules/invocation.ts';

const one = (option: object, value: GivenValue | undefined, typing = false) =>
  checkInvocation(
    { options: [{ name: 'o', description: 'd', ...option }] },
    value === undefined ? {} : { o: value },
    { typing },
  ).map(({ code }) => code);

describe('rule 24: what a member may send', () => {
  it.each<[string, object, GivenValue | undefined, string[]]>([
    ['a text', { type: 3 }, 'x', []],
    ['no optional text', { type: 3 }, undefined, []],
    ['no required text', { type: 3, required: true }, undefined, ['required']],
    ['an empty text', { type: 3 }, '', ['required']],
    ['3 characters, at least 3', { type: 3, min_length: 3 }, '🎮🎮🎮', []],
    ['2 characters, at least 3', { type: 3, min_length: 3 }, 'ab', ['too_short']],
    ['4 characters, at most 3', { type: 3, max_length: 3 }, 'abcd', ['too_long']],
    ['6001 characters', { type: 3 }, 'a'.repeat(6001), ['too_long']],
    ['two lines', { type: 3 }, 'a\nb', ['line_break']],
    ['a number for a text', { type: 3 }, 5, ['wrong_kind']],
    ['a choice', { type: 3, choices: [{ name: 'One', value: '1' }] }, '1', []],
    ['the name of a choice', { type: 3, choices: [{ name: 'One', value: '1' }] }, 'One', ['not_a_choice']],
    ['an integer', { type: 4, min_value: 1, max_value: 65_535 }, 65_535, []],
    ['an integer that is too large', { type: 4, max_value: 65_535 }, 65_536, ['too_large']],
    ['an integer that is too small', { type: 4, min_value: 1 }, 0, ['too_small']],
    ['an integer beyond 2^53 - 1', { type: 4 }, 2 ** 53, ['too_large']],
    ['a fraction for an integer', { type: 4 }, 1.5, ['wrong_kind']],
    ['a fraction', { type: 10 }, 1.5, []],
    ['a text for an integer', { type: 4 }, '5', ['wrong_kind']],
    ['a boolean', { type: 5 }, false, []],
    ['a text for a boolean', { type: 5 }, 'true', ['wrong_kind']],
    ['a user', { type: 6 }, '555555555555555555', []],
    ['a name for a user', { type: 6 }, 'mason', ['wrong_kind']],
    ['a file', { type: 11, file_types: ['.csv', 'image'] }, { filename: 'a.PNG' }, []],
    ['a file of another type', { type: 11, file_types: ['.csv'] }, { filename: 'a.exe' }, ['file_type']],
    ['a text for a file', { type: 11 }, 'a.csv', ['wrong_kind']],
  ])('%s', (_, option, value, expected) => {
    expect(one(option, value)).toEqual(expected);
  });

  it('requires nothing while an option is being typed, but keeps the maximum', () => {
    expect(one({ type: 3, required: true }, undefined, true)).toEqual([]);
    expect(one({ type: 3, min_length: 3 }, 'a', true)).toEqual([]);
    expect(one({ type: 3, max_length: 3 }, 'abcd', true)).toEqual(['too_long']);
    expect(one({ type: 4 }, '25', true)).toEqual([]);
  });

  it('refuses options that the command does not have', () => {
    expect(checkInvocation({}, { x: 'y' })).toEqual([{ option: 'x', code: 'unknown_option' }]);
  });

  it('refuses a command that has subcommands, and finds those', () => {
    const command = new SlashCommandBuilder()
      .setName('settings')
      .setDescription('d')
      .addSubcommandGroup((group) =>
        group
          .setName('key')
          .setDescription('d')
          .addSubcommand((sub) =>
            sub
              .setName('set')
              .setDescription('d')
              .addStringOption((option) => option.setName('value').setDescription('d').setRequired(true)),
          ),
      )
      .toJSON();
    const codes = (subcommand: string[], given: Record<string, string> = {}) =>
      checkInvocation(command, given, { subcommand }).map(({ code }) => code);
    expect(codes([])).toEqual(['subcommand_needed']);
    expect(codes(['key'])).toEqual(['subcommand_needed']);
    expect(codes(['other'])).toEqual(['unknown_subcommand']);
    expect(codes(['key', 'set'])).toEqual(['required']);
    expect(codes(['key', 'set'], { value: 'x' })).toEqual([]);
  });
});
