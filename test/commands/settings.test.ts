import { ComponentType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { approvalSetting } from '../../commands/settings/approval.ts';
import { settingsCommand } from '../../commands/settings/command.ts';
import { languageSetting } from '../../commands/settings/language.ts';
import { trustedRoleSetting } from '../../commands/settings/trusted-role.ts';
import type { PostResult } from '../../src/discord/channel-posts.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import type { KeyStatus } from '../../src/guilds/api-keys.ts';
import { MAX_PANELS, type Panel } from '../../src/guilds/panels.ts';
import { MAX_DAILY_QUOTA, type Settings } from '../../src/guilds/settings.ts';
import { markOf } from '../../src/interactions/controls.ts';
import { languages } from '../../src/words/languages.ts';
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
      blocks: { list: async () => [] },
      approvals: { countWaiting: async () => 0 },
      approvalMessages: { moved: async () => undefined },
      guildLog: { change: async () => undefined },
    }),
  );
  const reply = await command.presses?.change?.run(
    anyContext({ argument: '1:log:log:choose', values: ['10'] }),
  );
  return { settings, text: reply && 'content' in reply ? reply.content : undefined };
}

it.each([
  ['everyone can read it', { isPublic: true }, /^⚠️ Everyone can read <#10>.*✅ \*\*Log channel\*\*: <#10>/s],
  [
    'the bot was removed',
    { link: 'https://add.example' },
    /^⚠️ The bot isn't a member .*\(https:\/\/add\.example\)/,
  ],
  ['nothing has changed', { isPublic: false }, /^\*\*Log channel\*\*\n/],
  ["Discord doesn't respond", {}, /^\*\*Log channel\*\*\n/],
])('the "Log channel" page shows the correct warnings if %s', async (_, {
  isPublic,
  link,
}: { isPublic?: boolean; link?: string }, text) => {
  const reply = await openPage('log', {
    isPublicChannel: async () => isPublic,
    addBotLink: async () => link,
    panels: { of: async () => [] },
  });
  expect(reply && 'content' in reply ? reply.content : undefined).toMatch(text);
});

it.each(['log', 'panels'])('the %s page opens even if Discord takes too long to respond', async (page) => {
  const never = () => new Promise<never>(() => {});
  const reply = await openPage(page, {
    isPublicChannel: never,
    addBotLink: never,
    posts: { isDeleted: never },
    panels: { of: async () => [{ channelId: '10', messageId: '11', buttons: ['mine'], text: '' }] },
  });
  expect(JSON.stringify(reply)).toContain('<#10>');
});

/** Opens a page of /settings in a guild with only a log channel. */
const openPage = async (page: string, deps: Readonly<Record<string, unknown>>) =>
  settingsCommand(
    onlyDeps({
      settings: { getOrUnreadable: async () => ({ locale: 'en-US', announce: false, logChannelId: '10' }) },
      games: { all: [] },
      keys: { status: async () => undefined },
      blocks: { list: async () => [] },
      approvals: { countWaiting: async () => 0 },
      ...deps,
    }),
  ).presses?.open?.run(anyContext({ values: [page] }));

/** The locale whose language has the longest name in English. */
const LONGEST_LANGUAGE =
  languages
    .toSorted(
      (a, b) =>
        createWords().wordsFor('en-US').nameOf(a).length - createWords().wordsFor('en-US').nameOf(b).length,
    )
    .at(-1)?.locales[0] ?? '';

describe('the first page of /settings', () => {
  // Until about the year 2084, ids have 19 digits. Discord shows the name instead, which can be shorter or longer.
  const id = '1234567890123456789';
  const at = '2026-11-29T08:00:00.000Z';
  const game = (index: number) => ({
    alias: `game${index}`,
    name: 'The Longest Name of Any Game 2'.padEnd(30, 'x'),
  });

  async function firstPage(
    stored: Partial<Settings>,
    key: Partial<KeyStatus> | undefined,
    waiting: number,
    hasPanel = stored.dailyQuota !== undefined,
    isLost = false,
  ) {
    const panel = { channelId: id, messageId: id, buttons: ['submit'], text: '', isDue: false };
    const command = settingsCommand(
      onlyDeps({
        settings: {
          getOrUnreadable: async () =>
            isLost ? 'unreadable' : { locale: 'en-US', announce: false, ...stored },
        },
        keys: { status: async () => key },
        games: { all: [1, 2, 3, 4, 5, 6].map(game), isFresh: () => true },
        panels: { of: async () => (hasPanel ? [panel] : []) },
        blocks: { list: async () => (stored.dailyQuota === undefined ? [] : Array(500).fill({})) },
        approvals: { countWaiting: async () => waiting },
      }),
    );
    const mention = (name: string) => `</${name}:${id}>`;
    const context = anyContext({ mention, guildLocale: LONGEST_LANGUAGE });
    const reply = await command.presses?.open?.run(context);
    if (reply === undefined || !('content' in reply)) throw new Error('expected a reply');
    return { content: reply.content ?? '', components: reply.components ?? [] };
  }

  const KEYS: readonly (Partial<KeyStatus> | undefined)[] = [
    undefined,
    { readable: false },
    { readable: true, invalidSince: at },
    { readable: true, workedAt: at },
  ];
  const LOGS: readonly Partial<Settings>[] = [
    {},
    { logChannelId: id },
    { logChannelId: id, logTrouble: 'gone' },
    { logChannelId: id, logTrouble: 'no-access' },
    { logChannelId: id, logTrouble: 'no-permission' },
  ];
  const APPROVALS: readonly Partial<Settings>[] = [
    {},
    { approval: true },
    { approval: true, approvalRoleId: id },
  ];
  const ANNOUNCED: readonly Partial<Settings>[] = [
    {},
    { announce: true },
    { announce: true, announceChannelId: id },
    { announce: true, announceChannelId: id, announceTrouble: 'gone' },
    { announce: true, announceChannelId: id, announceTrouble: 'no-permission' },
  ];
  const OTHERS: readonly Partial<Settings>[] = [
    {},
    {
      notifyRoleId: id,
      trustedRoleId: id,
      games: [1, 2, 3, 4, 5, 6].map((index) => game(index).alias),
      dailyQuota: MAX_DAILY_QUOTA,
    },
  ];
  const states = KEYS.flatMap((key) =>
    LOGS.flatMap((log) =>
      // Without a log channel, approval can't be on.
      APPROVALS.slice(0, 'logChannelId' in log ? undefined : 1).flatMap((approval) =>
        ANNOUNCED.flatMap((announced) =>
          OTHERS.map((others) => ({ key, stored: { ...log, ...approval, ...announced, ...others } })),
        ),
      ),
    ),
  );

  it('has fewer than 700 characters and at most two controls', async () => {
    let longest = '';
    for (const { stored, key } of states) {
      for (const [waiting, hasPanel] of [
        [0, true],
        [9_999, true],
        [9_999, false],
      ] as const) {
        const { content, components } = await firstPage(stored, key, waiting, hasPanel);
        if (content.length > longest.length) longest = content;
        expect(components.flatMap((row) => row.components).length).toBeLessThanOrEqual(2);
      }
    }
    const lost = (await firstPage({}, KEYS[1], 9_999, false, true)).content;
    expect(lost.length, lost).toBeLessThan(700);
    expect(longest.length, longest).toBeLessThan(700);
  });

  it('has a menu option for each line, in the same order', async () => {
    for (const { stored, key } of states) {
      const {
        content,
        components: [first],
      } = await firstPage(stored, key, 0);
      const [menu] = first?.components ?? [];
      if (menu?.type !== ComponentType.StringSelect) throw new Error('expected a menu');
      const names = menu.options.map(({ label }) => label);
      const [, ...lines] = content.split('\n\n', 1)[0]?.split('\n') ?? [];
      const named = lines.flatMap((line) => /^\S+ \*\*(?<name>[^*]+)\*\*:/u.exec(line)?.groups?.name ?? []);
      const shown = named.filter((name) => name !== 'Not in use');
      const off =
        /\*\*Not in use\*\*: (?<off>.*)/u.exec(content)?.groups?.off?.split(/, and |, | and /u) ?? [];
      expect(names[0]).toBe('API key');
      expect([...shown, ...off].toSorted()).toEqual(names.toSorted());
      expect(names.filter((name) => shown.includes(name))).toEqual(shown);
    }
  });
});

it('/settings accepts a log channel only if the bot can post in it', async () => {
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

it('a button from version 0.4.0 still removes the trusted role', async () => {
  const now: Settings = { locale: 'en-US', announce: false };
  const change = await trustedRoleSetting.handlers.none?.(anyContext({}), now, '');
  expect(await change?.make({ ...now, trustedRoleId: ID })).toEqual(now);
});

describe.each(languages)('the panels page in $tag', ({ locales: [locale = ''] }) => {
  const t = createWords().wordsFor(locale);
  const panels = Array.from(
    { length: MAX_PANELS },
    (_, n): Panel => ({
      channelId: ID,
      messageId: `${ID.slice(1)}${n}`,
      text: '*'.repeat(500),
      buttons: [],
      game: 'a'.repeat(50),
    }),
  );

  /** Submits the form of the tenth panel with a new text and an unknown game. */
  async function edit(change: (how: (panel: Panel) => Panel) => readonly Panel[]): Promise<string> {
    const settings: Settings = { locale, announce: false, games: ['cs2'] };
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
        panels: {
          of: async () => panels,
          change: async (_guildId: string, _drawn: Panel, how: (panel: Panel) => Panel) => change(how),
        },
        blocks: { list: async () => [] },
        approvals: { countWaiting: async () => 0 },
        guildLog: { change: async () => undefined },
      }),
    );
    const context = anyContext({
      t,
      guildId: ID,
      argument: `10:panels:${panels[9]?.messageId}:${markOf('*'.repeat(500))}:${markOf('a'.repeat(50))}`,
      field: (id) => (id === 'game' ? 'no game of this name' : 'text'),
    });
    const { content = '' } = (await command.submits?.type?.run(context)) ?? {};
    return content;
  }

  it('fits in one message even with ten panels and an error', async () => {
    const content = await edit(() => panels);
    expect(content).toContain('A Third Game with a Name');
    expect(content).toContain(`[10](<https://discord.com/channels/${ID}/`);
    expect(content.length).toBeLessThan(2_000);
  });

  it('reports that another admin has just changed the same text', async () => {
    const content = await edit((how) => panels.map((panel) => how({ ...panel, text: 'another' })));
    expect(content).toContain(t('settings.changedSince'));
  });
});

