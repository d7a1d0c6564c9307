import { type Client, Events, GatewayIntentBits } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import { type StandInOptions, startDiscord } from '../../../../sandbox/discord/stand-in.ts';
import type { Guild } from '../../../../sandbox/discord/world/guilds.ts';
import { identified, nextInteraction, openGateway, raw } from '../support/raw.ts';
import { connect, TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
const clients: Client[] = [];

async function start(options: Partial<StandInOptions> = {}): Promise<void> {
  standIn = await startDiscord({ token: TOKEN, maxConcurrency: 16, ...options });
  const json = [{ name: 'ping', description: 'Ping' }];
  await raw(standIn, `PUT /applications/${standIn.applicationId}/commands`, { json });
}

beforeEach(() => start());
afterEach(async () => {
  for (const client of clients.splice(0)) await client.destroy();
  await standIn.close();
});

function guild(index: number): Guild {
  const found = standIn.guilds[index];
  if (found === undefined) throw new Error(`no guild ${index}`);
  return found;
}
const member = (index = 0): Person => standIn.person({ guild: guild(index), name: 'mason', permissions: 0n });
const broken = () => standIn.breaches.map(({ rule, code }) => [rule, code]);
const next = <T>(client: Client, event: string) =>
  new Promise<T>((resolve) => client.once(event as 'debug', (value) => resolve(value as T)));

async function bot(options: Parameters<typeof connect>[2] = {}): Promise<Client> {
  const client = await connect(
    standIn,
    async (interaction) => interaction.isChatInputCommand() && interaction.reply('pong'),
    // discord.js waits five real seconds between two IDENTIFYs; here the clock jumps instead.
    { ...options, ws: { buildIdentifyThrottler: async () => ({ waitForIdentify: async () => {} }) } },
  );
  clients.push(client);
  return client;
}

describe('rule 49: READY', () => {
  it('lists the guilds of the shard as unavailable, without any intent', async () => {
    for (const id of [0, 1]) {
      const gateway = await openGateway(standIn);
      gateway.send({ op: 2, d: { token: TOKEN, properties: {}, intents: 0, shard: [id, 2] } });
      const { d } = await gateway.next({ t: 'READY' });
      expect(d.guilds).toEqual([{ id: guild(id).id, unavailable: true }]);
      expect(d).toMatchObject({
        v: 10,
        user: { id: standIn.applicationId, bot: true },
        application: { id: standIn.applicationId },
        session_id: expect.any(String),
        resume_gateway_url: standIn.cdnUrl.replace('http', 'ws'),
        shard: [id, 2],
      });
    }
  });
});

describe('rule 50: guild events', () => {
  it('come with the Guilds intent only', async () => {
    const quiet = await identified(standIn);
    standIn.clock.advance(5_000);
    const listening = await identified(standIn, { intents: 1 });
    expect((await listening.next({ t: 'GUILD_CREATE' })).d).toMatchObject({
      id: guild(0).id,
      unavailable: false,
      channels: [
        { type: 0, name: 'general', topic: null, rate_limit_per_user: 0, last_message_id: null },
        { type: 0, name: 'staff', position: 1, flags: 0, nsfw: false, permission_overwrites: [] },
        { type: 4, name: 'Text Channels', parent_id: null },
        { type: 5, name: 'news' },
      ],
      threads: [{ type: 11, name: 'questions', thread_metadata: { archived: false } }],
      roles: [{ id: guild(0).id, name: '@everyone' }],
      members: [{ user: { id: standIn.applicationId } }],
    });
    await listening.next({ t: 'GUILD_CREATE' });
    const added = standIn.guildEvents.add({ name: 'third' });
    expect((await listening.next({ t: 'GUILD_CREATE' })).d.id).toBe(added.id);
    standIn.guildEvents.rename(added, 'renamed');
    expect((await listening.next({ t: 'GUILD_UPDATE' })).d).toMatchObject({ id: added.id, name: 'renamed' });
    expect(standIn.guilds.at(-1)?.name).toBe('renamed');
    const gone = member();
    void gone.slash('ping');
    await nextInteraction(quiet);
    expect(quiet.frames.map(({ t }) => t).filter(Boolean)).toEqual(['READY', 'INTERACTION_CREATE']);
  });

  it('make guilds available for discord.js', async () => {
    const client = await bot({ intents: [GatewayIntentBits.Guilds] });
    expect(client.guilds.cache.map(({ id, available, name }) => ({ id, available, name }))).toEqual(
      standIn.guilds.map(({ id, name }) => ({ id, available: true, name })),
    );
    const created = next<{ id: string }>(client, Events.GuildCreate);
    const added = standIn.guildEvents.add({ name: 'third' });
    expect((await created).id).toBe(added.id);
    const updated = new Promise((resolve) =>
      client.once(Events.GuildUpdate, (_before, after) => resolve(after.name)),
    );
    standIn.guildEvents.rename(added, 'renamed');
    expect(await updated).toBe('renamed');
  });
});

describe('rule 51: where interactions arrive', () => {
  it('is every session of the shard of the guild, and shard 0 for direct messages', async () => {
    const shards = await Promise.all([0, 1].map((id) => identified(standIn, { shard: [id, 2] })));
    standIn.clock.advance(5_000);
    const twin = await identified(standIn, { shard: [1, 2] });
    const [zero, one] = shards;
    if (zero === undefined || one === undefined) throw new Error('no shards');
    void member(1).slash('ping');
    const first = await nextInteraction(one);
    expect((await nextInteraction(twin)).id).toBe(first.id);
    void standIn.personInDirectMessages({ name: 'friend' }).slash('ping');
    await nextInteraction(zero);
    expect(zero.frames.filter(({ t }) => t === 'INTERACTION_CREATE')).toHaveLength(1);
    expect(one.frames.filter(({ t }) => t === 'INTERACTION_CREATE')).toHaveLength(1);
  });

  it('reaches a sharded discord.js bot without intents', async () => {
    await standIn.close();
    await start({ shards: 2 });
    const client = await bot({ shards: 'auto' });
    expect(client.ws.shards.size).toBe(2);
    for (const index of [0, 1]) expect(await member(index).slash('ping')).toMatchObject({ kind: 'message' });
    expect(standIn.breaches).toEqual([]);
  });

  it('is nowhere when they go to an HTTP endpoint', async () => {
    await standIn.close();
    await start({ interactionsEndpoint: true });
    const gateway = await identified(standIn);
    const lost = member().slash('ping');
    standIn.clock.advance(3_001);
    expect(await lost).toEqual({ kind: 'lost' });
    expect(gateway.frames.map(({ t }) => t)).not.toContain('INTERACTION_CREATE');
  });
});

describe('rule 53: guilds that go', () => {
  it('are deleted when the bot is removed, and unavailable in an outage', async () => {
    const gateway = await identified(standIn, { intents: 1 });
    const [first, second] = [guild(0), guild(1)];
    standIn.guildEvents.outage(first);
    expect((await gateway.next({ t: 'GUILD_DELETE' })).d).toEqual({ id: first.id, unavailable: true });
    standIn.guildEvents.recover(first);
    const person = standIn.person({ guild: second, name: 'mason', permissions: 0n });
    standIn.guildEvents.remove(second);
    expect((await gateway.next({ t: 'GUILD_DELETE' })).d).toEqual({ id: second.id });
    expect(person.commands()).toEqual([]);
    expect(standIn.guilds.map(({ id }) => id)).toEqual([first.id]);
    standIn.clock.advance(5_000);
    const later = await openGateway(standIn);
    later.send({ op: 2, d: { token: TOKEN, properties: {}, intents: 0 } });
    expect((await later.next({ t: 'READY' })).d.guilds).toEqual([{ id: first.id, unavailable: true }]);
  });

  it('are told apart by discord.js, and listed page by page', async () => {
    const client = await bot({ intents: [GatewayIntentBits.Guilds] });
    const unavailable = next<{ id: string }>(client, Events.GuildUnavailable);
    standIn.guildEvents.outage(guild(0));
    expect((await unavailable).id).toBe(guild(0).id);
    const deleted = next<{ id: string }>(client, Events.GuildDelete);
    const left = guild(1);
    standIn.guildEvents.remove(left);
    expect((await deleted).id).toBe(left.id);

    for (let n = 0; n < 250; n += 1) standIn.guildEvents.add({ name: `guild ${n}` });
    const page = async (after: string) => {
      const { json } = await raw(standIn, `GET /users/@me/guilds?limit=200&after=${after}`);
      return Object.values(json) as { id: string }[];
    };
    const first = await page('0');
    const second = await page(first.at(-1)?.id ?? '');
    expect([first.length, second.length]).toEqual([200, 51]);
    expect([...first, ...second].map(({ id }) => id)).toEqual(standIn.guilds.map(({ id }) => id));
  });

  it('are left by the bot itself', async () => {
    const left = guild(0).id;
    expect((await raw(standIn, `DELETE /users/@me/guilds/${left}`)).status).toBe(204);
    expect(standIn.guilds.map(({ id }) => id)).not.toContain(left);
    expect(await raw(standIn, `DELETE /users/@me/guilds/${left}`)).toMatchObject({
      status: 404,
      json: { code: 10004 },
    });
  });
});

describe('rule 54: RESUME', () => {
  const resume = (session: unknown, seq: number | null) => ({
    op: 6,
    d: { token: TOKEN, session_id: session, seq },
  });

  it('sends again what was missed, in order and with its own numbers', async () => {
    const gateway = await identified(standIn);
    const session = gateway.frames.find(({ t }) => t === 'READY')?.d.session_id;
    await gateway.close(4200);
    const person = member();
    void person.slash('ping');
    void person.slash('ping');
    const again = await openGateway(standIn);
    again.send(resume(session, 1));
    const events = [await again.next({ op: 0 }), await again.next({ op: 0 }), await again.next({ op: 0 })];
    expect(events.map(({ s, t }) => [s, t])).toEqual([
      [2, 'INTERACTION_CREATE'],
      [3, 'INTERACTION_CREATE'],
      [4, 'RESUMED'],
    ]);
  });

  it('is refused for an unknown session, one that was left with 1000, and one that waited too long', async () => {
    const unknown = await openGateway(standIn);
    unknown.send(resume('unknown', 0));
    expect(await unknown.next({ op: 9 })).toMatchObject({ d: false });
    for (const [code, wait] of [
      [1000, 0],
      [1001, 0],
      [4200, 4 * 60_000],
    ] as const) {
      standIn.clock.advance(5_000);
      const gateway = await identified(standIn);
      const session = gateway.frames.find(({ t }) => t === 'READY')?.d.session_id;
      await gateway.close(code);
      await expect.poll(() => standIn.gateway.sessions().length).toBe(0);
      standIn.clock.advance(wait);
      const again = await openGateway(standIn);
      again.send(resume(session, 1));
      expect(await again.next({ op: 9 })).toMatchObject({ d: false });
    }
  });

  it('is refused with 4007 for a number that was never sent', async () => {
    const gateway = await identified(standIn);
    const session = gateway.frames.find(({ t }) => t === 'READY')?.d.session_id;
    await gateway.close(4200);
    const again = await openGateway(standIn);
    again.send(resume(session, 99));
    expect(await again.closed).toBe(4007);
    expect(broken()).toEqual([[54, 4007]]);
  });

  it('lets discord.js miss nothing when its connection is cut', async () => {
    const client = await bot();
    standIn.gateway.cut();
    const person = member();
    const answer = person.slash('ping');
    await next(client, Events.ShardResume);
    expect(await answer).toMatchObject({ kind: 'message' });
    expect(standIn.breaches).toEqual([]);
  });
});

describe('rule 55: faults on demand', () => {
  it('asks to reconnect, and discord.js resumes', async () => {
    const client = await bot();
    const resumed = next(client, Events.ShardResume);
    standIn.gateway.askToReconnect();
    await resumed;
    expect(await member().slash('ping')).toMatchObject({ kind: 'message' });
  });

  it('declares sessions invalid, resumable or not', async () => {
    const client = await bot();
    const resumed = next(client, Events.ShardResume);
    standIn.gateway.invalidate(true);
    await resumed;
    const [before] = standIn.gateway.sessions();
    standIn.clock.advance(5_000);
    const ready = next(client, Events.ShardReady);
    standIn.gateway.invalidate(false);
    await ready;
    expect(standIn.gateway.sessions()).toHaveLength(1);
    expect(standIn.gateway.sessions()[0]?.id).not.toBe(before?.id);
  });

  it.each([4000, 4001, 4002, 4009])('closes with %i, and discord.js resumes', async (code) => {
    const client = await bot();
    const resumed = next(client, Events.ShardResume);
    standIn.gateway.close(code);
    await resumed;
  });

  it.each([1000, 4003, 4005, 4007, 4008])('closes with %i, and discord.js identifies anew', async (code) => {
    const client = await bot();
    standIn.clock.advance(5_000);
    const ready = next(client, Events.ShardReady);
    standIn.gateway.close(code, { shard: 0 });
    await ready;
  });

  it.each([4004, 4010, 4011, 4012, 4013, 4014])('closes with %i, and discord.js gives up', async (code) => {
    const client = await bot();
    const disconnected = next<{ code: number }>(client, Events.ShardDisconnect);
    standIn.gateway.close(code);
    expect((await disconnected).code).toBe(code);
  });

  it('leaves heartbeats unanswered, and discord.js closes with 4200 and resumes', async () => {
    await standIn.close();
    await start({ heartbeatIntervalMs: 200 });
    const client = await bot();
    standIn.gateway.withholdAcks(true);
    const resumed = next(client, Events.ShardResume);
    await next(client, Events.ShardReconnecting);
    standIn.gateway.withholdAcks(false);
    await resumed;
  });

  it('sends an interaction twice, late, or not at all', async () => {
    const gateway = await identified(standIn);
    const lost = { kind: 'lost' };
    standIn.gateway.disturbDispatch({ copies: 2 });
    const twice = member().slash('ping');
    const [first, second] = [await nextInteraction(gateway), await nextInteraction(gateway)];
    expect(second.id).toBe(first.id);
    standIn.clock.advance(3_001);
    expect(await twice).toEqual(lost);

    standIn.gateway.disturbDispatch({ delayMs: 3_500 });
    const late = member().slash('ping');
    standIn.clock.advance(3_499);
    expect(await late).toEqual(lost);
    standIn.clock.advance(2);
    const { id, token } = await nextInteraction(gateway);
    const answer = await raw(standIn, `POST /interactions/${id}/${token}/callback`, { json: { type: 5 } });
    expect(answer).toMatchObject({ status: 404, json: { code: 10062 } });

    standIn.gateway.disturbDispatch({ copies: 0 });
    const never = member().slash('ping');
    standIn.clock.advance(3_001);
    expect(await never).toEqual(lost);
  });

  it('keeps a guild unavailable, and discord.js waits for it no longer than it is told to', async () => {
    standIn.guildEvents.outage(guild(0));
    const client = await bot({ intents: [GatewayIntentBits.Guilds], waitGuildTimeout: 100 });
    expect(client.guilds.cache.get(guild(0).id)?.available).toBe(false);
  });
});
