import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, vi } from 'vitest';
import { ownBotTest, textOf } from '../support/bot.ts';

/** Time passes this many times faster for the bot and for Discord in these tests. */
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
    /** Counts what the gateway has sent and received since the outage began. */
    counts() {
      const now = gateway.counts();
      return {
        connections: now.connections - before.connections,
        connectionsToResume: now.connectionsToResume - before.connectionsToResume,
        identifies: now.identifies - before.identifies,
        resumes: now.resumes - before.resumes,
      };
    },
    /** Waits until this many seconds on the bot's clock have passed since the outage began. */
    passed: (seconds: number) => vi.waitUntil(() => clock.now() - start > seconds * 1_000, LONG),
    /** Waits until the bot has a new session, and checks that it replies within Discord's real three seconds. */
    async isWell() {
      await vi.waitUntil(() => gateway.sessions().some(({ id }) => !sessions.includes(id)), LONG);
      clearInterval(ticking);
      process.kill(bot.process.pid ?? Number.NaN, 'SIGUSR2');
      expect(textOf(await member.slash('help'))).toContain('/addserver');
    },
    logged: (message: string) => bot.log().filter(({ msg }) => msg === message),
  };
});

const WITHOUT_SESSION = 'a connection to Discord ended without a session';

// In concurrent tests, `expect.poll` can't tell which test it belongs to, so these tests use `vi.waitUntil`.
describe.concurrent('during a gateway outage, the bot', () => {
  it('gives up on an unreachable resume host after three attempts', async ({
    outage: { gateway, counts, isWell, logged },
  }) => {
    gateway.killResumeHost(true);
    gateway.close(4000);
    await isWell();
    expect(counts()).toMatchObject({ connectionsToResume: 3, resumes: 0 });
    expect(counts().connections).toBeLessThanOrEqual(2);
    expect(logged('connection to Discord failed')).toHaveLength(1);
  });

  it("sends IDENTIFY at most four times if Discord doesn't respond", async ({
    outage: { gateway, counts, passed, isWell },
  }) => {
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

  it('sends IDENTIFY at most eight times if Discord responds with op 9', async ({
    outage: { gateway, counts, passed, isWell, logged },
  }) => {
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

  it("starts a new session if Discord doesn't respond to RESUME", async ({
    outage: { gateway, counts, isWell },
  }) => {
    gateway.answerResume(false);
    gateway.close(4000);
    await isWell();
    expect(counts()).toMatchObject({ connectionsToResume: 1, connections: 1, resumes: 1, identifies: 1 });
  });
});
