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
  readonly run: () => void;
}

// A Node timer cannot wait longer (2^31 - 1 ms); it is set again when it fires early.
const LONGEST_WAIT = 2 ** 31 - 1;

export function createClock(): Clock {
  const timers = new Set<Timer>();
  let offset = 0;
  let alarm: NodeJS.Timeout | undefined;

  const now = () => Date.now() + offset;
  const earliest = () =>
    [...timers].reduce<Timer | undefined>(
      (first, timer) => (first === undefined || timer.due < first.due ? timer : first),
      undefined,
    );

  function runDue(until: number): void {
    for (let timer = earliest(); timer !== undefined && timer.due <= until; timer = earliest()) {
      timers.delete(timer);
      // What runs now must see the moment it was due, not the end of the jump.
      if (timer.due > now()) offset += timer.due - now();
      timer.run();
    }
  }

  function setAlarm(): void {
    clearTimeout(alarm);
    const next = earliest();
    if (next === undefined) return;
    alarm = setTimeout(
      () => {
        runDue(now());
        setAlarm();
      },
      Math.min(Math.max(next.due - now(), 0), LONGEST_WAIT),
    );
  }

  return {
    now,
    setTimeout(run, ms) {
      const timer = { due: now() + ms, run };
      timers.add(timer);
      setAlarm();
      return () => {
        timers.delete(timer);
        setAlarm();
      };
    },
    advance(ms) {
      const end = now() + ms;
      runDue(end);
      if (end > now()) offset += end - now();
      setAlarm();
    },
    stop() {
      timers.clear();
      clearTimeout(alarm);
    },
  };
}
