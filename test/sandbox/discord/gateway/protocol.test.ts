import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn } from '../../../../sandbox/discord/contract.ts';
import { type StandInOptions, startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import { IDENTIFY, identified, openGateway, raw } from '../support/raw.ts';
import { TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;

async function start(options: Partial<StandInOptions> = {}): Promise<void> {
  standIn = await startDiscord({ token: TOKEN, ...options });
}

beforeEach(() => start());
afterEach(() => standIn.close());

const broken = () => standIn.breaches.map(({ rule, code }) => [rule, code]);
const identify = (more: object = {}) => ({ op: 2, d: { ...IDENTIFY, ...more } });

/** Opens a connection, sends this, and returns the close code. */
async function closeCode(...frames: readonly unknown[]): Promise<number> {
  const gateway = await openGateway(standIn);
  for (const frame of frames) gateway.send(frame);
  return gateway.closed;
}

describe('rule 46: HELLO and heartbeats', () => {
  it('begins with HELLO and answers heartbeats, before IDENTIFY too', async () => {
    const gateway = await openGateway(standIn);
    expect(await gateway.next({})).toMatchObject({ op: 10, d: { heartbeat_interval: 41_250 } });
    gateway.send({ op: 1, d: null });
    expect(await gateway.next({})).toMatchObject({ op: 11 });
    gateway.send(identify());
    const { s } = await gateway.next({ t: 'READY' });
    gateway.send({ op: 1, d: s });
    expect(await gateway.next({})).toMatchObject({ op: 11 });
    expect(standIn.breaches).toEqual([]);
  });

  it('can ask for a heartbeat, and can leave heartbeats unanswered', async () => {
    const gateway = await identified(standIn);
    standIn.gateway.requestHeartbeat();
    expect(await gateway.next({ op: 1 })).toMatchObject({ op: 1 });
    gateway.send({ op: 1, d: 1 });
    await gateway.next({ op: 11 });
    standIn.gateway.withholdAcks(true);
    gateway.send({ op: 1, d: 1 });
    // The close comes after the heartbeat was read.
    gateway.send(identify());
    expect(await gateway.closed).toBe(4005);
    expect(gateway.frames.filter(({ op }) => op === 11)).toHaveLength(1);
  });

  it('closes a connection that is silent for one and a half intervals', async () => {
    await standIn.close();
    await start({ heartbeatIntervalMs: 40 });
    const gateway = await identified(standIn);
    expect(await gateway.closed).toBe(4009);
    expect(broken()).toEqual([[47, 4009]]);
  });
});

describe('rule 47: close codes', () => {
  it('4001 for an unknown operation', async () => {
    expect(await closeCode(identify(), { op: 99, d: null })).toBe(4001);
  });

  it('4002 for what cannot be read, or is longer than 4096 bytes', async () => {
    const gateway = await openGateway(standIn);
    gateway.sendText('{');
    expect(await gateway.closed).toBe(4002);
    expect(await closeCode({ op: 1, d: null, padding: 'x'.repeat(4096) })).toBe(4002);
    expect(await closeCode({ op: 2, d: { intents: 0 } })).toBe(4002);
    expect(await closeCode({ op: 1, d: 'x' })).toBe(4002);
    expect(await closeCode({ op: 6, d: {} })).toBe(4002);
  });

  it('4003 for anything but heartbeat, IDENTIFY and RESUME first', async () => {
    expect(await closeCode({ op: 3, d: {} })).toBe(4003);
    expect(await closeCode({ op: 99, d: {} })).toBe(4003);
  });

  it('4004 for a wrong token', async () => {
    expect(await closeCode(identify({ token: 'wrong' }))).toBe(4004);
    expect(await closeCode({ op: 6, d: { token: 'wrong', session_id: 'x', seq: 0 } })).toBe(4004);
    standIn.gateway.replaceToken('ddd.eee.fff');
    expect(await closeCode(identify())).toBe(4004);
    expect((await raw(standIn, 'GET /users/@me')).status).toBe(401);
  });

  it('4005 for a second IDENTIFY or a RESUME after it', async () => {
    expect(await closeCode(identify(), identify())).toBe(4005);
    standIn.clock.advance(5_000);
    expect(await closeCode(identify(), { op: 6, d: { token: TOKEN, session_id: 'x', seq: 0 } })).toBe(4005);
  });

  it('4008 for more than 120 payloads in a minute, which then are counted anew', async () => {
    const heartbeats = (count: number) => Array.from({ length: count }, () => ({ op: 1, d: null }));
    expect(await closeCode(...heartbeats(121))).toBe(4008);
    const gateway = await openGateway(standIn);
    for (const heartbeat of heartbeats(120)) gateway.send(heartbeat);
    for (let n = 0; n < 120; n += 1) await gateway.next({ op: 11 });
    standIn.clock.advance(60_000);
    gateway.send({ op: 1, d: null });
    await gateway.next({ op: 11 });
  });

  it('4010 for a shard that cannot be', async () => {
    for (const shard of [[1, 1], [0, 0], [-1, 2], ['0', 1], [0]])
      expect(await closeCode(identify({ shard }))).toBe(4010);
  });

  it('4011 for more than 2500 guilds on a shard', async () => {
    for (let n = 0; n < 2500; n += 1) standIn.guildEvents.add({ name: `guild ${n}` });
    expect(await closeCode(identify())).toBe(4011);
    const half = await openGateway(standIn);
    half.send(identify({ shard: [0, 2] }));
    expect((await half.next({ t: 'READY' })).d.guilds).toHaveLength(1251);
  });

  it('4012 for another version, while 9 and 10 are spoken', async () => {
    expect(await (await openGateway(standIn, 'v=8&encoding=json')).closed).toBe(4012);
    expect(await (await openGateway(standIn, 'encoding=json')).closed).toBe(4012);
    const nine = await openGateway(standIn, 'v=9&encoding=json');
    expect(await nine.next({})).toMatchObject({ op: 10 });
  });

  it('4013 for missing or unknown intents', async () => {
    expect(await closeCode(identify({ intents: undefined }))).toBe(4013);
    expect(await closeCode(identify({ intents: 1 << 17 }))).toBe(4013);
    expect(await closeCode(identify({ intents: '0' }))).toBe(4013);
  });

  it('4014 for privileged intents that were not granted', async () => {
    expect(await closeCode(identify({ intents: 1 << 15 }))).toBe(4014);
    expect(new Set(standIn.breaches.map(({ rule }) => rule))).toEqual(new Set([47]));
    await standIn.close();
    await start({ grantedIntents: 1 << 15 });
    const gateway = await openGateway(standIn);
    gateway.send(identify({ intents: 1 << 15 }));
    await gateway.next({ t: 'READY' });
  });

  it('says that compression is not covered', async () => {
    expect(await (await openGateway(standIn, 'v=10&encoding=json&compress=zlib-stream')).closed).toBe(4002);
    expect(await (await openGateway(standIn, 'v=10&encoding=etf')).closed).toBe(4002);
  });
});

describe('rule 48: identify limits', () => {
  it('takes one IDENTIFY every five seconds for each of max_concurrency keys', async () => {
    await standIn.close();
    await start({ maxConcurrency: 2, shards: 3 });
    for (const id of [0, 1]) (await identified(standIn, { shard: [id, 3] })).frames;
    const third = await openGateway(standIn);
    third.send(identify({ shard: [2, 3] }));
    expect(await third.next({ op: 9 })).toMatchObject({ op: 9, d: false });
    standIn.clock.advance(5_000);
    third.send(identify({ shard: [2, 3] }));
    await third.next({ t: 'READY' });
    expect(standIn.breaches).toEqual([]);
  });

  it('counts them down in GET /gateway/bot', async () => {
    const limit = async () => (await raw(standIn, 'GET /gateway/bot')).json.session_start_limit;
    expect(await limit()).toMatchObject({ total: 1000, remaining: 1000, max_concurrency: 1 });
    await identified(standIn);
    expect(await limit()).toMatchObject({ remaining: 999 });
    standIn.clock.advance(24 * 60 * 60_000);
    expect(await limit()).toMatchObject({ remaining: 1000 });
  });

  it('closes everything and takes the token away after 1000 in a day', async () => {
    const witness = await identified(standIn);
    // Those that come too soon count as well; a connection may send 120 payloads a minute.
    for (let n = 0; n < 9; n += 1) {
      const eager = await openGateway(standIn);
      for (let sent = 0; sent < 111; sent += 1) eager.send(identify());
      for (let answered = 0; answered < 111; answered += 1) await eager.next({ op: 9 });
    }
    expect(standIn.breaches).toEqual([]);
    expect(await closeCode(identify())).toBe(4004);
    expect(await witness.closed).toBe(4004);
    expect(broken()).toEqual([[48, 4004]]);
    expect((await raw(standIn, 'GET /users/@me')).status).toBe(401);
    standIn.clock.advance(24 * 60 * 60_000);
    expect(await closeCode(identify())).toBe(4004);
  });
});
