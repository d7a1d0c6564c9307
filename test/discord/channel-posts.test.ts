import { DiscordAPIError } from 'discord.js';
import { expect, it } from 'vitest';
import { createChannelPosts } from '../../src/discord/channel-posts.ts';
import { recorder } from '../support/machine.ts';

/** Creates a poster for channels where Discord rejects every request with this error. */
function rejectedPosts(code: number, status: number) {
  const refuse = async () => {
    throw new DiscordAPIError({ code, message: 'No' }, code, status, 'PATCH', '', {});
  };
  return createChannelPosts({ api: { get: refuse, post: refuse, patch: refuse }, logger: recorder() });
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
  const posts = rejectedPosts(code, status);
  expect((await posts.put('1', { content: 'words' }, '2')).result).toBe(result);
});

it('an edit restores a hidden embed, but not hidden link previews', async () => {
  const bodies: unknown[] = [];
  const patch = async (_route: string, request?: { readonly body?: unknown }) =>
    void bodies.push(request?.body);
  const posts = createChannelPosts({ api: { get: patch, post: patch, patch }, logger: recorder() });
  await posts.put('1', { content: 'words', embed: { description: 'more' } }, '2');
  await posts.put('1', { content: 'words' }, '2');
  expect(bodies).toMatchObject([{ flags: 0 }, expect.not.objectContaining({ flags: 0 })]);
});

it.each([
  [10_008, 404, true],
  [10_003, 404, true],
  // The bot may not be able to read a message that it can still edit.
  [50_001, 403, false],
  [50_013, 403, false],
  [0, 500, false],
])('after error %i (status %i), isDeleted() returns %s', async (code, status, isDeleted) => {
  expect(await rejectedPosts(code, status).isDeleted('1', '2')).toBe(isDeleted);
});
