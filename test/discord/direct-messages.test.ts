import { DiscordAPIError } from 'discord.js';
import { expect, it } from 'vitest';
import { createDirectMessageChannels } from '../../src/discord/direct-message-channels.ts';
import { createDirectMessages, type DirectMessagesDeps } from '../../src/discord/direct-messages.ts';
import { openStore } from '../support/database.ts';
import { createTestClock, recorder } from '../support/machine.ts';

const HOUR_MS = 3_600_000;
const MESSAGE = { nonce: 'n', content: 'words', embeds: [] };

const refusal = (code: number, status = 403) =>
  new DiscordAPIError({ code, message: 'No' }, code, status, 'POST', '', {});

/** Creates a direct message sender with its own store. The sender calls `post` instead of Discord. */
async function open(post: DirectMessagesDeps['api']['post'] = async () => ({ id: '1' })) {
  const store = await openStore();
  const { values } = store;
  const channels = createDirectMessageChannels({ store });
  const outcomes: string[] = [];
  const logger = recorder();
  const of = () =>
    createDirectMessages({
      api: { post },
      values,
      channels,
      onDirectMessage: (each) => outcomes.push(each),
      logger,
    });
  return { ...of(), another: of, channels, outcomes, logger };
}

it.each([
  50_007, 50_278, 20_009, 10_013,
])('error %i stops direct messages to the user for a day', async (code) => {
  const clock = createTestClock();
  const { send, canSendTo, outcomes, logger } = await open(() => Promise.reject(refusal(code)));
  await send('5', MESSAGE);
  expect(outcomes).toEqual(['blocked']);
  expect([await canSendTo('5'), await canSendTo('6')]).toEqual([false, true]);
  clock.advance(24 * HOUR_MS);
  expect(await canSendTo('5')).toBe(true);
  expect(logger.lines).toEqual([]);
});

it.each([
  ['the token', 0, 401],
  ['a proxy', 40_333, 403],
  ['the message', 50_035, 400],
])("a rejection caused by %s doesn't stop direct messages to the user", async (_what, code, status) => {
  const { send, canSendTo, outcomes, logger } = await open(() => Promise.reject(refusal(code, status)));
  await send('5', MESSAGE);
  expect(outcomes).toEqual(['failed']);
  expect(await canSendTo('5')).toBe(true);
  expect(logger.lines).toMatchObject([
    { level: 'warn', message: 'could not send a direct message to a member; will not retry' },
  ]);
});

it.each([
  40_003, 20_026,
])('error %i stops all direct messages for an hour, and for a day if it recurs', async (code) => {
  const clock = createTestClock();
  let asked = 0;
  const { send, canSendTo, another, outcomes, logger } = await open(() => {
    asked += 1;
    return Promise.reject(refusal(code));
  });
  await Promise.all([send('5', MESSAGE), send('6', MESSAGE)]);
  expect(asked).toBe(1);
  // The store also tells other processes that direct messages are paused.
  expect(await another().canSendTo('7')).toBe(false);
  clock.advance(HOUR_MS);
  expect(await canSendTo('5')).toBe(true);
  await send('5', MESSAGE);
  clock.advance(23 * HOUR_MS);
  expect(await canSendTo('5')).toBe(false);
  clock.advance(HOUR_MS);
  expect(await canSendTo('5')).toBe(true);
  expect(outcomes).toEqual(['stopped', 'stopped']);
  const stopped = {
    level: 'error',
    message: expect.stringContaining("Discord stopped this bot's direct messages"),
  };
  expect(logger.lines).toMatchObject([
    { ...stopped, details: { code, hours: 1 } },
    { ...stopped, details: { code, hours: 24 } },
  ]);
});

it('a pause in direct messages still ends if the clock is set back by a year', async () => {
  const clock = createTestClock();
  const { send, canSendTo, logger } = await open(() => Promise.reject(refusal(40_003)));
  clock.set(366 * 24 * HOUR_MS);
  await send('5', MESSAGE);
  clock.set(-366 * 24 * HOUR_MS);
  expect(await canSendTo('5')).toBe(true);
  await send('5', MESSAGE);
  expect(await canSendTo('5')).toBe(false);
  expect(logger.lines).toMatchObject([{ details: { hours: 1 } }, { details: { hours: 1 } }]);
});

it('the bot opens direct message channels one at a time', async () => {
  const asked: string[] = [];
  const hanging = Promise.withResolvers<never>();
  const { send, outcomes } = await open((route, { body }) => {
    asked.push(String(Object(body).recipient_id ?? route));
    return asked.length === 1 ? hanging.promise : Promise.resolve({ id: '1' });
  });
  const first = send('5', MESSAGE);
  const second = send('6', MESSAGE);
  await expect.poll(() => asked).toEqual(['5']);
  hanging.reject(new DOMException('late', 'TimeoutError'));
  await second;
  expect(asked.slice(0, 3)).toEqual(['5', '6', '/channels/1/messages']);
  await first;
  expect(asked.slice(3)).toEqual(['5', '/channels/1/messages']);
  expect(outcomes).toEqual(['sent', 'sent']);
});

it.each([
  '/users/@me/channels',
  '/channels/1/messages',
])('the bot retries a direct message after a temporary error from %s', async (failing) => {
  const asked: unknown[] = [];
  const { send, outcomes } = await open(async (route, { body }) => {
    asked.push({ route, body });
    if (route === failing && asked.filter((each) => Object(each).route === failing).length === 1)
      throw refusal(0, 503);
    return { id: '1' };
  });
  await send('5', MESSAGE);
  expect(outcomes).toEqual(['sent']);
  const again = asked.filter((each) => Object(each).route === failing);
  expect(again).toEqual([again[0], again[0]]);
  expect(asked.at(-1)).toMatchObject({ body: { content: 'words', enforce_nonce: true } });
});

it("the bot reuses a user's direct message channel until Discord deletes it", async () => {
  const asked: string[] = [];
  let channel = '1';
  const { send, another, outcomes } = await open(async (route) => {
    asked.push(route);
    if (route === '/channels/1/messages' && channel !== '1') throw refusal(10_003, 404);
    return { id: channel };
  });
  await send('5', MESSAGE);
  await another().send('5', MESSAGE);
  const [opened, first, second] = asked;
  expect([opened, first, second]).toEqual(['/users/@me/channels', first, first]);
  expect(asked).toHaveLength(3);
  channel = '2';
  await send('5', MESSAGE);
  expect(asked.slice(3)).toEqual(['/channels/1/messages', '/users/@me/channels', '/channels/2/messages']);
  expect(outcomes).toEqual(['sent', 'sent', 'sent']);
});

it('the bot sends direct messages to at most 200 new users a day', async () => {
  const clock = createTestClock();
  const asked: unknown[] = [];
  const { send, canSendTo, another, channels } = await open(async (_route, { body }) => {
    asked.push(Object(body).recipient_id);
    return { id: '1' };
  });
  for (let user = 1; user < 200; user += 1) await channels.add(String(user), '1');
  expect(await canSendTo('200')).toBe(true);
  await send('200', MESSAGE);
  expect([await canSendTo('1'), await canSendTo('201')]).toEqual([true, false]);
  expect(await another().canSendTo('201')).toBe(false);
  await send('201', MESSAGE);
  expect(asked.filter(Boolean)).toEqual(['200']);
  clock.advance(24 * HOUR_MS);
  expect(await canSendTo('201')).toBe(true);
  clock.advance(29 * 24 * HOUR_MS);
  await channels.prune();
  expect(await channels.find('200')).toBeUndefined();
});
