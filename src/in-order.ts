/**
 * Creates queues that run one piece of work at a time for each key, in order. Work with different keys runs concurrently.
 */
export function createInOrder() {
  /** For each key, a promise that resolves when its latest work has ended. */
  const ends = new Map<string, Promise<void>>();

  return {
    /** Whether work of the key is running or waiting. */
    isBusy: (key: string): boolean => ends.has(key),

    /** Runs the work after all earlier work of the key, even if that fails. */
    async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
      const before = ends.get(key);
      const { promise: end, resolve } = Promise.withResolvers<void>();
      ends.set(key, end);
      try {
        await before;
        return await work();
      } finally {
        if (ends.get(key) === end) ends.delete(key);
        resolve();
      }
    },
  };
}

/**
 * Prevents overlapping runs. A call during a run waits for one more run, because the current run may already be past the
 * part that matters to the caller. All calls until that next run begins share it.
 */
export function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  const runs = createInOrder();
  let next: Promise<void> | undefined;

  return () => {
    next ??= runs.run('', () => {
      next = undefined;
      return run();
    });
    return next;
  };
}
