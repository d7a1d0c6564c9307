import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { approvalsIn, DECISIONS, inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { modalOf, oneBot, textOf } from '../support/bot.ts';
import { hasPostgres, newDatabase, openWire } from '../support/database.ts';
import { ACCEPTED, addServer, addsOf, labelsOf, openSettings, setQuota } from '../support/people.ts';

const AWAY = "The bot can't reach its database right now, so nothing was saved or sent.";

it.skipIf(!hasPostgres())('members see an error only while PostgreSQL is unavailable', async () => {
  const { url, leave, comeBack, drop } = await newDatabase();
  onTestFinished(drop);
  const port = await quietPort();
  const bot = await oneBot({
    env: {
      STORE_URL: url,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      HTTP_PORT: String(port),
    },
  });
  const { admin, member, listing } = await bot.newGuild({ key: 'sandbox-key' });
  const ready = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };
  expect(await ready()).toMatchObject({ status: 200 });
  expect(textOf(await addServer(member, 'a.example.com:1'))).toContain(ACCEPTED);

  await leave();
  const sent = listing.requests.length;
  for (const answer of [
    await addServer(member, 'b.example.com:1'),
    await admin.slash('keystatus'),
    await admin.slash('submissions'),
  ]) {
    expect(textOf(answer)).toContain(AWAY);
  }
  expect(await ready()).toMatchObject({
    status: 503,
    text: expect.stringContaining('the database failed'),
  });
  expect(listing.requests).toHaveLength(sent);

  await comeBack();
  await expect.poll(async () => (await ready()).status).toBe(200);
  expect(textOf(await addServer(member, 'b.example.com:1'))).toContain(ACCEPTED);
  expect(textOf(await admin.slash('submissions'))).toContain('2 submissions');
  expect(bot.output()).not.toContain(new URL(url).password);
  expect(bot.output()).not.toContain('unnoticed');
});

it.skipIf(!hasPostgres())(
  "a moderator sees an approved server's outcome even if PostgreSQL becomes unavailable",
  async () => {
    const { url, leave, comeBack, drop } = await newDatabase();
    onTestFinished(drop);
    const env = { STORE_URL: url, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
    const bot = await oneBot({ env });
    const guild = await bot.newGuild({ key: 'sandbox-key' });
    const { admin, member, listing } = guild;
    await turnApprovalOn(guild);
    await addServer(member, 'sent.example.com:1');
    const queue = await admin.slash('submissions');
    const sent = Promise.withResolvers<void>();
    await listing.behave({ kind: 'held', until: sent.promise }, 1);
    const reply = admin.press(queue, 'Approve');
    await expect.poll(() => addsOf(guild, 'sent.example.com')).toHaveLength(1);
    await leave();
    sent.resolve();
    expect(textOf(await reply)).toMatch(
      /sent\.example\.com:1\n✅ Sent for review\. “Servers have been added for review\.”\nThe bot couldn't save this outcome/,
    );
    await comeBack();
  },
);

/** Starts a bot whose connection to PostgreSQL can break, and adds a guild. */
async function overWire() {
  const { url, drop } = await newDatabase();
  onTestFinished(drop);
  const wire = await openWire(url);
  onTestFinished(wire.close);
  const env = { STORE_URL: wire.url, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
  const bot = await oneBot({ env });
  return { guild: await bot.newGuild({ key: 'sandbox-key' }), wire };
}

describe.skipIf(!hasPostgres())('if the response to a COMMIT is lost', () => {
  const WAITS = 'Waiting for a moderator';
  const HOST = 'lost.example.com';

  it('a member sees that the submission is waiting for a moderator', async () => {
    const { guild, wire } = await overWire();
    await turnApprovalOn(guild);
    const cut = wire.cutCommitOf('insert into "submissions"');
    expect(textOf(await addServer(guild.member, `${HOST}:1`))).toContain(WAITS);
    await cut;
    await expect.poll(() => approvalsIn(guild).length).toBe(1);
    await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
    expect(addsOf(guild, HOST)).toHaveLength(1);
  });

  it('a member sees that nothing was sent, and can retry', async () => {
    const { guild, wire } = await overWire();
    const cut = wire.cutCommitOf('insert into "servers"');
    const answer = await addServer(guild.member, `${HOST}:1`);
    await cut;
    expect(textOf(answer)).toContain(
      "Not sent. Something went wrong on the bot's side. You can safely try again.",
    );
    expect(addsOf(guild, HOST)).toEqual([]);
    expect(textOf(await guild.member.press(answer, 'Submit again'))).toContain(ACCEPTED);
  });

  it('a moderator sees that the submission was declined', async () => {
    const { guild, wire } = await overWire();
    await turnApprovalOn(guild);
    await addServer(guild.member, `${HOST}:1`);
    const decline = await inStaff(guild, 'admin').press(await waitingIn(guild), 'Decline');
    const cut = wire.cutCommitOf('"decline_reason"');
    const answer = await inStaff(guild, 'admin').submit(modalOf(decline), { reason: 'No.' });
    await cut;
    expect(textOf(answer)).toContain('Declined by @');
  });

  it("a moderator sees that the approved submission wasn't sent", async () => {
    const { guild, wire } = await overWire();
    await turnApprovalOn(guild);
    await addServer(guild.member, `${HOST}:1`);
    const message = await waitingIn(guild);
    const queue = await guild.admin.slash('submissions');
    const cut = wire.cutCommitOf('"decided_by"');
    const answer = await guild.admin.press(queue, 'Approve');
    await cut;
    expect(textOf(answer)).toContain("Not sent. Something went wrong on the bot's side.");
    await expect.poll(() => labelsOf(message)).toEqual(DECISIONS);
    expect(approvalsIn(guild)).toHaveLength(1);
    expect(addsOf(guild, HOST)).toEqual([]);
  });

  it('an admin sees that the bot was interrupted', async () => {
    const { guild, wire } = await overWire();
    const cut = wire.cutCommitOf('keyv');
    expect(textOf(await setQuota(guild, '5'))).toContain('The bot was interrupted before it could finish');
    await cut;
    expect(textOf(await openSettings(guild))).toContain('5');
  });
});
