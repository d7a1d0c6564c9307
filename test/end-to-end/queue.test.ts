import { describe, expect } from 'vitest';
import { modalTexts } from '../../sandbox/discord/client/modal-form.ts';
import type { Answer, Person } from '../../sandbox/discord/contract.ts';
import { ROLES } from '../../sandbox/people.ts';
import { createWords } from '../../src/words/words.ts';
import {
  approvalsIn,
  DECISIONS,
  decline,
  inStaff,
  setApprovalOptions,
  turnApprovalOn,
  waitingIn,
} from '../support/approval.ts';
import { botTest, messageOf, modalOf, oneBot, type TestGuild, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  adds,
  edit,
  labelsOf,
  lines,
  openModal,
  openSetting,
  paste,
  pressSubmit,
  staffChannel,
} from '../support/people.ts';

const it = botTest();

/** Three languages that moderators use. */
const LOCALES = ['en-US', 'de', 'ja'] as const;
const wordsOf = (locale: string) => createWords().wordsFor(locale);

/** Submits servers as the member and leaves them waiting: `q0.example.com:27015` and so on. */
async function letWait(guild: TestGuild, count: number): Promise<readonly Answer[]> {
  await turnApprovalOn(guild);
  const replies: Answer[] = [];
  for (let n = 0; n < count; n += 1) replies.push(await addServer(guild.member, `q${n}.example.com:27015`));
  return replies;
}

/** Returns the number of the submission that the queue shows, below any decided ones. */
const shownIn = (queue: Answer): number => Number(/.*q(\d)\.example/s.exec(textOf(queue))?.[1]);

/**
 * Follows the numbers of the submissions that the queue shows. Next come newer ones, then the oldest. `decide` removes the
 * submission and returns its number.
 */
function placesOf(queue: Answer, count: number) {
  const first = shownIn(queue);
  const waiting = Array.from({ length: count }, (_, n) => (first + n) % count);
  return { shown: () => waiting[0] ?? -1, decide: () => waiting.shift() ?? -1 };
}

