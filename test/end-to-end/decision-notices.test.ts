import { expect } from 'vitest';
import {
  allNotified,
  approve,
  decline,
  directTo,
  inStaff,
  setApprovalOptions,
  turnApprovalOn,
  waitingIn,
} from '../support/approval.ts';
import { botTest, setKey, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  deleteName,
  labelsOf,
  lines,
  paste,
  pickSetting,
  pressSubmit,
  setQuota,
} from '../support/people.ts';

const it = botTest();

const HOST = 'told.example.com';
const PROMISE = "You'll get a direct message with the decision.";

it('a member is notified of a decision in the original reply and by direct message', async ({
  guild,
  member,
}) => {
  await turnApprovalOn(guild);
  const reply = await addServer(member, `${HOST}:1`);
  expect(textOf(reply)).toContain(PROMISE);
  await approve(guild);
  await expect.poll(() => directTo(guild, member).length).toBe(1);
  const [message] = directTo(guild, member);
  const text = message ? textOf(message) : '';
  for (const words of [
    'Approved\n',
    ACCEPTED,
    `${HOST}:1`,
    `Submitted in ${guild.name} · https://discord.com/channels/${guild.id}/${member.channelId}`,
    'To turn off these messages, use /privacy in that Discord server.',
  ]) {
    expect(text.replaceAll('`', '')).toContain(words);
  }
  expect(text).not.toContain('by @');
  expect(message?.current.mentions).toEqual([]);
  await expect.poll(() => textOf(reply)).toContain(ACCEPTED);
  expect(textOf(reply)).toContain("doesn't notify anyone of the result");
  expect(labelsOf(reply)).toEqual(['Submit another']);
});

it.for([
  [
    'escaped and shortened',
    { status: 200, body: { name: `**Games** <@&1> ${'x'.repeat(90)}` } },
    /Submitted in \*\*\\\*\\\*Games\\\*\\\* \\<\\@&1\\> x{10,40}…\*\* · https:/,
  ],
  ["omitted if Discord doesn't return it", { status: 503 }, /Submitted in https:/],
] as const)("the Discord server's name in a direct message is %s", async ([, answer, expected], {
  guild,
  member,
  discord,
}) => {
  await turnApprovalOn(guild);
  discord.faults.inject({
    fault: { kind: 'status', ...answer },
    method: 'GET',
    path: new RegExp(`/guilds/${guild.id}$`),
  });
  await addServer(member, `${HOST}:1`);
  await approve(guild);
  await expect.poll(() => directTo(guild, member).length).toBe(1);
  expect(directTo(guild, member)[0]?.current.content).toMatch(expected);
});

it.for([
  ['Discord fails to open a channel', { kind: 'status', status: 503 }, /\/users\/@me\/channels$/],
  ['the response to the message is lost', { kind: 'answer lost' }, undefined],
] as const)('a member gets exactly one direct message even if %s', async ([, fault, opening], {
  guild,
  member,
  discord,
}) => {
  await turnApprovalOn(guild);
  await addServer(member, `${HOST}:1`);
  const path = opening ?? new RegExp(`/channels/${discord.directChannel(member.userId)}/messages$`);
  discord.faults.inject({ fault, method: 'POST', path });
  const before = discord.requests.length;
  await approve(guild);
  const attempts = () => discord.requests.slice(before).filter((request) => path.test(request.path));
  await expect.poll(() => attempts().length).toBe(2);
  await expect.poll(() => directTo(guild, member).length).toBe(1);
});

it("a decline notice is written in the member's language", async ({ guild }) => {
  await turnApprovalOn(guild);
  const mia = inStaff(guild, 'member', 'de');
  const reply = await addServer(mia, `${HOST}:1`);
  await decline(guild, await waitingIn(guild), 'Not **ours** @everyone');
  await expect.poll(() => directTo(guild, mia).length).toBe(1);
  const [message] = directTo(guild, mia);
  expect(message && textOf(message)).toMatch(/Abgelehnt.*Not .*Mit .*\/privacy/s);
  expect(message?.current.mention_everyone).toBe(false);
  await expect.poll(() => textOf(reply)).toContain('Abgelehnt');
});

it("members aren't notified of their own actions", async ({ bot, guild, member, discord }) => {
  await turnApprovalOn(guild);
  const withdrawn = await addServer(member, `${HOST}:1`);
  await member.press(withdrawn, 'Withdraw');
  const role = discord.roles(guild).find(({ name }) => name === 'Moderators');
  await pickSetting(guild, 'Approval', '@Moderators');
  discord.guildEvents.giveRole(member, role?.id ?? '');
  const own = await addServer(member, `${HOST}:2`);
  await inStaff(guild, 'member').press(await waitingIn(guild), 'Approve');
  await expect.poll(() => textOf(own)).toContain(ACCEPTED);
  const forgotten = await addServer(guild.member, `${HOST}:3`);
  expect(textOf(forgotten)).toContain('You can approve it in /submissions.');
  await deleteName(member);
  await expect
    .poll(() =>
      bot.store.rows(
        "SELECT id FROM submissions WHERE guild_id = ? AND state <> 'withdrawn' AND notice IS NOT NULL",
        guild.id,
      ),
    )
    .toEqual([]);
  expect(directTo(guild, member)).toEqual([]);
});

