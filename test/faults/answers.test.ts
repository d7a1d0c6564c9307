import { describe, expect } from 'vitest';
import type { FaultPlan } from '../../sandbox/discord/rest/faults.ts';
import { type Bot, ownBotTest, textOf } from '../support/bot.ts';
import { addServer, labelsOf, lines, pressSubmit, sendFile } from '../support/people.ts';
import { isAccepted } from './submission.ts';

const it = ownBotTest();
const impatientIt = ownBotTest({ timing: { firstResponseMs: 300, firstAttemptMs: 300 } });

/** Counts how many interactions with these commands have finished, either with a reply or because the bot gave up. */
const overOf = ({ log }: Bot, ...commands: readonly string[]) =>
  log().filter(({ msg, command }) => msg === 'interaction' && commands.includes(String(command))).length;

describe("the bot's replies", () => {
  const path = { callback: /\/callback$/, edit: /^\/webhooks\/.*\/messages\// };
  const limit = (scope: 'user' | 'global') => ({
    kind: 'rate limit' as const,
    scope,
    retryAfterMs: 400,
  });
  const passing: readonly FaultPlan[] = [
    { fault: limit('user'), path: path.callback },
    { fault: { kind: 'status', status: 500 }, path: path.callback },
    { fault: { kind: 'answer lost' }, path: path.callback },
    { fault: limit('global'), path: path.edit },
    { fault: { kind: 'status', status: 502 }, method: 'PATCH', path: path.edit, times: 2 },
    { fault: { kind: 'reset' }, path: path.edit },
    // If Discord rejects the embeds, the bot only sends the text.
    { fault: { kind: 'status', status: 400 }, path: path.edit },
  ];

  it('are retried after temporary Discord errors', async ({ bot, guild, discord }) => {
    // Excludes the bot's other requests, such as the ones that check whether an earlier edit has arrived.
    const answers = () =>
      discord.requests.filter(
        ({ method, path: route }) => method !== 'GET' && /\/(?:interactions|webhooks)\//.test(route),
      );
    for (const [index, fault] of passing.entries()) {
      const before = answers().length;
      discord.faults.inject(fault);
      await isAccepted({ bot, guild }, `rest-${index}.example.com`);
      // The bot sends an acknowledgement and an edit, and retries the requests that failed.
      await expect.poll(() => answers().length - before).toBe(2 + (fault.times ?? 1));
    }
    await isAccepted({ bot, guild }, 'after-rest.example.com');
  });

  it("don't overwrite later edits when retried", async ({ bot, member, discord, listing }) => {
    const again = () => addServer(member, 'again.example.com:27015');
    await again();
    discord.faults.inject({ fault: { kind: 'answer lost' }, path: path.edit });
    const warned = await again();
    await member.press(warned, 'Submit again anyway');
    // The bot repeats a lost edit after half a second. If it still did so after the press, the warning would be back.
    await expect.poll(() => overOf(bot, 'addserver', 'submit')).toBe(3);
    expect(textOf(warned)).toContain('Servers have been added for review.');
    expect(listing.submitted).toHaveLength(2);
  });

  it('are retried even if the user opens a modal', async ({ member, discord, listing }) => {
    await pressSubmit(member, await sendFile(member, lines(2)));
    const preview = await sendFile(member, `${lines(3)}\nnowhere.example.com:99999 cs2`);
    const before = discord.requests.length;
    discord.faults.inject({ fault: { kind: 'status', status: 500 }, path: path.edit });
    const answered = member.press(preview, 'Include 2 already submitted');
    await expect.poll(() => discord.requests.slice(before).some(({ status }) => status === 500)).toBe(true);
    expect((await member.press(preview, 'Fix 1 line')).kind).toBe('modal');
    // The number in the button's label matches the servers that it submits.
    await expect.poll(() => labelsOf(preview).includes('Submit 3 game servers')).toBe(true);
    await answered;
    expect(listing.submitted).toHaveLength(2);
  });

  impatientIt(
    "are sent even if the acknowledgement takes longer than the bot's timeout",
    async ({ bot, guild, discord }) => {
      discord.faults.inject({ fault: { kind: 'delay', ms: 1_000 }, path: path.callback });
      await isAccepted({ bot, guild }, 'slow-acknowledgement.example.com');
    },
  );
});
