import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';

/** Waits until a value is what it should be; fails with the last one. `expect.poll` for tests that run at once. */
export async function eventually<Value>(
  read: () => Value,
  wanted: NoInfer<Value>,
  withinMs = 60_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  let value = read();
  while (!isDeepStrictEqual(value, wanted) && performance.now() < end) {
    await sleep(10);
    value = read();
  }
  assert.deepEqual(
    value,
    wanted,
    `${withinMs} ms were not enough for ${inspect(wanted)}: it is ${inspect(value)}`,
  );
}
