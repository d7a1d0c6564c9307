import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCommands } from '../../commands/index.ts';
import type { DiscordStandIn } from '../../sandbox/discord/contract.ts';
import { startDiscord } from '../../sandbox/discord/stand-in.ts';
import { createConnection } from '../../src/discord/connection.ts';
import { asPublished, sameCommands } from '../../src/discord/publish.ts';
import { Secret } from '../../src/secret.ts';
import { createWords } from '../../src/words/words.ts';
import { recorder } from '../storage/temporary.ts';

/** Descriptions touch none of what the commands work with. */
const commands = createCommands({} as Parameters<typeof createCommands>[0]).map(asPublished);

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

  it('does not ask for what Discord may or may not send back', () => {
    const each = (change: (item: Record<string, unknown>) => void) => {
      const walk = (item: unknown): void => {
        change(Object(item));
        for (const child of [...(Object(item).options ?? []), ...(Object(item).choices ?? [])]) walk(child);
      };
      const list = asDiscordHasThem();
      list.forEach(walk);
      return sameCommands(list, commands);
    };
    expect(each((item) => void delete item.file_types)).toBe(true);
    expect(each((item) => void delete item.required)).toBe(false);
    expect(each((item) => void delete item.max_length)).toBe(false);
    expect(each((item) => Object.assign(item, { required: item.required ?? false }))).toBe(true);
    expect(each((item) => Object.assign(item, { is_of_next_year: [1], handler: null }))).toBe(true);
    expect(each((item) => Object.assign(item, { name_localized: 'x', description_localized: 'y' }))).toBe(
      true,
    );
    expect(
      each((item) => {
        for (const field of ['name_localizations', 'description_localizations'])
          if (Object.keys(Object(item[field])).length === 0) item[field] = null;
      }),
    ).toBe(true);
  });

  it('takes a localized text that says the same as the default for none', () => {
    const [ours] = commands;
    if (!ours) throw new Error('there are no commands');
    const more = { ...ours, name_localizations: { ...ours.name_localizations, fr: ours.name } };
    expect(sameCommands([ours], [more])).toBe(true);
    expect(sameCommands([more], [ours])).toBe(true);
    expect(sameCommands([{ ...ours, name_localizations: { fr: 'autre' } }], [ours])).toBe(false);
  });

  it('compares types of files where Discord sends them back', () => {
    const withTypes = (...file_types: string[]) => [
      {
        name: 'upload',
        description: 'Uploads',
        options: [{ type: ApplicationCommandOptionType.Attachment, name: 'f', description: 'f', file_types }],
      },
    ];
    expect(sameCommands(withTypes('.csv', '.txt'), withTypes('.txt', '.csv') as never)).toBe(true);
    expect(sameCommands(withTypes('.csv'), withTypes('.txt') as never)).toBe(false);
  });

  it.each<[string, (list: ReturnType<typeof asDiscordHasThem>) => unknown]>([
    ['another description', (list) => Object.assign(list[0] ?? {}, { description: 'another' })],
    ['another permission', (list) => Object.assign(list[0] ?? {}, { default_member_permissions: '8' })],
    ['another translation', (list) => Object.assign(list[0]?.name_localizations ?? {}, { de: 'anders' })],
    ['other contexts', (list) => Object.assign(list[0] ?? {}, { contexts: null })],
    ['another kind of installation', (list) => Object.assign(list[0] ?? {}, { integration_types: [0, 1] })],
    ['a command for adults only', (list) => Object.assign(list[0] ?? {}, { nsfw: true })],
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

const TOKEN = 'MTExMTExMTExMTExMTExMTEx.publish.a-token-of-the-publish-tests-12345';
const puts = ({ requests }: DiscordStandIn) => requests.filter(({ method }) => method === 'PUT');

/** One run of the bot, until it has published its commands or found that they are there. */
async function run(discord: DiscordStandIn): Promise<void> {
  const logger = recorder();
  const connection = createConnection({
    apiUrl: discord.apiUrl,
    token: new Secret(TOKEN),
    ...createWords(),
    logger,
    onFatal: () => undefined,
  }).serve({
    commands,
    onReady: async () => undefined,
    onInteraction: async () => undefined,
    drain: async () => undefined,
    onUse: [],
  });
  await connection.start?.();
  await expect
    .poll(() => logger.lines.map(({ message }) => message).join())
    .toMatch(/published the commands|the commands are published already|could not be published/);
  await connection.stop?.();
  await expect.poll(() => discord.gateway.sessions().length).toBe(0);
  // Discord lets a bot identify once in five seconds.
  discord.clock.advance(5_000);
}

describe('the commands of the bot', () => {
  it.each([
    'usual',
    'full',
    'sparse',
  ] as const)('are published once, and no second start publishes anything (answers: %s)', async (commandAnswers) => {
    const discord = await startDiscord({ token: TOKEN, commandAnswers });
    onTestFinished(() => discord.close());
    await run(discord);
    expect(puts(discord)).toHaveLength(1);
    await run(discord);
    expect(puts(discord)).toHaveLength(1);
    expect(discord.breaches).toEqual([]);
  });

  it.each([
    'usual',
    'full',
    'sparse',
  ] as const)('leave the entry-point command of an application with Activities where it is (answers: %s)', async (commandAnswers) => {
    const discord = await startDiscord({ token: TOKEN, commandAnswers, entryPoint: true });
    onTestFinished(() => discord.close());
    const entryPoint = () =>
      discord.commands().find(({ type }) => type === ApplicationCommandType.PrimaryEntryPoint);
    const before = entryPoint();
    await run(discord);
    await run(discord);
    expect(puts(discord)).toHaveLength(1);
    expect(entryPoint()).toEqual(before);
    expect(discord.commands()).toHaveLength(commands.length + 1);
    expect(discord.breaches).toEqual([]);
  });

  it('are sent without localized texts that say the same as the default', () => {
    const check = (item: object): void => {
      const { name, description, name_localizations, description_localizations, options } = Object(item);
      expect(Object.values(name_localizations ?? {})).not.toContain(name);
      expect(Object.values(description_localizations ?? {})).not.toContain(description);
      for (const option of options ?? []) check(option);
    };
    commands.forEach(check);
  });
});
