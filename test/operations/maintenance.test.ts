import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMaintenance } from '../../src/operations/maintenance.ts';
import { claimJob } from '../support/builders.ts';
import { recorder } from '../support/machine.ts';

const HOUR_MS = 3_600_000;
const byNothing = { byAge: {}, isClockRight: async () => true };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('the hourly job runs soon after startup, and then every hour', async () => {
  const done: string[] = [];
  const logger = recorder();
  const { start, stop } = createMaintenance({
    tasks: {
      first: async () => void done.push('first'),
      failing: () => Promise.reject(new Error('database is locked')),
      last: async () => void done.push('last'),
    },
    ...byNothing,
    claimJob,
    logger,
  });
  await start?.();
  expect(done).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(done).toEqual(['first', 'last']);
  expect(logger.lines).toMatchObject([{ level: 'warn', details: { task: 'failing' } }]);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(done).toHaveLength(4);
  await stop?.();
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
  expect(done).toHaveLength(4);
});

it('hourly jobs never overlap', async () => {
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const { start, stop } = createMaintenance({
    tasks: {
      async long() {
        done.push('long');
        await promise;
      },
      next: async () => void done.push('next'),
    },
    ...byNothing,
    claimJob,
    logger: recorder(),
  });
  await start?.();
  await vi.advanceTimersByTimeAsync(3 * HOUR_MS);
  const stopped = stop?.().then(() => done.push('stopped'));
  await vi.advanceTimersByTimeAsync(0);
  expect(done).toEqual(['long']);
  resolve();
  await stopped;
  expect(done).toEqual(['long', 'stopped']);
});

it.each([
  { isRight: true, stopped: [true] },
  { isRight: false, stopped: [] },
])('tasks that delete old data run only if the clock is correct: $isRight', async ({ isRight, stopped }) => {
  const signals: AbortSignal[] = [];
  const { start, stop } = createMaintenance({
    byAge: { old: async (stopping) => void signals.push(stopping) },
    isClockRight: async () => isRight,
    tasks: {},
    claimJob,
    logger: recorder(),
  });
  await start?.();
  await vi.advanceTimersByTimeAsync(1_000);
  await stop?.();
  expect(signals.map(({ aborted }) => aborted)).toEqual(stopped);
});
