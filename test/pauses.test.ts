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

it('what guilds pile up begins in turns, one for each pause, and what comes first at once', async () => {
  const { pause, next } = heldPauses();
  const fairly = createFairStart(pause);
  const begun: string[] = [];
  const run = (guildId: string, name: string) =>
    fairly(guildId, { run: async () => void begun.push(name) }).run();
  for (const n of [1, 2, 3, 4]) void run('a', `a${n}`);
  await new Promise(setImmediate);
  expect(begun).toEqual(['a1']);
  for (const n of [1, 2]) void run('b', `b${n}`);
  for (let n = 2; n <= 6; n++) {
    await next();
    expect(begun).toHaveLength(n);
  }
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  await next();
  void run('c', 'c1');
  await new Promise(setImmediate);
  expect(begun.at(-1)).toBe('c1');
});

it('what is to be done keeps what else it says, its result and its failure', async () => {
  const fairly = createFairStart();
  const work = { shape: 'reply', run: async () => 'done' } as const;
  expect(fairly('a', work)).toMatchObject({ shape: 'reply' });
  expect(await fairly('a', work).run()).toBe('done');
  const failing = fairly('a', { run: () => Promise.reject(new Error('a fault')) });
  await expect(failing.run()).rejects.toThrow('a fault');
  expect(await fairly('a', work).run()).toBe('done');
});
