import { StoreError } from './store.ts';

/**
 * The file that a `STORE_URL` names: `sqlite://data/bot.sqlite` is relative to the working directory,
 * `sqlite:///var/lib/bot.sqlite` is absolute.
 * @throws StoreError for anything that is not a file of SQLite: a database in memory forgets every key.
 */
export function storePath(url: string): string {
  const path = /^sqlite:\/\/([^?#]+)$/.exec(url)?.[1];
  if (path === undefined || path.endsWith('/') || path.includes(':memory:')) {
    throw new StoreError('STORE_URL must name a file of SQLite, such as sqlite://data/bot.sqlite');
  }
  return path;
}