describe('the language setting', () => {
  it('lists all languages in one select menu', () => {
    const now: Settings = { locale: 'en-US', announce: false };
    const shown = { now, isLost: false, key: undefined, games: [], waitingCount: 0, panels: [], blocks: 0 };
    const [menu] = languageSetting(onlyDeps({})).controls(anyContext(), shown, 1).selects ?? [];
    if (!menu || menu.type !== ComponentType.StringSelect) throw new Error('expected a menu');
    expect(menu.options.map(({ value }) => value)).toEqual([
      'discord',
      ...languages.map(({ locales: [locale] }) => locale),
    ]);
    expect(menu.options.length).toBeLessThanOrEqual(LIMITS.choices);
  });
});

it.each([
  [1, 'Approve the waiting submission'],
  [10, 'Approve the 10 waiting submissions'],
  [11, 'Approve the 10 oldest waiting submissions'],
])('with approval off, the Approve button shows how many submissions it will approve (%s waiting)', (waitingCount, label) => {
  const { controls } = approvalSetting(onlyDeps({ decisionMessages: { isOn: true } }));
  const view = { now: { locale: 'en-US', announce: false }, isLost: false, key: undefined };
  const shown = { ...view, games: [], waitingCount, panels: [], blocks: 0 };
  expect(controls(anyContext(), shown, 1).buttons).toContainEqual(expect.objectContaining({ label }));
});

it.each([
  { stored: {}, expected: {} },
  { stored: { approval: false }, expected: { approval: false } },
  { stored: { approval: true }, expected: { approval: false } },
])('turning approval off changes $stored to $expected', async ({ stored, expected }) => {
  const { handlers } = approvalSetting(onlyDeps({ decisionMessages: { isOn: true } }));
  const before: Settings = { locale: 'en-US', announce: false, ...stored };
  const change = await handlers.off?.(anyContext(), before, '');
  expect(await change?.make(before)).toStrictEqual({ locale: 'en-US', announce: false, ...expected });
});
