import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createSilence } from '../../src/operations/silence.ts';
import { memoryStore, recorder } from '../storage/temporary.ts';
import { inAppScene, openAppScene, type Scene } from '../support/scene.ts';

const keptWait = ({ data }: Scene): number | undefined => {
  const database = new DatabaseSync(join(data, 'bot.sqlite'), { readOnly: true });
  const row = database.prepare("SELECT value FROM keyv WHERE key = 'silence:wait'").get();
  database.close();
  return row === undefined ? undefined : JSON.parse(String(row.value)).value.seconds;
};

/** Heartbeats so fast that a busy machine may miss one: then the stand-in complains, and discord.js connects anew. */
const QUICK = { discord: { heartbeatIntervalMs: 200 }, breaches: [47] };

const ENDED = /Nothing has come from Discord's gateway for \d+ seconds: the bot ends/;

describe('a gateway that is silent', () => {
  it('ends the bot with a message and status 1, and the wait doubles over restarts', async () => {
    const scene = await openAppScene({ env: { EXIT_WHEN_SILENT_SECONDS: '1' }, discord: QUICK.discord });
    // The sockets stay open and nothing comes: discord.js gives them up, connects anew, and waits to be greeted.
    scene.discord.gateway.silence(true);
    expect(await scene.bot.exited()).toMatchObject({ status: 1 });
    expect(scene.output()).toMatch(ENDED);
    expect(keptWait(scene)).toBe(2);

    scene.discord.gateway.silence(false);
    await scene.startBot();
    scene.discord.gateway.silence(true);
    expect(await scene.bot.exited()).toMatchObject({ status: 1 });
    expect(keptWait(scene)).toBe(4);
    await scene.close({ crash: true, breaches: QUICK.breaches });
  });

  it('is not one whose heartbeats are answered, however quiet it is', async () => {
    // So many seconds that a busy machine does not stand still for as long.
    const options = { ...QUICK, env: { EXIT_WHEN_SILENT_SECONDS: '4' } };
    await inAppScene(options, async (scene) => {
      const until = Date.now() + 6_000;
      await expect.poll(() => [Date.now() > until, scene.bot.running]).toEqual([true, true]);
    });
  });
});

/** A gateway without a socket, and a store in memory, for what depends on numbers alone. */
function silenceWith(options: {
  silentMs?: number;
  left?: number | undefined;
  asked?: 'fails';
  kept?: number;
}) {
  const { kept: seconds } = options;
  const store = memoryStore(new Map(seconds === undefined ? [] : [['silence:wait', { v: 1, seconds }]]));
  const ended = Promise.withResolvers<string>();
  const logger = recorder();
  let asked = 0;
  let looked = 0;
  const gateway = {
    silentMs: () => {
      looked += 1;
      return options.silentMs ?? 1e9;
    },
    identifiesLeft: () => options.left,
    askIdentifiesLeft: async () => {
      asked += 1;
      if (options.asked === 'fails') throw new Error('no answer');
    },
  };
  const part = createSilence({
    config: { exitWhenSilentSeconds: 1 },
    lookEveryMs: 5,
    gateway,
    store,
    onFatal: ({ message }) => ended.resolve(message),
    logger,
  });
  return {
    part,
    kept: store.kept,
    ended: ended.promise,
    logger,
    options,
    asks: () => asked,
    looks: () => looked,
  };
}

describe('the IDENTIFYs of the day', () => {
  it('keep the process from ending when fewer than 200 are left, and let it end when there are more again', async () => {
    const { part, ended, options, logger, kept, asks } = silenceWith({ left: 199 });
    await part.start?.();
    await expect.poll(asks).toBeGreaterThan(3);
    expect(kept.size).toBe(0);
    expect(logger.lines.filter(({ message }) => message.includes('too few IDENTIFYs'))).toHaveLength(1);
    options.left = 200;
    expect(await ended).toMatch(ENDED);
    await part.stop?.();
  });

  it('count as Discord said last when it does not say', async () => {
    const few = silenceWith({ left: 150, asked: 'fails' });
    await few.part.start?.();
    await expect.poll(few.asks).toBeGreaterThan(3);
    expect(few.kept.size).toBe(0);
    await few.part.stop?.();

    const enough = silenceWith({ left: 900, asked: 'fails' });
    await enough.part.start?.();
    expect(await enough.ended).toMatch(ENDED);
    await enough.part.stop?.();
  });
});

describe('the wait', () => {
  it('grows to 6 hours and no further', async () => {
    const { part, ended, kept } = silenceWith({ kept: 20_000, left: 1000 });
    await part.start?.();
    expect(await ended).toMatch(ENDED);
    await part.stop?.();
    expect(kept.get('silence:wait')).toEqual({ v: 1, seconds: 21_600 });
  });

  it('is as long as a previous end has left it, and not as configured', async () => {
    const { part, looks, asks } = silenceWith({ kept: 4, silentMs: 3_999, left: 1000 });
    await part.start?.();
    await expect.poll(looks).toBeGreaterThan(5);
    expect(asks()).toBe(0);
    await part.stop?.();
  });

  it('is back at its beginning when the gateway was heard for as long as it is', async () => {
    const { part, kept } = silenceWith({ kept: 2, silentMs: 0, left: 1000 });
    await part.start?.();
    await expect.poll(() => kept.has('silence:wait')).toBe(false);
    await part.stop?.();
  });
});
