import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../../src/storage/database.ts';
import { StoreError, UNREADABLE } from '../../src/storage/store.ts';
import { collect, folder, openStore, recorder } from './temporary.ts';

/** Why the store does not start. */
async function refusal(path: string): Promise<string> {
  const store = createDatabase({ url: `sqlite://${path}`, logger: recorder() });
  onTestFinished(() => store.stop());
  const error = await store.start().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(StoreError);
  return error instanceof Error ? error.message : '';
}

/** Another process that runs a statement on the database and then keeps it open. */
async function otherProcess(path: string, sql: string): Promise<() => Promise<void>> {
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    new DatabaseSync(${JSON.stringify(path)}).exec(${JSON.stringify(sql)});
    console.log('holding');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const end = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(end);
  await once(child.stdout, 'data');
  return end;
}

describe('a place that cannot be written to', () => {
  const advice = /^cannot write to .*: .+; check its owner and free space$/;

  it('is named when the folder would be under a file', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, 'x');
    expect(await refusal(join(file, 'data', 'bot.sqlite'))).toMatch(advice);
  });

  it('is named when a folder is in the place of the file', async () => {
    const path = join(folder(), 'bot.sqlite');
    mkdirSync(path);
    expect(await refusal(path)).toMatch(advice);
  });

  it('is named when the folder takes no files', async () => {
    expect(await refusal('/proc/bot.sqlite')).toMatch(advice);
  });

  it('is named when another process is writing all the time', async () => {
    const path = join(folder(), 'bot.sqlite');
    await (await openStore(path)).stop();
    await otherProcess(path, 'BEGIN IMMEDIATE');
    const message = await refusal(path);
    expect(message).toMatch(advice);
    expect(message).toContain('database is locked');
  });
});

