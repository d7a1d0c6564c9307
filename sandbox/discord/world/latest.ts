/** How much of what happened is kept, so that a run of days needs no more memory than one of minutes. */
export interface Bounds {
  /** The most entries of one kind: requests, messages, interactions, files. */
  readonly count: number;
  /** The most bytes of one kind, as far as they are counted: bodies of requests, contents of files. */
  readonly bytes: number;
}

/** Above what any test makes. Measured: 8 kB for an interaction with its two requests and its message. */
export const USUAL_BOUNDS: Bounds = { count: 50_000, bytes: 256 * 1024 * 1024 };

/** The latest entries, each by its key. The oldest go when there are too many, or when they are too large together. */
export interface Latest<V> {
  /** Adds one, or replaces the one of that key, which keeps its place. */
  set(key: string, value: V, bytes?: number): void;
  get(key: string): V | undefined;
  /** From the oldest to the newest. */
  all(): readonly V[];
  /** How many had to go. */
  dropped(): number;
}

export function createLatest<V>({ count, bytes }: Bounds, onDrop: (value: V) => void = () => {}): Latest<V> {
  const entries = new Map<string, { readonly value: V; readonly bytes: number }>();
  let total = 0;
  let dropped = 0;

  function trim(): void {
    for (const [key, oldest] of entries) {
      // The newest stays, however large it is.
      if (entries.size === 1 || (entries.size <= count && total <= bytes)) return;
      entries.delete(key);
      total -= oldest.bytes;
      dropped += 1;
      onDrop(oldest.value);
    }
  }

  return {
    set(key, value, size = 0) {
      total += size - (entries.get(key)?.bytes ?? 0);
      entries.set(key, { value, bytes: size });
      trim();
    },
    get: (key) => entries.get(key)?.value,
    all: () => [...entries.values()].map(({ value }) => value),
    dropped: () => dropped,
  };
}