describe('the queue in /submissions', () => {
  it.for(LOCALES)('shows the previous decision above the next submission (in %s)', async (locale, {
    guild,
    listing,
  }) => {
    await letWait(guild, 4);
    const t = wordsOf(locale);
    const moderator = inStaff(guild, 'admin', locale);
    const queue = await moderator.slash('submissions');
    const first = () => messageOf(queue).current?.content.split('\n')[0]?.replaceAll('\\', '');
    const about = (item: string, n: number) =>
      t('look.about', {
        item,
        why: `**Counter-Strike 2** \`q${n}.example.com:27015\` · ${t('by.user', { user: '@member' })}`,
      });
    const sent = (n: number) => ` ${about(t('approval.sent'), n)} · `;
    const { shown, decide } = placesOf(queue, 4);

    await moderator.press(queue, t('approval.approve'));
    expect(first()).toContain(sent(decide()));
    expect(first()).toMatch(new RegExp(`^✅ .*${ACCEPTED}`));
    expect(textOf(queue)).toContain(`q${shown()}.example.com`);

    const body = { status: 'error', message: 'No such luck.' };
    await listing.behave({ kind: 'json', status: 200, body }, 1);
    await moderator.press(queue, t('approval.approve'));
    // The line starts with the sign of the outcome.
    expect(first()).toMatch(/^❌ [^✅❌]*No such luck\.$/);
    expect(first()).toContain(sent(decide()));

    await moderator.submit(await moderator.press(queue, t('approval.decline')), {
      why: 'rules',
      reason: 'Ours.',
    });
    const reason = t('approval.reason', { reason: `${t('approval.reasons.rules')} Ours.` });
    expect(first()?.replaceAll(' ', '')).toBe(
      `❌ ${about(t('approval.declined'), decide())} · ${reason}`.replaceAll(' ', ''),
    );
    expect(textOf(queue)).toContain(`q${shown()}.example.com`);
  });

  it('shows an error instead of the previous decision if a correction or approval fails', async ({
    guild,
    admin,
  }) => {
    await letWait(guild, 3);
    const queue = await admin.slash('submissions');
    const fail = async (server: string) => {
      const { modal, typed } = await openModal(admin, queue, 'Correct…');
      return textOf(await admin.submit(modal, { ...typed, game: 'cs2', server }));
    };
    const { shown, decide } = placesOf(queue, 3);
    await admin.press(queue, 'Approve');
    const other = 3 - decide() - shown();
    expect(textOf(queue)).toContain('Approved and sent');
    for (const server of ['10.0.0.1', `q${other}.example.com:27015`]) {
      expect(await fail(server)).toMatch(
        new RegExp(
          `^[^\\n]*Not changed: (?!.*Approved and sent).*Still waiting.*2 submissions are waiting.*q${shown()}\\.example`,
          's',
        ),
      );
    }
    await addServer(admin, `q${shown()}.example.com:27015`);
    await admin.press(queue, 'Approve');
    expect(textOf(queue)).toMatch(
      new RegExp(`already submitted(?!.*and sent).*Still waiting.*q${shown()}\\.example`, 's'),
    );
    expect(labelsOf(queue)).not.toContain('Approve');
    await admin.press(queue, 'Remove (already submitted)');
    expect(textOf(queue)).toMatch(
      new RegExp(`^[^\\n]*❌ Declined: [^\\n]*q${decide()}\\..*already submitted\\..*1 submission is`, 's'),
    );
  });

  it('reports decisions by other moderators and edits by the member', async ({ guild, admin, member }) => {
    const replies = await letWait(guild, 5);
    const queue = await admin.slash('submissions');
    const faster = inStaff(guild, 'admin');
    const messageOn = (n: number) =>
      approvalsIn(guild).find((message) => textOf(message).includes(`q${n}.`)) ?? queue;
    const controls = [...DECISIONS, 'Next waiting'];

    const first = shownIn(queue);
    await faster.press(messageOn(first), 'Approve');
    await admin.press(queue, 'Approve');
    expect(textOf(queue)).toMatch(
      new RegExp(`✅ Approved by @admin: .*q${first}\\..*4 submissions are waiting`, 's'),
    );
    expect(shownIn(queue)).not.toBe(first);
    expect(labelsOf(queue)).toEqual(expect.arrayContaining([...controls, 'History']));

    const second = shownIn(queue);
    const { modal } = await openModal(admin, queue, 'Decline');
    await decline(guild, messageOn(second), 'Faster.');
    await admin.submit(modal, { reason: 'Too late.' });
    expect(textOf(queue)).toMatch(
      new RegExp(`❌ Declined by .*q${second}\\..*3 submissions are waiting`, 's'),
    );
    expect(labelsOf(queue)).toEqual(expect.arrayContaining([...controls, 'History']));

    const reply = replies[shownIn(queue)] ?? queue;
    for (const [index, label] of ['Decline', 'Correct…', 'Approve', 'form'].entries()) {
      const form = label === 'form' ? modalOf(await admin.press(queue, 'Decline')) : undefined;
      await edit(member, reply, { server: 'changed.example.com', port: String(index + 1) });
      await (form ? admin.submit(form, { reason: 'Too late.' }) : admin.press(queue, label));
      expect(textOf(queue)).toMatch(
        new RegExp(
          `changed since you last saw it.*3 submissions are waiting.*changed\\.example\\.com:${index + 1}`,
          's',
        ),
      );
      expect(labelsOf(queue)).toEqual(expect.arrayContaining([...controls, 'History']));
    }
    for (let left = 3; left > 0; left -= 1) await admin.press(queue, 'Approve');
    expect(textOf(queue)).toMatch(/Approved and sent.*Nothing else is waiting\./s);
    expect(labelsOf(queue)).toEqual(['History', 'Blocked here']);
  });

  it("keeps the moderator's input if a form is rejected", async ({ guild, admin }) => {
    const replies = await letWait(guild, 3);
    await setApprovalOptions(guild, ['Require a reason to decline']);
    const queue = await admin.slash('submissions');
    const labels = labelsOf(queue);
    const first = shownIn(queue);
    for (const [label, shown] of [
      ['Decline', first],
      ['Decline all 3 from @member', 0],
    ] as const) {
      await admin.submit(modalOf(await admin.press(queue, label)), { block: '@member' });
      expect(textOf(queue)).toMatch(
        new RegExp(`^[^\\n]*Not declined: a reason.*3 submissions are waiting.*q${shown}\\.example`, 's'),
      );
      expect(labelsOf(queue)).toEqual(labels);
      expect((await openModal(admin, queue, label)).typed).toMatchObject({ block: '@member' });
    }
    const correction = { game: 'rust', server: '10.0.0.1', port: '5', query_port: '6' };
    await admin.submit(modalOf(await admin.press(queue, 'Correct…')), correction);
    expect((await openModal(admin, queue, 'Correct…')).typed).toEqual(correction);
    const shown = shownIn(queue);
    const late = modalOf(await admin.press(queue, 'Decline'));
    await edit(guild.member, replies[shown] ?? queue, { port: '2' });
    await admin.submit(late, { why: 'rules', reason: 'Late.' });
    expect(textOf(queue)).toMatch(
      new RegExp(
        `changed since you last saw it.*3 submissions are waiting.*q${shown}\\.example\\.com:2`,
        's',
      ),
    );
    expect((await openModal(admin, queue, 'Decline')).typed).toMatchObject({ why: 'rules', reason: 'Late.' });
    await admin.press(queue, 'Next waiting');
    expect((await openModal(admin, queue, 'Decline')).typed).toMatchObject({ reason: '' });
    const allLate = modalOf(await admin.press(queue, 'Decline all 3 from @member'));
    for (const reply of replies) await edit(guild.member, reply, { port: '3' });
    await admin.submit(allLate, { reason: 'All late.', block: '@member' });
    expect(textOf(queue)).toMatch(/no effect\. Not blocked: @member.*left out: .*3 submissions are waiting/s);
    const { typed } = await openModal(admin, queue, 'Decline all 3 from @member');
    expect(typed).toMatchObject({ reason: 'All late.', block: '@member' });
  });

  it('still works after the member edits or withdraws a submission', async ({ guild, member }) => {
    await letWait(guild, 4);
    const queue = await member.slash('submissions');
    await member.press(queue, 'Next waiting');
    await edit(member, queue, { server: 'q1.example.com', port: '99999' });
    expect(textOf(queue)).toMatch(/Not changed: .*4 submissions are waiting.*q1\.example\.com:27015/s);
    expect((await openModal(member, queue, 'Edit')).typed).toMatchObject({ port: '99999' });
    await edit(member, queue, { server: 'q1.example.com', port: '27016' });
    expect(textOf(queue)).toMatch(
      /Your change was saved\..*4 submissions are waiting.*q1\.example\.com:27016/s,
    );
    await member.press(queue, 'Withdraw');
    expect(textOf(queue)).toMatch(/Withdrawn.*q1\..*3 submissions are waiting.*q0\.example/s);
    expect(labelsOf(queue)).toEqual(['Edit', 'Withdraw', 'Next waiting', 'History', 'Edit and submit again']);
    for (let left = 3; left > 0; left -= 1) await member.press(queue, 'Withdraw');
    expect(textOf(queue)).toMatch(/Withdrawn.*Nothing else is waiting\./s);
    expect(labelsOf(queue)).toEqual(['Edit and submit again', 'History']);
    expect(guild.listing.submitted).toEqual([]);
  });

  it.for(
    LOCALES,
  )("reopens the form with the same input if a line number doesn't exist (in %s)", async (locale, {
    guild,
  }) => {
    await turnApprovalOn(guild);
    await pressSubmit(guild.member, await paste(guild.member, lines(3)));
    const t = wordsOf(locale);
    const moderator = inStaff(guild, 'admin', locale);
    const typed = { why: 'rules', reason: 'Not **ours**.\nNor yours.', lines: '2, 40', block: '@member' };
    const message = await waitingIn(guild);
    const queue = await moderator.slash('submissions');
    // The log channel uses the guild's language.
    for (const [on, label] of [
      [queue, t('approval.decline')],
      [message, 'Decline'],
    ] as const) {
      const refused = await moderator.submit(modalOf(await moderator.press(on, label)), typed);
      expect(messageOf(refused).current?.content).toContain(t('approval.noLine', { search: '40' }));
      const { modal, typed: kept } = await openModal(moderator, refused, t('approval.decline'));
      expect(kept).toEqual(typed);
      if (on === queue) {
        expect(textOf(queue)).toContain(t('submissions.waiting', { count: 1 }));
        expect(labelsOf(queue)).toContain(t('submissions.history'));
        continue;
      }
      const declined = textOf(await moderator.submit(modal, { ...kept, lines: '2' }));
      expect(declined).toContain('Not **ours**. Nor yours.');
    }
    await expect.poll(() => textOf(message)).toMatch(/2 game servers.*❌ 1 declined by .*s1\.example\.com/s);
  });

  it("shows the moderator's input if the submission has been withdrawn", async ({ guild, admin }) => {
    const replies = await letWait(guild, 2);
    for (const others of [1, 0]) {
      const queue = await admin.slash('submissions');
      const form = modalOf(await admin.press(queue, 'Decline'));
      await guild.member.press(replies[shownIn(queue)] ?? queue, 'Withdraw');
      const late = await admin.submit(form, { reason: 'Typed.', block: '@member' });
      expect(textOf(late)).toContain(others > 0 ? '1 submission is waiting' : 'Nothing else is waiting.');
      expect(textOf(late)).toMatch(/Your decline had no effect\. Not blocked: @member\..*Typed\./s);
      // What was typed isn't about the next submission.
      if (others > 0)
        expect((await openModal(admin, late, 'Decline')).typed).toMatchObject({ reason: '', block: '' });
    }
  });
});

