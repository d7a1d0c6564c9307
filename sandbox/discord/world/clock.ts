interface Timer {
  readonly due: number;
  readonly run: () => void;
}

export type Clock = ReturnType<typeof createClock>;

/**
 * Creates the clock for all of Discord's time limits, such as 3 seconds for a response and 15 minutes for a token. The
 * clock runs in real time. `advance` moves it forward and runs the timers that are due, in order.
 */
export function createClock() {
  const timers = new Set<Timer>();
  let offset = 0;
  let alarm: NodeJS.Timeout | undefined;

  const start = Date.now() - performance.now();
  // Like Discord's clock, unaffected by changes to the machine's clock.
  const now = () => Math.floor(start + performance.now()) + offset;

  /** Returns the timer that is due next; if several are due at the same time, the one that was set first. */
  function next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (first === undefined || timer.due < first.due) first = timer;
    }
    return first;
  }

  function runDue(until: number): void {
    for (let first = next(); first !== undefined && first.due <= until; first = next()) {
      timers.delete(first);
      // While a timer runs, the clock shows the time when that timer was due.
      offset += Math.max(0, first.due - now());
      first.run();
    }
  }

  function setAlarm(): void {
    clearTimeout(alarm);
    const first = next();
    if (first === undefined) return;
    const ring = () => {
      runDue(now());
      setAlarm();
    };
    alarm = setTimeout(ring, Math.max(first.due - now(), 0));
  }

  return {
    /** Returns the time in milliseconds since 1970. */
    now,
    /** Runs a function after this many milliseconds. @returns a function that cancels the timer */
    setTimeout(run: () => void, ms: number): () => void {
      const timer: Timer = { due: now() + ms, run };
      timers.add(timer);
      setAlarm();
      return () => timers.delete(timer);
    },
    /** Moves the clock forward by this many milliseconds. */
    advance(ms: number): void {
      const end = now() + ms;
      runDue(end);
      offset += Math.max(0, end - now());
      setAlarm();
    },
    /** Cancels all timers. */
    stop(): void {
      timers.clear();
      clearTimeout(alarm);
    },
  };
}
