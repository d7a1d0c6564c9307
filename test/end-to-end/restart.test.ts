import { expect } from 'vitest';
import { approve, directTo, turnApprovalOn } from '../support/approval.ts';
import { modalOf, ownBotTest, setKey, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  addsOf,
  allowGames,
  labelsOf,
  openModal,
  openSettings,
  pickSetting,
  postPanel,
  pressSetting,
  pressSubmit,
  setQuota,
  staffChannel,
} from '../support/people.ts';

const it = ownBotTest();

it('settings, messages and buttons still work after a restart', async ({
  bot,
  guild,
  admin,
  member,
  listing,
  discord,
}) => {
  const removing = await bot.newGuild({ key: 'sandbox-key', locale: 'de' });
  const emptied = await bot.newGuild({ key: 'sandbox-key' });
  const deciding = await bot.newGuild({ key: 'sandbox-key' });
  const keyless = await bot.newGuild();

  await addServer(admin, 'before.example.com:1');
  const warning = await addServer(member, 'before.example.com:1');
  for (let n = 1; n <= 12; n += 1) await addServer(member, `mine.example.com:${n}`);
  const history = await admin.slash('submissions', { server: 'mine.ex' });
  const own = await member.slash('submissions');

  discord.guildEvents.addRole(guild, { name: 'staff', mentionable: true });
  await pickSetting(guild, 'Log channel', '#staff');
  await pickSetting(guild, 'Role for key problems', '@staff');
  await allowGames(guild, ['Counter-Strike 2', 'Counter-Strike: Source']);
  await setQuota(guild, '13');
  const announcing = await pressSetting(guild, 'Announcements', 'Announce submissions');
  const panel = await postPanel(guild, 'Ours');

  await pickSetting(removing, 'Language for everyone', '日本語');
  // Changing any setting also stores the guild's Discord language, which differs from the chosen language.
  await setQuota(removing, '50');
  const search = await removing.member.slash('games', { search: 'a' });
  await addServer(removing.member, 'removing.example.com:1');
  const removal = await removing.admin.slash('removekey');
  const words = discord.say(emptied.member, 'm1.example.com:27015\nm2.example.com:27016');
  const list = await emptied.member.useOnMessage('Submit servers', words);
  const game = modalOf(await emptied.member.press(list, 'Type another game'));
  const deletion = await emptied.admin.press(
    await emptied.admin.slash('privacy'),
    'Delete all data for this Discord server',
  );
  await turnApprovalOn(deciding);
  await addServer(deciding.member, 'deciding.example.com:1');
  await approve(deciding);
  await expect.poll(() => directTo(deciding, deciding.member)).toHaveLength(1);
  await listing.behave({ kind: 'down' });
  const { modal: key } = await openModal(
    keyless.admin,
    await setKey(keyless.admin, 'sandbox-key'),
    'Enter an API key',
  );
  await listing.behave({ kind: 'ok' });

  await bot.restart();

  const reads = listing.requests.length;
  expect(textOf(await removing.member.press(search, 'Next'))).toMatch(/results for “a”.*Page 2 of \d/s);
  const choices = await member.complete('addserver', 'game', { game: '' });
  expect(choices).toMatchObject([{ value: 'cs2' }, { value: 'css' }]);
  expect(listing.requests).toHaveLength(reads);
  for (const next of [await admin.press(history, 'Next'), await member.press(own, 'Next')]) {
    expect(textOf(next)).toMatch(/12 submissions.*mine\.example\.com:1\n.*Page 2 of 2/s);
  }
  await member.press(warning, 'Submit again anyway');
  await expect.poll(() => textOf(warning)).toContain(ACCEPTED);
  expect(addsOf(guild, 'before.example.com')).toHaveLength(2);
  const late = await addServer(member, 'late.example.com:1');
  expect(textOf(late)).toContain('the daily quota of 13 game servers is used up');

  const all = textOf(await openSettings(guild));
  for (const said of [
    `✅ Log channel: #${staffChannel(guild)}`,
    '✅ Role for key problems: @',
    'Games: only Counter-Strike 2 and Counter-Strike: Source\n',
    'Daily quota: 13 game servers per member',
    'Announcements: on',
  ]) {
    expect(all).toContain(said);
  }
  const silent = await admin.press(announcing, "Don't announce submissions");
  expect(textOf(silent)).toContain('Announcements: off');
  expect(textOf(await admin.press(announcing, 'All settings'))).toMatch(/Log channel: #.*Daily quota: 13/s);
  const log = await admin.pick(announcing, ['Log channel']);
  expect(textOf(await admin.press(log, 'Turn off the log channel'))).toContain('Log channel: none');
  await pickSetting(guild, 'Language for everyone', '日本語');
  expect(panel.current.content).toMatch(/[ぁ-ん].*\n\nOurs$/s);

  expect(textOf(await openSettings(removing))).toContain('Language for everyone: Japanese');
  expect(textOf(await removing.admin.slash('keystatus'))).toContain('Servers have been added for review.');
  expect(textOf(await removing.admin.press(removal, 'Remove key'))).toContain('API key removed.');
  expect(textOf(await emptied.member.submit(game, { game: 'qqqqqqqq' }))).toContain('unknown game qqqqqqqq');
  const named = modalOf(await emptied.member.press(list, 'Type another game'));
  await pressSubmit(emptied.member, await emptied.member.submit(named, { game: 'css' }));
  expect(listing.submitted.slice(-2).map(({ game: alias }) => alias)).toEqual(['css', 'css']);
  // The submissions since the question would be deleted too, so the bot asks again.
  const asked = await emptied.admin.press(deletion, 'Delete everything');
  expect(textOf(await emptied.admin.press(asked, 'Delete everything'))).toContain('Deleted.');
  expect(labelsOf(deletion)).toEqual([]);
  expect(textOf(await keyless.admin.submit(key, { key: 'sandbox-key' }))).toContain(
    'works and has been saved',
  );
  await expect.poll(() => directTo(deciding, deciding.member).length).toBe(1);
});
