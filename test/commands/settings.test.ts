import { expect, it } from 'vitest';
import { settingsCommand } from '../../commands/settings/command.ts';
import type { PostResult } from '../../src/discord/channel-posts.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import { anyContext } from './context.ts';

/** Chooses a log channel to which Discord answers so. */
async function choose(result: PostResult, addBotLink?: string): Promise<Settings> {
  let settings: Settings = { locale: 'en-US', announce: false, logTrouble: 'gone' };
  const command = settingsCommand({
    addBotLink: async () => addBotLink,
    settings: {
      get: async () => settings,
      find: async () => settings,
      change: async (_guildId, change) => {
        settings = change(settings);
        return settings;
      },
    },
    games: { list: () => ({ games: [], fresh: true }) },
    posts: { post: async () => result },
    keys: { status: async () => undefined },
    guildLog: { tell: async () => undefined },
  });
  await command.presses?.channel?.run(anyContext({ values: ['10'] }));
  return settings;
}

it('a log channel is one to which a first message can be written', async () => {
  expect(await choose('posted')).toEqual({
    locale: 'de',
    announce: false,
    logChannelId: '10',
    mayMentionRoles: false,
  });
  await expect(choose('no-access')).rejects.toThrow('**View Channel**');
  await expect(choose('no-permission')).rejects.toThrow('**Send Messages**, **Embed Links**');
  await expect(choose('gone')).rejects.toThrow('no longer exists');
  await expect(choose('failed', 'https://add.example')).rejects.toThrow("Couldn't check whether");
  await expect(choose('no-access', 'https://add.example')).rejects.toThrow('https://add.example');
});
