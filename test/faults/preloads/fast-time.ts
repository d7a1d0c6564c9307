/**
 * Loaded into the bot first. Makes its time run TIME_GOES times as fast, so that a pause of a minute takes seconds. Node's
 * internal timers, such as `AbortSignal.timeout`, keep their speed.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';

const times = Number(process.env.TIME_GOES);

/** @param at the position of the milliseconds among the arguments */
const faster = (set: (...given: never[]) => unknown, at: 0 | 1) =>
  function (this: unknown, ...given: unknown[]) {
    if (typeof given[at] === 'number') given[at] = Number(given[at]) / times;
    return set.apply(this, given as never[]);
  };

const clock = (read: () => number) => {
  const start = read();
  return () => start + (read() - start) * times;
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
    // Only `new Date()` without arguments means now.
    super(...((given.length === 0 ? [now()] : given) as [number]));
  }
  static override now = now;
} as DateConstructor;
