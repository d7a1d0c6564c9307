import { expect } from 'vitest';
import {
  allNotified,
  decline,
  directTo,
  endGathering,
  inStaff,
  turnApprovalOn,
  waitingIn,
} from '../support/approval.ts';
import { botTest, type TestGuild, textOf } from '../support/bot.ts';
import { addServer, adds, addsOf, labelsOf, lines, pressSubmit, sendFile } from '../support/people.ts';
import { crash, hung } from './crash.ts';

const HURRY = new URL('preloads/hurry.ts', import.meta.url).href;
const it = botTest({
  asProcess: true,
  env: { LISTING_API_TIMEOUT_MS: '60000', NODE_OPTIONS: `--import=${HURRY}` },
});

const HOST = 'killed.example.com';

/** Presses Approve on the waiting submission, and doesn't wait for the reply. */
async function press(guild: TestGuild): Promise<void> {
  void inStaff(guild, 'admin').press(await waitingIn(guild), 'Approve');
}

const toldOf = (guild: TestGuild) => directTo(guild, guild.member).map((each) => textOf(each));

it('after a crash, a direct message reports unconfirmed and requeued servers', async ({ bot, guild }) => {
  await turnApprovalOn(guild);
  await pressSubmit(guild.member, await sendFile(guild.member, lines(101)));
  await guild.listing.behave({ kind: 'hang', carriedOut: true });
  await press(guild);
  await expect.poll(() => adds(guild).length).toBe(1);
  await crash(bot);
  await endGathering(bot, guild);
  await expect
    .poll(() => toldOf(guild).join('\n'))
    .toMatch(
      /100 unconfirmed\. .*\n.*They may have arrived\. .*\n.*1 not sent\. The bot restarted\. 1 game server is waiting for a moderator again\./,
    );
  await waitingIn(guild, 's100.example.com');
});

it('a decline takes effect even if the bot crashes before the undo period ends', async ({
  bot,
  guild,
  member,
}) => {
  await turnApprovalOn(guild);
  const reply = await addServer(member, `${HOST}:1`);
  const message = await waitingIn(guild);
  await decline(guild, message, 'Not here.');
  expect(labelsOf(message)).toEqual(['Undo decline']);
  await crash(bot);
  const declined = () =>
    bot.store.rows("SELECT id FROM submissions WHERE guild_id = ? AND state = 'declined'", guild.id);
  expect(await declined()).toHaveLength(1);
  expect(textOf(reply)).toContain('Waiting for a moderator');
  // The minute ends.
  await bot.store.rows(
    'UPDATE submissions SET ended_at = ? WHERE guild_id = ?',
    Date.now() - 60_000,
    guild.id,
  );
  await expect.poll(() => textOf(reply)).toMatch(/❌ Declined by @admin\nReason: Not here\./);
  await endGathering(bot, guild);
  await expect.poll(() => toldOf(guild)).toEqual([expect.stringContaining('Not here.')]);
  expect(await declined()).toHaveLength(1);
});

it('a crash never causes a second direct message about a submission', async ({ bot, guild, listing }) => {
  const { member } = guild;
  await turnApprovalOn(guild);
  // The bot dies before the decision is stored.
  await addServer(member, `${HOST}:1`);
  await listing.behave({ kind: 'hang', carriedOut: true });
  await press(guild);
  await expect.poll(() => addsOf(guild, HOST)).toHaveLength(1);
  await crash(bot);
  await endGathering(bot, guild);
  await expect.poll(() => toldOf(guild)).toEqual([expect.stringContaining('Unconfirmed')]);
  // The bot dies while it is collecting decisions.
  await addServer(member, `${HOST}:2`);
  await press(guild);
  const decided = () =>
    bot.store.rows('SELECT id FROM submissions WHERE guild_id = ? AND notified_at IS NOT NULL', guild.id);
  await expect.poll(decided).toHaveLength(2);
  await crash(bot);
  await endGathering(bot, guild);
  await expect.poll(() => toldOf(guild).length).toBe(2);
  // The bot dies while it is sending the message, so it doesn't know whether the message has arrived.
  await addServer(member, `${HOST}:3`);
  const channelId = bot.discord.directChannel(member.userId);
  const isHung = hung(bot, 'POST', new RegExp(`channels/${channelId}/messages`));
  await press(guild);
  await endGathering(bot, guild);
  await isHung;
  await crash(bot);
  await allNotified(bot, guild);
  expect(toldOf(guild)).toHaveLength(2);
  // The bot dies after it has sent the message.
  await addServer(member, `${HOST}:4`);
  await press(guild);
  await endGathering(bot, guild);
  await expect.poll(() => toldOf(guild).length).toBe(3);
  await crash(bot);
  await allNotified(bot, guild);
  expect(toldOf(guild)).toHaveLength(3);
});
