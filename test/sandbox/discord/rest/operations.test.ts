import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import type { StandInOptions } from '../../../../sandbox/discord/stand-in.ts';
import { createClock } from '../../../../sandbox/discord/world/clock.ts';
import { nextInteraction, type RawGateway, READ, raw, rawBot } from '../support/raw.ts';
import { TOKEN } from '../support/small-bot.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let person: Person;

async function start(options: Partial<StandInOptions> = {}): Promise<void> {
  ({ standIn, gateway, person } = await rawBot([READ], options));
}

beforeEach(() => start());
afterEach(() => standIn.close());

it('rule 3: a file is given to no client without a name', async () => {
  const [response]: IncomingMessage[] = await once(
    get(`${standIn.cdnUrl}/attachments/1/2/a.txt`),
    'response',
  );
  response?.resume();
  expect(response?.statusCode).toBe(403);
  expect(standIn.breaches).toMatchObject([{ rule: 3, status: 403 }]);
});

describe('rule 56: the addresses of attachments', () => {
  async function uploaded(more: object = {}): Promise<{ url: string; size: number }> {
    const file = { filename: 'a b.txt', bytes: Buffer.from('hello'), contentType: 'text/plain', ...more };
    const command = person.slash('read', { file });
    const { d } = await nextInteraction(gateway);
    standIn.clock.advance(3_001);
    await command;
    const { attachments } = (
      d.data as { resolved: { attachments: Record<string, { url: string; size: number }> } }
    ).resolved;
    const [attachment] = Object.values(attachments);
    if (attachment === undefined) throw new Error('no attachment');
    return attachment;
  }

  it('are signed, and serve the bytes for about a day', async () => {
    const { url } = await uploaded();
    expect(url).toMatch(
      /\/ephemeral-attachments\/\d+\/\d+\/a%20b\.txt\?ex=[0-9a-f]+&is=[0-9a-f]+&hm=[0-9a-f]+&$/,
    );
    expect(url.startsWith(`${standIn.cdnUrl}/`)).toBe(true);
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'text/plain',
      'hello',
    ]);
    standIn.clock.advance(24 * 60 * 60_000);
    expect((await fetch(url)).status).toBe(404);
  });

  it('are refused with another signature, another expiry or another path', async () => {
    const { url } = await uploaded();
    const changed = (name: string, value: string) => {
      const other = new URL(url);
      other.searchParams.set(name, value);
      return other;
    };
    const later = (Number.parseInt(new URL(url).searchParams.get('ex') ?? '', 16) + 9_999).toString(16);
    for (const other of [
      changed('hm', '00'),
      changed('hm', ''),
      changed('ex', later),
      url.replace('a%20b', 'c'),
    ])
      expect((await fetch(other)).status).toBe(404);
  });

  it('may serve more than was declared', async () => {
    const { url, size } = await uploaded({ bytes: Buffer.alloc(10_000), size: 5 });
    expect(size).toBe(5);
    expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(10_000);
  });
});

describe('rule 57: invalid requests', () => {
  const ask = (authorization: string) => raw(standIn, 'GET /users/@me', { headers: { authorization } });

  it('are counted over ten minutes, and reported once when there are too many', async () => {
    await standIn.close();
    const reached: number[] = [];
    await start({ invalidRequests: { limit: 3, onReached: (count) => reached.push(count) } });
    await ask('Bot wrong');
    await ask('Bot wrong');
    standIn.clock.advance(10 * 60_000);
    await ask('Bot wrong');
    await ask(`Bot ${TOKEN}`);
    standIn.faults.inject({ fault: { kind: 'rate limit', scope: 'shared', retryAfterMs: 1 }, times: 5 });
    for (let n = 0; n < 5; n += 1) await ask('Bot wrong');
    expect(reached).toEqual([]);
    standIn.faults.inject({ fault: { kind: 'rate limit', scope: 'user', retryAfterMs: 1 } });
    await ask(`Bot ${TOKEN}`);
    await raw(standIn, 'GET /users/@me', { headers: { 'user-agent': 'x' } });
    await ask('Bot wrong');
    expect(reached).toEqual([3]);
  });
});

describe('rule 58: the clock', () => {
  it('flows like real time, and jumps', async () => {
    const clock = createClock();
    const before = Date.now();
    expect(clock.now()).toBeGreaterThanOrEqual(before);
    expect(clock.now()).toBeLessThanOrEqual(Date.now());
    clock.advance(3_600_000);
    expect(clock.now()).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(clock.now()).toBeLessThanOrEqual(Date.now() + 3_600_000);
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.setTimeout(resolve, 20);
    await promise;
    clock.stop();
  });

  it('runs what falls due on the way in order, each at its moment, and nothing that was cancelled', () => {
    const clock = createClock();
    const begin = clock.now();
    const ran: [string, number][] = [];
    const note = (what: string) => () => {
      ran.push([what, Math.round((clock.now() - begin) / 1_000)]);
    };
    clock.setTimeout(note('second'), 20_000);
    clock.setTimeout(() => {
      note('first')();
      clock.setTimeout(note('third'), 15_000);
    }, 10_000);
    clock.setTimeout(note('too late'), 40_000);
    clock.setTimeout(note('cancelled'), 5_000)();
    clock.advance(30_000);
    expect(ran).toEqual([
      ['first', 10],
      ['second', 20],
      ['third', 25],
    ]);
    clock.stop();
    clock.advance(60_000);
    expect(ran).toHaveLength(3);
  });
});

describe('rule 59: secrets', () => {
  it('are found in bodies, addresses and gateway payloads, however they are written', async () => {
    const secret = 'k3y with/"signs"';
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(`${secret}`).toString('base64'),
      Buffer.from(secret).toString('hex'),
    ];
    for (const form of forms) await raw(standIn, 'POST /nothing', { json: { key: form } });
    await raw(standIn, `GET /nothing?key=${encodeURIComponent(secret)}`);
    await raw(standIn, 'POST /nothing', { json: { key: 'k3y' } });
    const found = standIn.findSecret(secret);
    expect(found).toHaveLength(5);
    gateway.send({ op: 3, d: { activities: [{ name: secret }] } });
    await expect.poll(() => standIn.findSecret(secret).map(({ method }) => method)).toContain('GATEWAY');
    expect(standIn.findSecret('never sent')).toEqual([]);
  });

  it('are searched in every request, each kept with its body and status', () => {
    expect(standIn.requests).toMatchObject([
      { method: 'PUT', path: `/api/v10/applications/${standIn.applicationId}/commands`, status: 200 },
    ]);
    expect(standIn.requests[0]?.body).toContain('Reads a file');
  });
});
