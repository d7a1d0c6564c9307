import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DiscordStandIn, Person } from '../../../../sandbox/discord/contract.ts';
import type { StandInOptions } from '../../../../sandbox/discord/stand-in.ts';
import { createClock } from '../../../../sandbox/discord/world/clock.ts';
import { createLatest } from '../../../../sandbox/discord/world/latest.ts';
import { nextInteraction, type RawGateway, READ, raw, rawBot } from '../support/raw.ts';

let standIn: DiscordStandIn;
let gateway: RawGateway;
let person: Person;

async function start(options: Partial<StandInOptions> = {}): Promise<void> {
  ({ standIn, gateway, person } = await rawBot([READ], options));
}

afterEach(() => standIn?.close());

describe('what is kept of a long run', () => {
  beforeEach(() => start({ keep: { count: 3, bytes: 1_000 } }));

  const say = async (content: string) => {
    const answer = person.slash('read');
    const { id, token } = await nextInteraction(gateway);
    const json = { type: 4, data: { content } };
    await raw(standIn, `POST /interactions/${id}/${token}/callback`, { json });
    await answer;
    return { id, token };
  };

  it('is the latest: requests, messages and interactions', async () => {
    const first = await say('1');
    for (const content of ['2', '3']) await say(content);
    const original = (token: string) =>
      raw(standIn, `GET /webhooks/${standIn.applicationId}/${token}/messages/@original`);
    expect((await original(first.token)).status).toBe(200);
    for (const content of ['4', '5']) await say(content);
    expect((await original(first.token)).status).toBe(404);
    expect(standIn.messages(person).map(({ current }) => current?.content)).toEqual(['3', '4', '5']);
    expect(standIn.requests).toHaveLength(3);
  });

  it('is not vouched for once a request had to go', async () => {
    expect(standIn.findSecret('secret')).toEqual([]);
    for (const content of ['secret', '2', '3']) await say(content);
    expect(() => standIn.findSecret('secret')).toThrow('1 requests are no longer kept');
  });

  it('is as many files as fit', async () => {
    const urls: string[] = [];
    for (const n of [1, 2, 3]) {
      const answer = person.slash('read', { file: { filename: `${n}.txt`, bytes: Buffer.alloc(400) } });
      const { d } = await nextInteraction(gateway);
      standIn.clock.advance(3_001);
      await answer;
      const { resolved } = d.data as { resolved: { attachments: Record<string, { url: string }> } };
      urls.push(...Object.values(resolved.attachments).map(({ url }) => url));
    }
    const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status));
    expect(statuses).toEqual([404, 200, 200]);
  });
});

describe('the latest of many', () => {
  it('goes by count and by bytes, tells what went, and always keeps the newest', () => {
    const gone: string[] = [];
    const latest = createLatest<string>({ count: 3, bytes: 10 }, (value) => gone.push(value));
    for (const letter of 'abcd') latest.set(letter, letter);
    expect([latest.all(), gone]).toEqual([['b', 'c', 'd'], ['a']]);
    latest.set('c', 'C', 8);
    latest.set('d', 'D', 3);
    expect([latest.all(), gone]).toEqual([['D'], ['a', 'b', 'C']]);
    latest.set('e', 'e', 99);
    expect([latest.all(), latest.get('d'), latest.dropped()]).toEqual([['e'], undefined, 4]);
  });
});

describe('thousands of timers', () => {
  it('are set and cancelled, and what is left runs in order', () => {
    const clock = createClock();
    const ran: number[] = [];
    const cancels = Array.from({ length: 10_000 }, (_, n) =>
      clock.setTimeout(
        () => {
          ran.push(clock.now());
        },
        3_000 + ((n * 7_919) % 10_000),
      ),
    );
    for (const cancel of cancels.slice(5_000)) cancel();
    clock.advance(20_000);
    clock.stop();
    expect(ran).toHaveLength(5_000);
    expect(ran).toEqual(ran.toSorted((a, b) => a - b));
  });
});
