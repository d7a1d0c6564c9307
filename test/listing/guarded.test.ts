import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../src/listing/breaker.ts';
import type { GamesOutcome, NotSent, Outcome } from '../../src/listing/contract.ts';
import { createGuardedListing } from '../../src/listing/guarded.ts';
import { createRests } from '../../src/listing/rests.ts';
import { createTurns } from '../../src/listing/turns.ts';
import { Secret } from '../../src/secret.ts';

const SERVERS = [{ server: 'a.example.com', port: 1, game: 'rust' }];
const ADDED: Outcome = { kind: 'accepted', message: 'Added.' };
const REFUSED: Outcome = { kind: 'not-sent', reason: 'unreachable' };
const NO_KEY: NotSent = { kind: 'not-sent', reason: 'key' };

/** A guarded service that gives these outcomes one after the other, and the last one from then on. */
function setUp(outcomes: readonly Outcome[] = [ADDED], atOnce = 8) {
  const asked: string[] = [];
  const breaker = createBreaker();
  const rests = createRests();
  const turns = createTurns({ atOnce });
  const next = () => outcomes[Math.min(asked.length, outcomes.length) - 1] ?? ADDED;
  const listing = createGuardedListing({
    api: {
      async add(_servers, key) {
        asked.push(key.reveal());
        return next();
      },
      async games(key): Promise<GamesOutcome> {
        asked.push(key.reveal());
        const outcome = next();
        return outcome.kind === 'accepted' ? { kind: 'games', games: [] } : outcome;
      },
      close: async () => undefined,
    },
    turns,
    breaker,
    rests,
    firstWaitMs: 1,
  });
  let reads = 0;
  const add = (
    guildId = '1',
    keyToLeaveWith: () => Promise<Secret | NotSent> = async () => new Secret(`key ${++reads}`),
  ) => listing.add({ guildId, memberId: 'mia' }, SERVERS, keyToLeaveWith);
  const games = (guildId = '1') => listing.games({ guildId }, new Secret('typed'));
  return { asked, breaker, rests, turns, listing, add, games };
}

/** Takes a place until it is given back. */
function occupy(turns: ReturnType<typeof createTurns>): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  void turns.run({ guildId: 'other', kind: 'submission' }, () => promise);
  return resolve;
}

describe('a submission', () => {
  it('reads its key right before it leaves, when it is its turn', async () => {
    const { asked, turns, add } = setUp([ADDED], 1);
    const free = occupy(turns);
    const reads: string[] = [];
    const outcome = add('1', async () => {
      reads.push('read');
      return new Secret('key of now');
    });
    await setImmediate();
    expect(reads).toEqual([]);
    free();
    expect(await outcome).toEqual(ADDED);
    expect(reads).toEqual(['read']);
    expect(asked).toEqual(['key of now']);
  });

  it('does not leave where there is no key, which says nothing about the service', async () => {
    const { asked, breaker, add } = setUp();
    for (let n = 0; n < 4; n += 1) expect(await add('1', async () => NO_KEY)).toEqual(NO_KEY);
    expect(asked).toEqual([]);
    expect(breaker.latest()).toBeUndefined();
  });

  it('is tried three times while nothing of it leaves, each time with the key of then', async () => {
    const { asked, breaker, add } = setUp([REFUSED]);
    expect(await add()).toEqual(REFUSED);
    expect(asked).toEqual(['key 1', 'key 2', 'key 3']);
    // They are one failure.
    await add();
    expect(breaker.mayLeave('1')).toBe(true);
    await add();
    expect(breaker.mayLeave('1')).toBe(false);
  });

  it.each<Outcome>([
    { kind: 'not-sent', reason: 'timeout' },
    { kind: 'unknown', reason: 'reset' },
  ])('is tried once where it ends with $kind ($reason)', async (outcome) => {
    const { asked, add } = setUp([outcome]);
    expect(await add()).toEqual(outcome);
    expect(asked).toHaveLength(1);
  });

  it('says why it had no turn', async () => {
    const { listing, turns, add } = setUp([ADDED], 1);
    const free = occupy(turns);
    const late = listing.add({ guildId: '1', deadline: 0 }, SERVERS, async () => NO_KEY);
    for (let n = 0; n < 20; n += 1) void add();
    await setImmediate();
    await setImmediate();
    expect(await add()).toEqual({ kind: 'not-sent', reason: 'queue-full' });
    free();
    expect(await late).toEqual({ kind: 'not-sent', reason: 'deadline' });
  });

  it('is held back by the breaker', async () => {
    const { asked, breaker, add } = setUp();
    for (let n = 0; n < 3; n += 1) breaker.note('1', 'failed');
    expect(await add('1')).toEqual({ kind: 'not-sent', reason: 'down' });
    expect(await add('2')).toEqual(ADDED);
    expect(asked).toHaveLength(1);
  });
});

