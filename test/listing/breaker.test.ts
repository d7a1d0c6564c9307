import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../src/listing/breaker.ts';
import { Secret } from '../../src/text/secret.ts';

function open() {
  const clock = { now: 1_000 };
  return { clock, breaker: createBreaker(() => clock.now) };
}

/**
 * `1-` means that guild 1 failed, `1+` that it got a response, and `1?` asks whether it can send. `1!` asks whether it is held
 * back. `30s` lets time pass.
 * `3(1- 2-)` repeats a part three times.
 */
function play(story: string) {
  const { clock, breaker } = open();
  const steps = story.replace(/(\d+)\((.*?)\)/g, (_, count, some = '') => `${some} `.repeat(count).trim());
  const may: string[] = [];
  for (const [, what = '', sign] of steps.matchAll(/([\d.]+|\w+)([-+?!s])/g)) {
    if (sign === 's') clock.now += Number(what) * 1_000;
    else if (sign === '?') may.push(breaker.maySend(what) ? 'yes' : 'no');
    else if (sign === '!') may.push(breaker.submissionsHeldBackMs(what) > 0 ? 'held' : 'free');
    else breaker.note(what, sign === '+' ? 'answered' : 'failed');
  }
  return { may: may.join(' '), pausedGuilds: breaker.pausedGuilds(), latest: breaker.latest()?.health };
}

it.each([
  ["the service's state is unknown before the first request", '', '', 'none', undefined],
  ['three failures in a row pause one guild', '2(1-) 1+ 2(1-) 1? 1- 1? 2?', 'yes no yes', 'some', 'failed'],
  [
    'after three failures, one submission is sent every 30 seconds',
    '3(1-) 29.999s 1? 0.001s 1? 1?',
    'no yes no',
    'some',
    'failed',
  ],
  [
    'another failure restarts the 30-second pause',
    '3(1-) 40s 1- 29.999s 1? 0.001s 1?',
    'no yes',
    'some',
    'failed',
  ],
  [
    "checking whether a guild is paused doesn't use up the trial submission",
    '1! 3(1-) 1! 2! 30s 1! 1! 1? 1!',
    'free held free free free yes held',
    'some',
    'failed',
  ],
  [
    "checking while all guilds are paused doesn't use up the trial submission",
    '3(1- 2- 3-) 1- a! 30s a! b! a? b!',
    'held free free yes held',
    'all',
    'failed',
  ],
  ['a response ends the pause', '3(1-) 30s 1? 1+ 1? 1?', 'yes yes yes', 'none', 'answered'],
  ["ten failures in two guilds don't affect other guilds", '5(1- 2-) new?', 'yes', 'some', 'failed'],
  [
    'ten failures in three guilds pause all guilds',
    '5(1- 2-) 3+ 3(1- 2- 3-) new? 1- new?',
    'yes no',
    'all',
    'failed',
  ],
  [
    'after ten failures in three guilds, one submission is sent every 30 seconds',
    '3(1- 2- 3-) 1- 30s a? b? 30s a- b?',
    'yes no no',
    'all',
    'failed',
  ],
  // A guild with three failures of its own waits for a response to its own request.
  [
    'a response ends the pause of all guilds',
    '3(1- 2- 3-) 1- 30s b? b+ a? c? 1?',
    'yes yes yes yes',
    'some',
    'answered',
  ],
])('the circuit breaker: %s', (_what, story, may, pausedGuilds, latest) => {
  expect(play(story)).toEqual({ may, pausedGuilds, latest });
});

it('the circuit breaker remembers the failures of at most 10,000 guilds', () => {
  const { breaker } = open();
  for (let guild = 0; guild <= 10_000; guild += 1)
    for (let n = 0; n < 3; n += 1) breaker.note(`${guild}`, 'failed');
  breaker.note('other', 'answered');
  expect([breaker.maySend('0'), breaker.maySend('1')]).toEqual([true, false]);
});

describe("an API key's rate-limit pause", () => {
  const KEY = new Secret('a key');
  const OTHER_KEY = new Secret('another key');

  it('lasts as long as the service requests', () => {
    const { clock, breaker } = open();
    breaker.pause('1', KEY, 2_000);
    clock.now += 1_999.5;
    expect(breaker.keyPausedMs('1', KEY)).toBe(1);
    clock.now += 0.5;
    expect(breaker.keyPausedMs('1', KEY)).toBe(0);
  });

  it("doesn't affect other keys or guilds", () => {
    const { breaker } = open();
    breaker.pause('1', KEY, 2_000);
    breaker.pause('1', OTHER_KEY, 1_000);
    expect([breaker.keyPausedMs('1', KEY), breaker.keyPausedMs('1', OTHER_KEY)]).toEqual([2_000, 1_000]);
    expect(breaker.keyPausedMs('2', KEY)).toBe(0);
  });

  it('lasts one second by default, and at most ten minutes', () => {
    const { breaker } = open();
    breaker.pause('1', KEY);
    breaker.pause('2', KEY, 86_400_000);
    expect([breaker.keyPausedMs('1', KEY), breaker.keyPausedMs('2', KEY)]).toEqual([1_000, 600_000]);
  });

  it('is forgotten after 10,000 newer pauses', () => {
    const { breaker } = open();
    for (let guild = 0; guild <= 10_000; guild += 1) breaker.pause(`${guild}`, KEY, 2_000);
    expect([breaker.keyPausedMs('0', KEY), breaker.keyPausedMs('1', KEY)]).toEqual([0, 2_000]);
  });
});
