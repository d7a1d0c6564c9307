import { describe, expect } from 'vitest';
import { ANSWER_WITHIN_MS, type Bot, BREACHES, botTest } from '../support/bot.ts';
import { unfinishedIn } from '../support/database.ts';
import { addsOf } from '../support/people.ts';
import { isAccepted, isLost, type Place } from './submission.ts';

const it = botTest();

const linesWith = ({ log }: Bot, message: string) =>
  log().filter(({ msg }) => String(msg).startsWith(message)).length;

describe('the bot', () => {
  /** Causes a disturbance that doesn't end the session, and checks that interactions still get replies. */
  async function goesOn(place: Place, name: string, disturb: () => void): Promise<void> {
    const resumed = () => linesWith(place.bot, 'connection to Discord resumed');
    const before = resumed();
    disturb();
    await isAccepted(place, `${name}.example.com`);
    await expect.poll(resumed).toBe(before + 1);
    await isAccepted(place, `after-${name}.example.com`);
  }

  it('keeps working after the gateway interrupts the connection', async ({
    bot,
    guild,
    discord: { gateway },
  }) => {
    const place = { bot, guild };
    await goesOn(place, 'op7', () => gateway.askToReconnect());
    await goesOn(place, 'op9', () => gateway.invalidate(true));
    await goesOn(place, 'cut', () => gateway.cut());
    await goesOn(place, 'close-4000', () => gateway.close(4000));
    gateway.requestHeartbeat();
    await isAccepted(place, 'op1.example.com');
  });

  it("doesn't reply to an interaction that the gateway delivers too late", async ({
    bot,
    guild,
    discord,
  }) => {
    const place = { bot, guild };
    bot.mayBreak(BREACHES.tooLate, 1);
    const lost = () => linesWith(bot, 'interaction lost');
    const before = lost();
    discord.gateway.disturbDispatch({ delayMs: 2 * ANSWER_WITHIN_MS });
    await isLost(place, 'late.example.com', async () => discord.gateway.disturbDispatch({}));
    discord.clock.advance(2 * ANSWER_WITHIN_MS);
    await expect.poll(lost).toBe(before + 1);
    expect(addsOf(guild, 'late.example.com')).toHaveLength(0);
    await isAccepted(place, 'after-late.example.com');
  });

  it.for([
    ['ends the session (op 9, false)', 9],
    ['ends the session with 4003', 4003],
  ] as const)('starts a new session if the gateway %s', async ([, code], {
    bot,
    guild,
    discord: { gateway, clock },
  }) => {
    const place = { bot, guild };
    const previous = gateway.sessions().map(({ id }) => id);
    // Discord allows each shard one IDENTIFY in 5 seconds. discord.js waits that long; the stand-in's clock skips ahead.
    clock.advance(5_000);
    if (code === 9) gateway.invalidate(false);
    else gateway.close(code);
    // Interactions are lost until a new session starts.
    await isLost(place, `meanwhile-${code}.example.com`);
    // discord.js waits up to 5 seconds before starting a new session (Discord docs: Invalid Session).
    await expect
      .poll(() => gateway.sessions().some(({ id }) => !previous.includes(id)), { timeout: 60_000 })
      .toBe(true);
    await isAccepted(place, `after-${code}.example.com`);
  });
});

/** test/support/bot.process.test.ts checks that a real process exits. */
const endingIt = botTest({ crash: true });

describe('the bot', () => {
  endingIt.for([
    [4004, /bot token is not valid/],
    [4010, /shard is not valid/],
    [4011, /too many servers for one shard/],
    [4012, /gateway version is no longer supported/],
    [4013, /intents are not valid/],
    [4014, /intents are not granted/],
  ] as const)(
    'exits if the gateway permanently closes the connection (close code %s)',
    async ([code, words], { bot, guild, discord }) => {
      discord.gateway.close(code);
      const { status, lastWords } = await bot.process.exited();
      expect(status).toBe(1);
      const said = lastWords.filter((line) => !line.startsWith('{'));
      expect(said).toEqual([expect.stringMatching(words)]);
      expect(said[0]).toContain(String(code));
      expect(await unfinishedIn(bot.store)).toEqual([]);
      // Starts the bot again, as an operator would after fixing the cause.
      await bot.start();
      await isAccepted({ bot, guild }, `fatal-${code}.example.com`);
    },
  );
});
