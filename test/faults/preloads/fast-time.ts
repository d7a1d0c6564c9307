/**
 * Loaded into the bot before anything else. Makes time pass TIME_GOES times faster, so a one-minute pause takes seconds.
 * This doesn't affect Node's internal timers, such as `AbortSignal.timeout`. SIGUSR2 switches back to normal speed for
 * good.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';

let times = Number(process.env.TIME_GOES);

/** @param at the index of the argument that contains the delay in milliseconds */
const faster = (set: (...given: never[]) => unknown, at: 0 | 1) =>
  function (this: unknown, ...given: unknown[]) {
    if (typeof given[at] === 'number') given[at] = Number(given[at]) / times;
    return set.apply(this, given as never[]);
  };

process.once('SIGUSR2', () => {
  times = 1;
});

const clock = (read: () => number) => {
  let last = read();
  let ahead = 0;
  return () => {
    const now = read();
    ahead += (now - last) * (times - 1);
    last = now;
    return now + ahead;
  };
};

const { setTimeout, setInterval } = timers;
Object.assign(timers, { setTimeout: faster(setTimeout, 1), setInterval: faster(setInterval, 1) });
Object.assign(promises, { setTimeout: faster(promises.setTimeout, 0) });
Object.assign(globalThis, { setTimeout: timers.setTimeout, setInterval: timers.setInterval });
syncBuiltinESMExports();

performance.now = clock(performance.now.bind(performance));
const now = clock(Date.now.bind(Date));
globalThis.Date = class extends Date {
  constructor(...given: readonly never[]) {
    // `new Date()` returns the current time only if it has no arguments.
    super(...((given.length === 0 ? [now()] : given) as [number]));
  }
  static override now = now;
} as DateConstructor;
