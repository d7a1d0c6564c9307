import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../src/listing/breaker.ts';
import type { Outcome } from '../../src/listing/contract.ts';
import { createGuard } from '../../src/listing/guard.ts';
import { createTurns } from '../../src/pacing/turns.ts';
import { Secret } from '../../src/text/secret.ts';

const ADDED: Outcome = { kind: 'accepted', message: 'Added.' };
const REFUSED: Outcome = { kind: 'not-sent', reason: 'unreachable' };
const NO_KEY: Outcome = { kind: 'not-sent', reason: 'key' };
const KEY = new Secret('key of guild 1');
const OTHER_KEY = new Secret('another key');

/** Creates a guard for a service that returns these outcomes in turn, and then keeps returning the last one. */
function setUp(outcomes: readonly Outcome[] = [ADDED], maxConcurrent = 8) {
  const sent: string[] = [];
  const breaker = createBreaker();
  const turns = createTurns({ maxConcurrent });
  const { inTurn } = createGuard({ turns, breaker, firstWaitMs: 1 });
  const ask =
    (kind: 'submission' | 'reading') =>
    (guildId = '1', key = KEY) =>
      inTurn({ guildId, memberId: 'mia', kind, key: () => key }, async () => {
        sent.push(kind);
        return outcomes[Math.min(sent.length, outcomes.length) - 1] ?? ADDED;
      });
  return { sent, breaker, turns, inTurn, add: ask('submission'), read: ask('reading') };
}

/** Occupies a slot until it is released. */
function occupy(turns: ReturnType<typeof createTurns>): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  void turns.run({ guildId: 'other' }, () => promise);
  return resolve;
}

describe('a submission', () => {
  it("isn't sent until a request slot is free", async () => {
    const { sent, turns, add } = setUp([ADDED], 1);
    const free = occupy(turns);
    const outcome = add();
    await setImmediate();
    expect(sent).toEqual([]);
    free();
    expect(await outcome).toEqual(ADDED);
    expect(sent).toEqual(['submission']);
  });

  it("doesn't count towards the service's health if the guild has no key", async () => {
    const { breaker, add } = setUp([NO_KEY]);
    for (let n = 0; n < 4; n += 1) expect(await add()).toEqual(NO_KEY);
    expect(breaker.latest()).toBeUndefined();
  });

  it("is attempted up to three times if the service can't be reached", async () => {
    const { sent, breaker, add } = setUp([REFUSED]);
    expect(await add()).toEqual(REFUSED);
    expect(sent).toHaveLength(3);
    // Together, these attempts count as one failure.
    await add();
    expect(breaker.maySend('1')).toBe(true);
    await add();
    expect(breaker.maySend('1')).toBe(false);
  });

  it.each<Outcome>([
    { kind: 'not-sent', reason: 'timeout' },
    { kind: 'unknown', reason: 'reset' },
  ])("isn't retried if it fails with $kind ($reason)", async (outcome) => {
    const { sent, add } = setUp([outcome]);
    expect(await add()).toEqual(outcome);
    expect(sent).toHaveLength(1);
  });

  it("isn't sent if the queue is full or its deadline passes", async () => {
    const { inTurn, turns, add } = setUp([ADDED], 1);
    const free = occupy(turns);
    const late = inTurn({ guildId: '1', kind: 'submission', key: () => KEY, deadline: 0 }, async () => ADDED);
    for (let n = 0; n < 20; n += 1) void add();
    await setImmediate();
    await setImmediate();
    expect(await add()).toEqual({ kind: 'not-sent', reason: 'queue-full' });
    free();
    expect(await late).toEqual({ kind: 'not-sent', reason: 'deadline' });
  });

  it("isn't sent if the service has failed three times in a row", async () => {
    const { sent, breaker, add } = setUp();
    for (let n = 0; n < 3; n += 1) breaker.note('1', 'failed');
    expect(await add('1')).toMatchObject({
      kind: 'not-sent',
      reason: 'down',
      retryAfterMs: expect.any(Number),
    });
    expect(await add('2')).toEqual(ADDED);
    expect(sent).toHaveLength(1);
  });
});

