import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, type TestContext } from 'vitest';
import { openScene, type Scene, textOf } from '../support/bot.ts';

/** A bot as it is run, for which time goes so many times as fast, as it does for Discord. */
const TIME_GOES = 10;
const TICK_MS = 50;
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'preloads/fast-time.ts'));

const LONG = { timeout: 60_000 };

interface Outage {
  readonly scene: Scene;
  readonly gateway: Scene['discord']['gateway'];
  /** What was sent since the session began. */
  counts(): ReturnType<Scene['discord']['gateway']['counts']>;
  /** Waits until so many of the bot's seconds are over since the session began. */
  passed(seconds: number): Promise<void>;
  /** The bot is there again, in a new session, and answers. */
  isWell(): Promise<void>;
  logged(message: string): readonly Readonly<Record<string, unknown>>[];
}

// Tests that run at once each have an `expect` of their own.
const inOutage =
  (run: (outage: Outage) => Promise<void>) =>
  async ({ expect }: TestContext) => {
    const env = { NODE_OPTIONS: `--import=${PRELOAD.href}`, TIME_GOES: String(TIME_GOES) };
    const scene = await openScene({ http: false, env });
    const { gateway, clock } = scene.discord;
    let ticked = performance.now();
    function tick(): void {
      const now = performance.now();
      clock.advance((now - ticked) * (TIME_GOES - 1));
      ticked = now;
    }
    const ticking = setInterval(tick, TICK_MS);
    const start = clock.now();
    const before = gateway.counts();
    const sessions = gateway.sessions().map(({ id }) => id);
    const outage: Outage = {
      scene,
      gateway,
      counts() {
        const now = gateway.counts();
        return {
          connections: now.connections - before.connections,
          connectionsToResume: now.connectionsToResume - before.connectionsToResume,
          identifies: now.identifies - before.identifies,
          resumes: now.resumes - before.resumes,
        };
      },
      async passed(seconds) {
        await expect.poll(() => clock.now() - start, LONG).toBeGreaterThan(seconds * 1_000);
      },
      async isWell() {
        await expect.poll(() => gateway.sessions().some(({ id }) => !sessions.includes(id)), LONG).toBe(true);
        clearInterval(ticking);
        expect(textOf(await scene.member.slash('help'))).toContain('/addserver');
      },
      logged: (message) => scene.log().filter(({ msg }) => msg === message),
    };
    try {
      await run(outage);
    } finally {
      clearInterval(ticking);
      await scene.close();
    }
  };

const WITHOUT_SESSION = 'a connection to Discord ended without a session';

describe.concurrent('a bot that meets', () => {
  it(
    'a dead host to resume at goes to the main address after three connections',
    inOutage(async ({ gateway, counts, isWell, logged }) => {
      gateway.killResumeHost(true);
      gateway.close(4000);
      await isWell();
      expect(counts()).toMatchObject({ connectionsToResume: 3, resumes: 0 });
      expect(counts().connections).toBeLessThanOrEqual(2);
      expect(logged('connection to Discord failed')).toHaveLength(1);
    }),
  );

  it(
    'IDENTIFYs without an answer sends four at most in 100 seconds, and takes a READY that comes late',
    inOutage(async ({ gateway, counts, passed, isWell }) => {
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
    }),
  );

  it(
    'IDENTIFYs that are refused (op 9) sends eight at most in 90 seconds, and says so once a minute',
    inOutage(async ({ gateway, counts, passed, isWell, logged }) => {
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
    }),
  );

  it(
    'a RESUME without an answer begins a new session',
    inOutage(async ({ gateway, counts, isWell }) => {
      gateway.answerResume(false);
      gateway.close(4000);
      await isWell();
      expect(counts()).toMatchObject({ connectionsToResume: 1, connections: 1, resumes: 1, identifies: 1 });
    }),
  );
});
