import { dropOldest } from './drop-oldest.ts';

export interface Cache<Value> {
  /** What is remembered, or else what is loaded now. */
  get(id: string): Promise<Value>;
  /** To be called when what is loaded has changed. */
  forget(id: string): void;
}

/** Entries that are remembered; the oldest goes. */
const MOST_ENTRIES = 1_000;

/**
 * Remembers what was loaded, for what is asked with every key stroke or page.
 * @param forMs milliseconds for which an entry is remembered
 */
export function createCache<Value>(load: (id: string) => Promise<Value>, forMs: number): Cache<Value> {
  const entries = new Map<string, { readonly at: number; readonly value: Promise<Value> }>();
  return {
    get(id) {
      const known = entries.get(id);
      if (known && performance.now() - known.at < forMs) return known.value;
      // Remembered from the beginning of the load: a change meanwhile forgets it.
      const value = load(id);
      entries.delete(id);
      entries.set(id, { at: performance.now(), value });
      value.catch(() => entries.delete(id));
      dropOldest(entries, MOST_ENTRIES);
      return value;
    },
    forget: (id) => void entries.delete(id),
  };
}
