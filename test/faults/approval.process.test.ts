import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { approvalsIn, inStaff, turnApprovalOn, waitingIn } from '../support/approval.ts';
import { botTest, ownBotTest, type TestGuild, textOf } from '../support/bot.ts';
import { ACCEPTED, addServer, addsOf, labelsOf, logLines, staffChannel } from '../support/people.ts';
import { crash, hung } from './crash.ts';

const it = botTest({ asProcess: true, env: { LISTING_API_TIMEOUT_MS: '60000' } });

const HOST = 'killed.example.com';
const WAITS = 'This is waiting for a moderator';

/** A member's server that waits. */
async function oneWaits(guild: TestGuild) {
  await turnApprovalOn(guild);
  await addServer(guild.member, `${HOST}:1`);
  return waitingIn(guild);
}

describe('after a kill -9, what waits for a moderator', () => {
  it('gets its message, where it had none, and its member is told', async ({ bot, guild, member }) => {
    await turnApprovalOn(guild);
    const posts = new RegExp(`channels/${staffChannel(guild)}/messages`);
    const isHung = hung(bot, 'POST', posts);
    const reply = addServer(member, `${HOST}:1`);
    await isHung;
    await crash(bot);
    expect(textOf(await reply)).toContain(WAITS);
    expect(labelsOf(await reply)).toEqual(['Edit', 'Withdraw']);
    await expect.poll(() => approvalsIn(guild).length).toBe(1);
    const answer = await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
    expect(textOf(answer)).toContain(ACCEPTED);
  });

  it('has its one message, where its member was not told yet', async ({ bot, guild, member }) => {
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

  it('waits anew, where it was approved and had not left', async ({ bot, guild, admin, listing }) => {
    const message = await oneWaits(guild);
    await listing.behave({ kind: 'hang' });
    // At most two requests of a guild run at once: what is approved then waits for its turn.
    for (const n of [1, 2]) void addServer(admin, `busy${n}.example.com:1`);
    await expect
      .poll(() => ['busy1', 'busy2'].map((name) => addsOf(guild, `${name}.example.com`).length))
      .toEqual([1, 1]);
    const pressed = inStaff(guild, 'admin').press(message, 'Approve');
    await expect.poll(() => textOf(message)).toContain('being sent');
    await crash(bot);
    await expect.poll(() => textOf(message)).toContain('The bot was restarted.');
    expect(textOf(await pressed)).toContain('not sent');
    expect(labelsOf(await pressed)).toEqual([]);
    await expect.poll(() => approvalsIn(guild).length).toBe(2);
    expect(addsOf(guild, HOST)).toEqual([]);
    await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
    expect(addsOf(guild, HOST)).toHaveLength(1);
  });

  it('is unknown, where it had left, and never goes again by itself', async ({ bot, guild, listing }) => {
    const message = await oneWaits(guild);
    await listing.behave({ kind: 'hang', carriedOut: true });
    const pressed = inStaff(guild, 'admin').press(message, 'Approve');
    await expect.poll(() => addsOf(guild, HOST)).toHaveLength(1);
    await crash(bot);
    await expect.poll(() => textOf(message)).toContain('unconfirmed');
    expect(textOf(await pressed)).toContain('unconfirmed');
    expect(labelsOf(await pressed)).toEqual([]);
    expect(approvalsIn(guild)).toHaveLength(1);
    expect(addsOf(guild, HOST)).toHaveLength(1);
  });

  it('is said once in the log channel, where its moderator can no longer be told', async ({
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
    // For good: it is the last test of this bot.
    bot.discord.clock.advance(16 * 60_000);
    await bot.start();
    await expect.poll(() => textOf(message)).toContain('unconfirmed');
    await expect
      .poll(() => bot.store.rows('SELECT id FROM interactions WHERE sealed IS NOT NULL'))
      .toEqual([]);
    await addServer(guild.admin, 'later.example.com:1');
    await expect.poll(() => logLines(guild).join('\n')).toContain('later.example.com');
    expect(logLines(guild).join('\n')).not.toContain('got no reply');
  });
});

const FOLDER = mkdtempSync(join(tmpdir(), 'approval-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
const PASSED_FILE = join(FOLDER, 'passed');
const HURRY = new URL('preloads/hurry.ts', import.meta.url).href;

ownBotTest({ asProcess: true, start: false, env: { NODE_OPTIONS: `--import=${HURRY}`, PASSED_FILE } })(
  'a message that Discord could not take is there a minute later',
  async ({ bot, listing }) => {
    writeFileSync(PASSED_FILE, '0');
    await bot.start();
    const guild = await bot.newGuild({ key: 'sandbox-key' });
    await turnApprovalOn(guild);
    const fault = { kind: 'status', status: 500 } as const;
    const path = new RegExp(`channels/${staffChannel(guild)}/messages`);
    bot.discord.faults.inject({ fault, method: 'POST', path, times: Number.POSITIVE_INFINITY });
    expect(textOf(await addServer(guild.member, `${HOST}:1`))).toContain(WAITS);
    expect(approvalsIn(guild)).toEqual([]);
    bot.discord.faults.clear();
    writeFileSync(PASSED_FILE, '60000');
    await expect.poll(() => approvalsIn(guild).length).toBe(1);
    await inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
    expect(listing.submitted).toHaveLength(1);
  },
);
