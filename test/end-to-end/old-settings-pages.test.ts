import { describe, expect } from 'vitest';
import { turnApprovalOn } from '../support/approval.ts';
import { botTest, type Shown, textOf } from '../support/bot.ts';
import {
  idOf,
  labelsOf,
  openModal,
  openSetting,
  pickSetting,
  postPanel,
  setQuota,
} from '../support/people.ts';

const it = botTest();

describe('a menu on an outdated /settings page', () => {
  it('changes only the approval options that the admin toggled', async ({ guild, admin }) => {
    await turnApprovalOn(guild);
    const old = await openSetting(guild, 'Approval');
    const page = await openSetting(guild, 'Approval');
    const options = 'settings:change:1:approval:approval:options';
    await admin.pick(page, ['Send direct messages', 'Require a reason to decline'], idOf(page, options));
    const after = textOf(await admin.pick(old, [], idOf(old, options)));
    expect(after).toContain('✅ Reason to decline: required');
    expect(after).toContain('➖ Direct messages about decisions: off');
  });

  it('changes only the games that the admin toggled', async ({ guild, admin }) => {
    const page = await openSetting(guild, 'Games');
    await admin.pick(page, ['Factorio', 'ARK: Survival Evolved']);
    const old = await openSetting(guild, 'Games');
    await admin.pick(page, ['Factorio', 'Counter-Strike 2']);
    const after = await admin.pick(old, ['Factorio', 'ARK: Survival Evolved', 'Arma 3']);
    expect(textOf(after)).toContain('Games: only Factorio, Counter-Strike 2, and 1 more\n');
  });

  it('allows exactly the selected games if another admin has since allowed all games', async ({
    guild,
    admin,
  }) => {
    const page = await openSetting(guild, 'Games');
    await admin.pick(page, ['Factorio']);
    const old = await openSetting(guild, 'Games');
    await admin.press(page, 'Allow all games');
    const after = await admin.pick(old, ['Factorio', 'Counter-Strike 2']);
    expect(textOf(after)).toContain('Games: only Factorio and Counter-Strike 2\n');
  });

  it('changes only the panel buttons that the admin toggled', async ({ guild, admin }) => {
    const panel = await postPanel(guild);
    const old = await openSetting(guild, 'Panels');
    const page = await openSetting(guild, 'Panels');
    await admin.pick(page, ['Submit a game server', 'My submissions']);
    await admin.pick(old, ['Submit a game server', 'Submit a list']);
    expect(labelsOf(panel)).toEqual(['Submit a game server']);
  });
});

describe('a button on an outdated /settings page', () => {
  it.for([
    ['Trusted role', 'Stop trusting this role'],
    ['Role for key problems', 'Stop mentioning this role'],
    ['Approval', 'Only “Manage Server” can approve'],
  ] as const)("doesn't remove a role that was selected later (%s)", async ([name, label], {
    guild,
    admin,
  }) => {
    const role = (each: string) =>
      guild.discord.guildEvents.addRole(guild, { name: each, mentionable: true });
    role('vip');
    const chosen = role('moderators');
    const old = await pickSetting(guild, name, '@vip');
    await pickSetting(guild, name, '@moderators');
    const after = textOf(await admin.press(old, label));
    expect(after).toMatch(/^.*⚠️ Another role was chosen in the meantime\. Nothing was changed\./);
    expect(after).toContain(`@${chosen}`);
    expect(textOf(await admin.press(old, label))).not.toContain(`@${chosen}`);
  });

  it.for([
    ['Log channel', 'Turn off the log channel'],
    ['Announcements', 'Announce where they were submitted'],
  ] as const)("doesn't remove a channel that was selected later (%s)", async ([name, label], {
    guild,
    admin,
  }) => {
    const old = await pickSetting(guild, name, '#staff');
    const page = await pickSetting(guild, name, '#news');
    const confirmed = labelsOf(page).includes('Use it anyway')
      ? await admin.press(page, 'Use it anyway')
      : page;
    const line = (answer: Shown) => textOf(answer).match(new RegExp(`^✅ ${name}: .*#\\d+$`, 'm'))?.[0];
    const chosen = line(confirmed);
    expect(chosen).toBeDefined();
    const after = await admin.press(old, label);
    expect(textOf(after)).toMatch(/^.*⚠️ Another channel was chosen in the meantime\. Nothing was changed\./);
    expect(line(after)).toBe(chosen);
    expect(line(await admin.press(old, label))).toBeUndefined();
  });
});

describe('an outdated form', () => {
  const CHANGED = '⚠️ This was changed after you opened the form';

  it("doesn't overwrite another admin's quota", async ({ guild, admin }) => {
    const page = await openSetting(guild, 'Daily quota');
    const { modal } = await openModal(admin, page, 'Change the quota');
    await setQuota(guild, '8');
    const after = await admin.submit(modal, { quota: '5' });
    expect(textOf(after)).toContain(CHANGED);
    expect(textOf(after)).toContain('✅ Daily quota: 8 game servers');
    const again = await openModal(admin, after, 'Change the quota');
    expect(again.typed).toEqual({ quota: '5' });
    expect(textOf(await admin.submit(again.modal, { quota: '5' }))).toContain(
      '✅ Daily quota: 5 game servers',
    );
  });

  it("preserves another admin's quota if submitted unchanged", async ({ guild, admin }) => {
    const page = await setQuota(guild, '3');
    const { modal } = await openModal(admin, page, 'Change the quota');
    await setQuota(guild, '8');
    const after = textOf(await admin.submit(modal, { quota: '3' }));
    expect(after).toContain('✅ Daily quota: 8 game servers');
    expect(after).not.toContain(CHANGED);
  });

  it("doesn't overwrite another admin's panel text", async ({ guild, admin }) => {
    const panel = await postPanel(guild, 'Before');
    const { modal } = await openModal(admin, await openSetting(guild, 'Panels'));
    const other = await openModal(admin, await openSetting(guild, 'Panels'));
    await admin.submit(other.modal, { text: 'Theirs', game: 'rust' });
    const after = await admin.submit(modal, { text: 'Mine', game: '' });
    expect(textOf(after)).toContain(CHANGED);
    expect(panel.current.content).toMatch(/\n\nTheirs$/);
    const again = await openModal(admin, after);
    expect(again.typed).toEqual({ text: 'Mine', game: 'rust' });
    await admin.submit(again.modal, again.typed);
    expect(panel.current.content).toMatch(/\n\nMine$/);
    expect(JSON.stringify(panel.current)).toContain('addserver:new:rust');
  });

  it("shows a warning if another admin changes the panel's text at the same time", async ({
    guild,
    admin,
    discord,
  }) => {
    const panel = await postPanel(guild, 'Before');
    const one = await openModal(admin, await openSetting(guild, 'Panels'));
    const two = await openModal(admin, await openSetting(guild, 'Panels'));
    discord.faults.inject({
      fault: { kind: 'delay', ms: 500 },
      method: 'PATCH',
      path: new RegExp(`channels/${guild.channelId}/messages`),
      times: 2,
    });
    const answers = await Promise.all([
      admin.submit(one.modal, { text: 'One', game: '' }),
      admin.submit(two.modal, { text: 'Two', game: '' }),
    ]);
    const [late, ...others] = answers.filter((answer) => textOf(answer).includes(CHANGED));
    expect(others).toEqual([]);
    const stored = late === answers[0] ? 'Two' : 'One';
    await expect.poll(() => panel.current.content).toMatch(new RegExp(`\n\n${stored}$`));
    expect((await openModal(admin, await openSetting(guild, 'Panels'))).typed.text).toBe(stored);
  });
});
