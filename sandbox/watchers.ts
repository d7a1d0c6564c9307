/** Creates a list of event listeners. */
export function createWatchers<Event>() {
  // A function that is added twice is called twice, and must be removed twice.
  const listeners = new Set<{ readonly listener: (event: Event) => void }>();
  return {
    /** Calls all listeners with an event, in the order in which they were added. */
    tell(event: Event): void {
      for (const { listener } of listeners) listener(event);
    },
    /** @returns a function that removes this listener */
    watch(listener: (event: Event) => void): () => void {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
