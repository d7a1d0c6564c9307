import { describe, expect, it, onTestFinished } from 'vitest';
import { type StandInOptions, startDiscord } from '../../sandbox/discord/stand-in.ts';
import { COMMANDS, identified, identify, openGateway, raw, TOKEN } from './support/raw.ts';

async function open(options: Partial<StandInOptions> = {}) {
  const standIn = await startDiscord({ token: TOKEN, ...options });
  onTestFinished(() => standIn.close());
  await raw(standIn, `PUT /applications/${standIn.applicationId}/commands`, { json: COMMANDS });
  return {
    standIn,
    broken: () => standIn.breaches.map(({ title, code }) => `${code} ${title}`),
    person(index = 0) {
      const guild = standIn.guilds[index];
      if (guild === undefined) throw new Error(`there is no guild ${index}`);
      return standIn.person({ guild, name: 'mason', permissions: 0n });
    },
    limit: async () => Object((await raw(standIn, 'GET /gateway/bot')).json).session_start_limit,
  };
}

describe('a connection to the simulated gateway', () => {
  it('times out without heartbeats', async () => {
    const { standIn, broken } = await open({ heartbeatIntervalMs: 40 });
    expect(await (await identified(standIn)).closed).toBe(4009);
    expect(broken()).toEqual(['4009 SessionTimedOut']);
  });

  it.each<[number, string, readonly unknown[]]>([
    [4001, 'UnknownOpcode', [{ op: 3, d: {} }]],
    [4004, 'AuthenticationFailed', [identify({ token: 'wrong' })]],
    [4004, 'AuthenticationFailed', [{ op: 6, d: { token: 'wrong', session_id: 'x', seq: 0 } }]],
    [4005, 'AlreadyAuthenticated', [identify(), identify()]],
    [4010, 'InvalidShard', [identify({ shard: [1, 1] })]],
    [4013, 'InvalidIntents', [identify({ intents: 1 })]],
  ])('is closed after an invalid payload: %i %s', async (code, title, frames) => {
    const { standIn, broken } = await open();
    const gateway = await openGateway(standIn);
    for (const frame of frames) gateway.send(frame);
    expect(await gateway.closed).toBe(code);
    expect(broken()).toEqual([`${code} ${title}`]);
  });
});

describe('the simulated gateway', () => {
  it('accepts one IDENTIFY request every five seconds', async () => {
    const { standIn, broken } = await open({ shards: 2 });
    await identified(standIn, { shard: [0, 2] });
    const second = await openGateway(standIn);
    second.send(identify({ shard: [1, 2] }));
    expect(await second.next(9)).toMatchObject({ d: false });
    standIn.clock.advance(5_000);
    second.send(identify({ shard: [1, 2] }));
    expect((await second.next('READY')).d.guilds).toHaveLength(1);
    expect(broken()).toEqual([]);
  });

  it('accepts 1,000 IDENTIFY requests per day', async () => {
    const { standIn, limit } = await open({ identifiesUsed: 1_000 });
    expect((await limit()).remaining).toBe(0);
    const gateway = await openGateway(standIn);
    gateway.send(identify());
    expect(await gateway.closed).toBe(4004);
    standIn.clock.advance(24 * 60 * 60_000);
    expect(await limit()).toMatchObject({ remaining: 1_000 });
  });
});

describe('a simulated interaction', () => {
  it("reaches every session on the guild's shard", async () => {
    const { standIn, person } = await open({ shards: 2, maxConcurrency: 2 });
    const [zero, one] = [
      await identified(standIn, { shard: [0, 2] }),
      await identified(standIn, { shard: [1, 2] }),
    ];
    standIn.clock.advance(5_000);
    const twin = await identified(standIn, { shard: [1, 2] });
    void person(1).slash('read');
    const { d } = await one.next('INTERACTION_CREATE');
    expect((await twin.next('INTERACTION_CREATE')).d.id).toBe(d.id);
    void person(0).slash('read');
    expect((await zero.next('INTERACTION_CREATE')).d.id).not.toBe(d.id);
  });
});

describe('a gateway session', () => {
  const resume = (session_id: unknown, seq: number) => ({ op: 6, d: { token: TOKEN, session_id, seq } });

  it.each([
    [1000, 0],
    [1001, 0],
    [4200, 4 * 60_000],
  ])('expires after its connection closes (code %i, delay %i ms)', async (code, waitMs) => {
    const { standIn } = await open();
    const { sessionId, close } = await identified(standIn);
    await close(code);
    await expect.poll(() => standIn.gateway.sessions().length).toBe(0);
    standIn.clock.advance(waitMs);
    const again = await openGateway(standIn);
    again.send(resume(sessionId, 1));
    expect(await again.next(9)).toMatchObject({ d: false });
  });

  it("can't be resumed with an unknown sequence number", async () => {
    const { standIn } = await open();
    const { sessionId, close } = await identified(standIn);
    await close(4200);
    const again = await openGateway(standIn);
    again.send(resume(sessionId, 99));
    expect(await again.closed).toBe(4007);
  });
});

// The gateway's other faults are tested through the bot in test/faults/gateway.test.ts.
it('the simulated gateway can request a heartbeat', async () => {
  const { standIn } = await open();
  const session = await identified(standIn);
  standIn.gateway.requestHeartbeat();
  expect(await session.next()).toMatchObject({ op: 1 });
});
