import { expect, it } from 'vitest';
import { panelCommand } from '../../commands/panel.ts';
import { MAX_PANELS } from '../../src/guilds/panels.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { anyContext, onlyDeps } from './context.ts';

it('the panel form opens even if Discord takes too long to respond', async () => {
  const panels = Array.from({ length: MAX_PANELS }, (_, index) => ({
    channelId: '10',
    messageId: `${index}`,
  }));
  const command = panelCommand(
    onlyDeps({
      panels: { of: async () => panels },
      posts: { isDeleted: () => new Promise<never>(() => {}) },
      games: { ...indexGames([]), isFresh: () => true },
      keys: { problem: async () => undefined },
      settings: { getOrUnreadable: async () => ({ locale: 'en-US', announce: false }) },
      suggestions: { allowed: async () => [] },
    }),
  );
  expect(JSON.stringify(await command.run?.(anyContext()))).toContain('"custom_id":"panel:post');
});

it('a panel is posted and stored with its game', async () => {
  const posted: unknown[] = [];
  const stored: unknown[] = [];
  const command = panelCommand(
    onlyDeps({
      panels: { of: async () => [], add: async (_guildId: string, panel: object) => stored.push(panel) },
      posts: {
        async put(_channelId: string, message: object) {
          posted.push(message);
          return { result: 'posted', messageId: '11' };
        },
      },
      games: { ...indexGames([{ name: 'Rust', alias: 'rust' }]), isFresh: () => true },
      guildLog: { add: async () => undefined },
      keys: { problem: async () => undefined },
    }),
  );
  await command.submits?.post?.run(anyContext({ field: (name) => (name === 'game' ? 'rust' : '') }));
  expect(JSON.stringify(posted)).toContain('addserver:new:rust');
  expect(stored).toMatchObject([{ messageId: '11', game: 'rust' }]);
});