describe('a damaged database', () => {
  it('is refused and left as it is when it is something else', async () => {
    const path = join(folder(), 'bot.sqlite');
    writeFileSync(path, 'This is the diary of somebody.');
    expect(await refusal(path)).toMatch(/is damaged \(it is not a file of SQLite\)\. Nothing was changed/);
    expect(readFileSync(path, 'utf8')).toBe('This is the diary of somebody.');
  });

  it.each([
    ['in the middle', 0.5],
    ['in the first page, behind the head', 0.004],
  ])('is refused and left as it is, byte for byte, when it is overwritten %s', async (_, where) => {
    const path = join(folder(), 'bot.sqlite');
    const store = await openStore(path);
    for (let i = 0; i < 300; i++) await store.set(`k:${i}`, 'x'.repeat(500));
    await store.stop();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, Math.floor(bytes.length * where), Math.floor(bytes.length * where) + 5_000);
    writeFileSync(path, bytes);
    const message = await refusal(path);
    expect(message).toContain('is damaged');
    expect(message).toContain('Nothing was changed');
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('is refused and left as it is when its end is missing', async () => {
    const path = join(folder(), 'bot.sqlite');
    const store = await openStore(path);
    for (let i = 0; i < 300; i++) await store.set(`k:${i}`, 'x'.repeat(500));
    await store.stop();
    const bytes = readFileSync(path).subarray(0, 50_000);
    writeFileSync(path, bytes);
    expect(await refusal(path)).toContain('is damaged');
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });
});

describe('a row that holds no value any more', () => {
  it.each([
    '{"value":"ha',
    '',
    '{',
    'null',
    '"text"',
    '[]',
    '{}',
    '{"valu\u0000e":1}',
    null,
    new Uint8Array([0, 255, 128]),
  ])('is told from a missing one, and stops no walk: %j', async (damage) => {
    const store = await openStore();
    for (const key of ['a:0', 'a:1', 'a:2']) await store.set(key, { v: 1 });
    const raw = new DatabaseSync(store.path);
    raw.prepare(`UPDATE keyv SET value = ? WHERE key = 'a:1'`).run(damage);
    raw.close();
    expect(await store.get('a:1')).toBe(UNREADABLE);
    expect(await store.get('a:9')).toBeUndefined();
    expect(await collect(store.entries('a:'))).toEqual([
      ['a:0', { v: 1 }],
      ['a:1', UNREADABLE],
      ['a:2', { v: 1 }],
    ]);
    expect(await store.replace('a:1', { v: 1 }, { v: 2 })).toBe(false);
  });
});

describe('a store that fails while it is used', () => {
  it('throws from every method, and never says "saved" or "nothing there"', async () => {
    const store = await openStore();
    await store.set('a:1', 1);
    const raw = new DatabaseSync(store.path);
    raw.exec('ALTER TABLE keyv RENAME TO gone');
    raw.close();
    await expect(store.get('a:1')).rejects.toThrow(StoreError);
    await expect(store.set('a:1', 2)).rejects.toThrow(StoreError);
    await expect(store.delete('a:1')).rejects.toThrow(StoreError);
    await expect(collect(store.entries('a:'))).rejects.toThrow(StoreError);
  });

  it('throws in the middle of a walk instead of ending early', async () => {
    const store = await openStore();
    for (let i = 0; i < 500; i++) await store.set(`k:${i}`, i);
    let seen = 0;
    const walk = async () => {
      for await (const _ of store.entries('k:')) {
        seen++;
        if (seen !== 150) continue;
        const raw = new DatabaseSync(store.path);
        raw.exec('DROP TABLE keyv');
        raw.close();
      }
    };
    await expect(walk()).rejects.toThrow(StoreError);
    expect(seen).toBeGreaterThanOrEqual(150);
    expect(seen).toBeLessThan(500);
  });

  it('throws when another process has locked it, reads on, and recovers', async () => {
    const store = await openStore();
    await store.set('a', 'before');
    const release = await otherProcess(store.path, 'BEGIN IMMEDIATE');
    await expect(store.set('a', 'after')).rejects.toThrow(/database is locked/);
    expect(await store.get('a')).toBe('before');
    await release();
    await store.set('a', 'after');
    expect(await store.get('a')).toBe('after');
  });

  it('throws when the disk is full, and what was written before can be read', async () => {
    const path = join(folder(), 'bot.sqlite');
    const script = `
      import { createDatabase } from ${JSON.stringify(join(import.meta.dirname, '../../src/storage/database.ts'))};
      process.on('SIGXFSZ', () => {});
      const quiet = () => {};
      const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
      const store = createDatabase({ url: ${JSON.stringify(`sqlite://${path}`)}, logger });
      await store.start();
      let saved = 0;
      try {
        for (; saved < 5_000; saved++) await store.set('k:' + String(saved).padStart(4, '0'), 'x'.repeat(1_000));
      } catch (error) {
        let readable = 0;
        for await (const _ of store.entries('k:')) readable++;
        console.log(JSON.stringify({ name: error.name, message: error.message, saved, readable }));
      }`;
    // Blocks of 512 bytes or 1 KiB, depending on the shell: no file may grow beyond 1 or 2 MiB.
    const command = 'ulimit -f 2048; exec "$0" --input-type=module -e "$1"';
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script]);
    const { name, message, saved, readable } = JSON.parse(stdout);
    expect(name).toBe('StoreError');
    expect(message).toMatch(/cannot write k:\d+ in .*: (disk I\/O error|database or disk is full)/);
    expect(saved).toBeGreaterThan(20);
    expect(readable).toBe(saved);
    expect(statSync(path).size).toBeLessThanOrEqual(2 * 1024 * 1024);

    const store = await openStore(path);
    expect(await collect(store.entries('k:'))).toHaveLength(saved);
  });

  it('keeps what was saved when the process is killed', async () => {
    const path = join(folder(), 'bot.sqlite');
    const script = `
      import { createDatabase } from ${JSON.stringify(join(import.meta.dirname, '../../src/storage/database.ts'))};
      const quiet = () => {};
      const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
      const store = createDatabase({ url: ${JSON.stringify(`sqlite://${path}`)}, logger });
      await store.start();
      for (let i = 0; ; i++) { await store.set('k:' + i, i); process.stdout.write('s'); }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    let saved = 0;
    child.stdout.on('data', (bytes: Buffer) => {
      saved += bytes.length;
      if (saved > 50) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const store = await openStore(path);
    expect(saved).toBeGreaterThan(50);
    expect((await collect(store.entries('k:'))).length).toBeGreaterThanOrEqual(saved);
  });
});
