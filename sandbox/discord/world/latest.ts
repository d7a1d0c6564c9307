/** Above what any test makes. Measured: 8 kB for an interaction with its two requests and its message. */
const MOST = 50_000;

/** The latest entries, each by its key. The oldest go when there are too many: a run of days needs no more memory than one of minutes. */
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
    /** From the oldest to the newest. */
    all: (): readonly V[] => [...entries.values()],
    /** How many had to go. */
    dropped: () => dropped,
  };
}