it('moderators can resend an unconfirmed game server from the queue or the history', async ({
  guild,
  admin,
  member,
  listing,
}) => {
  await letWait(guild, 3);
  const queue = await admin.slash('submissions');
  const first = shownIn(queue);
  const failOnce = () => listing.behave({ kind: 'status', status: 503 }, 1);
  await failOnce();
  await admin.press(queue, 'Approve');
  expect(textOf(queue)).toMatch(/^[^\n]*❓ Approved, not confirmed: .*2 submissions are waiting/s);
  await admin.press(queue, 'Submit again anyway');
  expect(textOf(queue)).toMatch(
    new RegExp(`^[^\\n]*✅ Approved and sent: .*q${first}\\..*2 submissions are waiting`, 's'),
  );
  expect(labelsOf(queue)).not.toContain('Submit again anyway');
  const address = `q${shownIn(queue)}.example.com:27015`;
  await failOnce();
  await admin.press(queue, 'Approve');
  const open = async (person: Person) =>
    person.pick(await person.slash('submissions', { outcome: 'unknown' }), [address]);
  expect(labelsOf(await open(member))).not.toContain('Submit again anyway');
  const opened = await open(admin);
  expect(textOf(opened)).toContain('before sending it again');
  await admin.press(opened, 'Submit again anyway');
  expect(textOf(opened)).toMatch(/^[^\n]*✅ Approved and sent: .*1 submission is waiting/s);
  expect(adds(guild)).toHaveLength(4);
});

