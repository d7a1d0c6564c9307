/** Creates a list of functions that are called with events. */
export function createWatchers<Event>() {
  // If a function is added twice, it is called twice and has to be removed twice.
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
