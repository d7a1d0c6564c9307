import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { createStore } from '../../src/storage/store.ts';
import { sqliteAt } from '../../src/store-url.ts';
import { folder, openStore, recorder } from './temporary.ts';

function rowsOf(path: string, sql: string): readonly unknown[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

describe('the migrations', () => {
  it('are made once, and have the indices that searches need', async () => {
    const store = await openStore();
    await store.stop();
    const done = () => rowsOf(store.path, 'SELECT name, timestamp FROM kysely_migration ORDER BY name');
    const before = done();
    expect(before).toMatchObject(Object.keys(MIGRATIONS).map((name) => ({ name })));
    await (await openStore(store.path)).stop();
    expect(done()).toEqual(before);
    const plan = rowsOf(
      store.path,
      'EXPLAIN QUERY PLAN SELECT 1 FROM servers WHERE guild_id = 1 AND address = 2',
    );
    expect(JSON.stringify(plan)).toContain('servers_by_address');
  });

  it('leave a database of another version as it is', async () => {
    const path = join(folder(), 'bot.sqlite');
    await (await openStore(path)).stop();
    rowsOf(
      path,
      "INSERT INTO kysely_migration VALUES ('9.0-of-next-year', '2027-01-01T00:00:00.000Z') RETURNING name",
    );
    const before = readFileSync(path);
    const store = createStore({ url: sqliteAt(path), logger: recorder() });
    await expect(store.start()).rejects.toThrow(/by a newer version/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
