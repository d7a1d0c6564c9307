import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBreaker } from '../../src/listing/breaker.ts';
import type { AddOutcome, Failure, GamesOutcome, ListingApi } from '../../src/listing/contract.ts';
import { Secret } from '../../src/secret.ts';
import { recorder } from '../storage/temporary.ts';

const SERVERS = [{ server: 'a.example.com', port: 1, game: 'rust' }];
const KEY = new Secret('guild-key');
const FAILED: Failure = { kind: 'unknown', reason: 'timeout', detail: 'late' };
const WORKS: AddOutcome = { kind: 'rejected', message: 'No.' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A breaker over a service that answers as told, and what it was asked. */
function setUp(operatorKey?: Secret) {
  const asked: string[] = [];
  let answer: Failure | undefined = FAILED;
  const listing: ListingApi = {
    add: async (): Promise<AddOutcome> => {
      asked.push('add');
      return answer ?? WORKS;
    },
    games: async (key): Promise<GamesOutcome> => {
      asked.push(`games ${key.reveal()}`);
      return answer ?? { kind: 'games', games: [] };
    },
    close: async () => void asked.push('close'),
  };
  const logger = recorder();
  const breaker = createBreaker({ listing, logger, ...(operatorKey && { operatorKey }) });
  return {
    breaker,
    asked,
    logger,
    answerWith: (next: Failure | undefined) => {
      answer = next;
    },
    async fail(times: number) {
      for (let n = 0; n < times; n += 1) await breaker.add(SERVERS, KEY);
    },
  };
}

describe('the breaker', () => {
  it('takes the service to be down after five failures in a row, and asks it nothing more', async () => {
    const { breaker, asked, answerWith, fail } = setUp();
    await fail(4);
    answerWith(undefined);
    await breaker.add(SERVERS, KEY);
    answerWith(FAILED);
    await fail(4);
    expect(breaker.isDown()).toBe(false);
    await fail(1);
    expect(breaker.isDown()).toBe(true);
    const before = asked.length;
    expect(await breaker.add(SERVERS, KEY)).toMatchObject({ kind: 'not-sent', reason: 'down' });
    expect(asked).toHaveLength(before);
  });

  it('probes after 5, 10, 20, 40 and then every 60 seconds with the last key, until something answers', async () => {
    const { breaker, asked, answerWith, logger, fail } = setUp();
    await fail(5);
    asked.length = 0;
    const probes: number[] = [];
    for (let second = 1; second <= 200; second += 1) {
      const before = asked.length;
      await vi.advanceTimersByTimeAsync(1_000);
      if (asked.length > before) probes.push(second);
    }
    expect(probes).toEqual([5, 15, 35, 75, 135, 195]);
    expect(new Set(asked)).toEqual(new Set(['games guild-key']));
    answerWith(undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(breaker.isDown()).toBe(false);
    expect(await breaker.add(SERVERS, KEY)).toEqual(WORKS);
    const count = asked.length;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(count);
    expect(logger.lines.map(({ message }) => message)).toEqual([
      'the listing service is down; probing it',
      'the listing service is back',
    ]);
  });

  it('probes with the operator’s key where there is one', async () => {
    const { asked, fail } = setUp(new Secret('operator-key'));
    await fail(5);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked.at(-1)).toBe('games operator-key');
  });

  it('lets requests for the games pass, and closes when one is answered', async () => {
    const { breaker, answerWith, fail } = setUp();
    await fail(5);
    expect(await breaker.games(KEY)).toEqual(FAILED);
    answerWith(undefined);
    expect(await breaker.games(KEY)).toEqual({ kind: 'games', games: [] });
    expect(breaker.isDown()).toBe(false);
  });

  it('does not count what says nothing about the service being down', async () => {
    const { breaker, answerWith, fail } = setUp();
    answerWith({ kind: 'not-sent', reason: 'aborted', detail: 'stopping' });
    await fail(9);
    answerWith({ kind: 'nonsense', reason: 'redirect', detail: 'moved' });
    await fail(9);
    expect(breaker.isDown()).toBe(false);
  });

  it('stops probing when it is closed', async () => {
    const { breaker, asked, fail } = setUp();
    await fail(5);
    await breaker.close();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked.at(-1)).toBe('close');
  });
});
