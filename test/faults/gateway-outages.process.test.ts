import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, vi } from 'vitest';
import { ownBotTest, textOf } from '../support/bot.ts';

/** A bot as it is run, for which time goes so many times as fast, as it does for Discord. */
const TIME_GOES = 10;
const TICK_MS = 50;
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'preloads/fast-time.ts'));

const LONG = { timeout: 60_000 };

const it = ownBotTest({
  asProcess: true,
  http: false,
  key: null,
  env: { NODE_OPTIONS: `--import=${PRELOAD.href}`, TIME_GOES: String(TIME_GOES) },
}).extend('outage', async ({ bot, member, discord: { gateway, clock } }, { onCleanup }) => {
  let ticked = performance.now();
  function tick(): void {
    const now = performance.now();
    clock.advance((now - ticked) * (TIME_GOES - 1));
    ticked = now;
  }
  const ticking = setInterval(tick, TICK_MS);
  onCleanup(() => clearInterval(ticking));
  const start = clock.now();
  const before = gateway.counts();
  const sessions = gateway.sessions().map(({ id }) => id);
  return {
    gateway,
    /** What was sent since the outage began. */
    counts() {
      const now = gateway.counts();
      return {
        connections: now.connections - before.connections,
        connectionsToResume: now.connectionsToResume - before.connectionsToResume,
        identifies: now.identifies - before.identifies,
        resumes: now.resumes - before.resumes,
      };
    },
    /** Waits until so many of the bot's seconds are over since it began. */
    passed: (seconds: number) => vi.waitUntil(() => clock.now() - start > seconds * 1_000, LONG),
    /** The bot is there again, in a new session, and answers. */
    async isWell() {
      await vi.waitUntil(() => gateway.sessions().some(({ id }) => !sessions.includes(id)), LONG);
      clearInterval(ticking);
      expect(textOf(await member.slash('help'))).toContain('/addserver');
    },
    logged: (message: string) => bot.log().filter(({ msg }) => msg === message),
  };
});

const WITHOUT_SESSION = 'a connection to Discord ended without a session';

// Of tests that run at once `expect.poll` does not know which one it is in: they have `vi.waitUntil`.
describe.concurrent('a bot that meets', () => {
  it('a dead host to resume at leaves it soon', async ({ outage: { gateway, counts, isWell, logged } }) => {
    gateway.killResumeHost(true);
    gateway.close(4000);
    await isWell();
    expect(counts()).toMatchObject({ connectionsToResume: 3, resumes: 0 });
    expect(counts().connections).toBeLessThanOrEqual(2);
    expect(logged('connection to Discord failed')).toHaveLength(1);
  });

  it('silence after IDENTIFY sends four at most', async ({ outage: { gateway, counts, passed, isWell } }) => {
    gateway.answerIdentify('nothing');
    gateway.invalidate(false);
    await passed(100);
    const { identifies } = counts();
    expect(identifies).toBeGreaterThan(0);
    expect(identifies).toBeLessThanOrEqual(4);
    await passed(140);
    const { identifies: before } = counts();
    gateway.answerIdentify('ready');
    await isWell();
    expect(counts().identifies).toBe(before);
  });

  it('op 9 to eight IDENTIFYs says so', async ({ outage: { gateway, counts, passed, isWell, logged } }) => {
    gateway.answerIdentify('invalid session');
    gateway.invalidate(false);
    await passed(90);
    const { identifies } = counts();
    expect(identifies).toBeGreaterThan(2);
    expect(identifies).toBeLessThanOrEqual(8);
    expect(logged(WITHOUT_SESSION).length).toBeGreaterThan(0);
    expect(logged(WITHOUT_SESSION).length).toBeLessThanOrEqual(2);
    gateway.answerIdentify('ready');
    await isWell();
  });

  it('a RESUME without an answer begins a new session', async ({ outage: { gateway, counts, isWell } }) => {
    gateway.answerResume(false);
    gateway.close(4000);
    await isWell();
    expect(counts()).toMatchObject({ connectionsToResume: 1, connections: 1, resumes: 1, identifies: 1 });
  });
});
