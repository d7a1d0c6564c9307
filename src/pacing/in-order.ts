/** Creates queues that run tasks with the same key one at a time, in order. Tasks with different keys run concurrently. */
export function createInOrder() {
  /** The promise resolves when the key's last task has ended. */
  const ends = new Map<string, Promise<void>>();

  return {
    isBusy: (key: string): boolean => ends.has(key),

    /** Runs a task after all earlier tasks with the same key, even if they fail. */
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
 * Returns a function whose runs never overlap. All calls made during a run share a single follow-up run, because the
 * current run may have missed the callers' changes.
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
