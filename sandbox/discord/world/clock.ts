interface Timer {
  readonly due: number;
  readonly run: () => void;
}

export type Clock = ReturnType<typeof createClock>;

/**
 * The time of the stand-in. Real time flows; `advance` jumps ahead, and whatever falls due on the way happens, in order.
 * All waits of Discord's are measured on it: the 3 seconds, the 15 minutes, the limits.
 */
export function createClock() {
  const timers = new Set<Timer>();
  let offset = 0;
  let alarm: NodeJS.Timeout | undefined;

  const start = Date.now() - performance.now();
  // Whoever sets the clock of the machine, that of Discord goes on.
  const now = () => Math.floor(start + performance.now()) + offset;

  /** The timer that is due first; of several at one moment, the one that was set first. */
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
      // What runs now must see the moment it was due, not the end of the jump.
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
    /** Milliseconds since 1970. */
    now,
    /** Runs something after so many milliseconds; the function returned cancels it. */
    setTimeout(run: () => void, ms: number): () => void {
      const timer: Timer = { due: now() + ms, run };
      timers.add(timer);
      setAlarm();
      return () => timers.delete(timer);
    },
    /** Jumps ahead by so many milliseconds. */
    advance(ms: number): void {
      const end = now() + ms;
      runDue(end);
      offset += Math.max(0, end - now());
      setAlarm();
    },
    /** Forgets every timer. */
    stop(): void {
      timers.clear();
      clearTimeout(alarm);
    },
  };
}
