import { expect } from 'vitest';
import type { Bot } from '../support/bot.ts';

/** Kills the bot, as a power failure would, and restarts it with the same data. */
export async function crash(bot: Bot): Promise<void> {
  await bot.kill();
  bot.discord.faults.clear();
  await bot.listing.behave({ kind: 'ok' });
  await bot.start();
}

/** Makes Discord stop responding to these requests, and waits until one has arrived. */
export async function hung({ discord }: Bot, method: string, path: RegExp): Promise<void> {
  const unanswered = () =>
    discord.requests.filter((request) => {
      return request.method === method && request.status === 0 && path.test(request.path);
    }).length;
  const before = unanswered();
  discord.faults.inject({ fault: { kind: 'hang' }, method, path, times: 9 });
  await expect.poll(unanswered).toBeGreaterThan(before);
}