it('members can turn off direct messages in /privacy, and admins in /settings', async ({
  bot,
  guild,
  admin,
  member,
}) => {
  await turnApprovalOn(guild);
  const privacy = await member.slash('privacy');
  await member.press(privacy, 'Turn direct messages off');
  expect(textOf(privacy)).toContain("You won't get a direct message");
  const reply = await addServer(member, `${HOST}:1`);
  expect(textOf(reply)).not.toContain(PROMISE);
  await approve(guild);
  await expect.poll(() => textOf(reply)).toContain(ACCEPTED);
  const other = inStaff(guild, 'other');
  expect(textOf(await addServer(other, `${HOST}:2`))).toContain(PROMISE);
  await approve(guild);
  // The bot only notifies the second member after it has decided whether to notify the first.
  await expect.poll(() => directTo(guild, other).length).toBe(1);
  expect(directTo(guild, member)).toEqual([]);
  await member.press(privacy, 'Turn direct messages on');
  expect(textOf(privacy)).toContain("You'll get a direct message");
  const page = await setApprovalOptions(guild, []);
  expect(textOf(page)).toContain('Direct messages about decisions: off');
  const second = await addServer(member, `${HOST}:3`);
  expect(textOf(second)).not.toContain(PROMISE);
  await approve(guild);
  await allNotified(bot, guild);
  expect(directTo(guild, member)).toEqual([]);
  await admin.pick(page, ['Send direct messages']);
  expect(textOf(await addServer(member, `${HOST}:4`))).toContain(PROMISE);
  // Deleting the name also deletes the member's choice about direct messages.
  await member.press(privacy, 'Turn direct messages off');
  await deleteName(member);
  expect(await bot.store.rows("SELECT key FROM keyv WHERE key LIKE 'untold:%'")).toEqual([]);
});

it("the bot stops sending direct messages to a member who doesn't accept them", async ({
  bot,
  guild,
  member,
  discord,
}) => {
  await turnApprovalOn(guild);
  discord.rejectDirectMessages(member.userId);
  const tries = () =>
    discord.requests.filter(
      ({ path, status }) =>
        path.includes(`/channels/${discord.directChannel(member.userId)}/`) && status === 403,
    );
  await addServer(member, `${HOST}:1`);
  await approve(guild);
  await expect.poll(() => tries().length).toBe(1);
  const reply = await addServer(member, `${HOST}:2`);
  expect(textOf(reply)).not.toContain(PROMISE);
  await approve(guild);
  await expect.poll(() => textOf(reply)).toContain(ACCEPTED);
  expect(tries()).toHaveLength(1);
  expect(
    bot.log().filter(({ msg }) => msg === 'could not send a direct message to a member; will not retry'),
  ).toEqual([]);
});

it('a member is notified only of the final decision on a requeued submission', async ({
  bot,
  guild,
  listing,
  admin,
  member,
}) => {
  await turnApprovalOn(guild);
  const reply = await pressSubmit(member, await paste(member, lines(3)));
  const done = () =>
    bot.store.rows(
      `SELECT DISTINCT notice, outcome FROM submissions JOIN servers ON submission_id = id
        WHERE submissions.guild_id = ? AND state = 'done'`,
      guild.id,
    );
  await listing.behave({ kind: 'down' });
  await approve(guild);
  await expect.poll(done).toEqual([{ notice: null, outcome: 'not-sent' }]);
  await listing.behave({ kind: 'ok' });
  listing.allow('dying-key');
  await setKey(admin, 'dying-key');
  listing.revoke('dying-key');
  await approve(guild);
  await expect.poll(done).toEqual([{ notice: null, outcome: 'rejected' }]);
  expect(directTo(guild, member)).toEqual([]);
  await setKey(admin, 'sandbox-key');
  await setQuota(guild, '2');
  await approve(guild);
  await expect.poll(() => directTo(guild, member).length).toBe(1);
  expect(textOf(directTo(guild, member)[0] ?? reply)).toContain('2 game servers');
  await expect.poll(() => textOf(reply)).toContain(`2 sent for review. “${ACCEPTED}”`);
  expect(textOf(reply)).toContain('s2.example.com');
  expect(labelsOf(reply)).toEqual(['Edit', 'Withdraw']);
  await decline(guild, await waitingIn(guild), '');
  await expect.poll(() => textOf(reply)).toMatch(/Declined by @admin.*2 sent for review\./s);
});
