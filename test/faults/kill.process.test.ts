import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Answer } from '../../sandbox/discord/contract.ts';
import { ANSWER_WITHIN_MS, botTest, ownBotTest, setKey, type TestGuild, textOf } from '../support/bot.ts';
import { bytesOnDisk, unfinishedIn } from '../support/database.ts';
import {
  ACCEPTED,
  addServer,
  addsOf,
  chooseLogChannel,
  csvOf,
  labelsOf,
  lines,
  logLines,
  openModal,
  pressSubmit,
  reported,
  sendFile,
} from '../support/people.ts';
import { crash, hung } from './crash.ts';

const OPTIONS = {
  asProcess: true,
  env: { LISTING_API_TIMEOUT_MS: '60000', LISTING_REQUESTS_AT_ONCE: '20' },
};
/** Each test kills and restarts this bot. No work is left over from previous tests' guilds. */
const it = botTest({
  ...OPTIONS,
  // The list's first request always gets a response.
  listing: {
    onRequest: (_, { servers }) =>
      servers[0]?.server === 's0.list.example.com' ? { kind: 'ok' } : undefined,
  },
});
/** A separate bot whose clock can be advanced. */
const ownIt = ownBotTest(OPTIONS);

const NOT_SENT = 'Not sent. The bot restarted. You can safely try again.';
const RUN_AGAIN = 'The bot was interrupted before it could finish, so nothing was submitted';
const UNKNOWN = /Unconfirmed\. The connection to the listing service was lost\. It may have arrived\./;

/** Makes the service accept later requests without responding to them. */
const silence = ({ listing }: TestGuild) => listing.behave({ kind: 'hang', carriedOut: true });

/** Counts the guild's messages that still say "thinking …". */
const thinkingIn = ({ discord, admin, member }: TestGuild) =>
  [undefined, admin.userId, member.userId]
    .flatMap((userId) => discord.messages({ channelId: member.channelId, ...(userId && { userId }) }))
    .filter(({ loading }) => loading).length;

