import { describe, expect } from 'vitest';
import { approvalsIn, DECISIONS, inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { botTest, ownBotTest, type TestGuild, textOf } from '../support/bot.ts';
import {
  ACCEPTED,
  addServer,
  addsOf,
  componentsOf,
  labelsOf,
  logLines,
  openModal,
  staffChannel,
} from '../support/people.ts';
import { crash, hung } from './crash.ts';

const it = botTest({ asProcess: true, env: { LISTING_API_TIMEOUT_MS: '60000' } });

const HOST = 'killed.example.com';
const WAITS = 'Waiting for a moderator';

/** Submits a server as a member, and leaves the submission waiting. */
async function oneWaits(guild: TestGuild) {
  await turnApprovalOn(guild);
  await addServer(guild.member, `${HOST}:1`);
  return waitingIn(guild);
}

describe('after a kill -9', () => {
  it('a submission that needs approval is still posted in the log channel', async ({
    bot,
    guild,
    member,
  }) => {
    await turnApprovalOn(guild);
    const posts = new RegExp(`channels/${staffChannel(guild)}/messages`);
    const isHung = hung(bot, 'POST', posts);
    const reply = addServer(member, `${HOST}:1`);
    await isHung;
    await crash(bot);
    expect(textOf(await reply)).toContain(WAITS);
    expect(labelsOf(await reply)).toEqual(['Edit', 'Withdraw']);
    await expect.poll(() => approvalsIn(guild).length).toBe(1);
    const message = await waitingIn(guild);
    await inStaff(guild, 'admin').press(message, 'Approve');
    await expect.poll(() => textOf(message)).toContain(ACCEPTED);
  });

  it("an approval message isn't posted a second time", async ({ bot, guild, member }) => {
    await turnApprovalOn(guild);
    const isHung = hung(bot, 'PATCH', /webhooks/);
    const reply = addServer(member, `${HOST}:1`);
    await isHung;
    await crash(bot);
    await expect.poll(async () => textOf(await reply)).toContain(WAITS);
    expect(approvalsIn(guild)).toHaveLength(1);
    const message = await waitingIn(guild);
    await member.press(await reply, 'Withdraw');
    await expect.poll(() => textOf(message)).toContain('Withdrawn');
    expect(addsOf(guild, HOST)).toEqual([]);
  });

  it("a member's edit or withdrawal is preserved", async ({ bot, guild, member }) => {
    await turnApprovalOn(guild);
    const edited = await addServer(member, `${HOST}:1`);
    const withdrawn = await addServer(member, `${HOST}:2`);
    const { modal, typed } = await openModal(member, edited);
    const isHung = hung(bot, 'PATCH', /webhooks/);
    void member.submit(modal, { ...typed, server: 'edited.example.com', port: '3' });
    await isHung;
    const isAlsoHung = hung(bot, 'PATCH', /webhooks/);
    void member.press(withdrawn, 'Withdraw');
    await isAlsoHung;
    await crash(bot);
    await expect.poll(() => textOf(edited)).toMatch(new RegExp(`${WAITS}.*edited\\.example\\.com:3`, 's'));
    await expect.poll(() => textOf(withdrawn)).toContain('Withdrawn');
    for (const each of [edited, withdrawn]) expect(textOf(each)).not.toContain('interrupted');
    const shown = () =>
      approvalsIn(guild)
        .map((message) => textOf(message))
        .join('\n');
    await expect.poll(shown).toMatch(/edited\.example\.com:3.*Withdrawn/s);
  });

  it('an address corrected by a moderator is preserved', async ({ bot, guild, member }) => {
    const message = await oneWaits(guild);
    const moderator = inStaff(guild, 'admin');
    const { modal } = await openModal(moderator, message, 'Correct…');
    const isHung = hung(bot, 'PATCH', /webhooks/);
    void moderator.submit(modal, { game: 'cs2', server: 'right.example.com', port: '2' });
    await isHung;
    await crash(bot);
    await expect.poll(() => textOf(message)).toMatch(/right\.example\.com:2.*Corrected by/s);
    expect(labelsOf(message)).toEqual(DECISIONS);
    expect(approvalsIn(guild)).toHaveLength(1);
    await moderator.press(message, 'Approve');
    await expect.poll(() => textOf(message)).toContain(ACCEPTED);
    expect(addsOf(guild, 'right.example.com')).toHaveLength(1);
    expect(textOf(await member.slash('submissions'))).toContain('Corrected by');
  });

  it('the reply to a bulk decline still lists every submission', async ({ bot, guild, admin, member }) => {
    await turnApprovalOn(guild);
    for (const port of [1, 2]) await addServer(member, `${HOST}:${port}`);
    const queue = await admin.slash('submissions');
    const form = await admin.press(queue, 'Decline all 2 from @member');
    const isHung = hung(bot, 'PATCH', /webhooks/);
    void admin.submit(form, { reason: 'Ours.' });
    await isHung;
    await crash(bot);
    await expect
      .poll(() => textOf(queue))
      .toMatch(/❌ Declined: .*example\.com:1.* and .*example\.com:2.*Reason: Ours\./);
  });

  it('an approved submission returns to the queue if it had not been sent', async ({
    bot,
    guild,
    admin,
    listing,
  }) => {
    const message = await oneWaits(guild);
    const buttonIds = () => componentsOf(message).map(({ custom_id: id }) => id);
    const idsBefore = buttonIds();
    await listing.behave({ kind: 'hang' });
    // A guild can have two requests at a time, so the approved submission waits for its turn.
    for (const n of [1, 2]) void addServer(admin, `busy${n}.example.com:1`);
    await expect
      .poll(() => ['busy1', 'busy2'].map((name) => addsOf(guild, `${name}.example.com`).length))
      .toEqual([1, 1]);
    void inStaff(guild, 'admin').press(message, 'Approve');
    const running = () =>
      bot.store.rows("SELECT id FROM submissions WHERE state = 'running' AND decided_by IS NOT NULL");
    await expect.poll(running).toHaveLength(1);
    await crash(bot);
    await expect.poll(running).toEqual([]);
    // The buttons of the interrupted submission can't decide on the one that waits again.
    await expect.poll(buttonIds).not.toEqual(idsBefore);
    expect(labelsOf(message)).toEqual(DECISIONS);
    expect(approvalsIn(guild)).toHaveLength(1);
    expect(addsOf(guild, HOST)).toEqual([]);
    await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
    expect(addsOf(guild, HOST)).toHaveLength(1);
  });

  it('an approved submission is marked as unconfirmed if it had already been sent', async ({
    bot,
    guild,
    listing,
  }) => {
    const message = await oneWaits(guild);
    await listing.behave({ kind: 'hang', carriedOut: true });
    void inStaff(guild, 'admin').press(message, 'Approve');
    await expect.poll(() => addsOf(guild, HOST)).toHaveLength(1);
    await crash(bot);
    await expect.poll(() => textOf(message)).toContain('Unconfirmed');
    expect(approvalsIn(guild)).toHaveLength(1);
    expect(addsOf(guild, HOST)).toHaveLength(1);
  });

  it("a submission isn't logged twice if the bot can't reply to the moderator", async ({
    bot,
    guild,
    listing,
  }) => {
    const message = await oneWaits(guild);
    await listing.behave({ kind: 'hang', carriedOut: true });
    void inStaff(guild, 'admin').press(message, 'Approve');
    await expect.poll(() => addsOf(guild, HOST)).toHaveLength(1);
    await bot.kill();
    await listing.behave({ kind: 'ok' });
    // The clock doesn't need to be set back, because this is the bot's last test.
    bot.discord.clock.advance(16 * 60_000);
    await bot.start();
    await expect.poll(() => textOf(message)).toContain('Unconfirmed');
    await expect
      .poll(() => bot.store.rows('SELECT id FROM interactions WHERE encrypted IS NOT NULL'))
      .toEqual([]);
    await addServer(guild.admin, 'later.example.com:1');
    await expect.poll(() => logLines(guild).join('\n')).toContain('later.example.com');
    expect(logLines(guild).join('\n')).not.toContain("didn't get a reply");
  });
});

const HURRY = new URL('preloads/hurry.ts', import.meta.url).href;

ownBotTest({ asProcess: true, start: false, env: { NODE_OPTIONS: `--import=${HURRY}` } })(
  'an approval message is posted a minute later if the first attempt fails',
  async ({ bot, listing }) => {
    await bot.start();
    // The hourly job would also post the message, but its first run has already ended.
    const begun = () => bot.store.rows("SELECT 1 FROM jobs WHERE name = 'maintenance'");
    await expect.poll(begun).toHaveLength(1);
    const guild = await bot.newGuild({ key: 'sandbox-key' });
    await turnApprovalOn(guild);
    const fault = { kind: 'status', status: 500 } as const;
    const path = new RegExp(`channels/${staffChannel(guild)}/messages`);
    bot.discord.faults.inject({ fault, method: 'POST', path, times: Number.POSITIVE_INFINITY });
    expect(textOf(await addServer(guild.member, `${HOST}:1`))).toContain(WAITS);
    expect(approvalsIn(guild)).toEqual([]);
    bot.discord.faults.clear();
    await expect.poll(() => approvalsIn(guild).length).toBe(1);
    await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
    expect(listing.submitted).toHaveLength(1);
  },
);
