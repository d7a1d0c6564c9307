import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/collection.ts';
import type { Database } from '../../src/storage/database.ts';
import { createStoreEncryption, EncryptionKeyError, keyInUse } from '../../src/storage/encryption-key.ts';
import { rotate } from '../../src/storage/rotation.ts';
import { bytesOnDisk, openStore, recorder } from './temporary.ts';

const PREVIOUS = randomBytes(32);
const NEWEST = randomBytes(32);
const collections = [
  { name: 'key', context: (guild: string) => `key of ${guild}` },
  { name: 'token', context: (rest: string) => `token of ${rest}` },
];

const interactionContext = (guildId: string, id: string) => `interaction ${guildId} ${id}`;

async function start(database: Database, ...keys: readonly Buffer[]) {
  const configured = keys.map((key) => new Secret(key.toString('base64')));
  const encryption = createStoreEncryption({ configured, database, logger: recorder() });
  await encryption.start();
  return encryption;
}

/** A store with ten keys and two tokens, sealed with the previous key. */
async function filled() {
  const database = await openStore();
  const previous = await start(database, PREVIOUS);
  for (let i = 0; i < 10; i++) {
    await database.set(`key:${i}`, { lastFour: 'wxyz', sealed: previous.seal(`secret ${i}`, `key of ${i}`) });
  }
  for (const at of ['1:a', '1:b']) {
    await database.set(`token:${at}`, { sealed: previous.seal(`token ${at}`, `token of ${at}`) });
  }
  await database.set('ledger:1', { entries: [{ server: 'play.example.com' }] });
  return { database, previous };
}

describe('a rotation', () => {
  it('seals every record anew with the newest key, and then the previous one is not needed', async () => {
    const { database } = await filled();
    const encryption = await start(database, NEWEST, PREVIOUS);
    expect(await rotate({ database, encryption, collections, interactionContext })).toEqual({
      rotated: 12,
      already: 0,
      failed: [],
    });
    expect(await rotate({ database, encryption, collections, interactionContext })).toEqual({
      rotated: 0,
      already: 12,
      failed: [],
    });

    const alone = await start(database, NEWEST);
    const record = Object(await database.get('key:3'));
    expect(record.lastFour).toBe('wxyz');
    expect(alone.open(record.sealed, 'key of 3')).toBe('secret 3');
    expect(alone.open(Object(await database.get('token:1:b')).sealed, 'token of 1:b')).toBe('token 1:b');
    expect(await database.get('ledger:1')).toEqual({ entries: [{ server: 'play.example.com' }] });
  });

  it('leaves nothing on the disk that the previous key opens', async () => {
    const { database, previous } = await filled();
    const { data, tag } = Object(await database.get('key:3')).sealed;
    expect(bytesOnDisk(database.path)).toContain(tag);
    await rotate({
      database,
      encryption: await start(database, NEWEST, PREVIOUS),
      collections,
      interactionContext,
    });
    for (const trace of [data, tag, `"k":"${previous.newestKeyId}"`]) {
      expect(bytesOnDisk(database.path)).not.toContain(trace);
    }
  });

  it('goes on where it was stopped, and needs both keys until it has ended', async () => {
    const { database } = await filled();
    const encryption = await start(database, NEWEST, PREVIOUS);
    let left = 5;
    const failing: Database = {
      ...database,
      replace: async (...args) => {
        if (left-- === 0) throw new Error('the power went out');
        return database.replace(...args);
      },
    };
    await expect(rotate({ database: failing, encryption, collections, interactionContext })).rejects.toThrow(
      'power',
    );
    await expect(start(database, NEWEST)).rejects.toThrow(EncryptionKeyError);
    const again = await start(database, NEWEST, PREVIOUS);
    expect(await rotate({ database, encryption: again, collections, interactionContext })).toEqual({
      rotated: 7,
      already: 5,
      failed: [],
    });
    await start(database, NEWEST);
  });

  it('does not undo what the running bot writes meanwhile', async () => {
    const { database } = await filled();
    const encryption = await start(database, NEWEST, PREVIOUS);
    await keyInUse({ database, encryption }).start?.();
    let isFirst = true;
    const busy: Database = {
      ...database,
      replace: async (key, previous, value) => {
        if (isFirst) {
          isFirst = false;
          const sealed = Object(await database.get('key:0')).sealed;
          await database.set('key:0', { lastFour: 'new!', sealed });
          await database.set('key:1', { sealed: encryption.seal('set meanwhile', 'key of 1') });
          await database.delete('key:2');
        }
        return database.replace(key, previous, value);
      },
    };
    // The walk begins with the tokens; make it begin with the keys.
    await database.delete('token:1:a');
    await database.delete('token:1:b');
    const { failed } = await rotate({ database: busy, encryption, collections, interactionContext });
    expect(failed).toEqual([]);
    const alone = createEncryption([NEWEST]);
    const first = Object(await database.get('key:0'));
    expect(first.lastFour).toBe('new!');
    expect(alone.open(first.sealed, 'key of 0')).toBe('secret 0');
    expect(alone.open(Object(await database.get('key:1')).sealed, 'key of 1')).toBe('set meanwhile');
    expect(await database.get('key:2')).toBeUndefined();
  });

  it('is refused while the bot seals with another key, and changes nothing', async () => {
    const { database, previous } = await filled();
    const bot = keyInUse({ database, encryption: previous });
    await bot.start?.();
    const encryption = await start(database, NEWEST, PREVIOUS);
    const before = await database.get('key:0');
    await expect(rotate({ database, encryption, collections, interactionContext })).rejects.toThrow(
      /start it once with this ENCRYPTION_KEY/,
    );
    expect(await database.get('key:0')).toEqual(before);
    await bot.stop?.();
    expect((await rotate({ database, encryption, collections, interactionContext })).rotated).toBe(12);
  });

  it('is refused where version 0.1 has said which key it seals with, and where that cannot be read', async () => {
    const { database, previous } = await filled();
    const encryption = await start(database, NEWEST, PREVIOUS);
    await database.set('encryption:in-use', encryption.newestKeyId);
    expect((await rotate({ database, encryption, collections, interactionContext })).rotated).toBe(12);
    for (const stored of [previous.newestKeyId, { v: 2, keyId: 7 }]) {
      await database.set('encryption:in-use', stored);
      await expect(rotate({ database, encryption, collections, interactionContext })).rejects.toThrow(
        /start it once with this ENCRYPTION_KEY/,
      );
    }
  });

  it('keeps the previous key when a record does not open, or is sealed where nobody knows of it', async () => {
    const { database, previous } = await filled();
    await database.set('key:7', { sealed: previous.seal('x', 'another context') });
    await database.set('new-area:1', { deep: [{ in: previous.seal('x', 'y') }] });
    const encryption = await start(database, NEWEST, PREVIOUS);
    const { rotated, failed } = await rotate({ database, encryption, collections, interactionContext });
    expect(rotated).toBe(11);
    expect(failed).toEqual(['key:7', 'new-area:1']);
    await expect(start(database, NEWEST)).rejects.toThrow(EncryptionKeyError);
  });
});