it('a member with the approval role can see past decisions until they lose the role', async ({
  guild,
  discord,
  admin,
}) => {
  await letWait(guild, 2);
  await addServer(admin, 'of-admin.example.com:1');
  await admin.pick(await openSetting(guild, 'Approval'), ['@Moderators']);
  const other = inStaff(guild, 'other');
  const roleId = discord.roles(guild).find(({ name }) => name === 'Moderators')?.id ?? '';
  discord.guildEvents.giveRole(other, roleId);
  const queue = await other.slash('submissions');
  await other.press(queue, 'Approve');
  await other.submit(modalOf(await other.press(queue, 'Decline')), { reason: 'Not ours.' });
  await other.press(queue, 'History');
  expect(textOf(queue)).toMatch(/2 submissions, newest first.*Not ours\..*sent for review/s);
  expect(textOf(queue)).not.toContain('of-admin');
  expect(labelsOf(queue)).not.toContain('Export');
  const declined = await other.slash('submissions', { member: guild.member.userId, outcome: 'declined' });
  const [, address = ''] = /(q\d\.example\.com:27015)/.exec(textOf(declined)) ?? [];
  expect(textOf(await other.pick(declined, [address]))).toContain('Not ours.');
  discord.guildEvents.removeRole(guild, roleId);
  expect(textOf(await other.slash('submissions', { outcome: 'declined' }))).not.toContain('Not ours.');
});

