import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secret.ts';
import type { Database } from '../../src/storage/database.ts';
import { createStoreEncryption, EncryptionKeyError, PROOF } from '../../src/storage/encryption-key.ts';
import { runProgram } from '../support/program.ts';
import { collect, folder, openStore, recorder } from './temporary.ts';

const newKey = () => new Secret(randomBytes(32).toString('base64'));

async function start(database: Database, configured?: readonly Secret[], logger = recorder()) {
  const encryption = createStoreEncryption({ configured, database, logger });
  await encryption.start();
  return encryption;
}

async function refusal(database: Database, configured?: readonly Secret[]): Promise<string> {
  const before = await collect(database.entries(''));
  const error = await start(database, configured).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(EncryptionKeyError);
  expect(await collect(database.entries(''))).toEqual(before);
  return error instanceof Error ? error.message : '';
}

describe('without ENCRYPTION_KEY', () => {
  it('makes a key once, beside the database, for its owner only, and says where', async () => {
    const database = await openStore();
    const logger = recorder();
    const first = await start(database, undefined, logger);
    const file = `${database.path}.key`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(Buffer.from(text, 'base64')).toHaveLength(32);
    expect(logger.lines).toMatchObject([{ level: 'info', details: { keyFile: file } }]);
    expect(JSON.stringify(logger.lines)).not.toContain(text.trim());

    const record = first.seal('kept', 'guild 1');
    const second = await start(database);
    expect(second.open(record, 'guild 1')).toBe('kept');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(dirname(file)).filter((name) => name.includes('.key'))).toHaveLength(1);
  });

  it('warns, naming both files, when the database is empty and the key is not', async () => {
    const data = folder();
    const [first, second] = [join(data, 'bot.sqlite'), join(data, 'again', 'bot.sqlite')];
    const database = await openStore(first);
    const logger = recorder();
    await start(database, undefined, logger);
    await start(database, undefined, logger);
    expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);

    const empty = await openStore(second);
    copyFileSync(`${first}.key`, `${second}.key`);
    await start(empty, undefined, logger);
    await start(empty, undefined, logger);
    const warnings = logger.lines.filter(({ level }) => level === 'warn');
    expect(warnings).toMatchObject([{ details: { database: second, keyFile: `${second}.key` } }]);
    expect(warnings[0]?.message).toContain(`${second} is empty`);
    expect(warnings[0]?.message).toContain(`${second}.key`);
  });

  it('refuses to make another key when there is data and the file is missing', async () => {
    const database = await openStore();
    await start(database);
    rmSync(`${database.path}.key`);
    const message = await refusal(database);
    expect(message).toContain(`put ${database.path}.key back or set ENCRYPTION_KEY`);
    expect(existsSync(`${database.path}.key`)).toBe(false);
  });

  it.each([
    '',
    'short',
    randomBytes(33).toString('base64'),
  ])('refuses a key file that holds "%s"', async (text) => {
    const database = await openStore();
    await start(database);
    writeFileSync(`${database.path}.key`, text);
    const message = await refusal(database);
    expect(message).toContain('does not hold a key of 32 bytes');
    if (text !== '') expect(message).not.toContain(text);
    expect(readFileSync(`${database.path}.key`, 'utf8')).toBe(text);
  });

  it('warns when others may read the key file', async () => {
    const database = await openStore();
    await start(database);
    chmodSync(`${database.path}.key`, 0o640);
    const logger = recorder();
    await start(database, undefined, logger);
    expect(logger.lines).toMatchObject([{ level: 'warn', details: { keyFile: `${database.path}.key` } }]);
  });

  it('ends up with one key when many processes start at once', async () => {
    const path = join(folder(), 'bot.sqlite');
    const source = (file: string) => JSON.stringify(join(import.meta.dirname, '../../src/storage', file));
    const script = `
      import { createDatabase } from ${source('database.ts')};
      import { createStoreEncryption } from ${source('encryption-key.ts')};
      const quiet = () => {};
      const logger = { debug: quiet, info: (_, text) => console.error(text), warn: quiet, error: quiet };
      const database = createDatabase({ url: ${JSON.stringify(`sqlite://${path}`)}, logger });
      const encryption = createStoreEncryption({ database, logger });
      await database.start();
      await encryption.start();
      console.log(encryption.newestKeyId);
      await database.stop();`;
    const start = () => runProgram([process.execPath, '--input-type=module', '-e', script], { env: {} });
    const outcomes = await Promise.all(Array.from({ length: 4 }, start));
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill(0));
    expect(new Set(outcomes.map(({ stdout }) => stdout)).size).toBe(1);
    expect(outcomes.filter(({ stderr }) => stderr.includes('made an encryption key'))).toHaveLength(1);
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.key'))).toEqual(['bot.sqlite.key']);
  });
});

describe('with ENCRYPTION_KEY', () => {
  it('makes no key file', async () => {
    const database = await openStore();
    await start(database, [newKey()]);
    expect(existsSync(`${database.path}.key`)).toBe(false);
  });

  it('refuses another key than the data was written with, and the right one works again', async () => {
    const database = await openStore();
    const right = newKey();
    const wrong = newKey();
    const record = (await start(database, [right])).seal('kept', 'guild 1');
    const message = await refusal(database, [wrong]);
    expect(message).toContain('was encrypted with another key');
    expect(message).toContain('than ENCRYPTION_KEY');
    expect(message).not.toContain(wrong.reveal());
    expect((await start(database, [right])).open(record, 'guild 1')).toBe('kept');
  });

  it('refuses a key of its own when the data was written with the key in the file, and the other way round', async () => {
    const database = await openStore();
    await start(database);
    expect(await refusal(database, [newKey()])).toContain('than ENCRYPTION_KEY');
    writeFileSync(`${database.path}.key`, newKey().reveal());
    expect(await refusal(database)).toContain(`than the key in ${database.path}.key`);
  });

  it('takes a new key in front of the previous one, and then needs both', async () => {
    const database = await openStore();
    const [older, newer] = [newKey(), newKey()];
    const record = (await start(database, [older])).seal('kept', 'guild 1');
    const both = await start(database, [newer, older]);
    expect(both.open(record, 'guild 1')).toBe('kept');
    await refusal(database, [older]);
    await refusal(database, [newer]);
  });

  it('starts with the right keys although their proofs are damaged, and still needs them all', async () => {
    const database = await openStore();
    const [older, newer] = [newKey(), newKey()];
    await start(database, [older]);
    const record = (await start(database, [newer, older])).seal('kept', 'guild 1');
    for (const [key] of await collect(database.entries(PROOF))) await database.set(key, { v: 1 });
    expect((await start(database, [newer, older])).open(record, 'guild 1')).toBe('kept');
    expect(await collect(database.entries(`set-aside.${PROOF}`))).toHaveLength(2);
    await refusal(database, [newer]);
    await refusal(database, [older]);
  });

  it('cannot be used before it is started', async () => {
    const encryption = createStoreEncryption({ database: await openStore(), logger: recorder() });
    expect(() => encryption.seal('x', 'y')).toThrow('before it was started');
  });
});
