import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBreaker } from '../../src/listing/breaker.ts';
import type {
  Failure,
  FailureReason,
  GamesOutcome,
  ListingApi,
  Outcome,
} from '../../src/listing/contract.ts';
import { createScheduler } from '../../src/listing/scheduler.ts';
import { Secret } from '../../src/secret.ts';
import { recorder } from '../storage/temporary.ts';

const SERVERS = [{ server: 'a.example.com', port: 1, game: 'rust' }];
const SILENT: Failure = { kind: 'unknown', reason: 'timeout', detail: 'late' };
const DOWN = { kind: 'not-sent', reason: 'down' };
const WORKS: Outcome = { kind: 'accepted', message: 'Added.' };
const faulty = (reason: FailureReason, retryAfterMs?: number): Failure => ({
  kind: 'unknown',
  reason,
  detail: '',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A breaker over a service that answers each key as told, and what it was asked. */
function setUp(operatorKey?: Secret) {
  const asked: string[] = [];
  const owners = new WeakMap<Secret, string>();
  const holds = new Map<string, AbortController>();
  /** By guild or `operator`; `all` for everybody else. */
  const answers = new Map<string, Failure>();
  const nameOf = (key: Secret) => owners.get(key) ?? (key === operatorKey ? 'operator' : key.reveal());
  const answerTo = (key: Secret) => answers.get(nameOf(key)) ?? answers.get('all');
  const listing: ListingApi = {
    add: async (_servers, key): Promise<Outcome> => {
      asked.push(`add ${nameOf(key)}`);
      return answerTo(key) ?? WORKS;
    },
    games: async (key): Promise<GamesOutcome> => {
      asked.push(`games ${nameOf(key)}`);
      return answerTo(key) ?? { kind: 'games', games: [] };
    },
    close: async () => void asked.push('close'),
  };
  const logger = recorder();
  const guildOf = (key: Secret) => owners.get(key);
  const scheduler = createScheduler({ atOnce: 8 });
  const breaker = createBreaker({
    listing,
    scheduler,
    guildOf,
    logger,
    ...(operatorKey && { operatorKey }),
  });

  /** The guild's key, as it is read anew for each request. */
  function keyOf(guild: string): Secret {
    const hold = holds.get(guild) ?? new AbortController();
    holds.set(guild, hold);
    const key = new Secret(`key of ${guild}`, hold.signal);
    owners.set(key, guild);
    return key;
  }

  async function add(guild: string, times = 1): Promise<Outcome | undefined> {
    let outcome: Outcome | undefined;
    for (let n = 0; n < times; n += 1) outcome = await breaker.add(SERVERS, keyOf(guild));
    // What a suspicion leads to has ended.
    await vi.advanceTimersByTimeAsync(0);
    return outcome;
  }

  return {
    ...{ breaker, scheduler, asked, logger, keyOf, add },
    answer: (whom: string, failure?: Failure) =>
      failure === undefined ? answers.delete(whom) : answers.set(whom, failure),
    drop(guild: string) {
      holds.get(guild)?.abort();
      holds.delete(guild);
    },
  };
}

describe('a service that is down', () => {
  it('is left alone after five failures in a row of the only active guild', async () => {
    const { breaker, asked, answer, add } = setUp();
    answer('all', SILENT);
    await add('1', 4);
    answer('all');
    await add('1');
    answer('all', SILENT);
    await add('1', 4);
    expect(breaker.isDown('1')).toBe(false);
    await add('1');
    expect(breaker.isDown('1')).toBe(true);
    asked.length = 0;
    expect(await add('1')).toMatchObject(DOWN);
    expect(asked).toEqual([]);
  });

  it('is asked in its turn: no guild has three requests at once, also where its key is asked with', async () => {
    const { scheduler, asked, answer, add } = setUp();
    await add('3');
    const { promise, resolve } = Promise.withResolvers<string>();
    const busy = [1, 2].map(() => scheduler.run({ guildId: '3', kind: 'submission' }, () => promise));
    answer('all', SILENT);
    await add('1', 3);
    await add('2', 2);
    expect(asked).not.toContain('games 3');
    resolve('done');
    await Promise.all(busy);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toContain('games 3');
  });

  it('is left alone by everybody once it fails two guilds and a third one’s key', async () => {
    const { breaker, answer, add } = setUp();
    await add('3');
    answer('all', faulty('server-error'));
    await add('1', 3);
    await add('2', 2);
    for (const guild of ['1', '2', '3', '4']) expect(breaker.isDown(guild)).toBe(true);
  });

  it('is left alone by the two guilds that it fails when nobody else can be asked', async () => {
    const { breaker, answer, add } = setUp();
    answer('all', faulty('server-error'));
    await add('1', 3);
    await add('2', 3);
    expect([breaker.isDown('1'), breaker.isDown('2'), breaker.isDown('3')]).toEqual([true, true, false]);
  });

  it('is probed after 5, 10, 20, 40 and then every 60 seconds, until something answers', async () => {
    const { breaker, asked, answer, add, logger } = setUp(new Secret('operator-key'));
    answer('all', SILENT);
    await add('1', 5);
    asked.length = 0;
    const probes: number[] = [];
    for (let second = 1; second <= 200; second += 1) {
      const before = asked.length;
      await vi.advanceTimersByTimeAsync(1_000);
      if (asked.length > before) probes.push(second);
    }
    expect(probes).toEqual([5, 15, 35, 75, 135, 195]);
    expect(new Set(asked)).toEqual(new Set(['games operator']));
    answer('all');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(breaker.isDown('1')).toBe(false);
    expect(await add('1')).toEqual(WORKS);
    const count = asked.length;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(count);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'the listing service failed repeatedly; asking it with a key that worked',
      'the listing service is down; probing it',
      'the listing service is back',
    ]);
  });

  it('gets one real submission in each interval, of another guild when one waits, and its answer ends it', async () => {
    const { breaker, asked, answer, add } = setUp();
    answer('all', SILENT);
    await add('1', 3);
    await add('2', 3);
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(breaker.isDown('1')).toBe(false);
    await add('1', 3);
    await add('2');
    expect(asked.filter((request) => request.startsWith('add'))).toEqual(['add 1']);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await add('1')).toMatchObject(DOWN);
    answer('all');
    expect(await add('2')).toEqual(WORKS);
    expect(breaker.isDown('1')).toBe(false);
  });

  it('still gets requests for the games, and is back when one is answered', async () => {
    const { breaker, answer, add, keyOf } = setUp();
    answer('all', SILENT);
    await add('1', 5);
    expect(await breaker.games(keyOf('1'))).toEqual(SILENT);
    answer('all');
    expect(await breaker.games(keyOf('1'))).toEqual({ kind: 'games', games: [] });
    expect(breaker.isDown('1')).toBe(false);
  });

  it('is not probed any more when the bot stops', async () => {
    const { breaker, asked, answer, add } = setUp(new Secret('operator-key'));
    answer('all', SILENT);
    await add('1', 5);
    await breaker.close();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked.at(-1)).toBe('close');
  });
});

