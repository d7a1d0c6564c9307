import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkDisk, checkEncryption, checkStore } from '../../src/operations/checks-of-disk.ts';
import { Secret } from '../../src/secret.ts';
import { createStoreEncryption } from '../../src/storage/encryption-key.ts';
import { createStoreLock } from '../../src/storage/lock.ts';
import { storedInPostgres } from '../../src/storage/postgres-database.ts';
import { createStore, type Store } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { parseStoreUrl, type StoreUrl } from '../../src/store-url.ts';
import { hasPostgres, newDatabase, type TestDatabase } from '../support/postgres.ts';
import { recorder } from './temporary.ts';

async function database(): Promise<TestDatabase> {
  const made = await newDatabase();
  onTestFinished(made.drop);
  return made;
}

function storeAt(url: StoreUrl, logger = recorder()): Store {
  const store = createStore({ url, logger });
  onTestFinished(() => store.stop());
  return store;
}

async function started(url: StoreUrl, logger = recorder()): Promise<Store> {
  const store = storeAt(url, logger);
  await store.start();
  return store;
}

function lockAt(url: StoreUrl, isShared = false) {
  const lock = createStoreLock({ url, isShared, logger: recorder() });
  onTestFinished(() => lock.stop());
  return lock;
}

const addOne = (store: Store) =>
  store.inGuild('1', async () => store.values.set('n', Number((await store.values.get('n')) ?? 0) + 1));

