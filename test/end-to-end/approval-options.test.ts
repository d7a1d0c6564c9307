import { expect } from 'vitest';
import { inStaff, setApprovalOptions, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { botTest, modalOf, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  addsOf,
  labelsOf,
  openSetting,
  pickSetting,
  pressSetting,
} from '../support/people.ts';

const it = botTest();

it('admins can require a reason for every decline, even in forms that are already open', async ({
  guild,
  member,
}) => {
  await turnApprovalOn(guild);
  await addServer(member, 'reason.example.com:1');
  const message = await waitingIn(guild);
  const moderator = inStaff(guild, 'admin');
  const before = modalOf(await moderator.press(message, 'Decline'));
  expect(textOf(await setApprovalOptions(guild, ['Require a reason to decline']))).toContain(
    '✅ Reason to decline: required',
  );
  expect(textOf(await moderator.submit(before, {}))).toContain('Not declined: a reason is required here.');
  const form = modalOf(await moderator.press(message, 'Decline'));
  const isRequired = form.data.components.flatMap((each) => Object(Object(each).component).required ?? []);
  expect(isRequired).toEqual([true, false, false]);
  await moderator.submit(form, { why: 'rules' });
  await expect.poll(() => textOf(message)).toMatch(/\nDeclined by .*\nReason: /);
});

it('admins can let members with the approval role submit without approval', async ({ guild, member }) => {
  await turnApprovalOn(guild);
  await pickSetting(guild, 'Approval', '@Moderators');
  const moderator = guild.person({ role: 'moderator' });
  expect(textOf(await addServer(moderator, 'own.example.com:1'))).toContain('Waiting for a moderator');
  const option = 'The role chosen here needs no approval';
  await setApprovalOptions(guild, [option, 'Send direct messages']);
  expect(textOf(await openSetting(guild, 'Trusted role'))).toContain('submits without approval');
  expect(textOf(await addServer(moderator, 'own.example.com:2'))).toContain(ACCEPTED);
  expect(textOf(await addServer(member, 'own.example.com:3'))).toContain('Waiting for a moderator');
  await setApprovalOptions(guild, ['Send direct messages']);
  expect(textOf(await openSetting(guild, 'Trusted role'))).toContain('Trusted role: none');
});

it('when an admin turns approval off, the bot offers to approve all waiting submissions', async ({
  guild,
  admin,
  member,
}) => {
  await turnApprovalOn(guild);
  for (const port of [1, 2]) await addServer(member, `off.example.com:${port}`);
  const page = await pressSetting(guild, 'Approval', 'Turn approval off');
  const question = await admin.press(page, 'Approve the 2 waiting submissions');
  expect(labelsOf(question)).toEqual(['Approve', 'Cancel']);
  expect(textOf(await admin.press(question, 'Approve'))).toContain('Nothing else is waiting.');
  expect(addsOf(guild, 'off.example.com')).toHaveLength(2);
  expect(labelsOf(await openSetting(guild, 'Approval')).join()).not.toContain('waiting');
});
