import type { Attachment } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { type AddServersDeps, addServers } from '../../commands/addservers.ts';
import type { AttachmentResult } from '../../src/discord/attachments.ts';
import { UserError } from '../../src/user-error.ts';

/** A command whose files come when the test says so; only what is used up to there is in it. */
function commandWith(read: () => Promise<AttachmentResult>) {
  const deps = {
    keys: { usable: async () => ({}) },
    attachments: { read },
  };
  const command = addServers(deps as unknown as AddServersDeps);
  if (!('run' in command)) throw new Error('a command with options was expected');
  return (userId: string) => {
    const file = { name: 'list.txt', url: 'https://cdn.discordapp.com/list.txt' } as Attachment;
    const options = { getAttachment: () => file, getString: () => null };
    const call = { t: (name: string) => name, guildId: '1', user: { id: userId }, options };
    return command.run(call as unknown as Parameters<typeof command.run>[0]);
  };
}

describe('/addservers', () => {
  it('reads one list of a member at a time, and the next one when that has ended, however it did', async () => {
    const files: PromiseWithResolvers<AttachmentResult>[] = [];
    const run = commandWith(() => {
      const file = Promise.withResolvers<AttachmentResult>();
      files.push(file);
      return file.promise;
    });
    const first = run('2');
    await expect(run('2')).rejects.toThrow(new UserError('list.stillReading'));
    const other = run('3');
    await expect.poll(() => files.length).toBe(2);
    for (const file of files) file.resolve({ ok: false, problem: 'unavailable' });
    await expect(first).rejects.toThrow('list.file.unavailable');
    await expect(other).rejects.toThrow('list.file.unavailable');

    const next = run('2');
    await expect.poll(() => files.length).toBe(3);
    files[2]?.reject(new Error('a fault'));
    await expect(next).rejects.toThrow('a fault');
    const last = run('2');
    await expect.poll(() => files.length).toBe(4);
    files[3]?.resolve({ ok: false, problem: 'foreign' });
    await expect(last).rejects.toThrow('list.file.foreign');
  });
});