/** The words of an error with all its causes. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.stack}\n${wordsOf(error.cause)}` : String(error);
}

describe.skipIf(!hasPostgres())('PostgreSQL', () => {
  it('has its tables made once where several processes start at the same time', async () => {
    const { storeUrl, query } = await database();
    await Promise.all(Array.from({ length: 5 }, () => started(storeUrl)));
    expect(await query('select count(*) from kysely_migration')).toEqual([{ count: '1' }]);
  });

  it('loses nothing of 50 that read and write the same value at once in two processes', async () => {
    const { storeUrl } = await database();
    const [one, other] = [await started(storeUrl), await started(storeUrl)];
    await Promise.all(Array.from({ length: 25 }, () => [addOne(one), addOne(other)]).flat());
    expect(await one.values.get('n')).toBe(50);
  });

  it('lets others write while many changes of one guild wait', async () => {
    const { storeUrl } = await database();
    const store = await started(storeUrl);
    const inside = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const first = store.inGuild('1', async () => {
      inside.resolve();
      await goOn.promise;
    });
    await inside.promise;
    const waiting = Array.from({ length: 20 }, () => addOne(store));
    await store.inGuild('2', () => store.values.set('a:2', 1));
    expect(await store.values.get('a:2')).toBe(1);
    goOn.resolve();
    await Promise.all([first, ...waiting]);
    expect(await store.values.get('n')).toBe(20);
  });

  it('keeps a text with the character 0, and says so with another', async () => {
    const { values } = await started((await database()).storeUrl);
    await values.set('a:1', 'a\0b');
    expect(await values.get('a:1')).toBe('a\0b');
    await values.set('a:\0', 1);
    expect(await values.keys('a:')).toEqual(['a:1', 'a:\u{FFFD}']);
  });

  it('refuses a change in which a failure of the database was caught', async () => {
    const store = await started((await database()).storeUrl);
    const change = store.inGuild('1', async () => {
      await store.values.set('a:1', 1);
      await store
        .tables()
        .selectFrom('servers')
        .select('port')
        .where('port', '=', Number.NaN)
        .execute()
        .catch(() => 0);
    });
    await expect(change).rejects.toThrow();
    expect(await store.values.get('a:1')).toBeUndefined();
  });

  it('that goes away is a failure at once, and goes on when it is back', async () => {
    const { storeUrl, url, leave, comeBack } = await database();
    const logger = recorder();
    const store = await started(storeUrl, logger);
    await Promise.all(Array.from({ length: 10 }, (_, number) => store.values.set(`a:${number}`, number)));
    await leave();
    const inGuild = await store.inGuild('1', () => store.values.set('b', 1)).catch((error: unknown) => error);
    const alone = await store.values.get('a:1').catch((error: unknown) => error);
    for (const error of [inGuild, alone]) {
      expect(error).toBeInstanceOf(StoreError);
      expect(wordsOf(error)).not.toContain(new URL(url).password);
    }
    await comeBack();
    await expect.poll(() => store.values.get('a:1').catch(() => undefined)).toBe(1);
    await addOne(store);
    expect(JSON.stringify(logger.lines)).not.toContain(new URL(url).password);
  });

  it('that goes away in the middle of a change undoes it', async () => {
    const { storeUrl, leave, comeBack } = await database();
    const store = await started(storeUrl);
    const change = store.inGuild('1', async () => {
      await store.values.set('a:1', 1);
      await leave();
      await store.values.set('a:2', 1);
    });
    await expect(change).rejects.toThrow(StoreError);
    await comeBack();
    expect(await store.values.keys('a:')).toEqual([]);
  });

  it('that says nothing any more is a failure, and its connection is not used again', async () => {
    const { url } = await database();
    const wire = await openWire(url);
    const store = await started(wire.url);
    await store.values.set('a:1', 1);
    wire.freeze();
    await expect(store.values.get('a:1')).rejects.toThrow(StoreError);
    expect(await store.values.get('a:1')).toBe(1);
  });

  it('that cannot be used is named with the reason, and without the password', async () => {
    const { url } = await database();
    const wrong = new URL(url);
    wrong.password = 'another-password';
    const away = new URL(url);
    away.port = '1';
    for (const [address, words] of [
      [wrong, /cannot use the database postgres:\/\/127\.0\.0\.1.*: .*password authentication failed/],
      [away, /cannot use the database postgres:\/\/127\.0\.0\.1:1\/.*: .*ECONNREFUSED/],
    ] as const) {
      const storeUrl = parseStoreUrl(address.href);
      expect.assert(storeUrl);
      for (const part of [storeAt(storeUrl), lockAt(storeUrl)]) {
        const error = await part.start().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(StoreError);
        expect(wordsOf(error)).toMatch(words);
        expect(wordsOf(error)).not.toContain(address.password);
      }
    }
  });

  it('is looked at by the doctor, who changes nothing', async () => {
    const { storeUrl, url, query } = await database();
    const encryptionKey = [new Secret(randomBytes(32).toString('base64'))];
    const config = { storeUrl, encryptionKey };
    expect(await checkStore(config)).toContain('its tables will be made at the first start');
    expect(await checkEncryption(config)).toContain('ENCRYPTION_KEY opens the data');
    expect(await query("select tablename from pg_tables where schemaname = 'public'")).toEqual([]);

    const store = await started(storeUrl);
    await store.values.set('published:1', 'a fingerprint');
    expect(await storedInPostgres({ url: new Secret(url) }, 'published:1')).toBe('a fingerprint');
    await createStoreEncryption({ configured: encryptionKey, store, logger: recorder() }).start();
    expect(await checkStore(config)).toBe(`${storeUrl.name} answers`);
    expect(await checkEncryption(config)).toContain('ENCRYPTION_KEY opens the data');
    const another = { storeUrl, encryptionKey: [new Secret(randomBytes(32).toString('base64'))] };
    await expect(checkEncryption(another)).rejects.toThrow('encrypted with another key');
    await expect(checkDisk(config)).rejects.toThrow('the disk is that of PostgreSQL');

    const wrong = parseStoreUrl(url.replace(new URL(url).password, 'another-password'));
    expect.assert(wrong);
    await expect(checkStore({ storeUrl: wrong, encryptionKey })).rejects.toThrow(
      'password authentication failed',
    );
  });

  describe('its lock', () => {
    it('is for one bot at a time', async () => {
      const { storeUrl } = await database();
      const [first, second] = [lockAt(storeUrl), lockAt(storeUrl)];
      await first.start();
      await expect(second.start()).rejects.toThrow(/another bot runs on the database postgres:/);
      await first.stop();
      await second.start();
    });

    it('is taken again once the server is back', async () => {
      const { storeUrl, leave, comeBack } = await database();
      await lockAt(storeUrl).start();
      await leave();
      await comeBack();
      const refusal = async () => {
        const other = lockAt(storeUrl);
        const error = await other.start().catch((thrown: unknown) => thrown);
        await other.stop();
        return String(error);
      };
      await expect.poll(refusal).toContain('another bot runs');
    });
  });
});

/** A wire to the server that can fall silent. */
async function openWire(url: string) {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const wire = createServer((near) => {
    const far = connectTo(Number(port), hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    wire.close();
  });
  const address = new URL(url);
  address.port = String(Object(wire.address()).port);
  const storeUrl = parseStoreUrl(address.href);
  expect.assert(storeUrl);
  return {
    url: storeUrl,
    /** Nothing arrives any more over the connections that there are. */
    freeze() {
      for (const socket of sockets) socket.unpipe();
    },
  };
}
