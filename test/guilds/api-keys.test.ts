import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type ApiKeysDeps, createApiKeys } from '../../src/guilds/api-keys.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption, UndecryptableError } from '../../src/storage/encryption.ts';
import { StoreError } from '../../src/storage/store.ts';
import { bytesOnDisk, folder, openStore } from '../storage/temporary.ts';

const encryption = createEncryption([randomBytes(32)]);
const by = { userId: '42' };
const FIRST = new Secret('first-key-0123456789-abcd');
const SECOND = new Secret('second-key-9876543210-wxyz');

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
      v: 1,
      lastFour: 'abcd',
      setBy: '42',
      setAt: '1970-01-01T00:00:00.000Z',
    });
  });

  it('are on the disk in no readable form, and not at all once replaced or deleted', async () => {
    const store = await openStore();
    const keys = createApiKeys({ store, encryption });
    const sealed = async () => JSON.stringify(Object(await store.get('api-key:1')).sealed.data);

    await keys.set('1', FIRST, by);
    const former = await sealed();
    expect(bytesOnDisk(store.path)).toContain(former);
    for (const coding of ['utf8', 'base64', 'hex', 'utf16le'] as const) {
      const clear = Buffer.from(FIRST.reveal()).toString(coding);
      expect(bytesOnDisk(store.path)).not.toContain(clear);
    }

    await keys.set('1', SECOND, by);
    const latter = await sealed();
    expect(bytesOnDisk(store.path)).toContain(latter);
    expect(bytesOnDisk(store.path)).not.toContain(former);

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
    await expect(keys.get('1')).rejects.toThrow(UndecryptableError);
    await expect(keys.get('2')).rejects.toThrow(UndecryptableError);
    await keys.set('1', SECOND, by);
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
      delete: async () => false,
      scrub: async () => true,
    };
    await expect(createApiKeys({ store, encryption }).set('1', FIRST, by)).rejects.toThrow(StoreError);
  });

  it('are set by two admins at once without either being told of a failure', async () => {
    const keys = createApiKeys({ store: await openStore(), encryption });
    await Promise.all([keys.set('1', FIRST, by), keys.set('1', SECOND, by), keys.set('1', FIRST, by)]);
    expect((await keys.get('1'))?.reveal()).toBe(FIRST.reveal());
  });
});
