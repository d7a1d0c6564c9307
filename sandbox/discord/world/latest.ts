/**
 * How many entries to keep: more than any test creates. An interaction with two requests and a message takes about 8 kB.
 */
const MOST = 50_000;

/**
 * Creates a map that keeps only the latest entries. Otherwise, a sandbox that runs for days would use more and more memory.
 */
export function createLatest<V>(most = MOST) {
  const entries = new Map<string, V>();
  let dropped = 0;
  return {
    set(key: string, value: V): void {
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size <= most || oldest === undefined) return;
      entries.delete(oldest);
      dropped += 1;
    },
    get: (key: string) => entries.get(key),
    delete: (key: string) => void entries.delete(key),
    /** Returns the entries, oldest first. */
    all: (): readonly V[] => [...entries.values()],
    /** Returns how many entries have been dropped. */
    dropped: () => dropped,
  };
}
