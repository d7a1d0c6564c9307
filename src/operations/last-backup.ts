import type { Store } from '../storage/store.ts';

/** Where it is kept when the last backup was made: milliseconds since 1970. */
const KEY = 'backup:last';

/** To be called when a backup is complete and was checked. */
export const recordBackup = (store: Pick<Store, 'set'>, at: number): Promise<void> => store.set(KEY, at);

/** When the last backup was made, in milliseconds since 1970; `undefined` when there was none. */
export async function readLastBackup(store: Pick<Store, 'get'>): Promise<number | undefined> {
  const at = await store.get(KEY);
  return typeof at === 'number' && at > 0 ? at : undefined;
}
