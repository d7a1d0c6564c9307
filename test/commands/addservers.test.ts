import { expect, it } from 'vitest';
import { addServers } from '../../commands/addservers.ts';
import type { Reply } from '../../src/interactions/command.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { anyContext, onlyDeps } from './context.ts';

const DOWNLOADED = { ok: true, bytes: Buffer.from('a list') };

it.each([
  ['busy', DOWNLOADED, 'Too many lists', 'a list'],
  ['too-slow', DOWNLOADED, 'took too long', 'a list'],
  ['not there', { ok: false, problem: 'unavailable' }, "couldn't be downloaded", ''],
] as const)("/addservers keeps the text of a list that can't be read: %s", async (kind, file, words, text) => {
  const kept: unknown[] = [];
  const deps = {
    draftEditor: { keepTyped: async (...[, , typed]: unknown[]) => kept.push(typed) },
    settings: { getOrThrow: async () => ({}) },
    games: indexGames([]),
    attachments: { read: async () => file },
    parser: { read: async () => ({ kind }) },
  };
  const command = addServers(onlyDeps(deps));
  const uploaded = { name: 'list.txt', url: 'https://cdn.discordapp.com/list.txt', size: 1 };
  const context = anyContext({ file: () => uploaded });
  const reply = (await command.run?.(context)) as Reply;
  expect(reply.content).toContain(words);
  expect(kept).toEqual([{ text, game: '', modal: 'paste' }]);
});
