import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Collection, createCollection } from '../../src/storage/collection.ts';
import type { Store } from '../../src/storage/store.ts';
import { collect, folder, openStore, recorder } from './temporary.ts';

interface Colour {
  readonly colour: string;
}

const coloursIn = (store: Store, version = 2): Collection<Colour> =>
  createCollection<Colour>({
    store,
    name: 'colours',
    version,
    schema: z.object({ colour: z.string() }),
    previous: [
      z.object({ v: z.literal(1), color: z.string() }).transform(({ color }): Colour => ({ colour: color })),
    ],
  });

/** Writes the text of a row as it is, as a damaged disk or another program would. */
function overwrite(path: string, key: string, text: string): void {
  const raw = new DatabaseSync(path);
  try {
    raw.prepare('INSERT OR REPLACE INTO keyv (key, value) VALUES (?, ?)').run(key, text);
  } finally {
    raw.close();
  }
}

function rowOf(path: string, key: string): unknown {
  const raw = new DatabaseSync(path, { readOnly: true });
  const row = raw.prepare('SELECT value FROM keyv WHERE key = ?').get(key);
  raw.close();
  return row?.value;
}

const BAD = {
  damaged: '{"value":{"v":2,"colour":"secret re',
  'of another shape': '{"value":{"v":2,"colour":7,"secret":1}}',
  'of no version': '{"value":{"colour":"secret"}}',
  'of a newer version': '{"value":{"v":3,"colour":{"rgb":"secret"}}}',
  'a text': '{"value":"secret"}',
  nothing: '{"value":null}',
};

describe('a collection', () => {
  it('keeps records over a restart, and each collection its own', async () => {
    const path = join(folder(), 'bot.sqlite');
    const before = await openStore(path);
    await coloursIn(before).set('1', { colour: 'red' });
    await before.set('coloursx:1', 'of another collection');
    await before.stop();
    const colours = coloursIn(await openStore(path));
    expect(await colours.get('1')).toEqual({ colour: 'red' });
    expect(await colours.get('2')).toBeUndefined();
    expect(await collect(colours.list())).toEqual([['1', { colour: 'red' }]]);
    expect(await colours.delete('1')).toBe(true);
    expect(await colours.delete('1')).toBe(false);
    expect(await colours.get('1')).toBeUndefined();
  });

  it('reads records of previous shapes, and writes the present one', async () => {
    const store = await openStore();
    await store.set('colours:1', { v: 1, color: 'red' });
    const colours = coloursIn(store);
    expect(await colours.get('1')).toEqual({ colour: 'red' });
    await colours.set('1', { colour: 'dark red' });
    expect(await store.get('colours:1')).toEqual({ v: 2, colour: 'dark red' });
  });

  it('is changed for a guild without another process in between', async () => {
    const store = await openStore();
    const colours = coloursIn(store);
    await colours.set('1', { colour: 'red' });
    await store.inGuild('1', async () => {
      const { colour } = (await colours.get('1')) ?? {};
      expect(() => overwrite(store.path, 'colours:1', '{"value":{"v":2,"colour":"blue"}}')).toThrow('locked');
      await colours.set('1', { colour: `dark ${colour}` });
    });
    expect(await colours.get('1')).toEqual({ colour: 'dark red' });
  });

  it('gives a record away once, and keeps what was set aside', async () => {
    const store = await openStore();
    const colours = coloursIn(store);
    overwrite(store.path, 'colours:1', BAD.damaged);
    expect(await colours.take('1')).toBeUndefined();
    await colours.set('1', { colour: 'red' });
    expect(await colours.take('1')).toEqual({ colour: 'red' });
    expect([await colours.take('1'), await colours.get('1')]).toEqual([undefined, undefined]);
    expect(rowOf(store.path, 'set-aside.colours:1')).toBe(BAD.damaged);
  });

  it('keeps texts as they are, whatever they begin with', async () => {
    const store = await openStore();
    const colours = coloursIn(store);
    for (const colour of [':red', ':base64:AAAA', ':bigint:x', '::']) {
      await colours.set('1', { colour });
      expect(await colours.get('1')).toEqual({ colour });
      expect(await store.replace('colours:1', { v: 2, colour }, { v: 2, colour: `:${colour}` })).toBe(true);
      expect(await colours.get('1')).toEqual({ colour: `:${colour}` });
    }
  });
});

