import { expect, it } from 'vitest';
import { addServers } from '../../commands/addservers.ts';
import { submitMessage } from '../../commands/submit-message.ts';
import type { Reply } from '../../src/interactions/command.ts';
import { UserError } from '../../src/interactions/user-error.ts';
import { KNOWN_GAMES } from '../../src/listing/contract.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { createListParser } from '../../src/server-lists/list-parser.ts';
import { stepsOf } from '../support/machine.ts';
import { anyContext, onlyDeps } from './context.ts';

const DOWNLOADED = { ok: true, bytes: Buffer.from('a list') };

it.each([
  ['busy', DOWNLOADED, 'Too many lists', ''],
  ['too-slow', DOWNLOADED, 'took too long', ''],
  ['binary', DOWNLOADED, "isn't a text file", ''],
  ['too-many', DOWNLOADED, 'has more than', 'a list'],
  ['not there', { ok: false, problem: 'unavailable' }, "couldn't be downloaded", ''],
] as const)("/addservers preserves the input if the list can't be read: %s", async (kind, file, words, text) => {
  const kept: unknown[] = [];
  const deps = {
    draftEditor: { keepTyped: async (...[, , typed]: unknown[]) => kept.push(typed) },
    settings: { getOrThrow: async () => ({}) },
    games: indexGames([]),
    attachments: { read: async () => file },
    parser: { read: async () => ({ kind, most: 1000, ...(text !== '' && { lastText: text }) }) },
  };
  const command = addServers(onlyDeps(deps));
  const uploaded = { name: 'list.txt', url: 'https://cdn.discordapp.com/list.txt', size: 1 };
  const context = anyContext({ file: () => uploaded });
  const reply = (await command.run?.(context)) as Reply;
  expect(reply.content).toContain(words);
  expect(kept).toEqual([{ text, game: '', modal: 'paste' }]);
});

/** Reading this file takes hundreds of milliseconds, because the bot looks for a header in several code pages. */
const HOSTILE = Buffer.from(`\xe9${'a,'.repeat(120_000)}`, 'latin1');

it.each([
  ['/addservers', addServers],
  ['Submit servers', submitMessage],
])("%s doesn't decode large files on the main thread", async (_, command) => {
  const games = {
    ...indexGames(KNOWN_GAMES),
    isFresh: () => true,
    refresh: async () => undefined,
    refreshSoon: () => undefined,
  };
  const deps = onlyDeps({
    draftEditor: { keepTyped: async () => undefined, open: () => Promise.reject(new UserError('read')) },
    settings: { getOrThrow: async () => ({}) },
    completeRows: async (rows: unknown) => rows,
    games,
    attachments: { read: async () => ({ ok: true, bytes: HOSTILE }) },
    parser: createListParser({ games, readingMs: 120_000 }),
  });
  const uploaded = { name: 'list.txt', url: 'https://cdn.discordapp.com/list.txt', size: HOSTILE.length };
  const context = { ...anyContext({ file: () => uploaded }), text: '', files: [uploaded] };
  const { run, useOn } = command(deps);
  const steps = await stepsOf(() =>
    (run ?? useOn)?.(context).catch((error) => expect(error.message).toBe('read')),
  );
  expect(steps).toBeLessThan(HOSTILE.length);
});
