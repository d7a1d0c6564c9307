import { expect } from 'vitest';
import {
  allNotified,
  approvalsIn,
  approve,
  decline,
  directTo,
  inStaff,
  turnApprovalOn,
} from '../support/approval.ts';
import { botTest, textOf } from '../support/bot.ts';
import { createTestClock } from '../support/machine.ts';
import { ACCEPTED, addServer } from '../support/people.ts';

const MINUTE_MS = 60_000;
const it = botTest({ timing: { decisionMessages: { everyMs: 20 } } });

it('the bot combines all decisions from the same minute into one direct message', async ({
  bot,
  guild,
  member,
  discord,
}) => {
  const clock = createTestClock();
  await turnApprovalOn(guild);
  const replies = [];
  for (const host of ['one', 'two', 'three']) {
    replies.push(await addServer(member, `${host}.example.com:1`));
  }
  const other = inStaff(guild, 'other', 'de');
  await addServer(other, 'other.example.com:1');
  const moderator = inStaff(guild, 'admin');
  const [first, second, third, fourth] = approvalsIn(guild);
  for (const message of [first, second, fourth]) if (message) await moderator.press(message, 'Approve');
  if (third) await decline(guild, third, 'Not ours');
  const [approved, , declined] = replies;
  await expect.poll(() => approved && textOf(approved)).toContain(ACCEPTED);
  await expect.poll(() => declined && textOf(declined)).toContain('Not ours');
  expect([...directTo(guild, member), ...directTo(guild, other)]).toEqual([]);

  clock.advance(MINUTE_MS);
  await allNotified(bot, guild);
  await expect.poll(() => directTo(guild, member).length).toBe(1);
  const [message] = directTo(guild, member);
  const text = message ? textOf(message) : '';
  expect(text).toMatch(/^2 approved and 1 declined\n/);
  for (const words of ['one.example.com', 'two.example.com', 'three.example.com', 'Reason: Not ours']) {
    expect(text).toContain(words);
  }
  // The two equal decisions are one entry.
  expect(message?.current.embeds).toHaveLength(2);
  await expect.poll(() => directTo(guild, other).length).toBe(1);
  // The bot opened a direct message channel with each member only once.
  const opened = discord.requests.filter(({ path }) => path.endsWith('/users/@me/channels'));
  expect(opened).toHaveLength(2);
});

it('the bot drops a direct message that is an hour late', async ({ bot, guild, member }) => {
  const clock = createTestClock();
  await turnApprovalOn(guild);
  const reply = await addServer(member, 'late.example.com:1');
  await approve(guild);
  await expect.poll(() => textOf(reply)).toContain(ACCEPTED);
  clock.advance(60 * MINUTE_MS);
  await allNotified(bot, guild);
  expect(directTo(guild, member)).toEqual([]);
});
