import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { createStore } from '../../src/storage/store.ts';
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

  it.each([
    ['a newer version', '9.0-of-next-year', /by a newer version of the bot \(it has "9\.0-of-next-year"\)/],
    ['an unreleased version', '0001-tables', /before the first release.*move it away/],
  ])('refuse a database of %s, which stays as it is', async (_, name, words) => {
    const path = join(folder(), 'bot.sqlite');
    await (await openStore(path)).stop();
    rowsOf(
      path,
      `INSERT INTO kysely_migration VALUES ('${name}', '2027-01-01T00:00:00.000Z') RETURNING name`,
    );
    const before = readFileSync(path);
    const store = createStore({ url: `sqlite://${path}`, logger: recorder() });
    await expect(store.start()).rejects.toThrow(words);
    expect(readFileSync(path).equals(before)).toBe(true);
  });
});
