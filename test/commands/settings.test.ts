import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { settingsCommand } from '../../commands/settings.ts';
import type { PressContext } from '../../src/discord/command.ts';
import type { PostResult } from '../../src/discord/guild-log.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import { createWords } from '../../src/words/words.ts';

const { wordsFor } = createWords();

/** Chooses a channel of which Discord does not say what the bot may do there. */
async function choose(result: PostResult): Promise<Settings> {
  let settings: Settings = { locale: 'en-US', announce: false };
  const command = settingsCommand({
    addBotLink: async () => undefined,
    settings: {
      get: async () => settings,
      areLost: async () => false,
      change: async (_guildId, change) => {
        settings = change(settings);
        return settings;
      },
    },
    games: { list: () => ({ games: [], fresh: true }) },
    posts: { post: async () => result },
    keys: { status: async () => undefined },
    inspectLog: async () => undefined,
    guildLog: { tell: async () => {} },
  });
  const context: PressContext = {
    interactionId: '1',
    guildId: '2',
    channelId: '3',
    user: { id: '4', name: 'mia' },
    permissions: new PermissionsBitField(PermissionFlagsBits.ManageGuild),
    locale: 'en-US',
    receivedAt: Date.now(),
    guildLocale: 'de',
    t: wordsFor('en-US'),
    guildT: wordsFor('de'),
    mention: (name) => `/${name}`,
    isAdmin: true,
    pages: () => undefined,
    argument: '',
    values: ['10'],
    channels: [{ id: '10', botPermissions: undefined }],
    roles: [],
    progress: () => {},
    stopping: new AbortController().signal,
  };
  const handler = command.presses?.channel;
  if (handler?.answer !== 'update') throw new Error('the select of channels changes its message');
  await handler.run(context);
  return settings;
}

describe('a log channel of which Discord does not say what the bot may do there', () => {
  it('is found out about with the first message', async () => {
    expect(await choose('posted')).toEqual({ locale: 'de', announce: false, logChannelId: '10' });
    await expect(choose('no-access')).rejects.toThrow('lacks this permission: **View Channel**');
    await expect(choose('no-permission')).rejects.toThrow('**Send Messages**, **Embed Links**');
    await expect(choose('gone')).rejects.toThrow('no longer exists');
    await expect(choose('failed')).rejects.toThrow('Discord could not be asked');
  });
});
