/** Those who want to hear of what happens, each until they do not any more. */
export function createWatchers<Event>() {
  // Somebody who watches twice with the same function hears twice, and may end one of them.
  const listeners = new Set<{ readonly listener: (event: Event) => void }>();
  return {
    /** Calls each of them, in the order in which they came. */
    tell(event: Event): void {
      for (const { listener } of listeners) listener(event);
    },
    /** The function returned ends it. */
    watch(listener: (event: Event) => void): () => void {
      const entry = { listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
