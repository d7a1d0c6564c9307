/** Runs at most `most` tasks at once; the others wait their turn, first come, first served. */
export function atMost(most: number): <Result>(task: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      // The place is handed on, so that nobody who comes just now gets in between.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
