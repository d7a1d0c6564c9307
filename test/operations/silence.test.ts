import { describe, expect, it, onTestFinished } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { createSilence } from '../../src/operations/silence.ts';
import { type BotOptions, type Expected, oneBot } from '../support/bot.ts';
import { recorder, sampleOf, scrape } from '../support/machine.ts';

const ENDED = /Nothing has come from Discord's gateway for \d+ seconds: the bot ends/;

async function quickBot(options: BotOptions & Expected) {
  const bot = await oneBot({ ...options, discord: { heartbeatIntervalMs: 200 } });
  // Heartbeats so fast that a busy machine may miss some: then the stand-in complains, and discord.js connects anew.
  bot.mayBreak('SessionTimedOut', 5);
  return bot;
}

describe('a gateway', () => {
  it('that is silent ends the bot with a message and status 1', async () => {
    const env = { EXIT_WHEN_SILENT_SECONDS: '1' };
    const bot = await quickBot({ env, crash: true });
    // The sockets stay open and nothing comes: discord.js gives them up, connects anew, and waits to be greeted.
    bot.discord.gateway.silence(true);
    expect(await bot.process.exited()).toMatchObject({ status: 1 });
    expect(bot.output()).toMatch(ENDED);
  });

  it('that answers heartbeats is not silent, however quiet it is', async () => {
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
  /** Since when the gateway has been silent, in milliseconds. */
  readonly silentMs?: number;
  /** The IDENTIFYs that are left, as Discord said last. */
  readonly left?: number;
  /** Whether Discord says how many are left when it is asked. */
  readonly answers?: boolean;
}

/** A gateway without a socket, for what depends on numbers alone. */
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
        if (!answers) throw new Error('no answer');
      },
    },
    onFatal: ({ message }) => ends.push(message),
    logger,
  });
  await silence.start?.();
  onTestFinished(() => silence.stop?.());
  return { state, ends, logger };
}

describe('the IDENTIFYs of the day', () => {
  it('keep the process from ending while fewer than 200 are left, which is logged once', async () => {
    const { state, ends, logger } = await open({ left: 199 });
    await expect.poll(() => state.asked).toBeGreaterThan(3);
    expect(ends).toEqual([]);
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    state.left = 200;
    await expect.poll(() => ends).toEqual([expect.stringMatching(ENDED)]);
  });

  it('count as Discord said last when Discord does not answer', async () => {
    const few = await open({ left: 150, answers: false });
    await expect.poll(() => few.state.asked).toBeGreaterThan(3);
    expect(few.ends).toEqual([]);
    const enough = await open({ left: 900, answers: false });
    await expect.poll(() => enough.ends).toHaveLength(1);
  });
});

it('a gateway that was heard within the time ends nothing', async () => {
  const { state, ends } = await open({ silentMs: 999 });
  await expect.poll(() => state.looked).toBeGreaterThan(5);
  expect(ends).toEqual([]);
  const over = await open({ silentMs: 1_000 });
  await expect.poll(() => over.ends).toHaveLength(1);
});