describe('reading the games', () => {
  it.each<Outcome>([
    { kind: 'not-sent', reason: 'unreachable' },
    { kind: 'unknown', reason: 'timeout' },
    { kind: 'unknown', reason: 'reset' },
    { kind: 'unknown', reason: 'server-error' },
    { kind: 'unknown', reason: 'rate-limited', retryAfterMs: 5 },
  ])('is tried three times while it ends with $kind ($reason)', async (outcome) => {
    const { asked, games } = setUp([outcome]);
    expect(await games()).toEqual(outcome);
    expect(asked).toHaveLength(3);
  });

  it('ends with the first answer', async () => {
    const { asked, games } = setUp([{ kind: 'unknown', reason: 'reset' }, ADDED]);
    expect(await games()).toEqual({ kind: 'games', games: [] });
    expect(asked).toHaveLength(2);
  });

  it.each<Outcome>([
    { kind: 'not-sent', reason: 'tls' },
    { kind: 'unknown', reason: 'rate-limited', retryAfterMs: 60_000 },
    { kind: 'rejected', message: 'No.' },
  ])('is tried once where it ends with $kind ($reason)', async (outcome) => {
    const { asked, games } = setUp([outcome]);
    expect(await games()).toEqual(outcome);
    expect(asked).toHaveLength(1);
  });

  it('is tried again after the time that the service asks for', async () => {
    const { asked, games, rests } = setUp([
      { kind: 'unknown', reason: 'rate-limited', retryAfterMs: 50 },
      ADDED,
    ]);
    const outcome = games();
    await expect.poll(() => rests.left('1')).toBeGreaterThan(0);
    expect(asked).toHaveLength(1);
    expect((await outcome).kind).toBe('games');
    expect(rests.left('1')).toBe(0);
  });
});

describe('a key that rests', () => {
  it('leaves in nothing until its rest is over, also when the rest begins while a submission waits', async () => {
    const { rests, turns, add } = setUp([ADDED], 1);
    const restsAtRead: number[] = [];
    const read = async () => {
      restsAtRead.push(rests.left('1'));
      return new Secret('key');
    };
    rests.rest('1', 30);
    expect(await add('1', read)).toEqual(ADDED);
    const free = occupy(turns);
    const waiting = add('1', read);
    await setImmediate();
    await setImmediate();
    rests.rest('1', 30);
    free();
    expect(await waiting).toEqual(ADDED);
    expect(restsAtRead).toEqual([0, 0]);
  });

  it('is told where it rests for longer than five seconds', async () => {
    const { asked, rests, add } = setUp();
    rests.rest('1', 6_000);
    const outcome = await add('1');
    expect(outcome).toMatchObject({ kind: 'not-sent', reason: 'rate-limited' });
    expect('retryAfterMs' in outcome && outcome.retryAfterMs).toBeGreaterThan(5_000);
    expect(asked).toEqual([]);
    expect(await add('2')).toEqual(ADDED);
  });

  it.each<Outcome>([
    { kind: 'unknown', reason: 'rate-limited' },
    { kind: 'rejected', message: 'Slow down.', retryAfterMs: 60_000 },
  ])('rests since a 429: %j', async (outcome) => {
    const { rests, add } = setUp([outcome]);
    await add('1');
    expect(rests.left('1')).toBeGreaterThan(500);
    expect(rests.left('2')).toBe(0);
  });

  it('does not rest for another answer that names a time', async () => {
    const { rests, add } = setUp([{ kind: 'unknown', reason: 'server-error', retryAfterMs: 60_000 }]);
    await add('1');
    expect(rests.left('1')).toBe(0);
  });
});

describe('the breaker', () => {
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
  ])('takes %s %s for %s', async (kind, reason, health) => {
    for (const ask of ['add', 'games'] as const) {
      const guarded = setUp([{ kind, message: 'Words.', ...(reason && { reason }) } as Outcome]);
      await guarded[ask]();
      expect(guarded.breaker.latest() ?? '').toBe(health);
    }
  });
});

it('reading takes half of the places', async () => {
  const { asked, turns, games, add } = setUp([ADDED], 2);
  const { promise, resolve } = Promise.withResolvers<void>();
  void turns.run({ guildId: 'reads', kind: 'reading' }, () => promise);
  const read = games('1');
  await add('2');
  expect(asked).toEqual(['key 1']);
  resolve();
  expect((await read).kind).toBe('games');
});
