/** The latest entries, each by its key. The oldest go when there are too many: a run of days needs no more memory than one of minutes. */
export interface Latest<V> {
  set(key: string, value: V): void;
  get(key: string): V | undefined;
  /** From the oldest to the newest. */
  all(): readonly V[];
  /** How many had to go. */
  dropped(): number;
}

/** Above what any test makes. Measured: 8 kB for an interaction with its two requests and its message. */
const MOST = 50_000;

export function createLatest<V>(most = MOST): Latest<V> {
  const entries = new Map<string, V>();
  let dropped = 0;
  return {
    set(key, value) {
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size <= most || oldest === undefined) return;
      entries.delete(oldest);
      dropped += 1;
    },
    get: (key) => entries.get(key),
    all: () => [...entries.values()],
    dropped: () => dropped,
  };
}