describe.each(Object.entries(BAD))('a record that is %s', (_what, text) => {
  it('is as if there were none, and is kept as it is under a name that says so', async () => {
    const logger = recorder();
    const store = await openStore(join(folder(), 'bot.sqlite'), logger);
    const colours = coloursIn(store);
    overwrite(store.path, 'colours:1', text);
    await colours.set('2', { colour: 'blue' });
    expect(await colours.get('1')).toBeUndefined();
    expect(await collect(colours.list())).toEqual([['2', { colour: 'blue' }]]);
    expect(rowOf(store.path, 'set-aside.colours:1')).toBe(text);
    expect(await colours.aside('1')).toBeDefined();

    await colours.set('1', { colour: 'red' });
    expect(await colours.get('1')).toEqual({ colour: 'red' });
    expect(rowOf(store.path, 'set-aside.colours:1')).toBe(text);
    expect(await colours.delete('1')).toBe(true);
    expect(rowOf(store.path, 'set-aside.colours:1')).toBeUndefined();
  });

  it('is logged once, by its name and never by what it holds', async () => {
    const logger = recorder();
    const store = await openStore(join(folder(), 'bot.sqlite'), logger);
    const colours = coloursIn(store);
    overwrite(store.path, 'colours:1', text);
    for (let i = 0; i < 3; i++) await colours.get('1');
    await collect(colours.list());
    expect(logger.lines).toMatchObject([
      { level: 'error', details: { record: 'colours:1', setAside: 'set-aside.colours:1' } },
    ]);
    expect(JSON.stringify(logger.lines)).not.toContain('secret');
  });
});

describe('what was set aside', () => {
  it('is counted at the next start, and read by a version that can', async () => {
    const path = join(folder(), 'bot.sqlite');
    const before = await openStore(path);
    await coloursIn(before, 3).set('1', { colour: 'red' });
    await coloursIn(before, 3).set('2', { colour: 'blue' });
    const older = coloursIn(before);
    expect([await older.get('1'), await older.get('2')]).toEqual([undefined, undefined]);
    await older.set('2', { colour: 'green' });
    await before.stop();

    const logger = recorder();
    const newer = createCollection<Colour>({
      store: await openStore(path, logger),
      name: 'colours',
      version: 3,
      schema: z.object({ colour: z.string() }),
      previous: [z.object({ v: z.literal(2), colour: z.string() })],
    });
    const records = ['set-aside.colours:1', 'set-aside.colours:2'];
    expect(logger.lines).toMatchObject([{ level: 'warn', details: { count: 2, records } }]);
    expect(await newer.get('1')).toEqual({ colour: 'red' });
    // What was stored since stands.
    expect(await newer.get('2')).toMatchObject({ colour: 'green' });
    expect(await newer.aside('2')).toMatchObject({ value: { colour: 'blue' } });
  });
});

describe('several records of one name that were set aside', () => {
  const [FIRST, SECOND] = ['{"value":{"v":3,"colour":"red"}}', '{"value":{"v":2,"colour":7}}'];

  it('are all kept, and told from those of a longer name', async () => {
    const logger = recorder();
    const store = await openStore(join(folder(), 'bot.sqlite'), logger);
    const colours = coloursIn(store);
    for (const [key, text] of [
      ['colours:1', FIRST],
      ['colours:12', FIRST],
      ['colours:1', SECOND],
    ] as const) {
      overwrite(store.path, key, text);
      await colours.get(key.slice('colours:'.length));
    }
    expect(rowOf(store.path, 'set-aside.colours:1')).toBe(FIRST);
    expect(rowOf(store.path, 'set-aside.colours:1:~2')).toBe(SECOND);
    expect(logger.lines.map(({ details }) => Object(details).setAside)).toEqual([
      ...['set-aside.colours:1', 'set-aside.colours:12', 'set-aside.colours:1:~2'],
    ]);
    expect(await colours.aside('1')).toMatchObject({ stored: { colour: 7 } });

    expect(await colours.delete('1')).toBe(true);
    expect(await colours.aside('1')).toBeUndefined();
    expect(await colours.aside('12')).toMatchObject({ stored: { colour: 'red' } });
  });

  it('are tried again in turns, one at each start', async () => {
    const path = join(folder(), 'bot.sqlite');
    const first = await openStore(path);
    for (const text of [SECOND, FIRST]) {
      overwrite(path, 'colours:1', text);
      expect(await coloursIn(first).get('1')).toBeUndefined();
    }
    await first.stop();

    const second = await openStore(path);
    expect(await coloursIn(second, 3).get('1')).toBeUndefined();
    await second.stop();
    const third = await openStore(path);
    expect(await coloursIn(third, 3).get('1')).toEqual({ colour: 'red' });
    expect(rowOf(path, 'set-aside.colours:1:~3')).toBe(SECOND);
  });
});
