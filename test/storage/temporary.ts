import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Logger } from '../../src/logger.ts';
import { createDatabase, type Database } from '../../src/storage/database.ts';
import type { Commit } from '../../src/storage/statements.ts';
import { type Store, StoreError } from '../../src/storage/store.ts';

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

/** An open store over a file, closed after the test. */
export async function openStore(
  path = join(folder(), 'bot.sqlite'),
  logger = recorder(),
  onCommit: (commit: Commit) => void = () => undefined,
): Promise<Database> {
  const database = createDatabase({ url: `sqlite://${path}`, logger, onCommit });
  await database.start();
  onTestFinished(() => database.stop());
  return database;
}

/** A store in memory, which can be broken. */
export function memoryStore(
  kept = new Map<string, unknown>(),
): Store & { broken: boolean; readonly kept: typeof kept } {
  const store = {
    broken: false,
    kept,
    async get(key: string) {
      if (store.broken) throw new StoreError('disk I/O error');
      return kept.get(key);
    },
    async set(key: string, value: unknown) {
      if (store.broken) throw new StoreError('disk is full');
      kept.set(key, structuredClone(value));
    },
    async delete(key: string) {
      return kept.delete(key);
    },
    async replace() {
      return false;
    },
    async setAside(key: string, _: unknown, why: string) {
      kept.set(`aside ${key}: ${why}`, kept.get(key));
      kept.delete(key);
    },
    async *entries(prefix: string) {
      for (const [key, value] of kept) if (key.startsWith(prefix)) yield [key, value] as const;
    },
  };
  return store;
}

/** Every byte that the store has on the disk, as text of one character a byte. */
export function bytesOnDisk(path: string): string {
  return ['', '-wal', '-journal']
    .map((suffix) => path + suffix)
    .filter(existsSync)
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');
}

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