/** Counts the acknowledgements that Discord has received. */
const acknowledged = ({ discord }: TestGuild) =>
  discord.requests.filter(({ path, body }) => path.includes('callback') && /^\{"type":[567]/.test(body))
    .length;

describe('after a kill -9', () => {
  it('servers that had been sent are marked as unconfirmed', async ({ bot, guild, member, listing }) => {
    await silence(guild);
    // A guild can have two requests at a time, so the third submission is ready but has to wait.
    const answers: Promise<Answer>[] = [];
    for (const n of [1, 2, 3]) {
      answers.push(addServer(member, `s${n}.example.com:27015`));
      await expect.poll(() => listing.submitted).toHaveLength(Math.min(n, 2));
    }
    const running = "SELECT id FROM submissions WHERE state = 'running' AND guild_id = ?";
    await expect.poll(() => bot.store.rows(running, guild.id)).toHaveLength(3);
    await expect.poll(() => thinkingIn(guild)).toBe(3);
    await crash(bot);

    const [first, second, third] = await Promise.all(answers);
    if (!first || !second || !third) throw new Error('there are three answers');
    for (const answer of [first, second]) expect(textOf(answer).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(textOf(first)).toContain('Counter-Strike 2 s1.example.com:27015');
    expect(labelsOf(first)).toEqual(['Submit again anyway', 'Edit']);
    expect(textOf(third)).toContain(NOT_SENT);
    expect(textOf(await member.press(third, 'Submit again'))).toContain(ACCEPTED);
    expect([1, 2, 3].map((n) => addsOf(guild, `s${n}.example.com`).length)).toEqual([1, 1, 1]);
    expect(thinkingIn(guild)).toBe(0);

    // A server that the service might have received isn't resent by mistake.
    expect(textOf(await addServer(member, 's1.example.com:27015'))).toMatch(
      /⚠️ Not sent: .*may have arrived/s,
    );
    expect(addsOf(guild, 's1.example.com')).toHaveLength(1);

    // Neither the crash nor the restart leaves unfinished work in the store.
    await expect.poll(() => unfinishedIn(bot.store)).toEqual([]);
    await bot.restart();
    expect(await unfinishedIn(bot.store)).toEqual([]);
  });

  it("a list's report shows every server's outcome", async ({ bot, guild, member, listing }) => {
    await chooseLogChannel(guild);
    const preview = await sendFile(member, lines(250).replaceAll('.example', '.list.example'));
    await silence(guild);
    void member.press(preview, 'Submit 250 game servers');
    await expect.poll(() => addsOf(guild, 's100.list.example.com')).toHaveLength(1);
    await crash(bot);

    await expect.poll(() => textOf(preview)).toContain('restarted');
    for (const words of [
      /100 .*sent for review\. “Servers have been added for review\.”/,
      /100 .*unconfirmed/,
      /50 .*not sent/,
    ])
      expect(textOf(preview)).toMatch(words);
    expect(csvOf(await reported(preview), 'report.csv')).toHaveLength(250);
    expect(labelsOf(preview)).toEqual(['Submit 50 unsent', 'Submit all 150 again', 'Edit']);
    // The bot posts to the log channel a few seconds later.
    const logged = () =>
      logLines(guild).filter((line) =>
        line.includes('100 sent for review. “Servers have been added for review.”'),
      );
    await expect.poll(logged, { timeout: 60_000 }).toHaveLength(1);
    expect(logged()[0]).toMatch(/@member: .*❓ 100 unconfirmed\..*⚠️ 50 not sent\./);
    expect(textOf(await pressSubmit(member, preview))).toContain('50 sent for review');
    expect(listing.submitted).toHaveLength(250);
    const hosts = Array.from({ length: 250 }, (_, n) => `s${n}.list.example.com`);
    expect(hosts.filter((host) => addsOf(guild, host).length !== 1)).toEqual([]);
  });

  it('the bot asks the user to run an interrupted command again', async ({ bot, guild, admin, member }) => {
    await silence(guild);
    const answer = setKey(admin, 'another-key');
    await expect.poll(() => thinkingIn(guild)).toBe(1);
    await crash(bot);
    expect(textOf(await answer)).toContain(RUN_AGAIN);
    expect(thinkingIn(guild)).toBe(0);
    expect(textOf(await member.slash('games'))).toContain('Counter-Strike 2');
  });

  it('the bot reports that an interrupted button press or modal had no effect', async ({
    bot,
    guild,
    member,
    listing,
  }) => {
    await addServer(member, 'button.example.com:1');
    const warning = await addServer(member, 'button.example.com:1');
    const noPort = await addServer(member, 'window.example.com');
    const { modal, typed } = await openModal(member, noPort);
    await silence(guild);
    const before = acknowledged(guild);
    // These requests use both of the guild's turns.
    const others = [1, 2].map((n) => addServer(member, `o${n}.example.com:1`));
    await expect.poll(() => listing.submitted).toHaveLength(3);
    const pressed = member.press(warning, 'Submit again anyway');
    const submitted = member.submit(modal, { ...typed, port: '2' });
    await expect.poll(() => acknowledged(guild) - before).toBe(4);
    // The servers in all four submissions are reserved.
    const running = async () =>
      (await unfinishedIn(bot.store)).filter((each) => each.startsWith('submission'));
    await expect.poll(running).toHaveLength(4);
    await crash(bot);

    await Promise.all(others);
    const button = await pressed;
    await expect.poll(() => textOf(button)).toContain(NOT_SENT);
    expect(addsOf(guild, 'button.example.com')).toHaveLength(1);
    expect(textOf(await member.press(button, 'Submit again'))).toContain(ACCEPTED);
    const window = await submitted;
    await expect.poll(() => textOf(window)).toContain(NOT_SENT);
    expect(addsOf(guild, 'window.example.com')).toEqual([]);
    expect(textOf(await member.press(window, 'Submit again'))).toContain(ACCEPTED);
  });

  it("the bot sends a reply that it couldn't send before the crash", async ({ bot, guild, member }) => {
    const isHung = hung(bot, 'PATCH', /webhooks/);
    const answer = addServer(member, 'answered.example.com:1');
    await isHung;
    await crash(bot);
    expect(textOf(await answer)).toContain(ACCEPTED);
    expect(addsOf(guild, 'answered.example.com')).toHaveLength(1);
    expect(thinkingIn(guild)).toBe(0);
  });

  it("servers aren't submitted if the interaction hadn't been acknowledged", async ({
    bot,
    guild,
    member,
    discord,
  }) => {
    const isHung = hung(bot, 'POST', /callback/);
    const answer = addServer(member, 'silent.example.com:1');
    await isHung;
    await crash(bot);
    discord.clock.advance(ANSWER_WITHIN_MS);
    expect(await answer).toEqual({ kind: 'lost' });
    expect(addsOf(guild, 'silent.example.com')).toEqual([]);
  });

  it("API keys don't appear in plain text on disk or in the log", async ({ bot, admin, member, listing }) => {
    const key = 'sandbox-key-0123456789-wxyz';
    function hasNoKeyInClear(): void {
      const bytes = bytesOnDisk(join(bot.data, 'bot.sqlite'));
      for (const coding of ['utf8', 'base64', 'hex', 'utf16le'] as const)
        expect(bytes).not.toContain(Buffer.from(key).toString(coding));
    }
    listing.allow(key);
    await setKey(admin, key);
    hasNoKeyInClear();
    expect(textOf(await addServer(member, 'own-key.example.com:1'))).toContain(ACCEPTED);
    listing.revoke(key);
    await addServer(member, 'own-key.example.com:2');
    await bot.kill();
    hasNoKeyInClear();
    await bot.start();
    await admin.press(await admin.slash('keystatus'), 'Check now');
    hasNoKeyInClear();
  });

  it('a server that was about to be sent is marked as unconfirmed', async ({
    bot,
    guild,
    member,
    listing,
  }) => {
    const printed = bot.output().length;
    await listing.behave({ kind: 'down' });
    const answer = addServer(member, 'about.example.com:1');
    // The service rejected the first connection. The test must kill the bot before the next attempt, which follows
    // immediately.
    await expect
      .poll(() => bot.output().slice(printed), { interval: 5 })
      .toContain('the listing service sent no usable response');
    await crash(bot);
    expect(textOf(await answer).replaceAll('\n', ' ')).toMatch(UNKNOWN);
    expect(addsOf(guild, 'about.example.com')).toEqual([]);
  });

  ownIt(
    "an outcome that couldn't be shown to the member appears in the log channel",
    async ({ bot, guild, member, discord, listing }) => {
      await chooseLogChannel(guild);
      await listing.behave({ kind: 'hang' });
      void addServer(member, 'late.example.com:1');
      await expect.poll(() => addsOf(guild, 'late.example.com')).toHaveLength(1);
      await bot.kill();
      await listing.behave({ kind: 'ok' });
      discord.clock.advance(16 * 60_000);
      await bot.start();
      // The bot posts to the log channel 10 seconds later.
      await expect
        .poll(() => logLines(guild).join('\n'), { timeout: 60_000 })
        .toMatch(/member submitted game servers.*may have arrived/s);
      expect(addsOf(guild, 'late.example.com')).toHaveLength(1);
    },
  );
});