describe('whyHeldBack()', () => {
  const setUpAsked = () => {
    const opened = setUp([ADDED], 1);
    const { whyHeldBack } = createGuard({ ...opened, firstWaitMs: 1 });
    return { ...opened, why: () => whyHeldBack({ guildId: '1', memberId: 'mia', key: KEY }) };
  };

  it('returns a reason while the key is paused for more than five seconds', () => {
    const { breaker, why } = setUpAsked();
    expect(why()).toBeUndefined();
    breaker.pause('1', KEY, 4_000);
    expect(why()).toBeUndefined();
    breaker.pause('1', KEY, 60_000);
    expect(why()).toMatchObject({ reason: 'rate-limited', retryAfterMs: expect.any(Number) });
  });

  it('returns a reason while the service is down', () => {
    const { breaker, why } = setUpAsked();
    for (let n = 0; n < 3; n += 1) breaker.note('1', 'failed');
    expect(why()).toMatchObject({ kind: 'not-sent', reason: 'down', retryAfterMs: expect.any(Number) });
  });

  it("returns a reason while the member's queue is full", async () => {
    const { turns, add, why } = setUpAsked();
    const free = occupy(turns);
    const waiting = Array.from({ length: 20 }, () => add());
    await expect.poll(why).toEqual({ kind: 'not-sent', reason: 'queue-full' });
    free();
    await Promise.all(waiting);
    expect(why()).toBeUndefined();
  });
});

describe('a request for the games list', () => {
  it.each<Outcome>([
    { kind: 'not-sent', reason: 'unreachable' },
    { kind: 'unknown', reason: 'timeout' },
    { kind: 'unknown', reason: 'reset' },
    { kind: 'unknown', reason: 'server-error' },
    { kind: 'unknown', reason: 'rate-limited', retryAfterMs: 5 },
  ])('is attempted up to three times if it fails with $kind ($reason)', async (outcome) => {
    const { sent, read } = setUp([outcome]);
    expect(await read()).toEqual(outcome);
    expect(sent).toHaveLength(3);
  });

  it("isn't retried once the service has responded", async () => {
    const { sent, read } = setUp([{ kind: 'unknown', reason: 'reset' }, ADDED]);
    expect(await read()).toEqual(ADDED);
    expect(sent).toHaveLength(2);
  });

  it.each<Outcome>([
    { kind: 'not-sent', reason: 'tls' },
    { kind: 'unknown', reason: 'rate-limited', retryAfterMs: 60_000 },
    { kind: 'rejected', message: 'No.' },
  ])("isn't retried if it fails with $kind ($reason)", async (outcome) => {
    const { sent, read } = setUp([outcome]);
    expect(await read()).toEqual(outcome);
    expect(sent).toHaveLength(1);
  });

  it('is retried after the delay that the service requests', async () => {
    const { sent, read, breaker } = setUp([
      // A second is long enough to be measured on a busy machine.
      { kind: 'unknown', reason: 'rate-limited', retryAfterMs: 1_000 },
      ADDED,
    ]);
    const outcome = read();
    await expect.poll(() => breaker.keyPausedMs('1', KEY)).toBeGreaterThan(0);
    expect(sent).toHaveLength(1);
    expect(await outcome).toEqual(ADDED);
    expect(breaker.keyPausedMs('1', KEY)).toBe(0);
  });
});

