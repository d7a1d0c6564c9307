import { beforeEach, describe, expect, it } from 'vitest';
import { type Breaker, createBreaker, type Health } from '../../src/listing/breaker.ts';

let time: number;
let breaker: Breaker;
beforeEach(() => {
  time = 1_000;
  breaker = createBreaker(() => time);
});

function note(guildId: string, health: Health, times = 1): void {
  for (let n = 0; n < times; n += 1) breaker.note(guildId, health);
}

describe('the breaker of one guild', () => {
  it('opens after three failures in a row, for that guild alone', () => {
    note('1', 'failed', 2);
    note('1', 'answered');
    note('1', 'failed', 2);
    expect(breaker.maySend('1')).toBe(true);
    note('1', 'failed');
    expect(breaker.maySend('1')).toBe(false);
    expect(breaker.maySend('2')).toBe(true);
    expect(breaker.heldBackFor()).toBe('some');
  });

  it('lets one submission leave every 30 seconds, and all of them once one is answered', () => {
    note('1', 'failed', 3);
    time += 29_999;
    expect(breaker.maySend('1')).toBe(false);
    time += 1;
    expect([breaker.maySend('1'), breaker.maySend('1')]).toEqual([true, false]);
    time += 10_000;
    note('1', 'failed');
    time += 29_999;
    expect(breaker.maySend('1')).toBe(false);
    time += 1;
    expect(breaker.maySend('1')).toBe(true);
    note('1', 'answered');
    expect([breaker.maySend('1'), breaker.maySend('1')]).toEqual([true, true]);
    expect(breaker.heldBackFor()).toBe('none');
  });

  it('is forgotten with the failures of the guild that failed first of 10,001', () => {
    for (let guild = 0; guild <= 10_000; guild += 1) note(`${guild}`, 'failed', 3);
    note('other', 'answered');
    expect([breaker.maySend('0'), breaker.maySend('1')]).toEqual([true, false]);
  });
});

describe('the breaker of all guilds', () => {
  const failTen = (...guilds: readonly string[]) => {
    for (let n = 0; n < 10; n += 1) note(guilds[n % guilds.length] ?? '', 'failed');
  };

  it('opens once the last ten outcomes, of three guilds, all failed', () => {
    failTen('1', '2');
    expect(breaker.maySend('new')).toBe(true);
    note('3', 'answered');
    for (const guild of ['1', '2', '3', '1', '2', '3', '1', '2', '3']) note(guild, 'failed');
    expect(breaker.maySend('new')).toBe(true);
    note('1', 'failed');
    expect(breaker.maySend('new')).toBe(false);
    expect(breaker.heldBackFor()).toBe('all');
    expect(breaker.latest()).toBe('failed');
  });

  it('lets one submission of all leave every 30 seconds, and ends with an answer', () => {
    failTen('1', '2', '3');
    time += 30_000;
    expect([breaker.maySend('new'), breaker.maySend('newer')]).toEqual([true, false]);
    time += 30_000;
    note('new', 'failed');
    expect(breaker.maySend('newer')).toBe(false);
    time += 30_000;
    expect(breaker.maySend('newer')).toBe(true);
    note('newer', 'answered');
    expect([breaker.maySend('new'), breaker.maySend('newest')]).toEqual([true, true]);
    expect(breaker.latest()).toBe('answered');
    // Guilds that have failed three times on their own wait for an answer of their own.
    expect(breaker.heldBackFor()).toBe('some');
  });
});

it('knows nothing before the first request', () => {
  expect(breaker.latest()).toBeUndefined();
  expect(breaker.heldBackFor()).toBe('none');
});

describe('a pause of a key', () => {
  it('lasts for as long as the service asked for, and holds for no other key', () => {
    breaker.pause('1', 2_000);
    expect([breaker.pausedMs('1'), breaker.pausedMs('2')]).toEqual([2_000, 0]);
    time += 1_999.5;
    expect(breaker.pausedMs('1')).toBe(1);
    time += 0.5;
    expect(breaker.pausedMs('1')).toBe(0);
  });

  it('lasts for a second where the service names no time, and for ten minutes at most', () => {
    breaker.pause('1');
    breaker.pause('2', 86_400_000);
    expect([breaker.pausedMs('1'), breaker.pausedMs('2')]).toEqual([1_000, 600_000]);
  });

  it('ends with a new key', () => {
    breaker.pause('1', 2_000);
    breaker.endPause('1');
    expect(breaker.pausedMs('1')).toBe(0);
  });

  it('is forgotten with the guild that was paused first of 10,001', () => {
    for (let guild = 0; guild <= 10_000; guild += 1) breaker.pause(`${guild}`, 2_000);
    expect([breaker.pausedMs('0'), breaker.pausedMs('1')]).toEqual([0, 2_000]);
  });
});
