import { expect, it } from 'vitest';
import { createWorkTurns } from '../src/work-turns.ts';

it('pieces of work start one per event-loop turn, and no guild waits for all work of another', async () => {
  const myTurn = createWorkTurns();
  const begun: string[] = [];
  const work = (guildId: string, name: string) => myTurn(guildId).then(() => begun.push(name));
  const flood = Array.from({ length: 50 }, (_, n) => work('1', `flood ${n}`));
  const other = work('2', 'other');
  expect(begun).toEqual([]);
  await other;
  expect(begun).toEqual(['flood 0', 'other']);
  await Promise.all(flood);
  expect(begun).toHaveLength(51);
  await work('1', 'later');
  expect(begun.at(-1)).toBe('later');
});
