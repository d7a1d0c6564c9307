import { describe, expect, it, onTestFinished } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { createSilence } from '../../src/operations/silence.ts';
import { type BotOptions, type Expected, oneBot } from '../support/bot.ts';
import { recorder, sampleOf, scrape } from '../support/machine.ts';

const ENDED = /Discord's gateway has been silent for \d+ seconds.*: exiting/;

async function quickBot(options: BotOptions & Expected) {
  const bot = await oneBot({ ...options, discord: { heartbeatIntervalMs: 200 } });
  // On a busy machine, the bot can miss such frequent heartbeats. The stand-in then reports this, and discord.js
  // reconnects.
  bot.mayBreak('SessionTimedOut', 5);
  return bot;
}

describe('the silence check', () => {
  it('stops the bot when the gateway falls silent', async () => {
    const env = { EXIT_WHEN_SILENT_SECONDS: '1' };
    const bot = await quickBot({ env, crash: true });
    // The sockets stay open but don't receive anything. discord.js drops them, reconnects, and waits for a HELLO.
    bot.discord.gateway.silence(true);
    expect(await bot.process.exited()).toMatchObject({ status: 1 });
    expect(bot.output()).toMatch(ENDED);
  });

  it('counts heartbeat acknowledgements as activity', async () => {
    const port = await quietPort();
    const silentSeconds = async () => sampleOf(await scrape(port), 'listing_bot_gateway_silent_seconds') ?? 0;
    await quickBot({ env: { HTTP_PORT: String(port) } });
    let before = 0;
    const isHeard = async () => {
      const now = await silentSeconds();
      const isLess = now < before;
      before = now;
      return isLess;
    };
    await expect.poll(isHeard).toBe(true);
    await expect.poll(isHeard).toBe(true);
  });
});

interface Given {
  /** How long the gateway has been silent, in milliseconds. */
  readonly silentMs?: number;
  /** How many IDENTIFYs are left, according to Discord's last response. */
  readonly left?: number;
  /** Whether Discord responds to a request for the number of IDENTIFYs. */
  readonly answers?: boolean;
}

/** Creates the check with a stub gateway, for tests that only depend on numbers. */
async function open({ silentMs = 1e9, left = 1000, answers = true }: Given) {
  const state = { left, asked: 0, looked: 0 };
  const ends: string[] = [];
  const logger = recorder();
  const silence = createSilence({
    config: { exitWhenSilentSeconds: 1 },
    gateway: {
      silentMs() {
        state.looked += 1;
        return silentMs;
      },
      identifiesLeft: () => state.left,
      async askIdentifiesLeft() {
        state.asked += 1;
        if (!answers) throw new Error('no response');
      },
    },
    onFatal: ({ message }) => ends.push(message),
    logger,
  });
  await silence.start?.();
  onTestFinished(() => silence.stop?.());
  return { state, ends, logger };
}

describe('the silence check (with a stub gateway)', () => {
  it("doesn't stop the bot if fewer than 200 IDENTIFY calls remain", async () => {
    const { state, ends, logger } = await open({ left: 199 });
    await expect.poll(() => state.asked).toBeGreaterThan(3);
    expect(ends).toEqual([]);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    state.left = 200;
    await expect.poll(() => ends).toEqual([expect.stringMatching(ENDED)]);
  });

  it("uses the last known number of IDENTIFY calls if Discord doesn't respond", async () => {
    const few = await open({ left: 150, answers: false });
    await expect.poll(() => few.state.asked).toBeGreaterThan(3);
    expect(few.ends).toEqual([]);
    const enough = await open({ left: 900, answers: false });
    await expect.poll(() => enough.ends).toHaveLength(1);
  });
});

it("the bot doesn't exit if it has recently received data from the gateway", async () => {
  const { state, ends } = await open({ silentMs: 999 });
  await expect.poll(() => state.looked).toBeGreaterThan(5);
  expect(ends).toEqual([]);
  const over = await open({ silentMs: 1_000 });
  await expect.poll(() => over.ends).toHaveLength(1);
});
