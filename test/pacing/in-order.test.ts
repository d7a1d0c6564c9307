import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createInOrder, oneAtATime } from '../../src/pacing/in-order.ts';

/** Creates work that only ends when the test says so. */
function setUp() {
  const begun: string[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return end.promise;
  };
  return { begun, ends, work };
}

it('tasks with the same key run in order, but in parallel with other tasks', async () => {
  const { begun, ends, work } = setUp();
  const inOrder = createInOrder();
  const all = ['first', 'second', 'third'].map((name) => inOrder.run('a', work(name)));
  all.push(inOrder.run('b', work('other')));
  await setImmediate();
  expect(begun).toEqual(['first', 'other']);
  ends[0]?.reject(new Error('disk'));
  await expect(all[0]).rejects.toThrow('disk');
  await setImmediate();
  expect(begun).toEqual(['first', 'other', 'second']);
  ends[2]?.resolve();
  await setImmediate();
  expect(begun).toEqual(['first', 'other', 'second', 'third']);
  for (const end of ends) end.resolve();
  await Promise.all(all.slice(1));
});

it('a key is busy until all of its tasks have finished', async () => {
  const { ends, work } = setUp();
  const inOrder = createInOrder();
  const first = inOrder.run('a', work('first'));
  const last = inOrder.run('a', work('last'));
  await setImmediate();
  ends[0]?.resolve();
  await first;
  expect([inOrder.isBusy('a'), inOrder.isBusy('b')]).toEqual([true, false]);
  await setImmediate();
  ends[1]?.resolve();
  await last;
  expect(inOrder.isBusy('a')).toBe(false);
});

it('calls made during a run are combined into a single follow-up run', async () => {
  const { begun, ends, work } = setUp();
  const run = oneAtATime(work('run'));
  const first = run();
  await setImmediate();
  const others = [run(), run(), run()];
  await setImmediate();
  expect(begun).toHaveLength(1);
  ends[0]?.reject(new Error('disk'));
  await expect(first).rejects.toThrow('disk');
  await setImmediate();
  expect(begun).toHaveLength(2);
  ends[1]?.resolve();
  await Promise.all(others);
  expect(begun).toHaveLength(2);
});
