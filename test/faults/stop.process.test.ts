import { expect } from 'vitest';
import { ownBotTest } from '../support/bot.ts';
import { addServer, chooseLogChannel } from '../support/people.ts';

const it = ownBotTest({ asProcess: true, env: { DEPARTURE_CHECK_SECONDS: '1', DEPARTURE_GRACE_DAYS: '0' } });

it('the bot waits only a few seconds for unfinished work at shutdown', async ({
  bot,
  guild,
  member,
  discord,
}) => {
  await chooseLogChannel(guild);
  await bot.process.stop();
  discord.faults.inject({ fault: { kind: 'hang' }, path: /^\/guilds\/\d+$/, times: 99 });
  const questions = () =>
    discord.requests.filter(({ path, status }) => /\/guilds\/\d+$/.test(path) && status === 0).length;
  await bot.start();
  // This job checks whether the bot is still in a guild.
  await expect.poll(questions).toBeGreaterThan(0);
  await bot.listing.behave({ kind: 'hang' });

  const posts = () =>
    discord.requests.filter(({ path, status }) => path.endsWith('/messages') && status === 0).length;
  discord.faults.inject({ fault: { kind: 'hang' }, path: /^\/channels\/\d+\/messages$/, times: 99 });
  await addServer(member, 'b.example.com:1');
  await expect.poll(posts).toBe(1);
  expect(await bot.process.stop()).toMatchObject({ status: 0 });
});
