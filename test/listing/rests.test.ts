import { expect, it } from 'vitest';
import { createRests } from '../../src/listing/rests.ts';

function setUp() {
  const clock = { now: 500 };
  return { clock, rests: createRests(() => clock.now) };
}

it('a key rests for as long as the service asked for, and no other key does', () => {
  const { clock, rests } = setUp();
  rests.rest('1', 2_000);
  expect([rests.left('1'), rests.left('2')]).toEqual([2_000, 0]);
  clock.now += 1_999.5;
  expect(rests.left('1')).toBe(1);
  clock.now += 0.5;
  expect(rests.left('1')).toBe(0);
});

it('a key rests for a second where the service names no time, and for ten minutes at most', () => {
  const { rests } = setUp();
  rests.rest('1', undefined);
  rests.rest('2', 86_400_000);
  expect([rests.left('1'), rests.left('2')]).toEqual([1_000, 600_000]);
});

it('a new key does not rest', () => {
  const { rests } = setUp();
  rests.rest('1', 2_000);
  rests.end('1');
  expect(rests.left('1')).toBe(0);
});

it('10,000 guilds are remembered', () => {
  const { rests } = setUp();
  for (let guild = 0; guild <= 10_000; guild += 1) rests.rest(`${guild}`, 2_000);
  expect([rests.left('0'), rests.left('1')]).toEqual([0, 2_000]);
});
