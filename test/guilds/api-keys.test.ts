import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type ApiKeysDeps, createApiKeys } from '../../src/guilds/api-keys.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption, UndecryptableError } from '../../src/storage/collection.ts';
import { StoreError } from '../../src/storage/store.ts';
import { bytesOnDisk, collect, folder, openStore } from '../storage/temporary.ts';

const encryption = createEncryption([randomBytes(32)]);
const by = { userId: '42' };
const FIRST = new Secret('first-key-0123456789-abcd');
const SECOND = new Secret('second-key-9876543210-wxyz');

/** Answers of the service. */
const ACCEPTED = { kind: 'games', games: [] } as const;
const REFUSED = { kind: 'rejected', known: 'invalidKey', message: 'Invalid API key.' } as const;

describe('the API keys of the guilds', () => {
  it('are kept for each guild over a restart', async () => {
    const path = join(folder(), 'bot.sqlite');
    const before = await openStore(path);
    const keys = createApiKeys({ store: before, encryption });
    await keys.set('1', FIRST, by);
    await keys.set('2', SECOND, by);
    await before.stop();

    const after = createApiKeys({ store: await openStore(path), encryption });
    expect((await after.get('1'))?.reveal()).toBe(FIRST.reveal());
    expect((await after.get('2'))?.reveal()).toBe(SECOND.reveal());
    expect(await after.get('3')).toBeUndefined();
  });

  it('are stored with who set them, when, and their last four characters', async () => {
    const store = await openStore();
    await createApiKeys({ store, encryption, now: () => 0 }).set('1', FIRST, by);
    expect(await store.get('api-key:1')).toMatchObject({
      v: 2,
      lastFour: 'abcd',
      setBy: '42',
      setAt: '1970-01-01T00:00:00.000Z',
    });
  });

  it('of less than 12 characters are shown in no part, also where a previous version stored their end', async () => {
    const store = await openStore();
    const keys = createApiKeys({ store, encryption });
    for (const [key, lastFour] of [
      ['ab', ''],
      ['a-key-of-11', ''],
      ['a-key-of-12c', '-12c'],
      ['🔑🔑🔑🔑🔑🔑', ''],
      ['🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🗝', '🔑🔑🔑🗝'],
    ] as const) {
      await keys.set('1', new Secret(key), by);
      expect(await keys.status('1')).toMatchObject({ lastFour });
    }
    const setAt = '1970-01-01T00:00:00.000Z';
    const sealed = encryption.seal('sandbox-key', 'guild 2: API key');
    await store.set('api-key:2', { v: 2, sealed, lastFour: 'key', setBy: '42', setAt });
    expect(await keys.status('2')).toMatchObject({ lastFour: '' });
  });

  it('that were read are dropped as soon as the key is removed, replaced or refused, and not before', async () => {
    const keys = createApiKeys({ store: await openStore(), encryption });
    const read = async () => {
      const key = await keys.get('1');
      if (!key) throw new Error('no key');
      return key;
    };
    await keys.set('1', FIRST, by);
    await keys.set('2', FIRST, by);
    const other = await keys.get('2');
    const [first, again] = [await read(), await read()];
    await keys.keepAnswer('1', first, ACCEPTED);
    expect([first.dropped?.aborted, again.dropped?.aborted]).toEqual([false, false]);
    await keys.set('1', SECOND, by);
    expect([first.dropped?.aborted, again.dropped?.aborted]).toEqual([true, true]);
    const second = await read();
    await keys.keepAnswer('1', second, REFUSED);
    expect(second.dropped?.aborted).toBe(true);
    const tried = await read();
    expect(tried.dropped?.aborted).toBe(false);
    const [, during] = await Promise.all([keys.delete('1'), keys.get('1')]);
    expect([tried.dropped?.aborted, during?.dropped?.aborted ?? true]).toEqual([true, true]);
    expect(other?.dropped?.aborted).toBe(false);
  });

  it('are read from records of the first version, and written in the second', async () => {
    const store = await openStore();
    const keys = createApiKeys({ store, encryption, now: () => 60_000 });
    const setAt = '1970-01-01T00:00:00.000Z';
    const sealed = encryption.seal(FIRST.reveal(), 'guild 1: API key');
    await store.set('api-key:1', { v: 1, sealed, lastFour: 'abcd', setBy: '42', setAt });
    expect((await keys.get('1'))?.reveal()).toBe(FIRST.reveal());
    expect(await keys.status('1')).toEqual({
      lastFour: 'abcd',
      setBy: '42',
      setAt,
      workedAt: setAt,
      readable: true,
    });
    await keys.keepAnswer('1', FIRST, ACCEPTED);
    expect(await store.get('api-key:1')).toMatchObject({
      v: 2,
      sealed,
      workedAt: '1970-01-01T00:01:00.000Z',
    });
  });

  it('are on the disk in no readable form, and not at all once replaced or deleted', async () => {
    const store = await openStore();
    const keys = createApiKeys({ store, encryption });
    const sealed = async () => JSON.stringify(Object(await store.get('api-key:1')).sealed.data);

    await keys.set('1', FIRST, by);
    const previous = await sealed();
    expect(bytesOnDisk(store.path)).toContain(previous);
    for (const coding of ['utf8', 'base64', 'hex', 'utf16le'] as const) {
      const clear = Buffer.from(FIRST.reveal()).toString(coding);
      expect(bytesOnDisk(store.path)).not.toContain(clear);
    }

    await keys.set('1', SECOND, by);
    const latter = await sealed();
    expect(bytesOnDisk(store.path)).toContain(latter);
    expect(bytesOnDisk(store.path)).not.toContain(previous);

    expect(await keys.delete('1')).toBe(true);
    expect(bytesOnDisk(store.path)).not.toContain(latter);
    expect(bytesOnDisk(store.path)).not.toContain('api-key:1');
    expect(await keys.delete('1')).toBe(false);
    expect(await keys.get('1')).toBeUndefined();
  });

  it('do not open for another guild', async () => {
    const store = await openStore();
    const keys = createApiKeys({ store, encryption });
    await keys.set('1', FIRST, by);
    await store.set('api-key:2', await store.get('api-key:1'));
    await expect(keys.get('2')).rejects.toThrow(UndecryptableError);
  });

  it('are an error of their own when the record is damaged or its encryption key is missing, and can be set anew', async () => {
    const store = await openStore();
    await createApiKeys({ store, encryption: createEncryption([randomBytes(32)]) }).set('1', FIRST, by);
    await store.set('api-key:2', { v: 2 });
    const keys = createApiKeys({ store, encryption });
    const known = await keys.status('1');
    expect(known).toMatchObject({ lastFour: 'abcd', setBy: '42', readable: false });
    expect(await keys.status('2')).toEqual({ readable: false });
    // Set aside by now, and still not "none".
    for (const guild of ['1', '1', '2']) await expect(keys.get(guild)).rejects.toThrow(UndecryptableError);
    expect(await keys.status('1')).toEqual(known);
    await keys.set('1', SECOND, by);
    expect(await collect(store.keys('set-aside.'))).toEqual(['set-aside.api-key:2']);
    expect(await keys.delete('2')).toBe(true);
    expect(await keys.delete('2')).toBe(false);
    expect(await keys.get('2')).toBeUndefined();
    expect((await keys.get('1'))?.reveal()).toBe(SECOND.reveal());
  });

  it('are neither "saved" nor "not set" when the store fails', async () => {
    const store = await openStore();
    const keys = createApiKeys({ store, encryption });
    await keys.set('1', FIRST, by);
    const raw = new DatabaseSync(store.path);
    raw.exec('ALTER TABLE keyv RENAME TO gone');
    raw.close();
    await expect(keys.get('1')).rejects.toThrow(StoreError);
    await expect(keys.set('1', SECOND, by)).rejects.toThrow(StoreError);
    await expect(keys.delete('1')).rejects.toThrow(StoreError);
  });

  it('are not "saved" when something else reads back', async () => {
    const store: ApiKeysDeps['store'] = {
      get: async () => undefined,
      set: async () => undefined,
      replace: async () => false,
      setAside: async () => undefined,
      async *entries() {},
      delete: async () => false,
      erase: (change) => change(),
      inGuild: (_, change) => change(),
    };
    await expect(createApiKeys({ store, encryption }).set('1', FIRST, by)).rejects.toThrow(StoreError);
  });

  it('are deleted also while another process keeps old bytes in the log, which go at the next restart', async () => {
    const store = await openStore();
    const keys = createApiKeys({ store, encryption });
    await keys.set('1', FIRST, by);
    const reader = new DatabaseSync(store.path, { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM keyv').get();
    expect(await keys.delete('1')).toBe(true);
    expect(await keys.get('1')).toBeUndefined();
    reader.close();
    await store.stop();
    await (await openStore(store.path)).stop();
    expect(bytesOnDisk(store.path)).not.toContain('api-key:1');
  });

  it('are set by two admins at once without either being told of a failure', async () => {
    const keys = createApiKeys({ store: await openStore(), encryption });
    await Promise.all([keys.set('1', FIRST, by), keys.set('1', SECOND, by), keys.set('1', FIRST, by)]);
    expect((await keys.get('1'))?.reveal()).toBe(FIRST.reveal());
  });
});

describe('what the service says of a key', () => {
  it('is kept with the time, and a refusal marks the key once', async () => {
    const store = await openStore();
    let time = 0;
    const keys = createApiKeys({ store, encryption, now: () => time });
    await keys.set('1', FIRST, by);
    expect(await keys.isRefused('1')).toBe(false);
    time = 1_000;
    expect(await keys.keepAnswer('1', FIRST, REFUSED)).toBe(true);
    time = 2_000;
    expect(await keys.keepAnswer('1', FIRST, REFUSED)).toBe(false);
    expect(await keys.isRefused('1')).toBe(true);
    expect(await keys.status('1')).toMatchObject({
      workedAt: '1970-01-01T00:00:00.000Z',
      answer: { at: '1970-01-01T00:00:02.000Z', accepted: false, message: 'Invalid API key.' },
      invalidSince: '1970-01-01T00:00:01.000Z',
    });
    expect((await keys.get('1'))?.reveal()).toBe(FIRST.reveal());
  });

  it('lifts the mark when an admin asked for it and the key was accepted, or set anew; never otherwise', async () => {
    const keys = createApiKeys({ store: await openStore(), encryption });
    await keys.set('1', FIRST, by);
    await keys.keepAnswer('1', FIRST, REFUSED);
    await keys.keepAnswer('1', FIRST, ACCEPTED);
    await keys.keepAnswer('1', FIRST, { kind: 'rejected', message: 'Odd.' }, { renews: true });
    expect(await keys.isRefused('1')).toBe(true);
    await keys.keepAnswer('1', FIRST, ACCEPTED, { renews: true });
    expect(await keys.isRefused('1')).toBe(false);
    await keys.keepAnswer('1', FIRST, REFUSED);
    await keys.set('1', SECOND, by);
    expect(await keys.isRefused('1')).toBe(false);
  });

  it('says nothing of a key that was set since, or of none', async () => {
    const keys = createApiKeys({ store: await openStore(), encryption });
    await keys.set('1', SECOND, by);
    expect(await keys.keepAnswer('1', FIRST, REFUSED)).toBe(false);
    expect(await keys.keepAnswer('2', FIRST, REFUSED)).toBe(false);
    expect(await keys.isRefused('1')).toBe(false);
    expect(await keys.status('2')).toBeUndefined();
  });

  it('is kept to a length that cannot fill the store', async () => {
    const keys = createApiKeys({ store: await openStore(), encryption });
    await keys.set('1', FIRST, by);
    await keys.keepAnswer('1', FIRST, { kind: 'rejected', message: '💥'.repeat(5_000) });
    expect((await keys.status('1'))?.answer?.message).toBe('💥'.repeat(300));
  });

  it('is lost neither by many answers at once nor by a new seal in between', async () => {
    const store = await openStore();
    const keys = createApiKeys({ store, encryption });
    await keys.set('1', FIRST, by);
    const sealed = encryption.seal(FIRST.reveal(), 'guild 1: API key');
    const reseal = async () => {
      const record = await store.get('api-key:1');
      return store.replace('api-key:1', record, { ...Object(record), sealed });
    };
    const done = await Promise.all([
      ...Array.from({ length: 5 }, () => keys.keepAnswer('1', FIRST, REFUSED)),
      reseal().then((resealed) => resealed || reseal()),
    ]);
    expect(done.slice(0, 5).filter((isFirst) => isFirst)).toHaveLength(1);
    expect(await store.get('api-key:1')).toMatchObject({ sealed });
    expect(await keys.isRefused('1')).toBe(true);
  });

  it('can be told apart by the guild whose key it was', async () => {
    const keys = createApiKeys({ store: await openStore(), encryption });
    await keys.set('1', FIRST, by);
    const key = await keys.get('1');
    expect(key && keys.guildOf(key)).toBe('1');
    expect(keys.guildOf(FIRST)).toBeUndefined();
  });
});

describe('the status of a key', () => {
  async function watched() {
    const opened = await openStore();
    const read: string[] = [];
    const get = (key: string) => {
      read.push(key);
      return opened.get(key);
    };
    const failing = { erase: opened.erase, inGuild: opened.inGuild };
    const store = {
      ...opened,
      get,
      erase: (...args: Parameters<typeof opened.erase>) => failing.erase(...args),
      inGuild: (...args: Parameters<typeof opened.inGuild>) => failing.inGuild(...args),
    } as ApiKeysDeps['store'];
    return { opened, read, failing, keys: createApiKeys({ store, encryption }) };
  }

  it('is read once, and anew after each change', async () => {
    const { keys, read } = await watched();
    const changes = [
      [() => keys.set('1', FIRST, by), { lastFour: 'abcd', setBy: '42' }],
      [() => keys.keepAnswer('1', FIRST, ACCEPTED), { answer: { accepted: true } }],
      [
        () => keys.keepAnswer('1', FIRST, REFUSED),
        { answer: { accepted: false }, invalidSince: expect.any(String) },
      ],
      [() => keys.set('1', SECOND, { userId: '43' }), { lastFour: 'wxyz', setBy: '43' }],
      [() => keys.delete('1'), undefined],
      [() => keys.set('1', FIRST, by), { lastFour: 'abcd' }],
    ] as const;
    expect(await keys.status('1')).toBeUndefined();
    for (const [change, expected] of changes) {
      await change();
      const status = await keys.status('1');
      if (expected === undefined) expect(status).toBeUndefined();
      else expect(status).toMatchObject({ ...expected, readable: true });
      read.length = 0;
      expect(await keys.status('1')).toEqual(status);
      expect(read).toEqual([]);
    }
    expect(await keys.status('2')).toBeUndefined();
  });

  it('that was asked for during a change is not remembered from before it', async () => {
    const { keys } = await watched();
    await keys.set('1', FIRST, by);
    await Promise.all([keys.status('1'), keys.keepAnswer('1', FIRST, REFUSED), keys.status('1')]);
    expect(await keys.status('1')).toMatchObject({ answer: { accepted: false } });
    await Promise.all([keys.status('1'), keys.delete('1'), keys.status('1')]);
    expect(await keys.status('1')).toBeUndefined();
  });

  it('stays what it was when a change fails', async () => {
    const { keys, failing } = await watched();
    await keys.set('1', FIRST, by);
    const before = await keys.status('1');
    failing.erase = async () => Promise.reject(new StoreError('the disk is full'));
    await expect(keys.delete('1')).rejects.toThrow('the disk is full');
    await expect(keys.set('1', SECOND, by)).rejects.toThrow('the disk is full');
    expect(await keys.status('1')).toEqual(before);
  });

  it('says so once the key is found to be unreadable', async () => {
    const { keys, opened } = await watched();
    await keys.set('1', FIRST, by);
    expect(await keys.status('1')).toMatchObject({ readable: true });
    await opened.set('api-key:1', { v: 2 });
    await expect(keys.get('1')).rejects.toThrow(UndecryptableError);
    expect(await keys.status('1')).toMatchObject({ readable: false });
  });

  it('is asked for again after the store has failed', async () => {
    const opened = await openStore();
    let isDown = true;
    const get: typeof opened.get = (key) =>
      isDown ? Promise.reject(new StoreError('no disk')) : opened.get(key);
    const keys = createApiKeys({ store: { ...opened, get }, encryption });
    await expect(keys.status('1')).rejects.toThrow('no disk');
    isDown = false;
    expect(await keys.status('1')).toBeUndefined();
  });

  it('is held in memory for a bounded number of guilds', async () => {
    const { keys, read } = await watched();
    for (let guild = 0; guild <= 5_000; guild += 1) await keys.status(String(guild));
    read.length = 0;
    await keys.status('5000');
    expect(read).toEqual([]);
    await keys.status('0');
    expect(read).toEqual(['api-key:0']);
  });
});
