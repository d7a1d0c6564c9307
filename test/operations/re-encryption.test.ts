import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { noticeContext } from '../../src/approval/decision-notices.ts';
import { createApiKeys } from '../../src/guilds/api-keys.ts';
import { interactionContext } from '../../src/interactions/interaction-store.ts';
import { createReencryption } from '../../src/operations/re-encryption.ts';
import { withDatabaseFile } from '../../src/storage/database-file.ts';
import { createEncryption, type Encryption, keyId } from '../../src/storage/encryption.ts';
import { createStoreEncryption, EncryptionKeyError } from '../../src/storage/encryption-key.ts';
import { createLeases } from '../../src/storage/leases.ts';
import type { Store } from '../../src/storage/store.ts';
import { Secret } from '../../src/text/secret.ts';
import { bytesOnDisk, type FileStore, openStore, rowsIn } from '../support/database.ts';
import { recorder } from '../support/machine.ts';
import { recordWrites } from '../support/writes.ts';

const FORMER = randomBytes(32);
const NEWEST = randomBytes(32);

/** Starts a bot with these encryption keys. Returns its API keys and the job that re-encrypts them. */
async function started(store: Store, ...keys: readonly Buffer[]) {
  const logger = recorder();
  const configured = keys.map((key) => new Secret(key.toString('base64')));
  const encryption = createStoreEncryption({ configured, store, logger });
  await encryption.start();
  const reencryption = createReencryption({ store, encryption, logger });
  return {
    keys: createApiKeys({ store, encryption, now: Date.now, logger }),
    encryption,
    reencrypt: (stopping = new AbortController().signal) => reencryption(stopping),
    logger,
  };
}

/** Creates a store with five API keys that are encrypted with the previous encryption key. */
async function filled(): Promise<FileStore> {
  const store = await openStore();
  const { keys } = await started(store, FORMER);
  for (const guildId of ['0', '1', '2', '3', '4']) {
    await keys.set(guildId, new Secret(`secret-of-${guildId}`), { by: { id: '42', name: 'Ada' } });
  }
  await store.values.set('settings:1', { announce: true });
  return store;
}

/** Returns the ids of the encryption keys that encrypted the API keys. */
async function encryptionKeyIds(store: Store): Promise<readonly string[]> {
  const ids = await store.values.ids('api-key');
  return Promise.all(ids.map(async (id) => Object(await store.values.get(`api-key:${id}`)).sealed.k));
}

