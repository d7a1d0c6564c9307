/** Keeps what is held in memory bounded: the entry that was set first goes, if there are more than `most`. */
export function dropOldest(entries: Map<string, unknown>, most: number): void {
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}
