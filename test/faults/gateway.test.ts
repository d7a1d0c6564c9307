import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_WITHIN_MS, BREACHES, inAppScene, openAppScene, type Scene } from '../support/bot.ts';
import { unfinishedIn } from '../support/database.ts';
import { addsOf } from '../support/people.ts';
import { isAccepted, isLost } from './submission.ts';

/** A bot of its own for each case, since most of the time is waiting. */
const within = (run: (scene: Scene) => Promise<void>) => () => inAppScene({ key: 'sandbox-key' }, run);

describe('a gateway that', () => {
  const resumed = (scene: Scene) =>
    scene.log().filter(({ msg }) => msg === 'connection to Discord resumed').length;

  /** A disturbance after which the session goes on: what is asked meanwhile is answered all the same. */
  async function goesOn(scene: Scene, name: string, disturb: () => void): Promise<void> {
    const before = resumed(scene);
    disturb();
    await isAccepted(scene, `${name}.example.com`);
    await expect.poll(() => resumed(scene)).toBe(before + 1);
    await isAccepted(scene, `after-${name}.example.com`);
  }

  it(
    'asks to reconnect (op 7) or for a heartbeat (op 1), doubts the session (op 9, true), or ends the connection',
    within(async (scene) => {
      const { gateway } = scene.discord;
      await goesOn(scene, 'op7', () => gateway.askToReconnect());
      await goesOn(scene, 'op9', () => gateway.invalidate(true));
      await goesOn(scene, 'cut', () => gateway.cut());
      await goesOn(scene, 'close-4000', () => gateway.close(4000));
      gateway.requestHeartbeat();
      await isAccepted(scene, 'op1.example.com');
    }),
  );

  const lostLines = (scene: Scene) =>
    scene.log().filter(({ msg }) => String(msg).startsWith('interaction lost')).length;

  it(
    'delivers an interaction too late',
    within(async (scene) => {
      scene.mayBreak(BREACHES.tooLate, 1);
      const before = lostLines(scene);
      scene.discord.gateway.disturbDispatch({ delayMs: 2 * ANSWER_WITHIN_MS });
      await isLost(scene, 'late.example.com', async () => scene.discord.gateway.disturbDispatch({}));
      scene.discord.clock.advance(2 * ANSWER_WITHIN_MS);
      await expect.poll(() => lostLines(scene)).toBe(before + 1);
      expect(addsOf(scene, 'late.example.com')).toHaveLength(0);
      await isAccepted(scene, 'after-late.example.com');
    }),
  );

  /** Ends the session; what is asked until there is another one is lost. */
  async function startsAnew(scene: Scene, name: string, disturb: () => void): Promise<void> {
    const { gateway, clock } = scene.discord;
    const previous = gateway.sessions().map(({ id }) => id);
    // Discord lets a shard identify once in 5 seconds; discord.js waits for that, the stand-in need not.
    clock.advance(5_000);
    disturb();
    await isLost(scene, `${name}-meanwhile.example.com`);
    // discord.js waits up to 5 seconds before it begins anew (Discord docs: Invalid Session).
    await expect
      .poll(() => gateway.sessions().some(({ id }) => !previous.includes(id)), { timeout: 60_000 })
      .toBe(true);
    await isAccepted(scene, `after-${name}.example.com`);
  }

  it(
    'says that the session is over (op 9, false)',
    within((scene) => startsAnew(scene, 'op9-false', () => scene.discord.gateway.invalidate(false))),
  );

  it(
    'ends the session with 4003',
    within((scene) => startsAnew(scene, 'close-4003', () => scene.discord.gateway.close(4003))),
  );
});

// That a process ends by it is in test/support/bot.process.test.ts.
describe('a gateway that ends the connection for good', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openAppScene({ key: 'sandbox-key' });
  });
  afterAll(() => scene.close({ crash: true }));

  const fatal: Readonly<Record<number, RegExp>> = {
    4004: /bot token is not valid/,
    4010: /shard is not valid/,
    4011: /too many servers for one shard/,
    4012: /version of the gateway is no longer served/,
    4013: /intents are not valid/,
    4014: /intents are not granted/,
  };
  it.each(Object.entries(fatal))('with %s', async (code, words) => {
    scene.discord.gateway.close(Number(code));
    const { status, lastWords } = await scene.bot.exited();
    expect(status).toBe(1);
    const said = lastWords.filter((line) => !line.startsWith('{'));
    expect(said).toEqual([expect.stringMatching(words)]);
    expect(said[0]).toContain(code);
    expect(await unfinishedIn(scene.store)).toEqual([]);
    // Started again, which is what an operator does once it is put right.
    await scene.startBot();
    await isAccepted(scene, `fatal-${code}.example.com`);
  });
});
