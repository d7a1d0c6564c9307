import { expect } from 'vitest';
import {
  approvalsIn,
  DECISIONS,
  decline,
  directTo,
  inStaff,
  oneWaits,
  turnApprovalOn,
  waitingIn,
} from '../support/approval.ts';
import { botTest, type Shown, textOf } from '../support/bot.ts';
import { createTestClock } from '../support/machine.ts';
import {
  ACCEPTED,
  addServer,
  addsOf,
  componentsOf,
  edit,
  labelsOf,
  lines,
  logLines,
  paste,
  pressSubmit,
} from '../support/people.ts';

const it = botTest({ timing: { decisionMessages: { everyMs: 20 }, declineUndoMs: 60_000 } });

const WAITS = 'Waiting for a moderator';
const MINUTE_MS = 60_000;

it('a moderator can undo a decline in the log channel before the member is notified', async ({
  guild,
  member,
}) => {
  const clock = createTestClock();
  const { reply, message } = await oneWaits(guild, 'undone.example.com');
  await decline(guild, message, 'By mistake');
  expect(labelsOf(message)).toEqual(['Undo decline']);
  const moderator = inStaff(guild, 'admin');
  await moderator.press(message, 'Undo decline');
  expect(labelsOf(message)).toEqual(DECISIONS);
  expect(textOf(message)).not.toContain('By mistake');
  expect(textOf(reply)).toContain(WAITS);
  await moderator.press(message, 'Approve');
  await expect.poll(() => textOf(reply)).toContain(ACCEPTED);
  expect(addsOf(guild, 'undone.example.com')).toHaveLength(1);
  expect(approvalsIn(guild)).toHaveLength(1);

  const declined = await addServer(member, 'declined.example.com:1');
  const kept = await waitingIn(guild);
  await decline(guild, kept, 'Not here');
  expect(textOf(declined)).toContain(WAITS);
  clock.advance(MINUTE_MS);
  await moderator.press(kept, 'Undo decline');
  const replies = () => guild.discord.requests.filter(({ body }) => body.includes('Not undone.'));
  await expect.poll(() => replies().length).toBeGreaterThan(0);
  expect(replies()[0]?.body).toContain('@member can resubmit what was declined.');
  expect(labelsOf(kept)).toEqual([]);
  await expect.poll(() => textOf(declined)).toContain('Not here');
  expect(directTo(guild, member)).toEqual([]);
  clock.advance(MINUTE_MS);
  await expect
    .poll(() => directTo(guild, member).map((each) => textOf(each)))
    .toEqual([expect.stringMatching(/^1 approved and 1 declined\n/)]);
});

it('the reply to a list hides declined lines while the decline can be undone', async ({ guild, member }) => {
  const clock = createTestClock();
  await turnApprovalOn(guild);
  const reply = await pressSubmit(member, await paste(member, lines(4)));
  const message = await waitingIn(guild);
  const moderator = inStaff(guild, 'admin');
  await edit(moderator, message, { lines: '2', reason: 'Not here' }, 'Decline');
  const undo = labelsOf(message).at(-1) ?? '';
  expect(undo).toMatch(/^Undo/);
  await moderator.press(message, 'Approve');
  await expect.poll(() => textOf(reply)).toContain(ACCEPTED);
  expect(textOf(reply)).not.toContain('Not here');
  expect(labelsOf(message)).toEqual([undo]);
  clock.advance(MINUTE_MS);
  await moderator.press(message, undo);
  await expect.poll(() => textOf(reply)).toMatch(/Earlier from the same list:\n❌ 1 declined by .*Not here/);
});

