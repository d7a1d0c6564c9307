import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Selectable } from 'kysely';
import { onTestFinished } from 'vitest';
import type { Logger } from '../../src/logger.ts';
import { createStore, type Store, type StoreDeps } from '../../src/storage/store.ts';
import type { Tables } from '../../src/storage/tables.ts';
import { type StoreUrl, sqliteAt } from '../../src/store-url.ts';

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly details: object;
  readonly message: string;
}

/** A logger that keeps what it is given. */
export function recorder(): Logger & { readonly lines: readonly Line[] } {
  const lines: Line[] = [];
  const at = (level: Line['level']) => (details: object, message: string) => {
    lines.push({ level, details, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A folder that is removed after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'bot-store-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export type FileStore = Store & { readonly path: string };

/** An open store over a file, closed after the test. */
export async function openStore(
  path = join(folder(), 'bot.sqlite'),
  deps: Partial<Omit<StoreDeps, 'url'>> = {},
): Promise<FileStore> {
  const store = await openStoreAt(sqliteAt(path), deps);
  return { ...store, path };
}

/** An open store over a database of either kind, closed after the test. */
export async function openStoreAt(url: StoreUrl, deps: Partial<Omit<StoreDeps, 'url'>> = {}): Promise<Store> {
  const store = createStore({ url, logger: recorder(), ...deps });
  await store.start();
  onTestFinished(() => store.stop());
  return store;
}

/** Every row of a table. */
export async function rowsIn<Name extends keyof Tables>(
  { tables }: Pick<Store, 'tables'>,
  table: Name,
): Promise<readonly Selectable<Tables[Name]>[]> {
  const rows: readonly object[] = await tables().selectFrom<keyof Tables>(table).selectAll().execute();
  return rows as readonly Selectable<Tables[Name]>[];
}

/** Every byte that the store has on the disk, as text of one character a byte. */
export function bytesOnDisk(path: string): string {
  return ['', '-wal', '-journal']
    .map((suffix) => path + suffix)
    .filter(existsSync)
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}
