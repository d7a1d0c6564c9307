import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type StoreUrl, sqliteAt } from '../../src/store-url.ts';
import { bytesOnDisk } from '../storage/temporary.ts';
import { newDatabase, type TestDatabase } from './postgres.ts';

type Row = Readonly<Record<string, unknown>>;

/** Whether the scenes of this run have PostgreSQL for a store (`STORE=postgres`), each a database of its own. */
export const isOnPostgres = process.env.STORE === 'postgres';

/** The bot's database, as another process reads and changes it. */
export interface SceneStore {
  readonly url: StoreUrl;
  /** `STORE_URL`. */
  readonly address: string;
  /** Runs a statement, with `?` for each value. */
  rows(sql: string, ...values: readonly SQLInputValue[]): Promise<readonly Row[]>;
  /** Everything that can be found: on the disk with SQLite, in the tables with PostgreSQL, which clears its disk itself. */
  content(): Promise<string>;
  close(): Promise<void>;
}

/** What a bot needs to know of a new database; nothing where it makes a file of SQLite. */
export async function newSceneDatabase(given: Readonly<Record<string, string>>) {
  if (!isOnPostgres || given.STORE_URL !== undefined) return undefined;
  const database = await newDatabase();
  const hasKey = given.ENCRYPTION_KEY !== undefined || given.ENCRYPTION_KEY_FILE !== undefined;
  return {
    database,
    env: {
      STORE_URL: database.url,
      ...(!hasKey && { ENCRYPTION_KEY: randomBytes(32).toString('base64') }),
    },
  };
}

/** @param data the folder of the bot's file, if it has no database of its own */
export function sceneStore(database: TestDatabase | undefined, data: string): SceneStore {
  return database ? ofDatabase(database) : ofFile(join(data, 'bot.sqlite'));
}

function ofFile(path: string): SceneStore {
  const url = sqliteAt(path);
  return {
    url,
    address: url.name,
    async rows(sql, ...values) {
      const database = new DatabaseSync(path, { timeout: 5_000 });
      try {
        return database.prepare(sql).all(...values);
      } finally {
        database.close();
      }
    },
    content: async () => bytesOnDisk(path),
    close: async () => undefined,
  };
}

function ofDatabase({ url, storeUrl, query, drop }: TestDatabase): SceneStore {
  async function content(): Promise<string> {
    const tables = await query(
      "select tablename as name from pg_tables where schemaname = 'public' order by 1",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const rows = await query(`select * from ${String(name)}`);
      // As SQLite has them on its disk: texts as they are, one after the other.
      texts.push(...rows.map((row) => Object.values(row).join(' ')));
    }
    return texts.join('\n');
  }
  return {
    url: storeUrl,
    address: url,
    rows(sql, ...values) {
      let count = 0;
      return query(
        sql.replaceAll('?', () => {
          count += 1;
          return `$${count}`;
        }),
        values,
      );
    },
    content,
    close: drop,
  };
}