it('resubmitting a withdrawn submission posts a new message in the log channel', async ({
  guild,
  member,
}) => {
  const { message: old } = await oneWaits(guild, 'back.example.com');
  const waiting = await member.slash('submissions');
  await member.press(waiting, 'Withdraw');
  await expect.poll(() => textOf(old)).toContain('Withdrawn');
  await edit(member, waiting, { port: '2' }, 'Edit and submit again');
  await expect.poll(() => approvalsIn(guild)).toHaveLength(2);
  const latest = await waitingIn(guild);
  expect(textOf(old)).toContain('Withdrawn');
  await edit(member, await member.slash('submissions'), { port: '3' });
  await expect.poll(() => textOf(latest)).toContain('back.example.com:3');
  expect(approvalsIn(guild)).toHaveLength(2);
});

it('resubmitting a declined submission posts a new message in the log channel', async ({ guild, member }) => {
  const { message: old } = await oneWaits(guild, 'twice.example.com');
  await decline(guild, old, 'Wrong port');
  const declined = await member.pick(await member.slash('submissions'), ['twice.example.com:1']);
  await edit(member, declined, { port: '2' }, 'Edit and submit again');
  await expect.poll(() => approvalsIn(guild)).toHaveLength(2);
  const latest = await waitingIn(guild);
  const moderator = inStaff(guild, 'admin');
  await moderator.press(old, 'Undo decline');
  expect(textOf(old)).toContain('Wrong port');
  expect(labelsOf(latest)).toEqual(DECISIONS);
  await moderator.press(latest, 'Approve');
  await expect.poll(() => textOf(latest)).toContain(ACCEPTED);
  expect(labelsOf(latest)).toEqual([]);
});

it('pressing "Undo decline" in the queue also removes the block', async ({ guild, admin, member }) => {
  await turnApprovalOn(guild);
  for (const host of ['a', 'b', 'c']) await addServer(member, `${host}.waits.example.com:1`);
  const form = await admin.press(await admin.slash('submissions'), 'Decline all 3 from @member');
  const queue = await admin.submit(form, { block: 'a.waits.example.com' });
  expect(labelsOf(queue)).toContain('Undo decline');
  const undone = await admin.press(queue, 'Undo decline');
  expect(textOf(undone)).toMatch(/Waiting again: .*a\.waits\.example\.com:1/);
  expect(textOf(undone)).toContain('3 submissions are waiting');
  expect(labelsOf(undone)).not.toContain('Undo decline');
  await expect.poll(() => logLines(guild).join('\n')).toMatch(/unblocked .*a\.waits\.example\.com/);
  await expect
    .poll(() => approvalsIn(guild).map((message) => labelsOf(message)))
    .toEqual([DECISIONS, DECISIONS, DECISIONS]);
});

it('the queue never shows more than eight buttons and menus', async ({ guild, admin, member }) => {
  await turnApprovalOn(guild);
  const other = inStaff(guild, 'other');
  const counts: number[] = [];
  const look = (queue: Shown): Shown => {
    counts.push(componentsOf(queue).length);
    return queue;
  };
  // One member's single server, lists of ten and eleven, and several members.
  for (const count of [1, 10, 11]) {
    await pressSubmit(
      member,
      await paste(member, lines(count).replaceAll('.example', `.of${count}.example`)),
    );
    look(await admin.slash('submissions'));
  }
  for (const port of [1, 2]) await addServer(other, `other.example.com:${port}`);
  for (const name of ['member (3)', 'other (2)'])
    look(await admin.pick(await admin.slash('submissions'), [name]));
  // The moderator's own unfinished list.
  await paste(admin, 'no-port.example.com');
  const all = async () => {
    let queue = await admin.slash('submissions');
    for (let n = 0; n < 5; n += 1) queue = await admin.press(look(queue), 'Next waiting');
    return queue;
  };
  expect(labelsOf(await all())).toContain('Continue');
  for (let n = 0; n < 4; n += 1) {
    const form = await admin.press(await admin.slash('submissions'), 'Decline');
    look(await admin.submit(form, {}));
  }
  expect(Math.max(...counts)).toBe(8);
  expect(labelsOf(await admin.pick(await admin.slash('submissions'), ['History']))).toContain('Export');
});
