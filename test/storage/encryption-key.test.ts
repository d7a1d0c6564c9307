import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keyId } from '../../src/storage/encryption.ts';
import {
  createStoreEncryption,
  EncryptionKeyError,
  WrongKeyError,
} from '../../src/storage/encryption-key.ts';
import type { Store } from '../../src/storage/store.ts';
import { Secret } from '../../src/text/secret.ts';
import { openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const newKey = () => new Secret(randomBytes(32).toString('base64'));

async function start(store: Store, configured?: readonly Secret[], logger = recorder()) {
  const encryption = createStoreEncryption({ configured, store, logger });
  await encryption.start();
  return encryption;
}

/** Starts encryption, returns the error, and checks that no value has changed. */
async function refusal(
  store: Store,
  configured?: readonly Secret[],
  kind = EncryptionKeyError,
): Promise<string> {
  const before = await store.values.keys('');
  const error = await start(store, configured).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(kind);
  expect(await store.values.keys('')).toEqual(before);
  return error instanceof Error ? error.message : '';
}

describe('encryption without ENCRYPTION_KEY', () => {
  it('creates a key file that only its owner can read', async () => {
    const store = await openStore();
    const logger = recorder();
    const first = await start(store, undefined, logger);
    const file = `${store.path}.key`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(Buffer.from(text, 'base64')).toHaveLength(32);
    expect(logger.lines).toMatchObject([{ level: 'info', details: { keyFile: file } }]);
    expect(JSON.stringify(logger.lines)).not.toContain(text.trim());

    const second = await start(store);
    expect(second.open(first.seal('kept', 'guild 1'), 'guild 1')).toBe('kept');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it("doesn't recreate a missing key file if data exists", async () => {
    const store = await openStore();
    await start(store);
    rmSync(`${store.path}.key`);
    expect(await refusal(store)).toContain(`put ${store.path}.key back or set ENCRYPTION_KEY`);
    expect(existsSync(`${store.path}.key`)).toBe(false);
  });

  it.each([
    '',
    'short',
    randomBytes(33).toString('base64'),
    `${randomBytes(32).toString('base64')}\nshort`,
  ])('rejects a key file that contains "%s"', async (text) => {
    const store = await openStore();
    writeFileSync(`${store.path}.key`, text);
    const message = await refusal(store, undefined, WrongKeyError);
    expect(message).toContain(`each line of ${store.path}.key must be a 32-byte key in base64`);
    if (text !== '') expect(message).not.toContain(text);
    expect(readFileSync(`${store.path}.key`, 'utf8')).toBe(text);
  });

  it('accepts a key file with a new key above the old one', async () => {
    const store = await openStore();
    const file = `${store.path}.key`;
    const record = (await start(store)).seal('kept', 'guild 1');
    const former = readFileSync(file, 'utf8');
    const newer = newKey().reveal();
    writeFileSync(file, `${newer}\r\n${former}\n`);
    const both = await start(store);
    expect(both.open(record, 'guild 1')).toBe('kept');
    expect(both.encryptionKeyId()).toBe(keyId(Buffer.from(newer, 'base64')));
    for (const alone of [former, newer]) {
      writeFileSync(file, alone);
      await refusal(store);
    }
  });

  it('logs a warning if other users can read the key file', async () => {
    const store = await openStore();
    await start(store);
    chmodSync(`${store.path}.key`, 0o640);
    const logger = recorder();
    await start(store, undefined, logger);
    expect(logger.lines).toMatchObject([{ level: 'warn', details: { keyFile: `${store.path}.key` } }]);
  });
});

describe('encryption with ENCRYPTION_KEY', () => {
  it('rejects the wrong key', async () => {
    const store = await openStore();
    const [right, wrong] = [newKey(), newKey()];
    const record = (await start(store, [right])).seal('kept', 'guild 1');
    const message = await refusal(store, [wrong]);
    expect(message).toMatch(/was encrypted with another key .* not with ENCRYPTION_KEY/);
    expect(message).not.toContain(wrong.reveal());
    expect((await start(store, [right])).open(record, 'guild 1')).toBe('kept');
    expect(existsSync(`${store.path}.key`)).toBe(false);
  });

  it('fails if the data was encrypted with the key file', async () => {
    const store = await openStore();
    await start(store);
    expect(await refusal(store, [newKey()])).toContain('not with ENCRYPTION_KEY');
    writeFileSync(`${store.path}.key`, newKey().reveal());
    expect(await refusal(store)).toContain(`not with the key in ${store.path}.key`);
  });

  it('still needs the old key after a new one is added', async () => {
    const store = await openStore();
    const [older, newer] = [newKey(), newKey()];
    const record = (await start(store, [older])).seal('kept', 'guild 1');
    const both = await start(store, [newer, older]);
    expect(both.open(record, 'guild 1')).toBe('kept');
    await refusal(store, [older]);
    await refusal(store, [newer]);
    expect((await start(store, [newer, older])).open(record, 'guild 1')).toBe('kept');
  });

  it("throws if it's used before it's initialised", async () => {
    const encryption = createStoreEncryption({ store: await openStore(), logger: recorder() });
    expect(() => encryption.seal('x', 'y')).toThrow('before it was loaded');
  });
});
