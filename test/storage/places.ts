import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { createStore, type Store, type StoreDeps } from '../../src/storage/store.ts';
import { type StoreUrl, sqliteAt } from '../../src/store-url.ts';
import { newDatabase } from '../support/postgres.ts';
import { folder, recorder } from './temporary.ts';

/** A database that is there for one test. */
export interface Place {
  readonly url: StoreUrl;
  /** A store that nobody has started; closed after the test. */
  store(deps?: Partial<Omit<StoreDeps, 'url'>>): Store;
  open(deps?: Partial<Omit<StoreDeps, 'url'>>): Promise<Store>;
  /** Runs a statement as another process does. */
  change(sql: string): Promise<void>;
}

export async function newPlace(kind: StoreUrl['kind']): Promise<Place> {
  const { url, change } = kind === 'sqlite' ? newFile() : await newPostgres();
  const store: Place['store'] = (deps) => {
    const made = createStore({ url, logger: recorder(), ...deps });
    onTestFinished(() => made.stop());
    return made;
  };
  return {
    url,
    store,
    async open(deps) {
      const opened = store(deps);
      await opened.start();
      return opened;
    },
    change,
  };
}

function newFile(): Pick<Place, 'url' | 'change'> {
  const path = join(folder(), 'bot.sqlite');
  return {
    url: sqliteAt(path),
    async change(sql) {
      const other = new DatabaseSync(path);
      try {
        other.exec(sql);
      } finally {
        other.close();
      }
    },
  };
}

async function newPostgres(): Promise<Pick<Place, 'url' | 'change'>> {
  const { storeUrl, query, drop } = await newDatabase();
  onTestFinished(drop);
  return { url: storeUrl, change: async (sql) => void (await query(sql)) };
}
