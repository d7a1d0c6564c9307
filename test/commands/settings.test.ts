import { describe, expect, it } from 'vitest';
import { settingsCommand } from '../../commands/settings/command.ts';
import { languageSetting } from '../../commands/settings/language.ts';
import type { PostResult } from '../../src/discord/channel-posts.ts';
import { MOST_PANELS, type Panel } from '../../src/guilds/panels.ts';
import type { Settings } from '../../src/guilds/settings.ts';
import { ENGLISH, languages } from '../../src/words/languages.ts';
import { createWords } from '../../src/words/words.ts';
import { anyContext, onlyDeps } from './context.ts';

/** Chooses a log channel in which posting has this result. */
async function choose(
  result: PostResult,
  addBotLink?: string,
): Promise<{ settings: Settings; text: string | undefined }> {
  let settings: Settings = { locale: 'en-US', announce: false, logTrouble: 'gone' };
  const command = settingsCommand(
    onlyDeps({
      addBotLink: async () => addBotLink,
      isPublicChannel: async () => false,
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
      panels: { of: async () => [] },
      suggestions: { allowed: async () => [] },
      approvals: { countWaiting: async () => 0 },
      approvalMessages: { moved: async () => undefined },
      guildLog: { add: async () => undefined },
    }),
  );
  const reply = await command.presses?.change?.run(
    anyContext({ argument: '1:log:log:choose', values: ['10'] }),
  );
  return { settings, text: reply && 'content' in reply ? reply.content : undefined };
}

it('/settings only accepts a log channel if the bot can post in it', async () => {
  const { settings } = await choose('posted');
  expect(settings).toEqual({ locale: 'de', announce: false, logChannelId: '10', mayMentionRoles: false });
  const refusals = [
    { text: '**View Channel**', refused: await choose('no-access') },
    { text: '**Send Messages** and **Embed Links**', refused: await choose('no-permission') },
    { text: 'no longer exists', refused: await choose('gone') },
    { text: "Couldn't check whether", refused: await choose('failed', 'https://add.example') },
    { text: 'https://add.example', refused: await choose('no-access', 'https://add.example') },
  ];
  for (const { text, refused } of refusals) {
    expect(refused.text).toContain(text);
    expect(refused.text).toContain('**Log channel**: none');
    expect(refused.settings.logTrouble).toBe('gone');
  }
});

const ID = '1'.repeat(20);

describe.each(languages)('the panels page in $tag', ({ locales: [locale = ''] }) => {
  it('fits into one message with ten panels and an error', async () => {
    const t = createWords().wordsFor(locale);
    const panels = Array.from(
      { length: MOST_PANELS },
      (_, n): Panel => ({
        channelId: ID,
        messageId: `${ID.slice(1)}${n}`,
        text: '*'.repeat(500),
        buttons: [],
      }),
    );
    const settings: Settings = { locale, announce: false };
    const names = ['A Game with a Name', 'Another Game with a Name', 'A Third Game with a Name'];
    const near = names.map((name) => ({ name, alias: name.toLowerCase() }));
    const command = settingsCommand(
      onlyDeps({
        settings: {
          getOrUnreadable: async () => settings,
          change: async () => settings,
        },
        games: { all: [], isFresh: () => true, find: () => undefined, search: () => near },
        posts: { put: async () => ({ result: 'posted' }) },
        keys: { status: async () => undefined },
        panels: { of: async () => panels, change: async () => panels },
        approvals: { countWaiting: async () => 0 },
        guildLog: { add: async () => undefined },
      }),
    );
    const context = anyContext({
      t,
      guildId: ID,
      argument: `10:panels:${panels[9]?.messageId}`,
      field: (id) => (id === 'game' ? 'no game of this name' : 'text'),
    });
    const { content = '' } = (await command.submits?.type?.run(context)) ?? {};
    expect(content).toContain(names[2]);
    expect(content).toContain(`[10](<https://discord.com/channels/${ID}/`);
    expect(content.length).toBeLessThan(2_000);
  });
});

describe('the language setting', () => {
  it("lists languages on several pages if they don't fit into one select menu", () => {
    const spoken = Array.from({ length: 30 }, (_, n) => ({ ...ENGLISH, tag: `x${n}`, locales: [`x${n}`] }));
    const now: Settings = { locale: 'en-US', announce: false };
    const setting = languageSetting(onlyDeps({}), spoken);
    const shown = { now, isLost: false, key: undefined, games: [], waiting: 0, panels: [] };
    const offeredOn = (page: number): readonly string[] =>
      (setting.controls(anyContext(), shown, page).selects ?? []).flatMap((control) =>
        control && 'options' in control ? control.options.map(({ value }) => value) : [],
      );
    expect(offeredOn(1)).toHaveLength(25);
    expect(offeredOn(2)).toEqual(spoken.slice(24).map(({ tag }) => tag));
    expect(setting.controls(anyContext(), shown, 1).buttons).toMatchObject([{ label: 'Next' }]);
  });
});
