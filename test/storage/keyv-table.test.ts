import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { createStore } from '../../src/storage/store.ts';
import { sqliteAt } from '../../src/store-url.ts';
import { folder, recorder } from '../support/machine.ts';

/** The table of values that the released versions of `@keyv/sqlite` create. In PostgreSQL, `makeKeyvTable` creates it. */
const SHAPE = [
  'CREATE TABLE "keyv"(key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255) NOT NULL DEFAULT \'\', expires BIGINT DEFAULT NULL, UNIQUE(key, namespace))',
  'CREATE INDEX "keyv_expires_idx" ON "keyv" (expires) WHERE expires IS NOT NULL',
];
const WHAT_TO_DO =
  'This version of @keyv/sqlite creates or changes the values table outside the migrations, so an older version of the bot ' +
  'might not be able to read the table. Keep the previous version of the package. Otherwise, make the same change in a ' +
  'migration, as docs/development/storage.md explains, and in makeKeyvTable for PostgreSQL. Then update SHAPE.';

it.each([
  ['new table', []],
  ['existing table', SHAPE],
])('@keyv/sqlite uses the table that the migrations expect (%s)', async (_, before) => {
  const path = join(folder(), 'data/bot.sqlite');
  mkdirSync(dirname(path));
  const database = new DatabaseSync(path);
  for (const statement of before) database.exec(statement);
  const store = createStore({ url: sqliteAt(path), logger: recorder() });
  await store.start();
  await store.values.set('a:1', 1);
  await store.stop();
  const shape = database
    .prepare("SELECT sql FROM sqlite_schema WHERE tbl_name = 'keyv' AND sql IS NOT NULL")
    .all();
  database.close();
  expect(
    shape.map(({ sql }) => sql),
    WHAT_TO_DO,
  ).toEqual(SHAPE);
});
