import { describe, expect } from 'vitest';
import { modalTexts } from '../../sandbox/discord/client/modal-form.ts';
import { inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { botTest, messageOf, modalOf, textOf } from '../support/bot.ts';
import {
  addServer,
  adds,
  chooseLogChannel,
  componentsOf,
  edit,
  idOf,
  labelsOf,
  logLines,
  openModal,
  openSetting,
  paste,
} from '../support/people.ts';

const it = botTest();

const CANNOT_SUBMIT =
  "you can't submit game servers in this Discord server. Ask this Discord server's admins or moderators.";
const CAN_UNBLOCK = 'this address is blocked here. You can unblock it under Blocked here in /submissions.';
const HOST_BLOCKED = "this address is blocked here. Ask this Discord server's admins or moderators.";

describe('the block list in /settings', () => {
  it('lets an admin block and unblock a member', async ({ guild, admin, member }) => {
    await chooseLogChannel(guild);
    const waiting = await paste(member, 'a.example.com:1 cs2\nb.example.com:1 cs2');
    const list = await openSetting(guild, 'Blocked here');
    const form = modalOf(await admin.pick(list, ['@member']));
    expect(modalTexts(form.data).join()).toContain(`<@${member.userId}>`);
    const done = await admin.submit(form, { reason: 'fakes' });
    expect(textOf(done)).toContain(`✅ Blocked: @${member.userId}.`);
    // The menu shows the member's id, and the list shows it next to the mention.
    expect(messageOf(done).current?.embeds[0]?.description).toMatch(
      new RegExp(`<@${member.userId}> \`${member.userId}\` · fakes · by \\\\@admin`),
    );
    expect(textOf(await addServer(member, 'a.example.com:1'))).toContain(CANNOT_SUBMIT);
    expect(textOf(await member.press(waiting, 'Submit 2 game servers'))).toContain(CANNOT_SUBMIT);
    const preview = await paste(member, 'a.example.com:1 cs2\nb.example.com:1 cs2');
    expect(textOf(preview)).toContain(CANNOT_SUBMIT);
    expect(labelsOf(await member.slash('submissions'))).toContain('Continue');
    expect(adds(guild)).toEqual([]);
    expect(textOf(await openSetting(guild, 'Blocked here'))).toContain('Blocked here: 1');
    const lifted = await admin.pick(done, [member.userId], idOf(done, 'blocks:lift:'));
    expect(textOf(lifted)).toContain('✅ Unblocked');
    await addServer(member, 'a.example.com:1');
    expect(adds(guild)).toHaveLength(1);
    await expect.poll(() => logLines(guild).join('\n')).toMatch(/ unblocked <@\d+>/);
    expect(logLines(guild).join('\n')).toMatch(/ blocked <@\d+> · fakes/);
  });

  it("can't include members who can approve submissions", async ({ guild, admin }) => {
    const list = await openSetting(guild, 'Blocked here');
    expect(textOf(await admin.pick(list, ['@admin']))).toContain('a block would have no effect');
    const own = await edit(admin, list, { what: admin.userId }, 'Block an address or id');
    expect(textOf(own)).toMatch(/a block would have no effect.*Blocked here: nothing/s);
  });

  it('lets an admin block host names and IP ranges', async ({ guild, admin, member }) => {
    const list = await openSetting(guild, 'Blocked here');
    const refused = await edit(
      admin,
      list,
      { what: '93.0.0.0/8', reason: 'botnet' },
      'Block an address or id',
    );
    expect(textOf(refused)).toContain('the range is too wide');
    const name = await edit(admin, list, { what: '@member' }, 'Edit');
    expect(textOf(name)).toMatch(
      /Nothing was blocked.*Enter an address, a range such as 93\.184\.216\.0\/24, or a member's id/,
    );
    await edit(admin, list, { what: '93.0.0.0/8', reason: 'botnet' }, 'Edit');
    const { modal, typed } = await openModal(admin, refused, 'Edit');
    expect(typed).toEqual({ what: '93.0.0.0/8', reason: 'botnet' });
    const range = await admin.submit(modal, { ...typed, what: '93.184.0.0/16' });
    const covered = '93.184.0.0/16 (93.184.0.0–93.184.255.255)';
    expect(textOf(range)).toContain(`✅ Blocked: ${covered}.`);
    expect(textOf(range)).toContain(`• ${covered} · botnet`);
    const both = await edit(admin, range, { what: 'Bad.example.com:27015' }, 'Block an address or id');
    expect(textOf(await edit(admin, both, { what: 'x.bad.example.com' }, 'Block an address or id'))).toMatch(
      /⚠️ Already blocked: x\.bad\.example\.com\. Nothing was changed\.\n• bad\.example\.com · .*by @admin/,
    );
    expect(textOf(await addServer(member, '93.184.216.34:1'))).toContain(HOST_BLOCKED);
    expect(textOf(await addServer(admin, 'x.bad.example.com:1'))).toContain(CAN_UNBLOCK);
    await addServer(member, 'good.example.com:1');
    expect(adds(guild)).toHaveLength(1);
  });
});

describe('the Decline form', () => {
  it('lets a moderator also block the member', async ({ guild, member }) => {
    await turnApprovalOn(guild);
    const moderator = inStaff(guild, 'admin');
    await addServer(member, 'a.example.com:1');
    const first = await waitingIn(guild);
    await addServer(member, 'b.example.com:1');
    const second = await waitingIn(guild, 'b.example.com');
    await edit(moderator, first, { reason: 'fake', block: '@member' }, 'Decline');
    await expect.poll(() => textOf(second)).toContain('🚫 Blocked here: @member');
    await expect.poll(() => logLines(guild).join('\n')).toContain('\\@admin blocked \\@member · fake');
    const list = await openSetting(guild, 'Blocked here');
    expect(textOf(list)).toContain('• @member · fake · by @admin');
    const [entry] = componentsOf(list).flatMap(({ options = [] }) => options);
    expect(entry).toMatchObject({ label: '@member', description: `${member.userId} · fake · by @admin` });
    expect(textOf(await addServer(member, 'c.example.com:1'))).toContain(CANNOT_SUBMIT);
    await moderator.press(second, 'Approve');
    expect(adds(guild)).toHaveLength(1);
  });

  it('lets a moderator also block a host', async ({ guild, member }) => {
    await turnApprovalOn(guild);
    const moderator = inStaff(guild, 'admin');
    await addServer(member, 'a.example.com:1');
    await addServer(member, 'b.example.com:1');
    const queue = await moderator.slash('submissions');
    const host = /`(\w\.example\.com):1`/.exec(JSON.stringify(messageOf(queue).current))?.[1] ?? '';
    const next = await edit(moderator, queue, { block: host }, 'Decline');
    expect(textOf(next)).toContain(`✅ Blocked: ${host}.`);
    expect(textOf(await addServer(member, `sub.${host}:5`))).toContain(HOST_BLOCKED);
    const list = await moderator.pick(next, ['Blocked here']);
    const empty = await moderator.pick(list, [host]);
    expect(textOf(empty)).toContain('Blocked here: nothing');
    expect(labelsOf(empty)).toContain('Waiting submissions');
  });
});

it('a moderator can open the block list even if the queue is empty', async ({ guild, admin, member }) => {
  await turnApprovalOn(guild);
  await admin.pick(await openSetting(guild, 'Approval'), ['@Moderators']);
  const moderator = guild.person({ role: 'moderator' });
  const list = await moderator.press(await moderator.slash('submissions'), 'Blocked here');
  expect(
    textOf(await edit(moderator, list, { what: 'bad.example.com' }, 'Block an address or id')),
  ).toContain('Blocked here: 1');
  expect(labelsOf(await moderator.press(list, 'Waiting submissions'))).toContain('Blocked here');
  await addServer(member, 'a.example.com:1');
  const queue = await moderator.slash('submissions');
  expect(labelsOf(queue)).not.toContain('Blocked here');
  await edit(moderator, queue, {}, 'Decline');
  expect(labelsOf(queue)).toEqual(['History', 'Blocked here']);
  expect(labelsOf(await moderator.press(queue, 'History'))).toContain('Blocked here');
  expect(labelsOf(await member.slash('submissions'))).not.toContain('Blocked here');
});
