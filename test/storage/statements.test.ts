import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Commit, createStatements } from '../../src/storage/statements.ts';
import { openStore } from './temporary.ts';

function open() {
  const database = new DatabaseSync(':memory:');
  onTestFinished(() => database.close());
  const commits: Commit[] = [];
  const statements = createStatements(database, { onCommit: (commit) => commits.push(commit) });
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)');
  const insert = (n: number) => statements.execute('INSERT INTO t VALUES (?)', [n]);
  const all = () =>
    database
      .prepare('SELECT n FROM t ORDER BY n')
      .all()
      .map(({ n }) => n);
  return { database, statements, commits, insert, all };
}

describe('statements of many at the same time', () => {
  it('are one commit', async () => {
    const { commits, insert, all } = open();
    await Promise.all([insert(1), insert(2), insert(3)]);
    expect(commits).toEqual([{ synced: true }]);
    expect(all()).toEqual([1, 2, 3]);
    await insert(4);
    expect(commits).toHaveLength(2);
  });

  it('fail alone', async () => {
    const { commits, insert, all, statements } = open();
    await insert(2);
    const failing = statements.transaction(async () => {
      await insert(10);
      await insert(2);
    });
    const results = await Promise.allSettled([insert(1), insert(2), failing, insert(3)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(all()).toEqual([1, 2, 3]);
    expect(commits).toHaveLength(2);
  });

  it('all fail when what they share cannot be committed', async () => {
    const { insert, all, database, statements } = open();
    // Looked at when all is to be committed, not before.
    database.exec('CREATE TABLE child (parent REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED)');
    const results = await Promise.allSettled([
      insert(1),
      statements.execute('INSERT INTO child VALUES (77)'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(all()).toEqual([]);
    await insert(2);
    expect(all()).toEqual([2]);
  });

  it('fail once the connection is closed, one after the other', async () => {
    const database = new DatabaseSync(':memory:');
    const statements = createStatements(database);
    await statements.execute('CREATE TABLE t (n INTEGER PRIMARY KEY)');
    await statements.alone((connection) => connection.close());
    for (const sql of ['INSERT INTO t VALUES (1)', 'SELECT n FROM t', 'INSERT INTO t VALUES (2)'])
      await expect(statements.execute(sql)).rejects.toThrow('not open');
  });

  it('are synced when one of them has to be, and are no commit when they have written nothing', async () => {
    const { commits, insert, statements } = open();
    await statements.transaction(() => insert(1), { synced: false });
    await Promise.all([statements.transaction(() => insert(2), { synced: false }), insert(3)]);
    await statements.transaction(async () => statements.execute('SELECT 1'));
    await statements.execute('DELETE FROM t WHERE n = 77');
    expect(commits.map(({ synced }) => synced)).toEqual([false, true]);
  });
});

describe('what runs outside of transactions', () => {
  const count = async ({ statements }: Pick<ReturnType<typeof open>, 'statements'>) =>
    Number(Object((await statements.execute('SELECT count(*) AS n FROM t')).rows[0]).n);

  it('is read in the same turn of the event loop', async () => {
    const store = open();
    const order: string[] = [];
    const turn = setImmediate().then(() => order.push('turn'));
    await Promise.all([turn, count(store).then(() => order.push('read'))]);
    expect(order).toEqual(['read', 'turn']);
  });

  it('sees of a transaction all or nothing', async () => {
    const store = open();
    const { statements, insert } = store;
    const under = Promise.withResolvers<void>();
    const seen: number[] = [];
    const write = statements.transaction(async () => {
      await insert(1);
      under.resolve();
      for (let i = 0; i < 50; i++) await Promise.resolve();
      await insert(2);
    });
    await Promise.all([write, under.promise.then(async () => seen.push(await count(store)))]);
    expect(seen).toEqual([2]);
  });

  it('comes after the changes that were asked for before, such as closing the connection', async () => {
    const { statements, insert, all } = open();
    const seen: unknown[] = [];
    await Promise.all([insert(1), statements.alone(() => seen.push(all())), insert(2)]);
    expect(seen).toEqual([[1, 2]]);
  });
});

describe('a transaction', () => {
  it('keeps everybody else out until it is over', async () => {
    const { statements, insert } = open();
    const seen: unknown[] = [];
    const count = async () => (await statements.execute('SELECT count(*) AS n FROM t')).rows[0];
    await Promise.all([
      statements.transaction(async () => {
        await insert(1);
        for (let i = 0; i < 50; i++) await count();
        await insert(2);
      }),
      insert(3),
      count().then((row) => seen.push(row)),
    ]);
    expect(seen.map((row) => ({ ...Object(row) }))).toEqual([{ n: 0 }]);
  });

  it('has those inside it as its parts', async () => {
    const { statements, insert, all, commits } = open();
    const outer = statements.transaction(async () => {
      await statements.transaction(() => insert(1));
      throw new Error('no');
    });
    await expect(outer).rejects.toThrow('no');
    expect(all()).toEqual([]);
    expect(commits).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the next turn', () => setImmediate()],
    ['a timer', () => setTimeout(0)],
    ['a file', () => readFile(import.meta.filename)],
    ['the next tick', () => new Promise((resolve) => process.nextTick(resolve))],
  ])('fails when it waits for anything but statements: %s', async (_, other) => {
    const { statements, insert, all } = open();
    for (let n = 0; n < 20; n += 1) {
      const slow = statements.transaction(async () => {
        await insert(1);
        await other();
        await insert(2);
      });
      await expect(slow).rejects.toThrow('may wait for statements only');
    }
    await insert(3);
    expect(all()).toEqual([3]);
  });

  it('has nothing written by what it has left behind', async () => {
    const { statements, insert, all } = open();
    let late: Promise<unknown> = Promise.resolve();
    const failing = statements.transaction(async () => {
      late = setImmediate().then(() => insert(1));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expect(late).rejects.toThrow('after the end of its transaction');
    expect(all()).toEqual([]);
  });
});

describe('values and tables', () => {
  it('are written and undone together', async () => {
    const store = await openStore();
    await store.set('a', 'before');
    const interaction = { id: '1', guild_id: '2', taken_at: 3, sealed: null };
    const failing = store.inGuild('2', async () => {
      await store.set('a', 'after');
      await store.tables.insertInto('interactions').values(interaction).execute();
      expect(await store.get('a')).toBe('after');
      throw new Error('no');
    });
    const other = store.set('b', 'other');
    await expect(failing).rejects.toThrow('no');
    await other;
    expect(await store.get('a')).toBe('before');
    expect(await store.get('b')).toBe('other');
    expect(await store.tables.selectFrom('interactions').selectAll().execute()).toEqual([]);
  });

  it('do not wait for each other for ever', async () => {
    const store = await openStore();
    const row = (id: string) => ({ id, guild_id: '2', taken_at: 3, sealed: null });
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => [
        store.tables
          .insertInto('interactions')
          .values(row(`t${i}`))
          .execute(),
        store.inGuild('2', async () => {
          await store.get('x');
          await store.tables
            .insertInto('interactions')
            .values(row(`g${i}`))
            .execute();
          await store.set('x', i);
        }),
        store.set(`k${i}`, i),
        store.get(`k${i}`),
      ]).flat(),
    );
    const { n } = await store.tables
      .selectFrom('interactions')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    expect(n).toBe(100);
    expect(await store.get('x')).toBe(49);
  });
});

describe('a statement that is run again', () => {
  it('sees what became of its table meanwhile', async () => {
    const { statements, insert } = open();
    await insert(1);
    const read = async () => (await statements.execute('SELECT * FROM t')).rows;
    expect(await read()).toEqual([{ n: 1 }]);
    await statements.execute('ALTER TABLE t ADD COLUMN word TEXT');
    expect(await read()).toEqual([{ n: 1, word: null }]);
    await statements.execute('DROP TABLE t');
    await expect(read()).rejects.toThrow(/no such table/);
  });

  it('gives the same after many others', async () => {
    const { statements, insert } = open();
    await insert(1);
    const read = async (plus: number) => (await statements.execute(`SELECT n + ${plus} AS sum FROM t`)).rows;
    for (let plus = 0; plus < 500; plus++) expect(await read(plus)).toEqual([{ sum: 1 + plus }]);
    expect(await read(0)).toEqual([{ sum: 1 }]);
  });
});
