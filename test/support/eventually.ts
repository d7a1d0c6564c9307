import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a value is what it should be; fails with the last one. `expect.poll` for tests that run at once. */
export async function eventually<Value>(
  read: () => Value,
  wanted: NoInfer<Value>,
  withinMs = 20_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      assert.deepEqual(read(), wanted);
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(10);
    }
  }
}
