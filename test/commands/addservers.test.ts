import { expect, it } from 'vitest';
import { addServers } from '../../commands/addservers.ts';
import { createTakeList } from '../../commands/submit/enter.ts';
import type { AttachmentResult } from '../../src/discord/attachments.ts';
import type { Reply } from '../../src/interactions/command.ts';
import { indexGames } from '../../src/listing/game-search.ts';
import { anyContext, onlyDeps } from './context.ts';

function commandOf(some: object) {
  const deps = onlyDeps(some);
  return addServers(deps, createTakeList(deps));
}

it('/addservers reads one list of a member at a time, and the next once that has ended, however it did', async () => {
  const files: PromiseWithResolvers<AttachmentResult>[] = [];
  // Only what is used up to the end of the file is there, and to say why it is not read.
  const deps = {
    lists: { keepTyped: async () => true },
    attachments: {
      read() {
        files.push(Promise.withResolvers());
        return files.at(-1)?.promise;
      },
    },
  };
  const command = commandOf(deps);

  const file = { name: 'list.txt', url: 'https://cdn.discordapp.com/list.txt', size: 1 };
  async function run(userId: string) {
    const context = anyContext({
      user: { id: userId, name: 'mia' },
      file: () => file,
    });
    return (await command.run?.(context)) as Reply | undefined;
  }

  const first = run('2');
  expect((await run('2'))?.content).toContain('still working');
  const other = run('3');
  await expect.poll(() => files.length).toBe(2);
  files[1]?.resolve({ ok: false, problem: 'unavailable' });
  expect((await other)?.content).toContain("couldn't be fetched");
  files[0]?.reject(new Error('a fault'));
  await expect(first).rejects.toThrow('a fault');
  const last = run('2');
  await expect.poll(() => files.length).toBe(3);
  files[2]?.resolve({ ok: false, problem: 'too-large' });
  expect((await last)?.content).toContain('larger than 256 KiB');
});

it.each([
  ['busy', 'Too many lists'],
  ['too-slow', 'took too long'],
] as const)('/addservers says that a list is not read now, and keeps it: %s', async (kind, words) => {
  const kept: unknown[] = [];
  const deps = {
    lists: { keepTyped: async (...[, , typed]: unknown[]) => kept.push(typed) },
    settings: { getOrThrow: async () => ({}) },
    games: indexGames([]),
    attachments: { read: async () => ({ ok: true, bytes: Buffer.from('a list') }) },
    reader: { read: async () => ({ kind }) },
  };
  const command = commandOf(deps);
  const file = () => ({ name: 'list.txt', url: 'https://cdn.discordapp.com/list.txt', size: 1 });
  const context = anyContext({ file });
  const reply = (await command.run?.(context)) as Reply;
  expect(reply.content).toContain(words);
  expect(kept).toEqual([{ text: 'a list', game: '', window: 'paste' }]);
});
