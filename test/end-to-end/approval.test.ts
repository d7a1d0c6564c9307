import { ComponentType } from 'discord.js';
import { describe, expect } from 'vitest';
import { modalTexts } from '../../sandbox/discord/client/modal-form.ts';
import { USUAL_BOT_PERMISSIONS } from '../../sandbox/discord/world/channels.ts';
import { ROLES } from '../../sandbox/people.ts';
import {
  allNotified,
  approvalsIn,
  approve,
  DECISIONS,
  decline,
  directTo,
  inStaff,
  oneWaits,
  setApprovalOptions,
  turnApprovalOn,
  waitingIn,
} from '../support/approval.ts';
import { botTest, messageOf, modalOf, oneBot, type TestGuild, textOf } from '../support/bot.ts';
import { createTestClock } from '../support/machine.ts';
import {
  ACCEPTED,
  addServer,
  addsOf,
  allowGames,
  chooseLogChannel,
  componentsOf,
  csvOf,
  deleteName,
  edit,
  exportAll,
  labelsOf,
  lines,
  logLines,
  openModal,
  openSetting,
  openSettings,
  paste,
  pickSetting,
  postComponents,
  pressSetting,
  pressSubmit,
  sendFile,
  setQuota,
  staffChannel,
  withFile,
} from '../support/people.ts';

const it = botTest();

/** Returns the private messages that a user sees in the log channel. */
const asidesTo = (guild: TestGuild, who: 'admin' | 'other') =>
  guild.discord.messages(inStaff(guild, who)).filter(({ onlyFor }) => onlyFor !== undefined);

const asideTo = (...to: Parameters<typeof asidesTo>): string =>
  asidesTo(...to)
    .map((message) => textOf(message))
    .join('\n');

const HOST = 'wait.example.com';
const WAITS = 'Waiting for a moderator. Not sent unless';
const DAY_MS = 86_400_000;

/** Turns approval on, and submits the same server as an admin and then as a member. Returns the member's warning. */
async function submittedBefore(guild: TestGuild) {
  await turnApprovalOn(guild);
  await addServer(guild.admin, `${HOST}:1`);
  return addServer(guild.member, `${HOST}:1`);
}

