/** The store could not read or write. Never to be mistaken for "nothing is stored". */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** What SQLite or the file system says of a failure, on one line; they name files and keys, never values. */
export function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * The file that a `STORE_URL` names: `sqlite://data/bot.sqlite` is relative to the working directory,
 * `sqlite:///var/lib/bot.sqlite` is absolute. The configuration takes no other URL.
 */
export function storePath(url: string): string {
  return url.slice('sqlite://'.length);
}
