import { expect } from 'vitest';
import { inStaff, oneWaits, setApprovalOptions, turnApprovalOn } from '../support/approval.ts';
import { botTest, modalOf, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  addsOf,
  labelsOf,
  logLines,
  openSetting,
  pickSetting,
  pressSetting,
} from '../support/people.ts';

const it = botTest();

it('admins can require a reason for every decline, even in forms that are already open', async ({
  guild,
}) => {
  const { message } = await oneWaits(guild, 'reason.example.com');
  const moderator = inStaff(guild, 'admin');
  const before = modalOf(await moderator.press(message, 'Decline'));
  expect(textOf(await setApprovalOptions(guild, ['Require a reason to decline']))).toContain(
    '✅ Reason to decline: required',
  );
  expect(textOf(await moderator.submit(before, {}))).toContain('Not declined: a reason is required here.');
  const form = modalOf(await moderator.press(message, 'Decline'));
  const isRequired = form.data.components.flatMap((each) => Object(Object(each).component).required ?? []);
  expect(isRequired).toEqual([false, false, false]);
  await moderator.submit(form, { reason: 'fake' });
  await expect.poll(() => textOf(message)).toMatch(/\nDeclined by .*\nReason: fake/);
});

it('admins can let members with the approval role submit without approval', async ({ guild, member }) => {
  await turnApprovalOn(guild);
  await pickSetting(guild, 'Approval', '@Moderators');
  const moderator = guild.person({ role: 'moderator' });
  expect(textOf(await addServer(moderator, 'own.example.com:1'))).toContain('Waiting for a moderator');
  const option = 'The role chosen here needs no approval';
  await setApprovalOptions(guild, [option, 'Send direct messages']);
  expect(textOf(await openSetting(guild, 'Trusted role'))).toMatch(/✅ Trusted role: @\d+/);
  expect(textOf(await addServer(moderator, 'own.example.com:2'))).toContain(ACCEPTED);
  expect(textOf(await addServer(member, 'own.example.com:3'))).toContain('Waiting for a moderator');
  await setApprovalOptions(guild, ['Send direct messages']);
  expect(textOf(await openSetting(guild, 'Trusted role'))).toContain('Trusted role: none');
});

it('the settings page and the log show that the approval role is now the trusted role', async ({ guild }) => {
  await turnApprovalOn(guild);
  const roleId = guild.discord.guildEvents.addRole(guild, { name: 'vip', mentionable: true });
  await pickSetting(guild, 'Trusted role', '@vip');
  await pickSetting(guild, 'Approval', '@Moderators');
  const page = textOf(await setApprovalOptions(guild, ['The role chosen here needs no approval']));
  expect(page).toContain(`⚠️ @${roleId} is no longer trusted`);
  const [, trusted] = /Trusted role: @(\d+)/.exec(page) ?? [];
  expect(trusted).not.toBe(roleId);
  await expect.poll(() => logLines(guild)).toContain(`✅ **Trusted role**: <@&${trusted}>`);
});

it('the "Trusted role" page explains that the role has no effect while approval is off', async ({
  guild,
}) => {
  guild.discord.guildEvents.addRole(guild, { name: 'vip' });
  const note = 'Approval is off, so this role has no effect yet.';
  expect(textOf(await openSetting(guild, 'Trusted role'))).not.toContain(note);
  expect(textOf(await pickSetting(guild, 'Trusted role', '@vip'))).toContain(note);
  await turnApprovalOn(guild);
  expect(textOf(await openSetting(guild, 'Trusted role'))).not.toContain(note);
});

it('changing the approval role preserves the approval options', async ({ guild, admin }) => {
  await turnApprovalOn(guild);
  for (const name of ['first', 'second']) {
    guild.discord.guildEvents.addRole(guild, { name, mentionable: true });
  }
  await pickSetting(guild, 'Approval', '@first');
  await setApprovalOptions(guild, ['Mention the role', 'The role chosen here needs no approval']);
  const page = await pickSetting(guild, 'Approval', '@second');
  expect(textOf(page)).toMatch(/✅ Mention: on.*✅ Submissions by this role: need no approval/s);
  const closed = textOf(await admin.pick(page, ['@Moderators']));
  expect(closed).toMatch(/Mention is off, because the bot can't mention @\d+\..*➖ Mention: off/s);
  expect(closed).toContain('✅ Submissions by this role: need no approval');
});

it('an admin who turns approval off can approve all waiting submissions at once', async ({
  guild,
  admin,
  member,
}) => {
  await turnApprovalOn(guild);
  const members = [member, guild.person({ role: 'other' }), member, member];
  const replies = [];
  for (const [port, each] of members.entries()) {
    replies.push(await addServer(each, `off.example.com:${port + 1}`));
  }
  const page = await pressSetting(guild, 'Approval', 'Turn approval off');
  const label = 'Approve the 4 waiting submissions';
  const question = await admin.press(page, label);
  expect(labelsOf(await admin.press(question, 'Cancel'))).toContain(label);
  await admin.press(page, label);
  expect(labelsOf(question)).toEqual(['Approve', 'Cancel']);
  expect(textOf(question)).toMatch(/Approve 4 from 2 members.*member.*:1.*other.*:2.*member.*:3.*:4/s);
  const last = replies.at(-1);
  if (last) await member.press(last, 'Withdraw');
  const done = textOf(await admin.press(question, 'Approve'));
  expect(done).toMatch(
    /Approved and sent: .* by @member · by @other.*left out: .*:4`?\..*Nothing else is waiting\./s,
  );
  expect(addsOf(guild, 'off.example.com')).toHaveLength(3);
  expect(labelsOf(await openSetting(guild, 'Approval')).join()).not.toContain('waiting');
});