describe('a paused API key', () => {
  it('delays new and waiting submissions', async () => {
    const { breaker, turns, inTurn } = setUp([ADDED], 1);
    const pausedAtSending: number[] = [];
    const add = () =>
      inTurn({ guildId: '1', kind: 'submission', key: () => KEY }, async () => {
        pausedAtSending.push(breaker.keyPausedMs('1', KEY));
        return ADDED;
      });
    breaker.pause('1', KEY, 30);
    expect(await add()).toEqual(ADDED);
    const free = occupy(turns);
    const waiting = add();
    await setImmediate();
    await setImmediate();
    breaker.pause('1', KEY, 30);
    free();
    expect(await waiting).toEqual(ADDED);
    expect(pausedAtSending).toEqual([0, 0]);
  });

  it("can't be used to submit if its pause lasts more than five seconds", async () => {
    const { sent, breaker, add } = setUp();
    breaker.pause('1', KEY, 6_000);
    const outcome = await add('1');
    expect(outcome).toMatchObject({ kind: 'not-sent', reason: 'rate-limited' });
    expect('retryAfterMs' in outcome && outcome.retryAfterMs).toBeGreaterThan(5_000);
    expect(sent).toEqual([]);
  });

  it("doesn't delay requests with other keys", async () => {
    const { sent, breaker, add, read } = setUp();
    breaker.pause('1', KEY, 60_000);
    expect(await read('1', OTHER_KEY)).toEqual(ADDED);
    expect(await add('1', OTHER_KEY)).toEqual(ADDED);
    expect(sent).toEqual(['reading', 'submission']);
  });
});

describe('an API key', () => {
  it('is paused only if the rate-limited request used it', async () => {
    const { breaker, inTurn } = setUp();
    let key = KEY;
    await inTurn({ guildId: '1', kind: 'submission', key: () => key }, async () => {
      key = OTHER_KEY;
      return { kind: 'unknown', reason: 'rate-limited', retryAfterMs: 60_000 };
    });
    expect(breaker.keyPausedMs('1', KEY)).toBe(0);
    expect(breaker.keyPausedMs('1', OTHER_KEY)).toBeGreaterThan(0);
  });

  it.each<Outcome>([
    { kind: 'unknown', reason: 'rate-limited' },
    { kind: 'rejected', message: 'Slow down.', retryAfterMs: 60_000 },
  ])('is paused after a 429 response: %j', async (outcome) => {
    const { breaker, add } = setUp([outcome]);
    await add('1');
    expect(breaker.keyPausedMs('1', KEY)).toBeGreaterThan(500);
    expect(breaker.keyPausedMs('1', OTHER_KEY)).toBe(0);
  });

  it("isn't paused after a server error with a retry delay", async () => {
    const { breaker, add } = setUp([{ kind: 'unknown', reason: 'server-error', retryAfterMs: 60_000 }]);
    await add('1');
    expect(breaker.keyPausedMs('1', KEY)).toBe(0);
  });
});

describe('the circuit breaker', () => {
  const UNKNOWN = 'timeout reset server-error unreadable too-large stopping';
  const NOT_SENT = 'unreachable tls timeout';
  it.each([
    ...UNKNOWN.split(' ').map((reason) => ['unknown', reason, 'failed']),
    ...NOT_SENT.split(' ').map((reason) => ['not-sent', reason, 'failed']),
    ['unknown', 'rate-limited', 'answered'],
    ['unknown', 'client-error', 'answered'],
    ['unknown', 'not-found', 'answered'],
    ['unknown', 'redirect', 'answered'],
    ['not-sent', 'stopping', ''],
    ['rejected', '', 'answered'],
    ['accepted', '', 'answered'],
  ])('counts the outcome "%s %s" as "%s"', async (kind, reason, health) => {
    for (const ask of ['add', 'read'] as const) {
      const guard = setUp([{ kind, message: 'Words.', ...(reason && { reason }) } as Outcome]);
      await guard[ask]();
      expect(guard.breaker.latest()?.health ?? '').toBe(health);
    }
  });
});

it('requests for the games list use at most half of the request slots', async () => {
  const { sent, turns, read, add } = setUp([ADDED], 2);
  const { promise, resolve } = Promise.withResolvers<void>();
  void turns.run({ guildId: 'reads', kind: 'reading' }, () => promise);
  const waiting = read('1');
  await add('2');
  expect(sent).toEqual(['submission']);
  resolve();
  expect(await waiting).toEqual(ADDED);
});
