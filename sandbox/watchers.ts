/** Creates a list of listeners for events. */
export function createWatchers<Event>() {
  // A function that is added twice is called twice, and can be removed once.
  const listeners = new Set<{ readonly listener: (event: Event) => void }>();
  return {
    /** Calls every listener, in the order in which they were added. */
    tell(event: Event): void {
      for (const { listener } of listeners) listener(event);
    },
    /** @returns a function that removes the listener */
    watch(listener: (event: Event) => void): () => void {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
