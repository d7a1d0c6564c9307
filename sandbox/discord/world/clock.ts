/**
 * Rule 58: the time of the stand-in. Real time flows; `advance` jumps ahead, and whatever falls due on the way
 * happens, in order. The 3 seconds, 15 minutes, 5 seconds and days of Discord are all measured on it.
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs something after so many milliseconds; the function returned cancels it. */
  setTimeout(run: () => void, ms: number): () => void;
  /** Jumps ahead by so many milliseconds. */
  advance(ms: number): void;
  /** Forgets every timer. */
  stop(): void;
}

interface Timer {
  readonly due: number;
  /** `undefined` once it was cancelled: what it would have used can be forgotten before it is due. */
  run: (() => void) | undefined;
}

// A Node timer cannot wait longer (2^31 - 1 ms); it is set again when it fires early.
const LONGEST_WAIT = 2 ** 31 - 1;

export function createClock(): Clock {
  /** By the moment they are due; those of the same moment in the order in which they were set. */
  let timers: Timer[] = [];
  let offset = 0;
  let alarm: NodeJS.Timeout | undefined;
  let alarmDue = Number.POSITIVE_INFINITY;

  const now = () => Date.now() + offset;

  function insert(timer: Timer): void {
    let [low, high] = [0, timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((timers[middle]?.due ?? 0) <= timer.due) low = middle + 1;
      else high = middle;
    }
    timers.splice(low, 0, timer);
  }

  function runDue(until: number): void {
    for (let first = timers[0]; first !== undefined && first.due <= until; first = timers[0]) {
      timers.shift();
      if (first.run === undefined) continue;
      // What runs now must see the moment it was due, not the end of the jump.
      if (first.due > now()) offset += first.due - now();
      first.run();
    }
  }

  /** Wakes for the first timer. When that one is cancelled it wakes for nothing, which is cheaper than a search. */
  function setAlarm(): void {
    const due = timers[0]?.due ?? Number.POSITIVE_INFINITY;
    if (due === alarmDue) return;
    clearTimeout(alarm);
    alarmDue = due;
    if (due === Number.POSITIVE_INFINITY) return;
    const ring = () => {
      alarmDue = Number.POSITIVE_INFINITY;
      runDue(now());
      setAlarm();
    };
    alarm = setTimeout(ring, Math.min(Math.max(due - now(), 0), LONGEST_WAIT));
  }

  return {
    now,
    setTimeout(run, ms) {
      const timer: Timer = { due: now() + ms, run };
      insert(timer);
      setAlarm();
      return () => {
        timer.run = undefined;
      };
    },
    advance(ms) {
      const end = now() + ms;
      runDue(end);
      if (end > now()) offset += end - now();
      // The alarm was set by a time that has gone by.
      alarmDue = Number.NaN;
      setAlarm();
    },
    stop() {
      timers = [];
      clearTimeout(alarm);
    },
  };
}