it('a form keeps its input if the moderator loses the approval role', async ({ guild, discord, admin }) => {
  await letWait(guild, 2);
  await admin.pick(await openSetting(guild, 'Approval'), ['@Moderators']);
  const other = inStaff(guild, 'other');
  const roleId = discord.roles(guild).find(({ name }) => name === 'Moderators')?.id ?? '';
  discord.guildEvents.giveRole(other, roleId);
  const message = await waitingIn(guild);
  for (const [on, label, opens, changes] of [
    [message, 'Decline', 'Decline', { why: 'rules', reason: 'A long reason.' }],
    [message, 'Correct…', 'Correct…', { port: '7' }],
    [await other.slash('submissions'), 'Decline all 2 from @member', 'Decline', { reason: 'A long reason.' }],
  ] as const) {
    const { modal } = await openModal(other, on, label);
    discord.guildEvents.takeRole(other, roleId);
    const refused = await other.submit(modal, changes);
    expect(textOf(refused)).toContain('or the approval role');
    discord.guildEvents.giveRole(other, roleId);
    expect((await openModal(other, refused, opens)).typed).toMatchObject(changes);
  }
});

it('a search lists waiting submissions if no past ones match', async ({ guild, admin, member }) => {
  await letWait(guild, 2);
  for (const person of [admin, member]) {
    const found = await person.slash('submissions', { server: 'q1' });
    expect(textOf(found)).toMatch(/1 submission.*q1\.example\.com:27015.*waiting/is);
    expect(textOf(found)).not.toContain('q0.');
    expect(labelsOf(found)).not.toContain('Export');
  }
  expect(textOf(await admin.slash('submissions', { member: member.userId }))).toContain('q0.example.com');
  expect(textOf(await admin.slash('submissions', { server: 'q2' }))).toContain('No submissions match.');
});

it('search results have a button that opens the waiting submissions', async ({ guild, admin, member }) => {
  await letWait(guild, 3);
  await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
  for (const person of [admin, member]) {
    const found = await person.slash('submissions', { server: 'example.com' });
    expect(textOf(found)).toMatch(/1 submission.*q2\.example\.com:27015/s);
    const waiting = await person.press(found, 'Waiting (2)');
    expect(textOf(waiting)).toMatch(/2 submissions.*q1\.example\.com.*q0\.example\.com/s);
    expect(textOf(waiting)).not.toContain('q2.');
  }
});

it('a waiting submission opened from a search has the same buttons as in the queue', async ({
  guild,
  admin,
}) => {
  await letWait(guild, 3);
  const labels = labelsOf(await admin.slash('submissions'));
  const found = await admin.slash('submissions', { server: 'q1' });
  const opened = await admin.pick(found, ['q1.example.com:27015']);
  expect(shownIn(opened)).toBe(1);
  expect(labelsOf(opened)).toEqual(labels);
  await admin.press(opened, 'Approve');
  expect(textOf(opened)).toMatch(/Approved and sent: .*q1\..*2 submissions are waiting.*q2\./s);
});

/** Submits servers as several members and leaves them waiting. `counts` has one entry per member. */
async function letMembersWait(guild: TestGuild, counts: readonly number[]): Promise<readonly Person[]> {
  await turnApprovalOn(guild);
  const members: Person[] = [];
  for (const [index, count] of counts.entries()) {
    const { permissions } = ROLES.member;
    const member = guild.discord.person({ guild, name: `m${index}`, permissions });
    members.push(member);
    for (let n = 0; n < count; n += 1) await addServer(member, `${member.name}-${n}.example.com:27015`);
  }
  return members;
}

