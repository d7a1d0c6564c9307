import { expect } from 'vitest';
import { ownBotTest } from '../support/bot.ts';
import { addServer, chooseLogChannel } from '../support/people.ts';

const it = ownBotTest({ asProcess: true });

it('a stop waits for some seconds only for a log channel, a job and connections that never end', async ({
  bot,
  guild,
  member,
  discord,
}) => {
  await chooseLogChannel(guild);
  bot.listing.revoke('sandbox-key');
  await addServer(member, 'a.example.com:1');
  await bot.process.stop();
  // A job asks for it once more, since a day is over.
  const year = new Date().getFullYear();
  await bot.store.rows(`UPDATE keyv SET value = replace(value, '"${year}-', '"${year - 1}-')`);
  await bot.listing.behave({ kind: 'hang' });
  const asked = bot.listing.requests.length;
  await bot.start();
  await expect.poll(() => bot.listing.requests.length).toBeGreaterThan(asked);

  const posts = () =>
    discord.requests.filter(({ path, status }) => path.endsWith('/messages') && status === 0).length;
  discord.faults.inject({ fault: { kind: 'hang' }, path: /^\/channels\/\d+\/messages$/, times: 99 });
  await addServer(member, 'b.example.com:1');
  await expect.poll(posts).toBe(1);
  expect(await bot.process.stop()).toMatchObject({ status: 0 });
});
