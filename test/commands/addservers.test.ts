import { expect, it } from 'vitest';
import { type AddServersDeps, addServers } from '../../commands/addservers/command.ts';
import type { AttachmentResult } from '../../src/discord/attachments.ts';
import { anyContext } from './context.ts';

it('/addservers reads one list of a member at a time, and the next once that has ended, however it did', async () => {
  const files: PromiseWithResolvers<AttachmentResult>[] = [];
  // Only what is used up to the end of the file is there.
  const deps = {
    attachments: {
      read() {
        files.push(Promise.withResolvers());
        return files.at(-1)?.promise;
      },
    },
  };
  const command = addServers(deps as unknown as AddServersDeps);
  const { options } = anyContext();
  const file = { name: 'list.txt', url: 'https://cdn.discordapp.com/list.txt', size: 1 };
  async function run(userId: string) {
    const context = anyContext({
      user: { id: userId, name: 'mia' },
      options: { ...options, getFile: () => file },
    });
    return command.run?.(context);
  }

  const first = run('2');
  await expect(run('2')).rejects.toThrow('still working');
  const other = run('3');
  await expect.poll(() => files.length).toBe(2);
  files[1]?.resolve({ ok: false, problem: 'unavailable' });
  await expect(other).rejects.toThrow();
  files[0]?.reject(new Error('a fault'));
  await expect(first).rejects.toThrow('a fault');
  const last = run('2');
  await expect.poll(() => files.length).toBe(3);
  files[2]?.resolve({ ok: false, problem: 'too-large' });
  await expect(last).rejects.toThrow('larger than 256 KiB');
});

it.each([
  ['busy', 'Too many lists'],
  ['too-slow', 'took too long'],
] as const)('/addservers says that a list is not read now: %s', async (kind, words) => {
  const deps = {
    attachments: { read: async () => ({ ok: true, bytes: Buffer.from('a list') }) },
    reader: { read: async () => ({ kind }) },
  };
  const command = addServers(deps as unknown as AddServersDeps);
  const getFile = () => ({ name: 'list.txt', url: 'https://cdn.discordapp.com/list.txt', size: 1 });
  const run = async () => command.run?.(anyContext({ options: { ...anyContext().options, getFile } }));
  await expect(run()).rejects.toThrow(words);
});
