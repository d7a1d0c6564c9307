import { expect, it } from 'vitest';
import { createFairStart } from '../src/pauses.ts';

/** A pause that lasts until the test ends it. */
function heldPauses() {
  let end = () => {};
  return {
    pause: () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
    async next() {
      end();
      await new Promise(setImmediate);
    },
  };
}

/** Work of guilds, each of which takes so long to begin. */
function beginning(takesMs: number) {
  const { pause, next } = heldPauses();
  let time = 0;
  const fairly = createFairStart({ pause, now: () => time });
  const begun: string[] = [];
  function begin(...names: readonly string[]): Promise<unknown> {
    for (const name of names) {
      const run = async () => {
        begun.push(name);
        time += takesMs;
      };
      void fairly(name[0] ?? '', run)();
    }
    return new Promise(setImmediate);
  }
  return { begin, begun, next };
}

it('what guilds pile up begins in turns, one for each pause where it takes long, and what comes first at once', async () => {
  const { begin, begun, next } = beginning(5);
  await begin('a1');
  await begin('a2', 'a3', 'a4');
  expect(begun).toEqual(['a1']);
  await begin('b1', 'b2');
  for (let n = 2; n <= 6; n++) {
    await next();
    expect(begun).toHaveLength(n);
  }
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  await next();
  await begin('c1');
  expect(begun.at(-1)).toBe('c1');
});

it('what takes no time to begin begins together, in turns too, until it has taken some', async () => {
  const { begin, begun, next } = beginning(1);
  await begin('a1', 'b1', 'c1');
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await begin('a2', 'a3');
  expect(begun).toHaveLength(5);
  await begin('a4', 'a5', 'a6', 'b2', 'b3', 'b4', 'b5');
  expect(begun).toHaveLength(5);
  await next();
  expect(begun.slice(5)).toEqual(['a4', 'b2', 'a5', 'b3', 'a6']);
  await next();
  expect(begun.slice(10)).toEqual(['b4', 'b5']);
});

it('what is to be done keeps its result and its failure', async () => {
  const fairly = createFairStart();
  const work = async () => 'done';
  expect(await fairly('a', work)()).toBe('done');
  const failing = fairly('a', () => Promise.reject(new Error('a fault')));
  await expect(failing()).rejects.toThrow('a fault');
  expect(await fairly('a', work)()).toBe('done');
});