describe('all submissions from one member', () => {
  it.for(LOCALES)('can be approved together after confirmation (in %s)', async (locale, {
    guild,
    listing,
  }) => {
    await letMembersWait(guild, [1, 3]);
    const t = wordsOf(locale);
    const moderator = inStaff(guild, 'admin', locale);
    const queue = await moderator.slash('submissions');
    await moderator.pick(queue, ['m1 (3)']);
    const question = await moderator.press(queue, t('approval.several.approve', { count: 3, name: 'm1' }));
    for (const n of [0, 1, 2]) expect(textOf(question)).toContain(`m1-${n}.example.com`);
    expect(textOf(question)).not.toContain('m0-');
    await moderator.press(question, t('approval.approve'));
    expect(listing.submitted.map(({ server }) => server)).toEqual(
      [0, 1, 2].map((n) => `m1-${n}.example.com`),
    );
    const said = textOf(queue).replaceAll('\\', '');
    expect(said).toContain(t('approval.sent'));
    expect(said).toContain(ACCEPTED);
    expect(said).toContain('m0-0.example.com');
  });

  it.for(LOCALES)('can be declined together for the same reason (in %s)', async (locale, { guild }) => {
    const [, member = guild.member] = await letMembersWait(guild, [1, 2]);
    const t = wordsOf(locale);
    const moderator = inStaff(guild, 'admin', locale);
    const queue = await moderator.slash('submissions');
    await moderator.pick(queue, ['m1 (2)']);
    const label = t('approval.several.decline', { count: 2, name: 'm1' });
    const modal = modalOf(await moderator.press(queue, label));
    expect(modalTexts(modal.data).join()).toMatch(/m1-0\.example.*m1-1\.example/s);
    await moderator.submit(modal, { why: 'rules' });
    expect(textOf(queue)).toContain(t('approval.reasons.rules'));
    expect(textOf(queue)).toContain('m0-0.example.com');
    expect(adds(guild)).toEqual([]);
    const seen = textOf(await member.slash('submissions'));
    // Equal decisions are one entry.
    expect(seen.match(/Declined by @admin/g)).toHaveLength(1);
  });

  it("aren't approved if they have changed since the moderator saw them", async ({
    guild,
    admin,
    member,
  }) => {
    const [changed, ...replies] = await letWait(guild, 6);
    const question = await admin.press(await admin.slash('submissions'), 'Approve all 6 from @member');
    if (changed) await edit(member, changed, { server: 'changed.example.com', port: '27015' });
    for (const withdrawn of replies.slice(0, 3)) await member.press(withdrawn, 'Withdraw');
    await addServer(member, 'new.example.com:27015');
    await admin.press(question, 'Approve');
    expect(guild.listing.submitted.map(({ server }) => server)).toEqual(['q4.example.com', 'q5.example.com']);
    expect(textOf(question)).toMatch(
      /Approved and sent: .*q4\.example.* and .*q5\.example.*left out: [^\n]*q3\.example[^\n]*q2\.example[^\n]*q1\.example[^\n]*q0\.example.*haven't seen .*changed\.example.* and .*new\.example/s,
    );
  });

  it('can be declined even if one of them has already been approved', async ({ guild, admin }) => {
    await letWait(guild, 3);
    const queue = await admin.slash('submissions');
    const form = modalOf(await admin.press(queue, 'Decline all 3 from @member'));
    await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
    await admin.submit(form, { block: 'q2.example.com' });
    expect(textOf(queue)).toMatch(
      /❌ Declined: .*⚠️ Not blocked: q2\.example\.com\..*left out: .*q2\.example/s,
    );
  });

  it('are sent only once if two moderators approve them at the same time', async ({ guild, admin }) => {
    await letWait(guild, 4);
    const moderators = [admin, inStaff(guild, 'admin')];
    const old = await admin.slash('submissions');
    const questions: Answer[] = [];
    for (const each of moderators) {
      questions.push(await each.press(await each.slash('submissions'), 'Approve all 4 from @member'));
    }
    await Promise.all(
      moderators.map(async (each, index) => {
        const question = questions[index];
        if (question) await each.press(question, 'Approve');
      }),
    );
    expect(guild.listing.submitted).toHaveLength(4);
    const texts = questions.map((each) => textOf(each)).join('\n');
    // At least one moderator was too late for one of them.
    expect(texts).toMatch(/left out: .*q\d\.example/);
    expect(textOf(await admin.press(old, 'Approve all 4 from @member'))).toContain(
      'Nothing else is waiting.',
    );
    // Each message shows the decision and the outcome.
    const shown = () =>
      guild.discord.messages({ channelId: staffChannel(guild) }).map((message) => textOf(message));
    for (const n of [0, 1, 2, 3]) {
      await expect
        .poll(() => shown().find((text) => text.includes(`q${n}.example`)))
        .toMatch(
          /^✅ Counter-Strike 2 .*\nby @member\nApproved by @admin\n✅ Sent for review\. “Servers have/,
        );
    }
  });

  it('are updated in the log channel one by one', async () => {
    // The other tests' messages would keep a shared bot updating messages.
    const bot = await oneBot();
    const begun = () => bot.store.rows("SELECT 1 FROM jobs WHERE name = 'maintenance'");
    await expect.poll(begun).toHaveLength(1);
    const guild = await bot.newGuild({ key: 'sandbox-key' });
    const { admin, listing } = guild;
    await letWait(guild, 2);
    const question = await admin.press(await admin.slash('submissions'), 'Approve all 2 from @member');
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await listing.behave({ kind: 'held', until: first.promise }, 1);
    const reply = admin.press(question, 'Approve');
    await expect.poll(() => adds(guild)).toHaveLength(1);
    await listing.behave({ kind: 'held', until: second.promise }, 1);
    first.resolve();
    await expect.poll(() => approvalsIn(guild).map(textOf).join('\n')).toContain(ACCEPTED);
    second.resolve();
    await reply;
  });

  it("stay in the queue if they can't be sent", async ({ guild, admin }) => {
    await letWait(guild, 3);
    const question = await admin.press(await admin.slash('submissions'), 'Approve all 3 from @member');
    await addServer(admin, 'q1.example.com:27015');
    await guild.listing.behave({ kind: 'json', status: 200, body: { status: 'error', message: 'No.' } }, 1);
    await admin.press(question, 'Approve');
    expect(textOf(question)).toMatch(
      /Approved and sent: .*1 sent for review.*1 rejected: q\d\.example\.com:27015 · No.*\n.*q1\.example.*\n⚠️ .*already submitted.*Still waiting.*1 submission is waiting/s,
    );
    // Members without the permission can't see the queue.
    const other = inStaff(guild, 'other');
    expect(textOf(await other.slash('submissions'))).not.toContain('q1.example');
  });

  it('can be approved together only if they fit in one message', async ({ guild, admin, member }) => {
    await turnApprovalOn(guild);
    await pressSubmit(member, await paste(member, lines(11)));
    const long = `${'long.'.repeat(40)}example.com`;
    for (let n = 1; n <= 2; n += 1) await addServer(member, `q${n}.example.com:27015`);
    const list = Array.from({ length: 10 }, (_, n) => `${long}:${n + 1} cs2`).join('\n');
    for (const port of [1, 2]) {
      await pressSubmit(member, await paste(member, list.replaceAll('long.e', `l${port}.e`)));
    }
    const queue = await admin.slash('submissions');
    const question = await admin.press(queue, 'Approve all 5 from @member');
    expect(textOf(question)).toMatch(
      /Approve all 3 from @member.*would be too long: 2\..*q1\.example.*q2\.example/s,
    );
    await admin.press(question, 'Approve');
    expect(guild.listing.submitted).toHaveLength(12);
    expect(textOf(queue)).toContain('2 submissions are waiting');
    expect(textOf(queue)).not.toContain("haven't seen");
  });
});

