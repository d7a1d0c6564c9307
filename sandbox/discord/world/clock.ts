interface Timer {
  readonly due: number;
  readonly run: () => void;
}

export type Clock = ReturnType<typeof createClock>;

/**
 * Creates the stand-in's clock. It runs in real time; `advance` jumps ahead and runs the timers that become due, in order. It
 * measures all of Discord's waits: the 3 seconds, the 15 minutes, the limits.
 */
export function createClock() {
  const timers = new Set<Timer>();
  let offset = 0;
  let alarm: NodeJS.Timeout | undefined;

  const start = Date.now() - performance.now();
  // Doesn't follow changes to the machine's clock, because Discord's wouldn't.
  const now = () => Math.floor(start + performance.now()) + offset;

  /** Returns the timer that is due first; among several at the same time, the oldest. */
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
      // The timer must see the time at which it was due rather than the end of the jump.
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
    /** Returns milliseconds since 1970. */
    now,
    /** Runs a function after this many milliseconds. @returns a function that cancels it */
    setTimeout(run: () => void, ms: number): () => void {
      const timer: Timer = { due: now() + ms, run };
      timers.add(timer);
      setAlarm();
      return () => timers.delete(timer);
    },
    /** Jumps ahead by this many milliseconds. */
    advance(ms: number): void {
      const end = now() + ms;
      runDue(end);
      offset += Math.max(0, end - now());
      setAlarm();
    },
    /** Cancels every timer. */
    stop(): void {
      timers.clear();
      clearTimeout(alarm);
    },
  };
}
