/** More than any test creates. Measured: 8 kB for an interaction with its two requests and its message. */
const MOST = 50_000;

/**
 * Creates a map that keeps only the latest entries. It drops the oldest beyond the limit, so that a run of days needs no more
 * memory than one of minutes.
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
    /** Returns how many entries were dropped. */
    dropped: () => dropped,
  };
}