it('the queue warns moderators if the service has rejected the API key', async ({ guild, admin }) => {
  await letWait(guild, 2);
  expect(textOf(await admin.slash('submissions'))).not.toContain('API key');
  await guild.listing.behave(
    { kind: 'json', status: 401, body: { status: 'error', message: 'Invalid API key.' } },
    1,
  );
  await admin.press(await admin.slash('submissions'), 'Approve');
  expect(textOf(await admin.slash('submissions'))).toMatch(
    /⚠️ The listing service rejects .* API key.*\n\n2 submissions are waiting/,
  );
  const other = inStaff(guild, 'other');
  expect(textOf(await other.slash('submissions'))).not.toContain('API key');
});

it('a moderator can approve 15 submissions from four members in eight button presses', async ({ guild }) => {
  await letMembersWait(guild, [6, 4, 4, 1]);
  const moderator = inStaff(guild, 'admin');
  const queue = await moderator.slash('submissions');
  let presses = 1;
  expect(textOf(queue)).toContain('15 submissions are waiting');
  /** Returns the button that approves the most submissions. */
  const approveLabel = () => {
    const labels = labelsOf(queue);
    return (
      labels.find((label) => label.startsWith('Approve all ')) ?? labels.find((label) => label === 'Approve')
    );
  };
  for (let label = approveLabel(); label !== undefined; label = approveLabel()) {
    await moderator.press(queue, label);
    presses += 1;
  }
  expect(guild.listing.submitted).toHaveLength(15);
  expect(presses).toBe(8);
});