describe('data encrypted with a previous key', () => {
  it('is re-encrypted by the hourly job', async () => {
    const store = await filled();
    const { data, tag } = Object(await store.values.get('api-key:3')).sealed;
    expect(bytesOnDisk(store.path)).toContain(tag);
    const { reencrypt, logger } = await started(store, NEWEST, FORMER);
    for (let hour = 0; hour < 2; hour += 1) await reencrypt();
    expect(logger.lines).toMatchObject([
      { level: 'info', details: { encryptionKeyId: keyId(NEWEST), formerKeys: [keyId(FORMER)] } },
    ]);
    expect(logger.lines[0]?.message).toContain('older backups still need it');
    await store.cutLog();
    for (const trace of [data, tag, keyId(FORMER)]) expect(bytesOnDisk(store.path)).not.toContain(trace);

    const { keys } = await started(store, NEWEST);
    expect((await keys.get('3'))?.key.reveal()).toBe('secret-of-3');
    expect(await keys.status('3')).toMatchObject({ setBy: '42' });
    expect(await store.values.get('settings:1')).toEqual({ announce: true });
  });

  it('is re-encrypted on disk before the bot logs that the key can be removed', async () => {
    const writes = recordWrites();
    const store = await filled();
    const { encryption } = await started(store, NEWEST, FORMER);
    const before = writes.length;
    let whenLogged = 0;
    const info = () => {
      whenLogged = writes.length;
    };
    const reencrypt = createReencryption({ store, encryption, logger: { ...recorder(), info } });
    await reencrypt(new AbortController().signal);
    const made = writes.slice(before, whenLogged);
    expect(made.at(-1)).toEqual({ kind: 'synced', statement: 'delete keyv encryption' });
    expect(new Set(made.map(({ kind }) => kind))).toEqual(new Set(['synced']));
  });

  it('still requires both keys after an interrupted re-encryption', async () => {
    const store = await filled();
    let left = 2;
    const inGuild: Store['inGuild'] = (...args) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('the power went out')) : store.inGuild(...args);
    };
    const { reencrypt } = await started({ ...store, inGuild }, NEWEST, FORMER);
    await expect(reencrypt()).rejects.toThrow('the power went out');
    await expect(reencrypt(AbortSignal.abort())).rejects.toThrow('aborted');
    expect((await encryptionKeyIds(store)).filter((id) => id === keyId(NEWEST))).toHaveLength(2);
    await expect(started(store, NEWEST)).rejects.toThrow(EncryptionKeyError);
    const again = await started(store, NEWEST, FORMER);
    await again.reencrypt();
    expect(new Set(await encryptionKeyIds(store))).toEqual(new Set([keyId(NEWEST)]));
    await started(store, NEWEST);
  });

  it('can be changed during re-encryption', async () => {
    const store = await filled();
    const { keys } = await started(store, NEWEST, FORMER);
    let isFirst = true;
    const inGuild: Store['inGuild'] = async (...args) => {
      if (isFirst) {
        isFirst = false;
        const previous = await keys.status('1');
        await keys.set('1', new Secret('set-meanwhile'), { by: { id: '42', name: 'Ada' }, previous });
        await keys.delete('2');
      }
      return store.inGuild(...args);
    };
    const { reencrypt } = await started({ ...store, inGuild }, NEWEST, FORMER);
    await reencrypt();
    const alone = await started(store, NEWEST);
    expect((await alone.keys.get('1'))?.key.reveal()).toBe('set-meanwhile');
    expect(await alone.keys.status('2')).toBeUndefined();
  });

  it("isn't re-encrypted while a process still uses the previous key", async () => {
    const store = await filled();
    const leases = createLeases({
      store,
      processId: 'another',
      isShared: true,
      takeOver: async () => undefined,
      onOver: () => undefined,
      encryptionKeyId: () => keyId(FORMER),
      logger: recorder(),
    });
    await leases.start();
    const { reencrypt, logger } = await started(store, NEWEST, FORMER);
    await reencrypt();
    expect(new Set(await encryptionKeyIds(store))).toEqual(new Set([keyId(FORMER)]));
    expect(logger.lines).toMatchObject([{ level: 'info', details: { encryptionKeyId: keyId(NEWEST) } }]);
    await expect(started(store, NEWEST)).rejects.toThrow(EncryptionKeyError);
    await leases.stop();
    await reencrypt();
    await started(store, NEWEST);
  });

  it('is re-encrypted if it belongs to an unanswered interaction', async () => {
    const store = await filled();
    const { seal } = createEncryption([FORMER]);
    const withoutReply = ['7', '8'].map((id) => ({
      id,
      guild_id: '1',
      process_id: 'one',
      taken_at: 1,
      encrypted: JSON.stringify(seal(`token ${id}`, interactionContext('1', id))),
    }));
    await store.tables().insertInto('interactions').values(withoutReply).execute();
    const { encryption, logger } = await started(store, NEWEST, FORMER);
    const reply = "UPDATE interactions SET encrypted = NULL WHERE id = '8'";
    const whileReplied: Encryption['seal'] = (plain, context) => {
      if (plain === 'token 8') withDatabaseFile(store.path, (opened) => opened.exec(reply), true);
      return encryption.seal(plain, context);
    };
    const reencryption = createReencryption({
      store,
      encryption: { ...encryption, seal: whileReplied },
      logger,
    });
    await reencryption(new AbortController().signal);
    const [first, second] = await rowsIn(store, 'interactions');
    const { open } = createEncryption([NEWEST]);
    expect(open(JSON.parse(first?.encrypted ?? ''), interactionContext('1', '7'))).toBe('token 7');
    expect(second?.encrypted).toBeNull();
  });

  it('is re-encrypted if it belongs to a notice for a member', async () => {
    const store = await filled();
    const context = noticeContext({ guildId: '1', id: 'd' });
    const submission = {
      ...{ id: 'r', draft_id: 'd', guild_id: '1', created_at: 1, revision: 0, shown_revision: 0 },
      state: 'waiting',
      notice: JSON.stringify(createEncryption([FORMER]).seal('whom', context)),
    } as const;
    await store.tables().insertInto('submissions').values(submission).execute();
    const { reencrypt } = await started(store, NEWEST, FORMER);
    await reencrypt();
    const [stored] = await rowsIn(store, 'submissions');
    expect(createEncryption([NEWEST]).open(JSON.parse(stored?.notice ?? ''), context)).toBe('whom');
  });

  it('is reported but not changed if no key can decrypt it', async () => {
    const store = await filled();
    await store.values.set('api-key:4', await store.values.get('api-key:3'));
    const { reencrypt, logger } = await started(store, NEWEST, FORMER);
    await reencrypt();
    expect(logger.lines).toMatchObject([
      { level: 'warn', details: { unreadable: ['api-key:4'] } },
      { level: 'info' },
    ]);
    expect((await encryptionKeyIds(store)).at(4)).toBe(keyId(FORMER));
    await started(store, NEWEST);
  });
});