describe('what one guild’s key meets', () => {
  it.each<[string, Failure]>([
    ['a web page of a firewall', faulty('not-json')],
    ['a 429', faulty('rate-limited', 0)],
    ['a redirect', faulty('redirect')],
    ['another shape', faulty('wrong-shape')],
    ['the end of the bot', { kind: 'not-sent', reason: 'aborted', detail: '' }],
  ])('says nothing of the service when it is %s', async (_what, failure) => {
    const { breaker, answer, add } = setUp();
    answer('all', failure);
    for (const guild of ['1', '2', '3']) await add(guild, 9);
    for (const guild of ['1', '2', '3']) expect(breaker.isDown(guild)).toBe(false);
  });

  it('says nothing of the service when a key was only tried, whatever came of it', async () => {
    const { breaker, asked, answer } = setUp();
    answer('all', SILENT);
    for (let n = 0; n < 200; n += 1) await breaker.tryKey(new Secret(`guess ${n}`), { guildId: '1' });
    expect(breaker.isDown('1')).toBe(false);
    answer('all');
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(200);
  });

  it('holds up nobody when a key is never answered, while another guild is active', async () => {
    const { breaker, asked, answer, add } = setUp();
    await add('good');
    answer('bad', SILENT);
    await add('bad', 50);
    expect([breaker.isDown('good'), breaker.isDown('bad')]).toEqual([false, false]);
    expect(asked.filter((request) => request.startsWith('games'))).toEqual([]);
  });

  it.each([2, 40])('holds up nobody when the keys of %i guilds are never answered', async (count) => {
    const { breaker, answer, add } = setUp();
    await add('good');
    const bad = Array.from({ length: count }, (_, n) => `bad ${n}`);
    for (const guild of bad) answer(guild, SILENT);
    for (let round = 0; round < 10; round += 1) {
      for (const guild of bad) await add(guild, 3);
      expect(breaker.isDown('good')).toBe(false);
      expect(breaker.isDown('new')).toBe(false);
      await vi.advanceTimersByTimeAsync(7_000);
    }
  });

  it('holds up nobody but the guild itself when it was the only active one', async () => {
    const { breaker, answer, add } = setUp();
    answer('bad', SILENT);
    await add('bad', 9);
    expect(breaker.isDown('bad')).toBe(true);
    expect(breaker.isDown('good')).toBe(false);
    expect(await add('good')).toEqual(WORKS);
    expect(breaker.isDown('bad')).toBe(false);
  });

  it('holds that key back after a 429, and no other, for as long as was asked but 10 minutes at most', async () => {
    const { breaker, asked, answer, add, keyOf } = setUp();
    answer('1', faulty('rate-limited', 3_600_000));
    answer('2', faulty('rate-limited', 30_000));
    await add('1');
    await add('2');
    answer('1');
    answer('2');
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await add('2')).toMatchObject({ kind: 'not-sent', reason: 'rate-limited', retryAfterMs: 10_000 });
    expect(await breaker.games(keyOf('2'))).toMatchObject({ reason: 'rate-limited' });
    expect(await breaker.tryKey(keyOf('1'), { guildId: '1' })).toMatchObject({ reason: 'rate-limited' });
    expect(asked).toEqual([]);
    expect(await add('3')).toEqual(WORKS);
    await vi.advanceTimersByTimeAsync(6_000);
    // A short rest is waited for.
    const waiting = breaker.add(SERVERS, keyOf('2'));
    await vi.advanceTimersByTimeAsync(3_999);
    expect(asked).toEqual(['add 3']);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toEqual(WORKS);
    expect(await add('1')).toMatchObject({ reason: 'rate-limited' });
    await vi.advanceTimersByTimeAsync(570_000);
    expect(await add('1')).toEqual(WORKS);
  });
});

describe('the key that probes carry', () => {
  it('is never one that was removed', async () => {
    const { asked, answer, add, drop } = setUp();
    await add('1');
    await add('2');
    drop('2');
    answer('all', SILENT);
    await add('1', 5);
    await add('3', 1);
    drop('1');
    drop('3');
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toEqual([]);
  });

  it('is one that the service has answered, not one that it never did', async () => {
    const { asked, answer, add } = setUp();
    await add('good');
    answer('all', SILENT);
    await add('bad 1', 3);
    await add('bad 2', 3);
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(new Set(asked)).toEqual(new Set(['games good']));
  });
});
