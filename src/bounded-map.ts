/** A map in memory that holds so many entries at most: the entry that was set longest ago goes. */
export function createBoundedMap<Value>(most: number) {
  const entries = new Map<string, Value>();
  return {
    get: (key: string): Value | undefined => entries.get(key),
    keys: () => entries.keys(),
    delete: (key: string) => void entries.delete(key),
    set(key: string, value: Value): void {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > most && oldest !== undefined) entries.delete(oldest);
    },
  };
}

const MOST_CACHED = 1_000;

/**
 * Remembers what was loaded, for what is asked with every key stroke or page.
 * @param forMs milliseconds for which an entry is remembered
 */
export function createCache<Value>(load: (id: string) => Promise<Value>, forMs: number) {
  const entries = createBoundedMap<{ readonly at: number; readonly value: Promise<Value> }>(MOST_CACHED);
  return {
    get(id: string): Promise<Value> {
      const known = entries.get(id);
      if (known && performance.now() - known.at < forMs) return known.value;
      // Remembered from the beginning of the load: a change meanwhile forgets it.
      const value = load(id);
      entries.set(id, { at: performance.now(), value });
      value.catch(() => entries.delete(id));
      return value;
    },
    forget: (id: string) => entries.delete(id),
  };
}
