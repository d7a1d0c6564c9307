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
  const file = { name: 'list.txt', url: 'https://cdn.discordapp.com/list.txt' };
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
  for (const each of files) each.resolve({ ok: false, problem: 'unavailable' });
  const ends = await Promise.allSettled([first, other]);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);

  const next = run('2');
  await expect.poll(() => files.length).toBe(3);
  files[2]?.reject(new Error('a fault'));
  await expect(next).rejects.toThrow('a fault');
  const last = run('2');
  await expect.poll(() => files.length).toBe(4);
  files[3]?.resolve({ ok: false, problem: 'too-large' });
  await expect(last).rejects.toThrow('larger than 256 KiB');
});
