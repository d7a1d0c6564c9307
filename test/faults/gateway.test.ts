import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { readStored } from '../support/stored.ts';
import { adds, isAccepted, isLost, submit } from './submission.ts';

/** Short, so that a dead connection is noticed soon. */
const HEARTBEAT_MS = 1_000;

describe('a gateway that', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ key: 'sandbox-key', discord: { heartbeatIntervalMs: HEARTBEAT_MS } });
  });
  // Answered too late, or twice.
  afterAll(() => scene.close({ breaches: [25, 26] }));

  const resumed = () => scene.log().filter(({ msg }) => msg === 'connection to Discord resumed').length;

  /** A disturbance after which the session goes on: what is asked meanwhile is answered all the same. */
  async function goesOn(name: string, disturb: () => void): Promise<void> {
    const before = resumed();
    disturb();
    await isAccepted(scene, `${name}.example.com`);
    await eventually(resumed, before + 1);
    await isAccepted(scene, `after-${name}.example.com`);
  }

  it('asks to reconnect (op 7)', () => goesOn('op7', () => scene.discord.gateway.askToReconnect()));

  it('says that the session can be resumed (op 9, true)', () =>
    goesOn('op9', () => scene.discord.gateway.invalidate(true)));

  it('cuts the connection', () => goesOn('cut', () => scene.discord.gateway.cut()));

  it.each([4000, 4001, 4002, 4009])('closes the connection with %i', (code) =>
    goesOn(`close-${code}`, () => scene.discord.gateway.close(code)));

  it('asks for a heartbeat (op 1)', async () => {
    scene.discord.gateway.requestHeartbeat();
    await isAccepted(scene, 'op1.example.com');
  });

  it('answers no heartbeat: the dead connection is noticed, and resumed', async () => {
    const before = resumed();
    scene.discord.gateway.withholdAcks(true);
    await eventually(resumed, before + 1);
    scene.discord.gateway.withholdAcks(false);
    await isAccepted(scene, 'zombie.example.com');
  });

  const lostLines = () => scene.log().filter(({ msg }) => String(msg).startsWith('interaction lost')).length;

  it('delivers an interaction twice', async () => {
    const before = lostLines();
    scene.discord.gateway.disturbDispatch({ copies: 2 });
    await isAccepted(scene, 'twice.example.com');
    scene.discord.gateway.disturbDispatch({});
    await eventually(lostLines, before + 1);
    await isAccepted(scene, 'after-twice.example.com');
    expect(adds(scene, 'twice.example.com')).toHaveLength(1);
  });

  it('delivers an interaction too late', async () => {
    const before = lostLines();
    scene.discord.gateway.disturbDispatch({ delayMs: 3_300 });
    expect(await submit(scene, 'late.example.com')).toEqual({ kind: 'lost' });
    scene.discord.gateway.disturbDispatch({});
    await eventually(lostLines, before + 1);
    await isLost(scene, 'late.example.com', Promise.resolve({ kind: 'lost' }));
    await isAccepted(scene, 'after-late.example.com');
  });

  it('has an outage of the guild', async () => {
    const [guild] = scene.discord.guilds;
    if (!guild) throw new Error('the stand-in has no guild');
    scene.discord.guildEvents.outage(guild);
    await isAccepted(scene, 'outage.example.com');
    scene.discord.guildEvents.recover(guild);
    await isAccepted(scene, 'after-outage.example.com');
  });

  /** Ends the session; what is asked until there is another one is lost. */
  async function startsAnew(name: string, disturb: () => void): Promise<void> {
    const { gateway, clock } = scene.discord;
    const former = gateway.sessions().map(({ id }) => id);
    // Discord lets a shard identify once in 5 seconds; discord.js waits for that, the stand-in need not.
    clock.advance(5_000);
    disturb();
    await isLost(scene, `${name}-meanwhile.example.com`);
    await eventually(() => gateway.sessions().some(({ id }) => !former.includes(id)), true, 10_000);
    await isAccepted(scene, `after-${name}.example.com`);
  }

  it('says that the session is over (op 9, false)', () =>
    startsAnew('op9-false', () => scene.discord.gateway.invalidate(false)));

  it.each([1000, 4003, 4005, 4007, 4008])('ends the session with %i', (code) =>
    startsAnew(`close-${code}`, () => scene.discord.gateway.close(code)));
});

describe('a gateway that ends the connection for good', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene({ key: 'sandbox-key' });
  });
  afterAll(() => scene.close({ crash: true }));

  const fatal = [
    [4004, /bot token is not valid/],
    [4010, /shard is not valid/],
    [4011, /too many servers for one shard/],
    [4012, /version of the gateway is no longer served/],
    [4013, /intents are not valid/],
    [4014, /intents are not granted/],
  ] as const;
  for (const [code, words] of fatal) {
    it(`with ${code}`, async () => {
      scene.discord.gateway.close(code);
      const { status, lastWords } = await scene.bot.exited();
      expect(status).toBe(1);
      const said = lastWords.filter((line) => !line.startsWith('{'));
      expect(said).toEqual([expect.stringMatching(words)]);
      expect(said[0]).toContain(String(code));
      expect(readStored(scene.data).unfinished).toEqual([]);
      // Started again, which is what an operator does once it is put right.
      await scene.startBot();
      await isAccepted(scene, `fatal-${code}.example.com`);
    });
  }
});
