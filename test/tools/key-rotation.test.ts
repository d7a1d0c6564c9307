import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { interactionContext } from '../../src/interactions/record.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption, keyId } from '../../src/storage/encryption.ts';
import { createStoreEncryption, EncryptionKeyError } from '../../src/storage/encryption-key.ts';
import { createLeases } from '../../src/storage/leases.ts';
import type { Store } from '../../src/storage/store.ts';
import { rotateKeys } from '../../src/tools/key-rotation.ts';
import { bytesOnDisk, type FileStore, openStore, rowsIn } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const FORMER = randomBytes(32);
const NEWEST = randomBytes(32);
const BOTH = [NEWEST, FORMER];
const newestKeyId = keyId(NEWEST);

/** A bot that starts with these encryption keys: the API keys as it reads and writes them. */
async function started(store: Store, ...keys: readonly Buffer[]) {
  const logger = recorder();
  const configured = keys.map((key) => new Secret(key.toString('base64')));
  const encryption = createStoreEncryption({ configured, store, logger });
  await encryption.start();
  return createApiKeys({ store, encryption, now: Date.now, logger });
}

/** A store with five keys that are sealed with the former key. */
async function filled(): Promise<FileStore> {
  const store = await openStore();
  const keys = await started(store, FORMER);
  for (const guildId of ['0', '1', '2', '3', '4']) {
    await keys.set(guildId, new Secret(`secret-of-${guildId}`), { userId: '42' });
  }
  await store.values.set('settings:1', { announce: true });
  return store;
}

describe('a rotation', () => {
  it('seals every key anew with the newest, and then the former one is not needed', async () => {
    const store = await filled();
    const { data, tag } = Object(await store.values.get('api-key:3')).sealed;
    expect(bytesOnDisk(store.path)).toContain(tag);
    await started(store, ...BOTH);
    const none = { newestKeyId, failed: [] };
    expect(await rotateKeys({ store, keys: BOTH })).toEqual({ ...none, rotated: 5, already: 0 });
    expect(await rotateKeys({ store, keys: BOTH })).toEqual({ ...none, rotated: 0, already: 5 });
    for (const trace of [data, tag, keyId(FORMER)]) expect(bytesOnDisk(store.path)).not.toContain(trace);

    const keys = await started(store, NEWEST);
    expect((await keys.get('3'))?.key.reveal()).toBe('secret-of-3');
    expect(await keys.status('3')).toMatchObject({ setBy: '42' });
    expect(await store.values.get('settings:1')).toEqual({ announce: true });
  });

  it('goes on where it was stopped, and needs both keys until it has ended', async () => {
    const store = await filled();
    await started(store, ...BOTH);
    let left = 2;
    const inGuild: Store['inGuild'] = (...args) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('the power went out')) : store.inGuild(...args);
    };
    await expect(rotateKeys({ store: { ...store, inGuild }, keys: BOTH })).rejects.toThrow('power');
    await expect(started(store, NEWEST)).rejects.toThrow(EncryptionKeyError);
    expect(await rotateKeys({ store, keys: BOTH })).toMatchObject({ rotated: 3, already: 2, failed: [] });
    await started(store, NEWEST);
  });

  it('does not undo what the running bot writes meanwhile', async () => {
    const store = await filled();
    const keys = await started(store, ...BOTH);
    let isFirst = true;
    const inGuild: Store['inGuild'] = async (...args) => {
      if (isFirst) {
        isFirst = false;
        await keys.set('1', new Secret('set-meanwhile'), { userId: '42' });
        await keys.delete('2');
      }
      return store.inGuild(...args);
    };
    const result = await rotateKeys({ store: { ...store, inGuild }, keys: BOTH });
    expect(result).toMatchObject({ rotated: 3, already: 1, failed: [] });
    const alone = await started(store, NEWEST);
    expect((await alone.get('1'))?.key.reveal()).toBe('set-meanwhile');
    expect(await alone.status('2')).toBeUndefined();
  });

  it('is refused until a bot has run with the newest key, and changes nothing', async () => {
    const store = await filled();
    const before = await store.values.get('api-key:0');
    for (let time = 0; time < 2; time += 1) {
      await expect(rotateKeys({ store, keys: BOTH })).rejects.toThrow(
        /start it once with this ENCRYPTION_KEY/,
      );
    }
    expect(await store.values.get('api-key:0')).toEqual(before);
  });

  it('is refused while a bot runs that seals with another key, and changes nothing', async () => {
    const store = await filled();
    await started(store, ...BOTH);
    const before = await store.values.get('api-key:0');
    const bot = createLeases({
      store,
      owner: 'another',
      isAlone: false,
      takeOver: async () => undefined,
      onOver: () => undefined,
      sealingKeyId: () => keyId(FORMER),
      logger: recorder(),
    });
    await bot.start?.();
    await expect(rotateKeys({ store, keys: BOTH })).rejects.toThrow(/encrypts with another key/);
    expect(await store.values.get('api-key:0')).toEqual(before);
    await bot.stop?.();
    expect(await rotateKeys({ store, keys: BOTH })).toMatchObject({ rotated: 5, failed: [] });
  });

  it('seals what is unanswered anew', async () => {
    const store = await filled();
    await started(store, ...BOTH);
    const { seal } = createEncryption([FORMER]);
    const unanswered = ['7', '8'].map((id) => ({
      id,
      guild_id: '1',
      owner: 'one',
      taken_at: 1,
      sealed: JSON.stringify(seal(`token ${id}`, interactionContext('1', id))),
    }));
    await store.tables().insertInto('interactions').values(unanswered).execute();
    expect(await rotateKeys({ store, keys: BOTH })).toMatchObject({ rotated: 7, failed: [] });
    const { open } = createEncryption([NEWEST]);
    const tokens = (await rowsIn(store, 'interactions')).map(({ id, sealed }) =>
      open(JSON.parse(sealed ?? ''), interactionContext('1', id)),
    );
    expect(tokens).toEqual(['token 7', 'token 8']);
  });

  it('keeps the former key when a record does not open, and names the record', async () => {
    const store = await filled();
    await started(store, ...BOTH);
    await store.values.set('api-key:4', await store.values.get('api-key:3'));
    const result = await rotateKeys({ store, keys: BOTH });
    expect(result).toMatchObject({ rotated: 4, already: 0, failed: ['api-key:4'] });
    await expect(started(store, NEWEST)).rejects.toThrow(EncryptionKeyError);
  });
});
