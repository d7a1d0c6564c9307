import { expect } from 'vitest';
import { ownBotTest } from '../support/bot.ts';
import { openSetting, postPanel } from '../support/people.ts';
import { crash, hung } from './crash.ts';

const it = ownBotTest({ asProcess: true });

it('all panels switch to the new language, even if a kill -9 interrupts the change', async ({
  bot,
  guild,
  admin,
}) => {
  const first = await postPanel(guild, 'One');
  const second = await postPanel(guild, 'Two');
  const page = await openSetting(guild, 'Language for everyone');
  const isHung = hung(bot, 'PATCH', new RegExp(`/messages/${second.id}$`));
  // The bot doesn't reply to this press.
  void admin.pick(page, ['Deutsch']).catch(() => undefined);
  await isHung;
  expect(first.current.content).toContain('Spielserver einreichen');
  await crash(bot);
  await expect.poll(() => second.current.content).toContain('Spielserver einreichen');
});
