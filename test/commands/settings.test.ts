import { expect, it } from 'vitest';
import { settingsCommand } from '../../commands/settings/command.ts';
import type { PostResult } from '../../src/discord/channel-posts.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import { anyContext, onlyDeps } from './context.ts';

/** Chooses a log channel to which Discord answers so. */
async function choose(
  result: PostResult,
  addBotLink?: string,
): Promise<{ settings: Settings; said: string | undefined }> {
  let settings: Settings = { locale: 'en-US', announce: false, logTrouble: 'gone' };
  const command = settingsCommand(
    onlyDeps({
      addBotLink: async () => addBotLink,
      settings: {
        getOrUnreadable: async () => settings,
        change: async (_guildId: string, change: (now: Settings) => Settings) => {
          settings = change(settings);
          return settings;
        },
      },
      games: { all: [], isFresh: () => true, find: () => undefined, search: () => [] },
      posts: { post: async () => result, put: async () => ({ result }) },
      keys: { status: async () => undefined, problem: async () => undefined },
      panels: {
        of: async () => [],
        replace: async () => [],
        forget: async () => [],
      },
      suggestions: { allowed: async () => [] },
      approvals: { waiting: async () => [] },
      approvalMessages: { moved: async () => undefined },
      guildLog: { tell: async () => undefined },
    }),
  );
  const reply = await command.presses?.change?.run(
    anyContext({ argument: '1:log:log:choose', values: ['10'] }),
  );
  return { settings, said: reply && 'content' in reply ? reply.content : undefined };
}

it('a log channel is one to which a first message can be written', async () => {
  const { settings } = await choose('posted');
  expect(settings).toEqual({ locale: 'de', announce: false, logChannelId: '10', mayMentionRoles: false });
  const refusals = [
    { said: '**View Channel**', refused: await choose('no-access') },
    { said: '**Send Messages** and **Embed Links**', refused: await choose('no-permission') },
    { said: 'no longer exists', refused: await choose('gone') },
    { said: "Couldn't check whether", refused: await choose('failed', 'https://add.example') },
    { said: 'https://add.example', refused: await choose('no-access', 'https://add.example') },
  ];
  for (const { said, refused } of refusals) {
    expect(refused.said).toContain(said);
    expect(refused.said).toContain('**Log channel**: none');
    expect(refused.settings.logTrouble).toBe('gone');
  }
});
