import { describe, expect, it } from 'vitest';
import { createCommands } from '../../commands/index.ts';
import { sameCommands } from '../../src/discord/publish.ts';

/** Descriptions touch none of what the commands work with. */
const commands = createCommands({} as Parameters<typeof createCommands>[0]).map(({ data }) => data);

/** What Discord gives back for a description: its own fields, its defaults, and absent things as null. */
const asDiscordHasThem = () =>
  structuredClone(commands)
    .reverse()
    .map((command, index) => ({
      ...command,
      id: `${index}`,
      application_id: '1',
      version: '2',
      nsfw: false,
      default_permission: true,
      default_member_permissions: command.default_member_permissions ?? null,
    }));

describe('sameCommands', () => {
  it('is true for what Discord makes of our own descriptions', () => {
    expect(sameCommands(asDiscordHasThem(), commands)).toBe(true);
  });

  it.each<[string, (list: ReturnType<typeof asDiscordHasThem>) => unknown]>([
    ['another description', (list) => Object.assign(list[0] ?? {}, { description: 'another' })],
    ['another permission', (list) => Object.assign(list[0] ?? {}, { default_member_permissions: '8' })],
    ['another translation', (list) => Object.assign(list[0]?.name_localizations ?? {}, { de: 'anders' })],
    ['a command that is missing', (list) => list.pop()],
    [
      'a command too many',
      (list) => list.push({ ...structuredClone(list[0] ?? list[1]), name: 'old' } as never),
    ],
    ['an option without its limit', (list) => list.forEach((command) => void delete Object(command).options)],
  ])('is false for %s', (_what, change) => {
    const published = asDiscordHasThem();
    change(published);
    expect(sameCommands(published, commands)).toBe(false);
  });
});
