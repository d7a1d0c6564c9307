/** Drops the least recently set entry when the map is full. */
export function createBoundedMap<Value>(maxEntries: number) {
  const entries = new Map<string, Value>();
  return {
    get: (key: string): Value | undefined => entries.get(key),
    keys: () => entries.keys(),
    delete: (key: string) => void entries.delete(key),
    set(key: string, value: Value): void {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}

const MAX_CACHED = 1_000;

/** Creates a cache for values that are needed for every keystroke or page view. */
export function createCache<Value>(load: (id: string) => Promise<Value>, maxAgeMs: number) {
  const entries = createBoundedMap<{ readonly at: number; readonly value: Promise<Value> }>(MAX_CACHED);
  return {
    get(id: string): Promise<Value> {
      const known = entries.get(id);
      if (known && performance.now() - known.at < maxAgeMs) return known.value;
      // Caches the promise immediately, so that `forget` can drop it if the value changes during loading.
      const value = load(id);
      entries.set(id, { at: performance.now(), value });
      value.catch(() => entries.delete(id));
      return value;
    },
    forget: (id: string) => entries.delete(id),
  };
}
