import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createScheduler } from '../../src/listing/scheduler.ts';
import { Secret } from '../../src/secret.ts';
import { createDesk, type DeskStep, type Order } from '../../src/submissions/desk.ts';
import { createInFlight } from '../../src/submissions/in-flight.ts';
import { usageLimits } from '../../src/submissions/usage-limits.ts';
import { recorder } from '../storage/temporary.ts';

function order(interactionId: string, names: readonly string[], change: Partial<Order> = {}): Order {
  return {
    interactionId,
    guildId: '2',
    channelId: '3',
    user: { id: '7', name: 'mia' },
    key: new Secret('key'),
    servers: names.map((name) => ({ server: `${name}.example.com`, port: 1, game: 'rust' })),
    ...change,
  };
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);

describe('the desk', () => {
  it('asks the steps in order, and tells them how it ended in reverse', async () => {
    const told: string[] = [];
    const step = (name: string): DeskStep => ({
      name,
      async admit() {
        told.push(`admit ${name}`);
        return undefined;
      },
      async sending() {
        told.push(`sending ${name}`);
      },
      async settled() {
        told.push(`settled ${name}`);
        throw new Error('not noted');
      },
    });
    const logger = recorder();
    const listing = {
      add: async () => {
        told.push('add');
        return { kind: 'accepted' as const, message: 'Added.' };
      },
    };
    const desk = createDesk({
      listing,
      scheduler: createScheduler({ atOnce: 8 }),
      steps: [step('a'), step('b')],
      logger,
    });
    await desk.admit(order('1', ['x']));
    expect(await desk.send(order('1', ['x']))).toEqual({ kind: 'accepted', message: 'Added.' });
    expect(told.join(', ')).toBe('admit a, admit b, sending a, sending b, add, settled b, settled a');
    expect(logger.lines).toHaveLength(2);
  });

  it('has at most two requests of a guild under way, and sends nothing when a step cannot note it', async () => {
    let running = 0;
    let most = 0;
    const listing = {
      async add() {
        running += 1;
        most = Math.max(most, running);
        await sleep(5);
        running -= 1;
        return { kind: 'accepted' as const, message: '' };
      },
    };
    const sending = async ({ interactionId }: Order) => {
      if (interactionId === '3') throw new Error('disk full');
    };
    const desk = createDesk({
      listing,
      scheduler: createScheduler({ atOnce: 8 }),
      steps: [{ name: 'note', sending }],
      logger: recorder(),
    });
    const ends = await Promise.allSettled(
      many(12).map((name, index) => desk.send(order(`${index}`, [name]))),
    );
    expect(most).toBe(2);
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });
});

describe('servers in flight', () => {
  it('are those of an order that was admitted, until it has ended', async () => {
    let now = 0;
    const { step, release } = createInFlight(() => now);
    const accepted = { kind: 'accepted', message: '' } as const;
    expect(await step.admit(order('1', ['a', 'b']))).toBeUndefined();
    expect(await step.admit(order('2', ['c', 'b']))).toMatchObject({
      code: 'in-flight',
      server: { server: 'b.example.com' },
    });
    // A refused order holds nothing; another guild is not concerned; the same interaction may go on.
    expect(await step.admit(order('3', ['c']))).toBeUndefined();
    expect(await step.admit(order('4', ['a'], { guildId: '9' }))).toBeUndefined();
    expect(await step.admit(order('1', ['a']))).toBeUndefined();
    await step.settled(order('1', ['a']), accepted);
    expect(await step.admit(order('5', ['a']))).toBeUndefined();
    release('1');
    expect(await step.admit(order('6', ['b']))).toBeUndefined();
    // What never ends holds nothing for longer than a member can be answered.
    now = 15 * 60_000;
    expect(await step.admit(order('7', ['a', 'b', 'c']))).toBeUndefined();
  });
});

describe('the limits on use', () => {
  const limits = { member: { servers: 100, seconds: 60 }, guild: { servers: 150, seconds: 120 } };
  const by = (id: string) => ({ user: { id, name: id } });

  it('count servers, of the member and of the guild, and count only what both allow', async () => {
    const step = usageLimits(limits);
    expect(await step.admit(order('1', many(60), by('a')))).toBeUndefined();
    expect(await step.admit(order('2', many(41), by('a')))).toMatchObject({ code: 'member-limit' });
    expect(await step.admit(order('3', many(40), by('a')))).toBeUndefined();
    const refused = await step.admit(order('4', many(51), by('b')));
    expect(refused).toMatchObject({ code: 'guild-limit' });
    expect(Object(refused).waitSeconds).toBeGreaterThan(110);
    expect(Object(refused).waitSeconds).toBeLessThanOrEqual(120);
    // Neither refusal was counted.
    expect(await step.admit(order('5', many(50), by('b')))).toBeUndefined();
    expect(await step.admit(order('6', many(1), by('c')))).toMatchObject({ code: 'guild-limit' });
    expect(await step.admit(order('7', many(100), { ...by('a'), guildId: '9' }))).toBeUndefined();
  });

  it('hold when orders come at the same moment', async () => {
    const step = usageLimits(limits);
    const all = await Promise.all(many(30).map((id) => step.admit(order(id, many(20), by(id)))));
    expect(all.filter((refusal) => refusal === undefined)).toHaveLength(7);
  });

  it('say of an order that can never fit how many servers would', async () => {
    const step = usageLimits(limits);
    expect(await step.admit(order('1', many(101)))).toEqual({
      code: 'member-limit-size',
      limit: 100,
      seconds: 60,
    });
    const small = usageLimits({ ...limits, guild: { servers: 10, seconds: 1 } });
    expect(await small.admit(order('1', many(11)))).toEqual({
      code: 'guild-limit-size',
      limit: 10,
      seconds: 1,
    });
  });

  it('end with their time', async () => {
    const step = usageLimits({ ...limits, member: { servers: 1, seconds: 1 } });
    expect(await step.admit(order('1', ['a']))).toBeUndefined();
    expect(await step.admit(order('2', ['b']))).toEqual({ code: 'member-limit', waitSeconds: 1 });
    await expect.poll(() => step.admit(order('3', ['c'])), { timeout: 5_000 }).toBeUndefined();
  });
});

describe('servers that were not sent in the end', () => {
  const limit = { servers: 3, seconds: 60 };
  const desk = () =>
    createDesk({
      scheduler: createScheduler({ atOnce: 8 }),
      listing: { add: async () => ({ kind: 'accepted', message: '' }) },
      steps: [createInFlight().step, usageLimits({ member: limit, guild: limit })],
      logger: recorder(),
    });

  it('are no longer on their way, and do not count', async () => {
    const it = desk();
    expect(await it.admit(order('1', ['a', 'b', 'c']))).toBeUndefined();
    expect(await it.admit(order('2', ['c']))).toMatchObject({ code: 'in-flight' });
    await it.send(order('1', ['a', 'b']));
    await it.withdraw(order('1', ['c']));
    expect(await it.admit(order('2', ['c']))).toBeUndefined();
    expect(await it.admit(order('3', ['d']))).toMatchObject({ code: 'member-limit' });
  });
});

describe('a request that was rejected and is sent again in halves', () => {
  it('is on its way again', async () => {
    const { step } = createInFlight();
    const [whole, half] = [order('1', ['a', 'b']), order('1', ['a'])];
    await step.admit(whole);
    await step.settled(whole, { kind: 'rejected', message: 'No.' });
    await step.sending?.(half);
    expect(await step.admit(order('2', ['a']))).toMatchObject({ code: 'in-flight' });
    expect(await step.admit(order('2', ['b']))).toBeUndefined();
  });
});
