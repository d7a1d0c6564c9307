import { DiscordAPIError } from 'discord.js';
import { expect, it } from 'vitest';
import { createChannelPosts } from '../../src/discord/channel-posts.ts';
import { recorder } from '../support/machine.ts';

/** Makes Discord reject an edit with this error, and returns the result. */
async function edited(code: number, status: number) {
  const refuse = async () => {
    throw new DiscordAPIError({ code, message: 'No' }, code, status, 'PATCH', '', {});
  };
  const posts = createChannelPosts({ api: { post: refuse, patch: refuse }, logger: recorder() });
  return (await posts.put('1', { content: 'words' }, '2')).result;
}

it.each([
  [10_008, 404, 'message-gone'],
  [50_005, 403, 'message-gone'],
  [50_083, 400, 'message-gone'],
  [160_005, 403, 'message-gone'],
  [10_003, 404, 'gone'],
  [50_001, 403, 'no-access'],
  [50_013, 403, 'no-permission'],
  [240_000, 400, 'harmful-link'],
  // The message isn't the cause of this error, so the edit can be retried.
  [0, 401, 'failed'],
  [50_035, 400, 'failed'],
])('an edit that fails with error %i (status %i) returns "%s"', async (code, status, result) => {
  expect(await edited(code, status)).toBe(result);
});

it('an edit restores a hidden embed, but not hidden link previews', async () => {
  const bodies: unknown[] = [];
  const patch = async (_route: string, { body }: { readonly body?: unknown }) => void bodies.push(body);
  const posts = createChannelPosts({ api: { post: patch, patch }, logger: recorder() });
  await posts.put('1', { content: 'words', embed: { description: 'more' } }, '2');
  await posts.put('1', { content: 'words' }, '2');
  expect(bodies).toMatchObject([{ flags: 0 }, expect.not.objectContaining({ flags: 0 })]);
});