describe('a submission that needs approval', () => {
  it('is sent only once if two moderators press Approve at the same time', async ({
    guild,
    listing,
    member,
  }) => {
    const { reply, message } = await oneWaits(guild);
    expect(textOf(reply)).toContain(WAITS);
    expect(textOf(reply)).toContain('get a direct message with the decision.');
    expect(textOf(reply)).not.toContain('by @');
    expect(textOf(message)).toMatch(/^⏳ Counter-Strike 2 wait\.example\.com:1\nby @member\nApprove\? /);
    expect(labelsOf(reply)).toEqual(['Edit', 'Withdraw']);
    expect(textOf(message)).toContain(`${HOST}:1`);
    expect(labelsOf(message)).toEqual(DECISIONS);
    expect(addsOf(guild, HOST)).toEqual([]);
    const until =
      Number(/\n-# Approve\? It won't be sent .* by <t:(\d+):D>\.$/.exec(message.current.content)?.[1]) *
      1_000;
    expect(Math.round((until - guild.discord.clock.now()) / DAY_MS)).toBe(7);

    const moderators = [inStaff(guild, 'admin'), inStaff(guild, 'admin')];
    await Promise.all(moderators.map((each) => each.press(message, 'Approve')));
    await expect.poll(() => textOf(message)).toContain(ACCEPTED);
    expect(addsOf(guild, HOST)).toHaveLength(1);
    expect(textOf(message)).toMatch(/^✅ Counter-Strike 2 .*\nby @member\nApproved by @admin\n✅ /);
    expect(labelsOf(message)).toEqual([]);
    expect(listing.submitted).toHaveLength(1);
    const seen = textOf(await member.slash('submissions'));
    expect(seen).toMatch(/✅ sent for review · .* · Approved by @admin/);
    // Moderators get no private messages, as the approval message shows everything.
    expect(asideTo(guild, 'admin')).toBe('');
  });

  it("can't be declined by a moderator who hasn't seen the member's edit", async ({
    guild,
    admin,
    member,
  }) => {
    const { reply } = await oneWaits(guild, 'seen.example.com');
    const seen = await admin.slash('submissions');
    const { modal } = await openModal(admin, seen, 'Decline');
    await edit(member, reply, { server: 'unseen.example.com:1' });
    const refused = await admin.press(seen, 'Decline');
    for (const press of [async () => refused, () => admin.submit(modal, { reason: '' })]) {
      const answer = await press();
      expect(textOf(answer)).toContain('changed since you last saw it');
      expect(textOf(answer)).toContain('unseen.example.com:1');
      expect(labelsOf(answer)).toEqual([...DECISIONS, 'History']);
    }
    expect(addsOf(guild, 'example.com')).toEqual([]);
    expect(textOf(await admin.press(refused, 'Approve'))).toContain(ACCEPTED);
    expect(addsOf(guild, 'unseen.example.com')).toHaveLength(1);
  });

  it('can no longer be edited in place once it is declined', async ({ guild, member }) => {
    const { reply, message } = await oneWaits(guild);
    const { modal } = await openModal(member, reply, 'Edit');
    await decline(guild, message, '');
    for (const answer of [await member.press(reply, 'Edit'), await member.submit(modal, {})]) {
      expect(textOf(answer)).toContain('❌ Declined by @');
      expect(textOf(answer)).not.toContain('already submitted');
    }
  });

  it('can be sent without approval once the member has the trusted role', async ({
    guild,
    discord,
    admin,
    member,
  }) => {
    await turnApprovalOn(guild);
    const refused = await pickSetting(guild, 'Trusted role', '@everyone');
    expect(textOf(refused)).toMatch(/@everyone can't be the trusted role.*Trusted role: none/s);
    const roleId = discord.guildEvents.addRole(guild, { name: 'regulars' });
    expect(textOf(await admin.pick(refused, ['@regulars']))).toContain(`✅ Trusted role: @${roleId}`);
    expect(textOf(await openSetting(guild, 'Approval'))).toContain(`✅ Trusted role: @${roleId}`);
    await expect.poll(() => logLines(guild).join()).toContain(`✅ **Trusted role**: <@&${roleId}>`);
    const moderator = 'A moderator reviews submissions';
    const draftModal = async () => modalTexts(modalOf(await member.slash('addservers')).data).join();
    const previewOf = async () => textOf(await paste(member, lines(2)));
    expect([await draftModal(), await previewOf()]).toEqual([
      expect.stringContaining(moderator),
      expect.stringContaining(moderator),
    ]);
    const reply = await addServer(member, `${HOST}:1`);
    expect(textOf(reply)).toContain(WAITS);
    discord.guildEvents.giveRole(member, roleId);
    expect([await draftModal(), await previewOf()]).toEqual([
      expect.not.stringContaining(moderator),
      expect.not.stringContaining(moderator),
    ]);
    expect(textOf(await addServer(member, `${HOST}:2`))).toContain(ACCEPTED);
    // With the role, a waiting submission is sent when its member edits it.
    const message = await waitingIn(guild);
    expect(textOf(await edit(member, reply, { server: `${HOST}:3` }))).toContain(ACCEPTED);
    await expect.poll(() => textOf(message)).toContain('Withdrawn');
    discord.guildEvents.removeRole(guild, roleId);
    expect(textOf(await addServer(member, `${HOST}:4`))).toContain(WAITS);
    const off = textOf(await pressSetting(guild, 'Trusted role', 'Stop trusting this role'));
    expect(off).toContain('➖ Trusted role: none');
  });

  it('can be approved by members with the approval role', async ({ guild, discord, admin, member }) => {
    await turnApprovalOn(guild);
    const page = await openSetting(guild, 'Approval');
    const again = await admin.pick(page, ['@everyone']);
    expect(textOf(again)).toContain("can't approve");
    expect(textOf(await admin.pick(again, ['@Moderators']))).toContain('can approve too');
    const waiting = await pressSubmit(member, await paste(member, lines(2)));
    const message = await waitingIn(guild);
    const other = inStaff(guild, 'other');
    for (const label of ['Approve', 'Decline']) {
      expect(textOf(await other.press(message, label))).toContain('or the approval role');
    }
    expect(guild.listing.submitted).toEqual([]);
    const roleId = discord.roles(guild).find(({ name }) => name === 'Moderators')?.id ?? '';
    discord.guildEvents.giveRole(other, roleId);
    const held = Promise.withResolvers<void>();
    await guild.listing.behave({ kind: 'held', until: held.promise }, 1);
    const answer = other.press(message, 'Approve');
    await expect.poll(() => textOf(message)).toContain('Approved by @other · Sending…');
    expect(labelsOf(message)).toEqual([]);
    expect(textOf(await member.press(waiting, 'Edit'))).toContain('still working');
    held.resolve();
    await answer;
    await expect.poll(() => textOf(message)).toContain(ACCEPTED);
  });

  it('can be declined with a reason that the member sees', async ({ guild, member }) => {
    const { message } = await oneWaits(guild);
    const { modal } = await openModal(inStaff(guild, 'admin'), message, 'Decline');
    expect(modalTexts(modal.data).join()).toMatch(/by \\@member.*wait\.example\.com:1/s);
    expect(textOf(await decline(guild, message, 'Not **ours** @everyone'))).toContain('Declined');
    expect(textOf(message)).toContain('Reason: Not');
    expect(message.current.mention_everyone).toBe(false);
    expect(labelsOf(message)).toEqual([]);
    const seen = await member.slash('submissions');
    expect(textOf(seen)).toMatch(/\n│ ❌ Declined by @admin · [^·\n]*\n│ Reason: Not /);
    expect(textOf(seen)).not.toContain('not sent');
    const exported = await exportAll(member, seen);
    const [row = []] = csvOf(exported, 'submissions.csv');
    const mention = `<@${guild.admin.userId}>`;
    const why = ['A moderator declined it.', mention, 'Not **ours** @everyone', 'admin'];
    expect(row.slice(6, 11)).toEqual(['declined', ...why]);
    expect(textOf(await inStaff(guild, 'admin').press(message, 'Approve'))).toContain(
      'there is no button Approve',
    );
  });

  it('stays in the queue after a moderator corrects it', async ({ bot, guild, admin, discord, member }) => {
    const { reply, message } = await oneWaits(guild, 'wrogn.example.com');
    const moderator = inStaff(guild, 'admin');
    const { modal, typed } = await openModal(moderator, message, 'Correct…');
    expect(typed).toMatchObject({ server: 'wrogn.example.com', port: '1' });
    expect(textOf({ kind: 'modal', modal })).not.toContain('A moderator reviews');
    const corrected = { ...typed, game: 'cs2', server: 'right.example.com', port: '2', query_port: '3' };
    await moderator.submit(modal, corrected);
    expect(asideTo(guild, 'admin')).toBe('');
    expect(textOf(message)).toMatch(
      /^⏳ .*right\.example\.com:2 · query port 3\nby @member · Corrected by @admin · Address: .*wrogn.* → .*right.* · Port: .*1.* → .*2.* · Query port: .*–.* → .*3/,
    );
    expect(labelsOf(message)).toEqual(DECISIONS);
    expect(approvalsIn(guild)).toHaveLength(1);
    expect(await openModal(member, await member.slash('submissions'))).toMatchObject({
      typed: { server: 'right.example.com', port: '2' },
    });
    // If the corrected submission can't be sent, it goes back to waiting.
    await guild.listing.behave({ kind: 'down' });
    await moderator.press(message, 'Approve');
    await expect.poll(() => labelsOf(message)).toEqual(DECISIONS);
    expect(textOf(message)).toContain('Corrected by @');
    await guild.listing.behave({ kind: 'ok' });
    discord.clock.advance(60_000);
    await moderator.press(message, 'Approve');
    await expect.poll(() => textOf(message)).toContain(ACCEPTED);
    expect(addsOf(guild, 'wrogn.example.com')).toEqual([]);
    expect(addsOf(guild, 'right.example.com').at(-1)?.servers).toMatchObject([
      { port: '2', query_port: '3' },
    ]);
    const direct = () => discord.messages({ channelId: discord.directChannel(member.userId) });
    await expect.poll(() => direct().length).toBe(1);
    const submissions = [await member.slash('submissions'), await admin.slash('submissions')];
    for (const each of [reply, ...direct(), ...submissions]) {
      const by = direct().some((message) => message === each) ? 'a moderator' : '@admin';
      await expect
        .poll(() => textOf(each))
        .toMatch(new RegExp(`Corrected by ${by} · Address: .* → .*right.* · Port: .*1.* → .*2`));
      expect(textOf(each)).toContain('right.example.com:2');
    }
    // Deleting the moderator's name also deletes it from the correction.
    await deleteName(admin);
    expect(textOf(await member.slash('submissions'))).toContain('Corrected by a moderator');
    const ofAdmin = 'SELECT id FROM submissions WHERE guild_id = ? AND (corrected_by = ? OR decided_by = ?)';
    expect(await bot.store.rows(ofAdmin, guild.id, admin.userId, admin.userId)).toEqual([]);
  });

  it("isn't affected if a moderator declines or corrects it too late", async ({ guild, member }) => {
    await turnApprovalOn(guild);
    const moderator = inStaff(guild, 'admin');
    const late = { why: 'rules', reason: 'Typed.', block: '@member' };
    for (const [n, [label, fields, decide, state, noEffect]] of (
      [
        ['Decline', late, 'Approve', /✅ Approved by/, 'Your decline had no effect. Not blocked: @member.'],
        ['Decline', late, 'Withdraw', /Withdrawn/, 'Your decline had no effect. Not blocked: @member.'],
        [
          'Correct…',
          { server: 'typed.example.com' },
          'Withdraw',
          /Withdrawn/,
          'Your correction had no effect.',
        ],
        ['Correct…', { server: '10.0.0.1' }, 'Withdraw', /Withdrawn/, 'Your correction had no effect.'],
      ] as const
    ).entries()) {
      const reply = await addServer(member, `late${n}.example.com:1`);
      const message = await waitingIn(guild, `late${n}.`);
      const { modal, typed } = await openModal(moderator, message, label);
      if (decide === 'Approve') await inStaff(guild, 'admin').press(message, decide);
      else await member.press(reply, decide);
      const said = await moderator.submit(modal, { ...typed, ...fields });
      expect(textOf(said)).toMatch(state);
      expect(textOf(said)).toContain(noEffect);
      for (const value of 'server' in fields ? [fields.server] : ['Typed.', "doesn't follow the rules"])
        expect(textOf(said)).toContain(value);
      expect(labelsOf(said)).toEqual([]);
    }
    await addServer(member, 'not-blocked.example.com:1');
    await waitingIn(guild, 'not-blocked.example.com:1');
  });

  it("can't be corrected with invalid input or from an outdated form", async ({ guild, admin, member }) => {
    const { reply, message } = await oneWaits(guild);
    await addServer(member, `${HOST}:2`);
    const moderator = inStaff(guild, 'admin');
    const { modal, typed } = await openModal(moderator, message, 'Correct…');
    const correct = async (changes: Readonly<Record<string, string>>) => {
      const window = await openModal(moderator, message, 'Correct…');
      return textOf(await moderator.submit(window.modal, { ...window.typed, game: 'cs2', ...changes }));
    };
    for (const [changes, why] of [
      [{ server: '10.0.0.1' }, 'Not changed: private address.'],
      [{ server: `${HOST}:1 ${HOST}:3` }, 'Not changed: not an address.'],
      [{ server: 'nothing', port: 'x' }, "isn't a number"],
      [{ server: `${HOST}:2` }, 'Not changed: already waiting for a moderator.'],
    ] as const) {
      const said = await correct(changes);
      expect(said).toContain(why);
      expect(said).toContain('Still waiting for a moderator.');
    }
    const refused = await edit(moderator, message, { game: 'cs2', server: '10.0.0.1' }, 'Correct…');
    expect(await openModal(moderator, refused, 'Correct…')).toMatchObject({ typed: { server: '10.0.0.1' } });
    const { modal: early } = await openModal(moderator, message, 'Correct…');
    await allowGames(guild, ['cs2']);
    const notAllowed = await moderator.submit(early, { ...typed, game: 'ark' });
    expect(textOf(notAllowed)).toMatch(/isn't allowed here.*Still waiting/s);
    const before = message.current.content;
    await correct({});
    expect(message.current.content).toBe(before);
    await edit(member, reply, { server: 'changed.example.com:1' });
    await moderator.submit(modal, { ...typed, game: 'cs2', server: 'late.example.com:1' });
    await expect.poll(() => asideTo(guild, 'admin')).toContain('changed since you last saw it');
    await expect.poll(() => textOf(message)).toContain('changed.example.com:1');
    expect(textOf(message)).not.toContain('Corrected');
    // In /submissions, the message shows the correction and has buttons again.
    const shown = await admin.slash('submissions');
    const { modal: own } = await openModal(admin, shown, 'Correct…');
    const next = await admin.submit(own, { game: 'cs2', server: 'right.example.com:1' });
    expect(textOf(next)).toMatch(/Corrected by.*right\.example\.com:1/s);
    await admin.press(next, 'Decline').then((answer) => expect(answer.kind).toBe('modal'));
  });

  it('keeps its remaining lines in the queue after some are declined', async ({
    guild,
    discord,
    admin,
    member,
  }) => {
    await turnApprovalOn(guild);
    const reply = await pressSubmit(member, await paste(member, lines(4)));
    const message = await waitingIn(guild);
    const moderator = inStaff(guild, 'admin');
    const { modal: seen } = await openModal(moderator, message, 'Decline');
    expect(modalTexts(seen.data).join()).toMatch(
      /by \\@member\n.*Line 2 `s1\.example\.com.*Line 4 `s3\.example\.com/s,
    );
    const part = { why: 'rules', lines: '2, 4-9' };
    const unknown = await moderator.submit((await openModal(moderator, message, 'Decline')).modal, {
      ...part,
      lines: '2, 7-9',
    });
    expect(textOf(unknown)).toContain("7-9 isn't a line in this submission. Still waiting");
    await moderator.submit(seen, part);
    await expect
      .poll(() => message.current.content)
      .toMatch(/^⏳ .*s0\..*s2\.[^\n]*\n.*\n❌ 2 declined by \\@admin: .*s1\..*s3\..*rules here\.$/s);
    // The other lines never stopped waiting, so the message doesn't say "again".
    expect(asideTo(guild, 'admin')).not.toContain('again');
    expect(labelsOf(message)).toEqual(['Approve', 'Decline']);
    expect(approvalsIn(guild)).toHaveLength(1);
    const direct = () =>
      discord.messages({ channelId: discord.directChannel(member.userId) }).map((each) => textOf(each));
    await expect
      .poll(() => direct().join())
      .toMatch(/Declined.*Reason: It doesn't follow the rules here\..*s1\.example\.com.*s3\.example\.com/s);
    expect(direct()).toHaveLength(1);
    // The member sees the lines that are waiting, and why others were declined.
    const earlier = /Earlier from the same list:\n❌ 2 declined by @admin: .*s1\..*s3\..*rules here\.\n/;
    await expect.poll(() => textOf(reply)).toMatch(earlier);
    expect(textOf(await member.slash('submissions'))).toMatch(earlier);
    expect(labelsOf(reply)).toEqual(['Edit', 'Withdraw']);
    expect((await openModal(member, reply)).typed.servers).not.toContain('s1.example.com');
    // In /submissions, a single message shows the declined line and the waiting lines.
    const shown = await admin.slash('submissions');
    const { modal } = await openModal(admin, shown, 'Decline');
    const next = textOf(await admin.submit(modal, { reason: 'No', lines: '3' }));
    expect(next).toMatch(/Declined.*Reason: No\n(?!.*again).*⏳ /s);
    await admin.press(shown, 'Approve');
    expect(guild.listing.submitted.map(({ server }) => server)).toEqual(['s0.example.com']);
    await expect
      .poll(() => textOf(message))
      .toMatch(/^✅ .*\nApproved by .*❌ 2 declined by .*s1\..*❌ 1 declined by .*s2\..*Reason: No$/s);
    await expect
      .poll(() => direct().slice(1).join())
      .toMatch(/(?=.*Reason: No\b.*s2\.example\.com)(?=.*s0\.example\.com)/s);
    const exported = await exportAll(member, await member.slash('submissions'));
    const ends = csvOf(exported, 'submissions.csv').map((row) => [row[3], row[6]]);
    expect(ends.toSorted()).toEqual([
      ['s0.example.com', 'sent for review'],
      ['s1.example.com', 'declined'],
      ['s2.example.com', 'declined'],
      ['s3.example.com', 'declined'],
    ]);
  });

  it('can be resent by a moderator if its outcome is unknown', async ({ guild, admin, member }) => {
    await turnApprovalOn(guild);
    const moderator = inStaff(guild, 'admin');
    // The bot asks the moderator and the member to check whether the server arrived.
    const reply = await addServer(member, `${HOST}:2`);
    const other = await waitingIn(guild);
    await guild.listing.behave({ kind: 'status', status: 500 }, 1);
    await moderator.press(other, 'Approve');
    await member.press(reply, 'Withdraw');
    await expect.poll(() => directTo(guild, member).length).toBe(1);
    const [direct = reply] = directTo(guild, member);
    for (const [each, decision, words] of [
      [other, 'Approved by @admin', "Check the listing service's site before sending it again\\."],
      [reply, 'Approved by @admin', 'A moderator can check this and send it again\\.'],
      [direct, 'Approved', 'A moderator can check this and send it again\\.'],
    ] as const) {
      await expect
        .poll(() => textOf(each))
        .toMatch(new RegExp(`^[^❓]*❓ .*${decision}, not confirmed\\n.*${words}`, 's'));
      expect(textOf(each)).not.toContain('✅');
    }
    expect(labelsOf(other)).toEqual(['Submit again anyway']);
    expect(textOf(await inStaff(guild, 'other').press(other, 'Submit again anyway'))).toContain(
      'approval role',
    );
    await Promise.all([1, 2].map(() => moderator.press(other, 'Submit again anyway')));
    await expect.poll(() => textOf(other)).toMatch(/^✅ .*\nApproved by @admin\n✅ /s);
    expect([labelsOf(other), addsOf(guild, `${HOST}`).length]).toEqual([[], 2]);
    await addServer(member, `${HOST}:3`);
    const last = await waitingIn(guild);
    const body = { status: 'error', message: 'No such luck.' };
    await guild.listing.behave({ kind: 'json', status: 200, body }, 1);
    await moderator.press(last, 'Approve');
    await expect.poll(() => textOf(last)).toContain('Rejected. No such luck.');
    // The bot doesn't log the member's submissions, because the messages show everything.
    await addServer(admin, `${HOST}:4`);
    await expect.poll(() => logLines(guild).join('\n')).toMatch(/@admin: .*:4/);
    expect(logLines(guild).join('\n')).not.toContain('@member:');
  });

  it('can be approved in /submissions if its log channel message is deleted', async ({
    bot,
    guild,
    admin,
    member,
  }) => {
    const { reply, message } = await oneWaits(guild);
    guild.discord.deleteMessage(message);
    expect(textOf(await edit(member, reply, { server: `${HOST}:9` }))).toContain(WAITS);
    expect(textOf(await openSettings(guild))).toContain('✅ Log channel: #');
    // The bot posts the message again.
    guild.discord.deleteMessage(await waitingIn(guild, `${HOST}:9`));
    const shown = await admin.slash('submissions');
    expect(textOf(shown)).toContain(`${HOST}:9`);
    expect(textOf(await admin.press(shown, 'Approve'))).toContain(ACCEPTED);
    expect(bot.log().filter(({ channelId }) => channelId === staffChannel(guild))).toEqual([]);
  });

  it('returns to the queue if the service is down', async ({ guild, listing, member }) => {
    const { message } = await oneWaits(guild);
    await listing.behave({ kind: 'down' });
    await inStaff(guild, 'admin').press(message, 'Approve');
    const WHY = /⚠️ [^\n]*Not sent\. [^\n]*reached.*1 game server is waiting for a moderator again\./s;
    await expect.poll(() => asideTo(guild, 'admin')).toMatch(WHY);
    await expect.poll(() => labelsOf(message)).toEqual(DECISIONS);
    const queue = await guild.admin.slash('submissions');
    expect(textOf(await guild.admin.press(queue, 'Approve'))).toMatch(WHY);
    expect(approvalsIn(guild)).toHaveLength(1);
    // The bot logs the reason, because the message no longer shows it.
    await expect.poll(() => logLines(guild).join('\n')).toMatch(/@member: .*Not sent\. .*reached/);
    const history = await member.press(await member.slash('submissions'), 'History');
    expect(textOf(history)).toMatch(/not sent · .*\n.* couldn't be reached/);
    await edit(guild.admin, queue, { reason: '' }, 'Decline');
  });

  it('can be withdrawn by the member', async ({ guild, member }) => {
    const { reply, message } = await oneWaits(guild);
    await member.press(reply, 'Withdraw');
    expect(textOf(reply)).toContain('Withdrawn');
    expect(textOf(message)).toContain('Withdrawn');
    expect(message.current.content).toContain(`${HOST}:1`);
    expect([...labelsOf(reply), ...labelsOf(message)]).toEqual(['Edit and submit again']);
    expect(addsOf(guild, HOST)).toEqual([]);
  });

  it("can't be withdrawn from an outdated message", async ({ bot, guild, member }) => {
    const { reply } = await oneWaits(guild);
    const queue = await member.slash('submissions');
    const opened = await member.slash('submissions');
    await member.press(queue, 'Withdraw');
    const { modal, typed } = await openModal(member, queue, 'Edit and submit again');
    expect(textOf(await member.submit(modal, { ...typed, port: '2' }))).toContain(WAITS);
    await member.press(opened, 'Withdraw');
    await member.press(reply, 'Withdraw');
    for (const old of [opened, reply])
      expect(textOf(old)).toMatch(/It has changed since you last saw it, so it wasn't withdrawn\..*:2/s);
    const waiting = () =>
      bot.store.rows("SELECT id FROM submissions WHERE guild_id = ? AND state = 'waiting'", guild.id);
    expect(await waiting()).toHaveLength(1);
    await member.press(reply, 'Withdraw');
    expect(textOf(reply)).toContain('Withdrawn');
    expect(await waiting()).toEqual([]);
  });

  it('can be withdrawn with a button that version 0.4.0 posted', async ({ bot, guild, member }) => {
    const { reply } = await oneWaits(guild);
    const withdraw = componentsOf(reply).find(({ label }) => label === 'Withdraw');
    const [command, action, draftId] = withdraw?.custom_id?.split(':') ?? [];
    const old = { ...withdraw, custom_id: [command, action, draftId].join(':') };
    const row = { type: ComponentType.ActionRow, components: [old] };
    const copy = await postComponents(bot, member.channelId, [row]);
    if (!copy) throw new Error('the button was not posted');
    expect(textOf(await member.press(copy, old.custom_id))).toContain('Withdrawn');
  });

  it('still has its invalid lines after the member withdraws it', async ({ bot, guild, member }) => {
    await turnApprovalOn(guild);
    const preview = await paste(member, `${lines(1)}\nno-port.example.com cs2`);
    const reply = await pressSubmit(member, preview);
    await member.press(reply, 'Withdraw');
    expect(textOf(reply)).toContain('1 line needs fixing');
    const { typed } = await openModal(member, reply, 'Edit and submit again');
    expect(typed.servers).toContain('no-port.example.com');
    const history = await member.slash('submissions');
    expect(textOf(history)).not.toContain('Unfinished');
    const found = await member.pick(history, ['s0.example.com:27015']);
    expect(textOf(found)).toContain('1 line needs fixing');
    await member.press(found, 'Delete');
    expect(await bot.store.rows('SELECT id FROM drafts WHERE guild_id = ?', guild.id)).toEqual([]);
    const old = await member.press(reply, 'Edit and submit again');
    expect(textOf(old)).toMatch(/These buttons no longer work: .* was deleted/);
    expect(labelsOf(old)).toEqual(['Edit']);
  });

  it('is updated in the log channel when the member edits it', async ({ guild, member }) => {
    const { reply, message } = await oneWaits(guild);
    const changed = await edit(member, reply, { port: '27016', server: 'new.example.com' });
    expect(textOf(changed)).toContain(WAITS);
    await expect.poll(() => textOf(message)).toContain('new.example.com:27016');
    expect(approvalsIn(guild)).toHaveLength(1);
    expect(labelsOf(message)).toEqual(DECISIONS);
  });

  it("stays unchanged if the member's edit is invalid or not allowed", async ({ guild, admin, member }) => {
    const { reply, message } = await oneWaits(guild);
    const shown = textOf(message);
    const still = `Still waiting, unchanged: ${HOST}:1.`;
    const wrong = await edit(member, reply, { server: '10.0.0.1', port: '27015' });
    expect(textOf(wrong)).toMatch(/⚠️ Not changed: private address\. .*public address\./);
    expect(textOf(wrong).replaceAll('`', '')).toContain(still);
    expect(labelsOf(wrong)).toEqual(['Edit', 'Withdraw']);
    // The submission also keeps waiting after an edit that is valid but not allowed.
    const { modal, typed } = await openModal(member, wrong);
    await allowGames(guild, ['Factorio']);
    const refused = await member.submit(modal, { ...typed, server: 'new.example.com:1' });
    expect(textOf(refused)).toContain("the game cs2 isn't allowed here");
    expect(textOf(refused).replaceAll('`', '')).toContain(still);
    await pressSetting(guild, 'Games', 'Allow all games');
    await addServer(admin, 'new.example.com:1');
    expect(textOf(await edit(member, refused, { server: 'new.example.com:1' }))).toContain(
      'already submitted',
    );
    expect(textOf(message)).toBe(shown);
    await inStaff(guild, 'admin').press(message, 'Approve');
    expect(addsOf(guild, HOST)).toHaveLength(1);
  });

  it('can be edited and submitted again after being declined', async ({ guild, member }) => {
    const { reply, message } = await oneWaits(guild);
    await decline(guild, message, 'Wrong port.');
    await expect.poll(() => labelsOf(reply)).toEqual(['Edit and submit again']);
    const history = await member.slash('submissions');
    const declined = await member.pick(history, [`${HOST}:1`]);
    expect(labelsOf(declined)).toEqual(['Edit and submit again']);
    const { modal, typed } = await openModal(member, declined, 'Edit and submit again');
    expect(typed).toMatchObject({ server: HOST, port: '1' });
    const again = await member.submit(modal, { ...typed, server: `${HOST}:2` });
    expect(textOf(again)).toContain(WAITS);
    expect(textOf(again)).not.toContain('earlier');
    expect(textOf(message)).toContain('Declined');
    const second = await waitingIn(guild, `${HOST}:2`);
    expect(second.id).not.toBe(message.id);
    expect(textOf(await member.press(reply, 'Edit and submit again'))).toContain('already submitted');
    const list = await pressSubmit(member, await paste(member, lines(2)));
    await decline(guild, await waitingIn(guild, 's1.example.com'), '');
    await decline(guild, second, '');
    await expect.poll(() => labelsOf(list)).toEqual(['Edit and submit again']);
    // Equal decisions are one entry.
    const together = await member.slash('submissions');
    expect(textOf(together)).toMatch(/❌ 3 declined\n.*Declined by @admin/);
    const three = await member.pick(together, [`3 game servers: ${HOST}:2 and 2 more`]);
    const again3 = await member.press(three, 'Edit and submit these 3 again');
    expect(textOf(again3)).toContain('3 game servers are ready.');
    expect(labelsOf(again3)).toEqual(['Submit 3 for approval', 'Edit', 'Cancel']);
    const { typed: typedLines } = await openModal(member, list, 'Edit and submit again');
    expect(typedLines.servers).toBe(
      '1. s0.example.com:27015 Counter-Strike 2\n2. s1.example.com:27015 Counter-Strike 2',
    );
    expect(labelsOf(await guild.admin.slash('submissions')).join()).not.toContain('again');
  });

  it.for([
    ['en-US', 'Edit and submit again', 'open it in `/submissions` there and press **Edit and submit again**'],
    [
      'de',
      'Bearbeiten und noch einmal einreichen',
      'dort in `/submissions` und drück auf **Bearbeiten und noch einmal einreichen**',
    ],
    ['ja', '編集してもう一度申請', '`/submissions`で開き、**編集してもう一度申請**'],
  ] as const)('can still be edited and submitted again a day after being declined (in %s)', async ([
    locale,
    label,
    pointer,
  ]) => {
    const clock = createTestClock();
    const bot = await oneBot();
    const guild = await bot.newGuild({ key: 'sandbox-key' });
    const member = guild.person({ locale });
    await turnApprovalOn(guild);
    const reply = await addServer(member, `${HOST}:1`);
    await decline(guild, await waitingIn(guild), 'Wrong port.');
    await expect.poll(() => textOf(reply)).toContain('Wrong port.');
    await expect.poll(() => directTo(guild, member).length).toBe(1);
    const [direct] = directTo(guild, member);
    expect(direct?.current.content).toContain(pointer);
    expect(direct?.current.components).toEqual([]);
    clock.advance(DAY_MS);
    const declined = await member.pick(await member.slash('submissions'), [`${HOST}:1`]);
    const { modal, typed } = await openModal(member, declined, label);
    expect(typed).toMatchObject({ game: 'cs2', server: HOST, port: '1' });
    await member.submit(modal, { ...typed, port: '2' });
    await waitingIn(guild, `${HOST}:2`);
    await member.press(declined, label);
    expect(labelsOf(declined)).not.toContain(label);
  });

  it('is checked again when the member resubmits it', async () => {
    const clock = createTestClock();
    const bot = await oneBot();
    const guild = await bot.newGuild({ key: 'sandbox-key' });
    const { admin, member, listing } = guild;
    await turnApprovalOn(guild);
    for (const list of [`${HOST}:1 cs2\n${HOST}:2 rust`, 'other.example.com:1 cs2']) {
      const reply = await pressSubmit(member, await paste(member, list));
      await decline(guild, await waitingIn(guild), list.slice(0, 5));
      await expect.poll(() => textOf(reply)).toContain('Declined');
    }
    clock.advance(DAY_MS);
    await pressSetting(guild, 'Approval', 'Turn approval off');
    await allowGames(guild, ['cs2']);
    const history = await member.slash('submissions');
    const list = await member.pick(history, [`1. 2 game servers: ${HOST}:1 and 1 more`]);
    const { modal, typed } = await openModal(member, list, 'Edit and submit again');
    expect(typed.servers).toBe(`1. ${HOST}:1 Counter-Strike 2\n2. ${HOST}:2 Rust`);
    const preview = await member.submit(modal, typed);
    expect(textOf(preview)).toMatch(/1 line needs fixing:\n.*isn't allowed here/);
    await pressSubmit(member, preview);
    expect(listing.submitted).toMatchObject([{ server: HOST, port: 1 }]);
    expect(labelsOf(await admin.slash('submissions')).join()).not.toContain('again');
    await deleteName(member);
    expect(textOf(await member.pick(history, ['other.example.com:1']))).toContain('No submissions match.');
  });

  it('still has its invalid lines after approval', async ({ guild, member }) => {
    await turnApprovalOn(guild);
    const list = ['one.example.com:1 cs2', 'two.example.com cs2'].join('\n');
    const reply = await pressSubmit(member, await paste(member, list));
    await approve(guild);
    await expect.poll(() => textOf(reply)).toContain('Approved by');
    expect(textOf(reply)).toContain('1 line needs fixing:\n• Line 2 two.example.com cs2: no port');
    const { typed } = await openModal(member, reply, 'Fix 1 line');
    expect(typed.server).toBe('two.example.com');
  });

  it('still lists its skipped lines after being edited and approved', async ({ guild, admin, member }) => {
    await addServer(admin, `${HOST}:1`);
    await turnApprovalOn(guild);
    const list = [`${HOST}:1 cs2`, 'two.example.com:2 cs2', 'two.example.com:2 cs2', 'our very best ones'];
    const reply = await pressSubmit(
      member,
      await paste(member, [...list, 'three.example.com:3 cs2'].join('\n')),
    );
    const skipped = [
      "1 already submitted, so it wasn't sent again: line 1.",
      '1 line repeats an earlier one and counts only once: line 3.',
      '1 comment or line without a game server was left out: 4.',
    ].join('\n');
    expect(textOf(reply)).toContain(skipped);
    const { modal } = await openModal(member, reply);
    const edited = await member.submit(modal, {
      servers: '2. two.example.com:22 cs2\n5. three.example.com:3 cs2',
    });
    expect(textOf(edited)).toContain(skipped);
    await approve(guild);
    await expect.poll(() => textOf(edited)).toContain('Approved by');
    expect(textOf(edited)).toContain(skipped);
    // Nothing is left to continue or to edit.
    const history = await member.slash('submissions');
    expect(textOf(history)).not.toContain('Unfinished');
  });

  it("preserves lines that don't fit in the edit form", async ({ guild, member }) => {
    await turnApprovalOn(guild);
    const reply = await pressSubmit(member, await sendFile(member, lines(200)));
    const { modal, typed } = await openModal(member, reply);
    const count = typed.servers?.split('\n').length;
    expect(JSON.stringify(modal.data)).toContain(`Only ${count} lines fit here`);
    const changed = await member.submit(modal, { servers: '1. first.example.com:27015 cs2' });
    expect(textOf(changed)).toContain(`${200 - (count ?? 0) + 1} game servers`);
  });

  it("can be approved in /submissions if the guild doesn't have a log channel", async ({
    guild,
    admin,
    member,
  }) => {
    await turnApprovalOn(guild);
    guild.discord.guildEvents.removeChannel(guild, staffChannel(guild));
    const reply = await addServer(member, `${HOST}:4`);
    expect(textOf(reply)).toContain(WAITS);
    for (const port of [5, 6]) await addServer(member, `${HOST}:${port}`);
    // Buttons that change the submission come first.
    expect(labelsOf(await member.slash('submissions'))).toEqual([
      'Edit',
      'Withdraw',
      'Next waiting',
      'History',
    ]);
    const first = await admin.slash('submissions');
    const shownPort = () => /:(\d)`/.exec(JSON.stringify(messageOf(first).current?.embeds))?.[1] ?? '';
    const seen: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      expect(textOf(first)).toContain('3 submissions are waiting');
      seen.push(shownPort());
      await admin.press(first, 'Next waiting');
    }
    // From the moderator's own start to the newest, and then from the oldest.
    expect('456456').toContain(seen.join(''));
    // A single message shows the outcome and the next submission.
    const decided: string[] = [];
    for (const index of [0, 1]) {
      const port = shownPort();
      decided.push(port);
      await admin.press(first, 'Approve');
      expect(textOf(first)).toContain(ACCEPTED);
      expect(textOf(first)).toContain(`${HOST}:${port}`);
      // The buttons are directly below their submission.
      const { embeds = [] } = messageOf(first).current ?? {};
      expect(embeds).toHaveLength(1);
      expect(JSON.stringify(embeds)).not.toContain(`${HOST}:${port}`);
      const all = ['Approve all 2 from @member', 'Decline all 2 from @member'];
      const others = index === 0 ? ['Next waiting', ...all] : [];
      expect(labelsOf(first)).toEqual([...DECISIONS, ...others, 'History']);
    }
    const left = [4, 5, 6].find((port) => !decided.includes(String(port)));
    // A search finds submissions that have been sent, and has a button for the others.
    const { userId } = member;
    for (const filter of [{ game: 'cs2' }, { server: HOST }, { outcome: 'accepted' }, { member: userId }]) {
      const found = await admin.slash('submissions', filter);
      expect(textOf(found)).toMatch(/2 submissions, newest first/);
      expect(labelsOf(found)).toEqual(['Export', ...('outcome' in filter ? [] : ['Waiting (1)'])]);
    }
    // While submissions are waiting, one button shows the sent submissions and another goes back.
    for (const [who, back] of [
      [admin, 'Approve or decline (1)'],
      [member, 'Waiting (1)'],
    ] as const) {
      const waits = await who.slash('submissions');
      expect(textOf(waits)).toContain(`${HOST}:${left}`);
      expect(textOf(waits)).not.toContain('newest first');
      await who.press(waits, 'History');
      expect(textOf(waits)).toMatch(/2 submissions, newest first/);
      expect(textOf(waits)).not.toContain(`${HOST}:${left}`);
      expect(labelsOf(waits)).toEqual(['Export', back]);
      await who.press(waits, back);
      expect(textOf(waits)).toContain('1 submission is waiting');
    }
    expect(textOf(await openSettings(guild))).toContain('Approval: on');
  });

  it('can still be approved if its message is over an hour old', async ({
    guild,
    admin,
    member,
    discord,
  }) => {
    await turnApprovalOn(guild);
    for (let n = 0; n < 10; n += 1) await addServer(member, `${HOST}:${n + 1}`);
    discord.clock.advance(2 * 3_600_000);
    const messages = approvalsIn(guild);
    const edits = () =>
      discord.requests.filter(
        ({ method, path }) => method === 'PATCH' && path.includes(`/channels/${staffChannel(guild)}/`),
      );
    const before = edits().length;
    for (const message of messages.slice(0, 5)) {
      await inStaff(guild, 'admin').press(message, 'Approve');
      expect(textOf(message)).toContain(ACCEPTED);
    }
    expect(edits()).toHaveLength(before);
    const shown = await admin.slash('submissions');
    for (let n = 0; n < 5; n += 1) await admin.press(shown, 'Approve');
    expect(addsOf(guild, HOST)).toHaveLength(10);
    for (const message of messages) await expect.poll(() => textOf(message)).toContain(ACCEPTED);
    expect(edits().filter(({ status }) => status === 429)).toEqual([]);
  });

  it('moves to a new log channel and leaves a link behind', async ({ guild, member, discord }) => {
    const { message } = await oneWaits(guild);
    await guild.admin.press(await pickSetting(guild, 'Log channel', '#general'), 'Use it anyway');
    await expect.poll(() => textOf(message)).toMatch(/^This is now waiting in #/);
    expect(labelsOf(message)).toEqual([]);
    const there = () =>
      discord.messages({ channelId: guild.channelId }).filter((each) => labelsOf(each).includes('Approve'));
    await expect.poll(() => there().length).toBe(1);
    const [moved = message] = there();
    expect(textOf(moved)).toContain(`${HOST}:1`);
    const general = discord.person({ ...ROLES.admin, guild, name: 'admin', channelId: guild.channelId });
    await general.press(moved, 'Approve');
    await expect.poll(() => textOf(moved)).toContain(ACCEPTED);
    expect(textOf(await member.slash('submissions'))).toContain('sent for review');
  });

  it('is posted without addresses if Discord rejects an address as a harmful link', async ({
    guild,
    discord,
    member,
  }) => {
    const known = await submittedBefore(guild);
    // Waits for the log message, because it would otherwise get the injected error.
    await expect
      .poll(() => logLines(guild).join('\n'))
      .toMatch(/Approval.*Servers have been added for review\..*already submitted/s);
    const body = { code: 240000, message: 'Message blocked by harmful links filter' };
    const path = new RegExp(`channels/${staffChannel(guild)}/messages`);
    discord.faults.inject({ fault: { kind: 'status', status: 400, body }, method: 'POST', path, times: 1 });
    expect(textOf(await member.press(known, 'Submit again anyway'))).toContain(WAITS);
    const message = await waitingIn(guild);
    expect(textOf(message)).toMatch(/1 already submitted:.*because of a link in it/s);
    expect(textOf(message)).not.toContain(HOST);
    expect(labelsOf(message)).toEqual([...DECISIONS, 'Show all']);
    const all = await withFile(await inStaff(guild, 'admin').press(message, 'Show all'), 'preview.csv');
    expect(csvOf(all, 'preview.csv')).toHaveLength(1);
  });

  it('is posted when /settings finds that the log channel works again', async ({
    guild,
    discord,
    member,
  }) => {
    await turnApprovalOn(guild);
    discord.guildEvents.setBotPermissions(guild, staffChannel(guild), 0n);
    for (const port of [1, 2]) await addServer(member, `${HOST}:${port}`);
    expect(textOf(await openSettings(guild))).toMatch(/❌ Log channel: can't post in #\d+/);
    expect(approvalsIn(guild)).toEqual([]);
    discord.guildEvents.setBotPermissions(guild, staffChannel(guild), USUAL_BOT_PERMISSIONS);
    expect(textOf(await openSettings(guild))).toMatch(/✅ Log channel: #\d+\n/);
    await expect.poll(() => approvalsIn(guild).length).toBe(2);
    // The bot tested the channel only once.
    await openSettings(guild);
    expect(
      logLines(guild).filter((line) => line.includes('can post in this log channel again')),
    ).toHaveLength(1);
  });

  it('is posted along with the next submission once the log channel works again', async ({
    bot,
    guild,
    discord,
    member,
  }) => {
    await turnApprovalOn(guild);
    discord.guildEvents.setBotPermissions(guild, staffChannel(guild), 0n);
    expect(textOf(await addServer(member, `${HOST}:1`))).toContain(WAITS);
    discord.guildEvents.setBotPermissions(guild, staffChannel(guild), USUAL_BOT_PERMISSIONS);
    // The restart makes the bot forget the rejection, which it would otherwise remember for an hour.
    await bot.restart();
    await addServer(member, `${HOST}:2`);
    const shown = () =>
      approvalsIn(guild)
        .map((message) => textOf(message))
        .join('\n');
    for (const port of [1, 2]) await expect.poll(shown).toContain(`${HOST}:${port}`);
    expect(approvalsIn(guild)).toHaveLength(2);
  });

  it('stays in the queue if the log channel is deleted or approval is turned off', async ({
    guild,
    admin,
  }) => {
    await oneWaits(guild);
    guild.discord.guildEvents.removeChannel(guild, staffChannel(guild));
    await addServer(guild.member, `${HOST}:2`);
    await expect.poll(async () => textOf(await openSettings(guild))).toContain('Log channel: deleted');
    const settings = await openSettings(guild);
    expect(textOf(settings)).toMatch(
      /⚠️ Approval: on.*2 submissions are waiting for a moderator: \/submissions/s,
    );
    expect(textOf(settings)).not.toContain('choose a role');
    const page = await openSetting(guild, 'Approval');
    expect(textOf(page)).toMatch(/Choose another one; until then, use .*2 submissions are waiting now\./s);
    const off = textOf(await admin.press(page, 'Turn approval off'));
    expect(off).toMatch(/Approval: off.*They keep waiting/s);
    expect(off).not.toContain('Choose another one');
  });

  it('expires if no moderator approves or declines it in time', async ({ bot, guild, member }) => {
    const { message } = await oneWaits(guild);
    await bot.store.rows(
      'UPDATE submissions SET expires_at = 1 WHERE guild_id = ? AND state = ?',
      guild.id,
      'waiting',
    );
    // The hourly job runs soon after the start.
    await bot.restart();
    await expect.poll(() => textOf(message)).toContain('Not approved in time');
    expect(labelsOf(message)).toEqual([]);
    expect(textOf(await member.slash('submissions'))).toContain('No moderator approved it in time.');
    await allNotified(bot, guild);
    expect(directTo(guild, member)).toEqual([]);
    expect(addsOf(guild, HOST)).toEqual([]);
  });

  it("can't be submitted again as part of a list", async ({ guild, member }) => {
    await turnApprovalOn(guild);
    await addServer(member, 's1.example.com:27015');
    const preview = await paste(member, lines(3));
    expect(textOf(preview)).toMatch(/Line 2 s1\.example\.com.*: already waiting for a moderator/);
    const labels = ['Submit 2 for approval', 'Fix 1 line', 'My submissions', 'Edit', 'Cancel'];
    expect(labelsOf(preview)).toEqual(labels);
    expect(textOf(await pressSubmit(member, preview))).toContain(WAITS);
    expect(textOf(await waitingIn(guild, 's2.example.com'))).not.toContain('s1.example.com');
  });

  it("leaves the queue when the member's or the guild's data is deleted", async ({
    guild,
    admin,
    member,
  }) => {
    const { message, reply: old } = await oneWaits(guild);
    expect(textOf(await deleteName(member))).toContain('was waiting for a moderator has been withdrawn.');
    await expect.poll(() => textOf(message)).toContain('Withdrawn');
    expect(textOf(await member.press(old, 'Withdraw'))).toMatch(
      /These buttons no longer work: .* was deleted\. What was shown here before may be out of date\./,
    );
    const reply = await addServer(member, 'last.example.com:1');
    expect(textOf(reply)).toContain(WAITS);
    const last = await waitingIn(guild);
    const question = await admin.press(
      await admin.slash('privacy'),
      'Delete all data for this Discord server',
    );
    await admin.press(question, 'Delete everything');
    await expect.poll(() => textOf(last)).toContain('no longer exists');
    expect(labelsOf(last)).toEqual([]);
  });
});

it.for([
  'approved',
  'declined',
] as const)("a member's edit isn't lost if the submission has been %s", async (decision, {
  guild,
  listing,
  member,
}) => {
  const { reply, message } = await oneWaits(guild);
  const forms = [await openModal(member, reply), await openModal(member, await member.slash('submissions'))];
  if (decision === 'approved') await approve(guild);
  else await decline(guild, message, '');
  await expect.poll(() => textOf(reply)).toMatch(/(?:Approved|Declined) by/);
  for (const { modal, typed } of forms) {
    const late = await member.submit(modal, { ...typed, server: 'late.example.com', port: '2' });
    expect(textOf(late)).toMatch(
      /⚠️ This is no longer waiting for a moderator\. Your change wasn't made\. Edit and submit again .*(?:Approved|Declined) by/s,
    );
    const again = await openModal(member, late, 'Edit and submit again');
    expect(again.typed).toMatchObject({ server: 'late.example.com', port: '2' });
    if (modal === forms.at(-1)?.modal)
      expect(textOf(await member.submit(again.modal, again.typed))).toContain(WAITS);
  }
  expect(listing.submitted.map(({ server }) => server)).toEqual(decision === 'approved' ? [HOST] : []);
});

it.for([
  { decision: 'approved', separate: true },
  { decision: 'declined', separate: false },
])("a member's new lines aren't lost if the submission has been $decision", async ({ decision, separate }, {
  guild,
  member,
}) => {
  await turnApprovalOn(guild);
  const reply = await pressSubmit(member, await paste(member, lines(2)));
  const { modal, typed } = await openModal(member, reply, 'Edit');
  if (decision === 'approved') await approve(guild);
  else await decline(guild, await waitingIn(guild), '');
  await expect.poll(() => textOf(reply)).toMatch(/(?:Approved|Declined) by/);
  const late = await member.submit(modal, { servers: `${typed.servers}\n3. new.example.com:3 cs2` });
  expect(textOf(late)).toMatch(/^[^\n]*This is no longer waiting for a moderator\./);
  expect(textOf(late).includes('is kept here as a separate list')).toBe(separate);
  expect(textOf(late)).not.toContain('a day has passed');
  expect(textOf(late)).toContain('new.example.com:3');
});

it('only moderators see earlier submissions of the same server', async ({ guild, admin, member }) => {
  const known = await submittedBefore(guild);
  const reply = await member.press(known, 'Submit again anyway');
  const EARLIER =
    /1 already submitted:.*\n.*wait\.example\.com:1.*sent for review · Counter-Strike 2.*by @admin/;
  const message = await waitingIn(guild);
  expect(textOf(message)).toMatch(EARLIER);
  expect(textOf(await admin.slash('submissions'))).toMatch(EARLIER);
  for (const own of [reply, await member.slash('submissions')]) {
    expect(textOf(own)).not.toContain('already submitted');
  }
  await inStaff(guild, 'admin').press(message, 'Approve');
  await expect.poll(() => textOf(message)).toContain(ACCEPTED);
  expect(textOf(message)).not.toContain('already submitted');
  await addServer(admin, 's1.example.com:27015');
  const list = await member.press(await paste(member, lines(3)), 'Include 1 already submitted');
  await pressSubmit(member, list);
  expect((await waitingIn(guild)).current.content).toMatch(
    /1 already submitted:.*\n- `s1\.example\.com[^\n]*$/,
  );
});

it.for([
  { approval: 'on' },
  { approval: 'off' },
])('the Approve button becomes Remove once an admin submits the same server (approval $approval)', async ({
  approval,
}, { guild, admin }) => {
  const { message } = await oneWaits(guild);
  if (approval === 'off') await pressSetting(guild, 'Approval', 'Turn approval off');
  await addServer(admin, `${HOST}:1`);
  await expect.poll(() => labelsOf(message)).toContain('Remove (already submitted)');
  expect(textOf(message)).toContain('1 already submitted');
  expect(labelsOf(message)).not.toContain('Approve');
});

it('the bot warns moderators if a member submits more than ten ports at one address', async ({
  guild,
  admin,
  member,
}) => {
  await turnApprovalOn(guild);
  const ports = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `ports.example.com:${from + n} cs2`).join('\n');
  await pressSubmit(member, await paste(member, ports(1, 10)));
  const first = await waitingIn(guild);
  expect(textOf(first)).not.toContain('Within a day');
  await pressSubmit(member, await paste(member, ports(101, 2)));
  const many = 'Within a day, this member submitted 12 ports at ports.example.com.';
  await expect.poll(() => textOf(approvalsIn(guild).at(-1) ?? first)).toContain(many);
  expect(textOf(await admin.slash('submissions'))).toContain(many);
});

it("a predefined decline reason is shown in the member's language", async ({
  bot,
  guild,
  discord,
  member,
}) => {
  await turnApprovalOn(guild);
  const mia = inStaff(guild, 'member', 'de');
  const reply = await addServer(mia, `${HOST}:1`);
  const message = await waitingIn(guild);
  const moderator = inStaff(guild, 'admin');
  const { modal } = await openModal(moderator, message, 'Decline');
  expect(JSON.stringify(modal.data)).toMatch(/The address or the port is wrong\..*rules here\./);
  await moderator.submit(modal, { why: 'game', reason: 'Ours' });
  await expect.poll(() => textOf(message)).toContain('Reason: The game is wrong. Ours');
  const GERMAN = 'Das Spiel stimmt nicht. Ours';
  await expect.poll(() => textOf(reply)).toContain(`Grund: ${GERMAN}`);
  const direct = () => discord.messages({ channelId: discord.directChannel(mia.userId) });
  await expect
    .poll(() =>
      direct()
        .map((each) => textOf(each))
        .join(),
    )
    .toContain(`Grund: ${GERMAN}`);
  const seen = await mia.slash('submissions');
  expect(textOf(seen)).toContain(`Grund: ${GERMAN}`);
  expect(csvOf(await exportAll(mia, seen, 'Exportieren'), 'submissions.csv')[0]?.[9]).toBe(GERMAN);
  expect(textOf(await member.slash('submissions'))).toContain('Reason: The game is wrong. Ours');
  // The bot doesn't show an unknown reason from a later version.
  await addServer(member, `${HOST}:2`);
  const other = await waitingIn(guild);
  const { modal: forged } = await openModal(moderator, other, 'Decline');
  await moderator.submit(forged, { why: 'game', reason: '' });
  await bot.store.rows(
    "UPDATE submissions SET decline_reason_key = 'of a later version' WHERE guild_id = ?",
    guild.id,
  );
  expect(textOf(await member.slash('submissions'))).not.toContain('The game is wrong');
});

it('/submissions shows a decision only once if all lines were declined', async ({ guild, member }) => {
  await turnApprovalOn(guild);
  await pressSubmit(member, await paste(member, lines(2)));
  await decline(guild, await waitingIn(guild), 'Not today');
  const seen = await member.slash('submissions');
  expect(textOf(seen)).toMatch(
    /1\. 2 game servers: s0[^\n]*\n│ ❌ Declined by @admin · [^\n]*\n│ Reason: Not today/,
  );
  const list = textOf(await member.pick(seen, ['1. 2 game servers: s0.example.com:27015 and 1 more']));
  expect(list).toMatch(/❌ Declined by @admin\nReason: Not today/);
  expect(list).toContain('s1.example.com');
  expect(list).not.toContain('not sent');
});

it('the bot explains why some lines are still waiting after a partial approval', async ({
  guild,
  member,
}) => {
  await turnApprovalOn(guild);
  await setQuota(guild, '2');
  const reply = await pressSubmit(member, await paste(member, lines(4)));
  const message = await waitingIn(guild);
  await inStaff(guild, 'admin').press(message, 'Approve');
  const sent = '✅ Approved by .?@admin: .*s0\\..*s1\\..* · 2 sent for review.*';
  const held = '.*2 have to wait.* quota of 2 .*';
  await expect.poll(() => textOf(message)).toMatch(new RegExp(`${held}\n${sent}`));
  expect(textOf(message)).toMatch(/^⏳ .*\n.*s2\..*\n.*s3\./);
  await expect.poll(() => textOf(reply)).toMatch(new RegExp(`${sent}\n${held}`));
  expect(logLines(guild).filter((line) => line.includes('s0.example.com'))).toHaveLength(1);
});

it("an outdated form doesn't overwrite a correction", async ({ guild }) => {
  const { message } = await oneWaits(guild);
  const moderator = inStaff(guild, 'admin');
  const { modal, typed } = await openModal(moderator, message, 'Correct…');
  await edit(moderator, message, { port: '2' }, 'Correct…');
  await moderator.submit(modal, { ...typed, game: 'cs2', server: 'late.example.com' });
  await expect
    .poll(() => asideTo(guild, 'admin'))
    .toMatch(/changed since.*\n.*Corrected by .*@admin · Port: .*1.* → .*2/);
  const late = asidesTo(guild, 'admin').at(-1) ?? message;
  const { typed: kept } = await openModal(moderator, late, 'Correct…');
  expect(kept).toMatchObject({ server: 'late.example.com', port: '2' });
});

it("a member's edit isn't lost if the submission has been withdrawn", async ({ guild, member }) => {
  const { reply } = await oneWaits(guild);
  const { modal, typed } = await openModal(member, reply);
  await member.press(await member.slash('submissions'), 'Withdraw');
  const withdrawn = await member.submit(modal, { ...typed, port: '27099' });
  expect(textOf(withdrawn)).toContain('Withdrawn');
  const again = await openModal(member, withdrawn, 'Edit and submit again');
  expect(again.typed).toMatchObject({ port: '27099' });
  expect(textOf(await member.submit(again.modal, again.typed))).toContain(WAITS);
});

it("a member's invalid edit is saved so that the member can fix it", async ({ guild, member }) => {
  await turnApprovalOn(guild);
  const reply = await pressSubmit(member, await paste(member, lines(3)));
  const typed = '1. s0.example.com:27015 cs2\n2. 10.0.0.1:27015 cs2';
  const { modal } = await openModal(member, reply);
  const wrong = await member.submit(modal, { servers: typed });
  expect(textOf(wrong)).toMatch(/⚠️ 1 line needs fixing:\n• Line 2 10\.0\.0\.1:27015.*: private address/);
  expect(textOf(wrong)).toContain('Still waiting, unchanged: 3 game servers.');
  const again = await openModal(member, wrong);
  expect(again.typed.servers).toBe(typed);
  const unreadable = await member.submit(again.modal, { servers: '[broken' });
  expect(textOf(unreadable)).toContain('Still waiting, unchanged: 3 game servers.');
  const last = await openModal(member, unreadable);
  expect(last.typed.servers).toBe('[broken');
  const waits = await member.submit(last.modal, { servers: '2. right.example.com:27015 cs2' });
  expect(textOf(waits)).toContain(WAITS);
  await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
  await expect.poll(() => guild.listing.submitted.map(({ server }) => server)).toEqual(['right.example.com']);
});

it('a member can resubmit each declined line only once', async () => {
  const clock = createTestClock();
  const bot = await oneBot();
  const guild = await bot.newGuild({ key: 'sandbox-key' });
  const { member, listing } = guild;
  const moderator = inStaff(guild, 'admin');
  await turnApprovalOn(guild);
  const first = await pressSubmit(member, await paste(member, lines(4)));
  const message = await waitingIn(guild);
  for (const [part, reason] of [
    ['2, 4', 'Wrong port.'],
    ['3', 'Wrong game.'],
  ] as const) {
    const { modal } = await openModal(moderator, message, 'Decline');
    await moderator.submit(modal, { reason, lines: part });
  }
  await expect
    .poll(() => textOf(first))
    .toMatch(/❌ 2 declined by .*s1\..*s3\..*Wrong port\.\n❌ 1 declined by .*s2\..*Wrong game\./);
  // The first line is still waiting.
  const waits = await member.press(await member.slash('submissions'), 'History');
  const again = 'Edit and submit again';
  const single = await member.pick(waits, ['s2.example.com:27015']);
  const one = await openModal(member, single, again);
  expect(one.typed).toMatchObject({ game: 'cs2', server: 's2.example.com', port: '27015' });
  const reply = await member.submit(one.modal, { ...one.typed, port: '1' });
  expect(textOf(await member.press(single, again))).toContain('already submitted');
  await approve(guild);
  await expect.poll(() => textOf(reply)).toContain(ACCEPTED);
  await member.press(await member.slash('submissions'), 'Withdraw');
  clock.advance(DAY_MS);
  // The hourly job deletes submissions that have been withdrawn.
  await bot.store.rows("DELETE FROM submissions WHERE state = 'withdrawn'");
  const history = await member.slash('submissions');
  expect(labelsOf(await member.pick(history, ['s2.example.com:27015']))).toEqual([]);
  const list = await member.pick(history, ['1. 2 game servers: s1.example.com:27015 and 1 more']);
  const { modal, typed } = await openModal(member, list, again);
  expect(typed.servers).toBe(
    '2. s1.example.com:27015 Counter-Strike 2\n4. s3.example.com:27015 Counter-Strike 2',
  );
  const servers = typed.servers?.replaceAll('27015', '1') ?? '';
  const preview = await member.submit(modal, { servers });
  await pressSubmit(member, preview);
  await approve(guild);
  await expect.poll(() => textOf(preview)).toContain(ACCEPTED);
  await expect
    .poll(() => listing.submitted.map(({ server, port }) => `${server}:${port}`).toSorted())
    .toEqual(['s1.example.com:1', 's2.example.com:1', 's3.example.com:1']);
  clock.advance(DAY_MS);
  expect(textOf(await member.press(list, again))).toContain('no longer waiting for a moderator');
});

it('an invalid line is queued once the member fixes it', async ({ guild, member, listing }) => {
  await turnApprovalOn(guild);
  const list = ['one.example.com:1 cs2', 'two.example.com cs2', 'three.example.com:3 cs2'].join('\n');
  const preview = await paste(member, list);
  const reply = await pressSubmit(member, preview);
  for (const each of [preview, reply]) {
    expect(textOf(each)).toContain('1 line needs fixing:\n• Line 2 two.example.com cs2: no port');
  }
  const queue = await member.slash('submissions');
  expect(textOf(queue)).toContain('1 line needs fixing:\n• Line 2 two.example.com cs2: no port');
  for (const each of [reply, queue]) {
    const { typed } = await openModal(member, each, 'Fix 1 line');
    expect(typed.servers).toBe('2. two.example.com Counter-Strike 2');
  }
  const fixed = await edit(member, queue, { servers: '2. two.example.com:2 cs2' }, 'Fix 1 line');
  expect(textOf(fixed)).toMatch(/Your change was saved\..*1 submission is waiting.*3 game servers/s);
  expect(textOf(fixed)).not.toContain('fixing');
  expect(labelsOf(fixed)).toEqual(['Edit', 'Withdraw', 'History']);
  await approve(guild);
  await expect.poll(() => listing.submitted.map(({ port }) => port)).toEqual([1, 2, 3]);
});

it('an approval message has a "Show all" button if the list has more than ten lines', async ({
  guild,
  member,
}) => {
  await turnApprovalOn(guild);
  const reply = await pressSubmit(member, await paste(member, lines(12)));
  expect(textOf(reply)).toContain(WAITS);
  const message = await waitingIn(guild);
  // The content lists the first servers, because users can hide embeds.
  expect(message.current.embeds).toEqual([]);
  expect(message.current.content).toMatch(
    /^⏳ \*\*Counter-Strike 2\*\* \(12\)\n(?:`s\d\.example\.com.*\n){10}… and 2 more\n12 game servers · by \\@member\n/,
  );
  const all = await withFile(await inStaff(guild, 'admin').press(message, 'Show all'), 'preview.csv');
  expect(csvOf(all, 'preview.csv')).toHaveLength(12);
  expect(csvOf(all, 'preview.csv').at(-1)).toEqual(['s11.example.com', '27015', '', 'cs2', '12']);
  const { modal, typed } = await openModal(member, reply);
  expect(typed.servers).toContain('12. s11.example.com:27015 Counter-Strike 2');
  expect(labelsOf(message)).toContain('Approve');
  const servers = (typed.servers ?? '').replace('s11.example', 'changed.example').replace(/^1\..*\n/, '');
  const changed = await member.submit(modal, { servers });
  expect(textOf(changed)).toContain(WAITS);
  expect(textOf(message)).toContain('11 game servers');
  await inStaff(guild, 'admin').press(message, 'Approve');
  await expect.poll(() => guild.listing.submitted).toHaveLength(11);
  const sent = guild.listing.submitted.map(({ server }) => server);
  expect(sent).toContain('changed.example.com');
  expect(sent).not.toContain('s0.example.com');
});

it('an approval message has a "Show all" button if the address is too long', async ({ guild, member }) => {
  await turnApprovalOn(guild);
  const host = `${'long.'.repeat(20)}example.com`;
  await addServer(member, `${host}:27123`);
  const message = await waitingIn(guild);
  expect(message.current.content).toMatch(
    /^⏳ \*\*Counter-Strike 2\*\* `long\.[^`]*…[^`]*example\.com:27123`\n/,
  );
  expect(message.current.content).not.toContain(host);
  const all = await withFile(await inStaff(guild, 'admin').press(message, 'Show all'), 'preview.csv');
  expect(csvOf(all, 'preview.csv')).toEqual([[host, '27123', '', 'cs2', '1']]);
  expect(textOf(await guild.admin.slash('submissions'))).toContain(`${host}:27123`);
});

it('an approval message has a "Show all" button if the lines are too long', async ({ guild, member }) => {
  await turnApprovalOn(guild);
  const long = `${'long.'.repeat(20)}example.com`;
  const names = ['ark', 'arksa', 'arma3', 'cs16', 'cs2', 'csgo', 'css', 'l4d2', 'samp', 'tf2'];
  const list = names.map((game, n) => `${long},${27_015 + n},${game},${28_015 + n}`).join('\n');
  await pressSubmit(member, await paste(member, list));
  const message = await waitingIn(guild);
  expect(message.current.content).toMatch(/… and \d more\n/);
  const all = await withFile(await inStaff(guild, 'admin').press(message, 'Show all'), 'preview.csv');
  expect(csvOf(all, 'preview.csv')).toHaveLength(10);
});

it('an otherwise empty history mentions a waiting submission', async ({ guild, admin, member }) => {
  await oneWaits(guild);
  for (const who of [admin, member]) {
    const history = textOf(await who.press(await who.slash('submissions'), 'History'));
    expect(history).toContain('1 submission is waiting for a moderator');
    expect(history).not.toMatch(/[Nn]othing/);
  }
});

describe('the approval setting in /settings', () => {
  it('lets the bot mention a role at most once an hour', async ({ guild, bot, admin, member }) => {
    await turnApprovalOn(guild);
    guild.discord.guildEvents.addRole(guild, { name: 'deciders', mentionable: true });
    const page = await pickSetting(guild, 'Approval', '@Moderators');
    expect(textOf(page)).toContain('➖ Mention: off');
    const both = ['Send direct messages', 'Mention the role'];
    expect(textOf(await admin.pick(page, ['Mention the role', 'Require a reason to decline']))).toMatch(
      /Mention is off, because the bot can't mention .*Direct messages about decisions: off.*✅ Reason to decline: required/s,
    );
    await pickSetting(guild, 'Approval', '@deciders');
    const chosen = await setApprovalOptions(guild, both);
    expect(textOf(chosen)).toMatch(
      /✅ Direct messages about decisions: on\n✅ Mention: on, at most once an hour/,
    );
    expect(labelsOf(chosen)).toEqual([
      'Turn approval off',
      'Only “Manage Server” can approve',
      'All settings',
    ]);
    await setApprovalOptions(guild, ['Mention the role']);
    await expect
      .poll(() => logLines(guild).join('\n'))
      .toMatch(/✅ \*\*Mention\*\*: on.*➖ \*\*Direct messages about decisions\*\*: off/s);
    const pings = () => approvalsIn(guild).map(({ first }) => first.mention_roles.length);
    for (const port of [1, 2]) await addServer(member, `${HOST}:${port}`);
    expect(pings()).toEqual([1, 0]);
    await bot.store.rows(
      "UPDATE keyv SET value = replace(value, 'approvalMentionedAt', 'longAgo') WHERE key = ?",
      `settings:${guild.id}`,
    );
    await addServer(member, `${HOST}:3`);
    expect(pings()).toEqual([1, 0, 1]);
    await pressSetting(guild, 'Approval', 'Only “Manage Server” can approve');
    expect(textOf(await openSetting(guild, 'Approval'))).not.toContain('at most once an hour');
  });

  it('requires a log channel while approval is on', async ({ guild, admin }) => {
    const without = await openSetting(guild, 'Approval');
    expect(textOf(without)).toContain('needs a working log channel. Choose one first.');
    expect(labelsOf(without)).not.toContain('Turn approval on');
    // After choosing a channel on this page, the admin can turn approval on.
    const page = await admin.pick(without, ['#staff']);
    expect(textOf(page)).toMatch(/^(?!.*needs a working log channel).*Approval: off.*✅ Log channel: #/s);
    const log = await openSetting(guild, 'Log channel');
    const off = await openSetting(guild, 'Approval');
    await admin.press(page, 'Turn approval on');
    const needed = await openSetting(guild, 'Log channel');
    expect(textOf(needed)).toContain(
      "Approval needs the log channel, so the log channel can't be turned off.",
    );
    expect(labelsOf(needed)).not.toContain('Turn off the log channel');
    expect(textOf(await admin.press(log, 'Turn off the log channel'))).toMatch(
      /✅ Log channel: #\d+\n.*the log channel can't be turned off/s,
    );
    expect(textOf(await admin.press(page, 'Turn approval off'))).toContain('Approval: off');
    expect(textOf(await pressSetting(guild, 'Log channel', 'Turn off the log channel'))).toContain(
      'Log channel: none',
    );
    expect(textOf(await admin.press(off, 'Turn approval on'))).toMatch(
      /⚠️ Approval needs a working log channel.*Approval: off.*▾ Choose a log channel/s,
    );
  });

  it('shows the approval role even if approval is off', async ({ guild, admin }) => {
    await chooseLogChannel(guild);
    const chosen = await admin.pick(await openSetting(guild, 'Approval'), ['@Moderators']);
    expect(textOf(chosen)).toMatch(/➖ Approval: off; @\d+ can approve too/);
    await expect
      .poll(() => logLines(guild).join())
      .toMatch(/➖ \*\*Approval\*\*: off; <@&\d+> can approve too/);
    expect(textOf(await admin.press(chosen, 'Only “Manage Server” can approve'))).toMatch(/Approval: off\n/);
  });
});
