import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { find } from '../../src/operations/finding.ts';
import { healthOf } from '../../src/operations/health.ts';
import { checkDisk, checkEncryption, checkStore } from '../../src/operations/store-checks.ts';
import { createStoreEncryption } from '../../src/storage/encryption-key.ts';
import { createStoreLock } from '../../src/storage/lock.ts';
import { MIGRATIONS } from '../../src/storage/migrations.ts';
import { troubleWith } from '../../src/storage/postgres-session.ts';
import { createStore, type Store, useValues } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { parseStoreUrl, type StoreUrl } from '../../src/store-url.ts';
import { Secret } from '../../src/text/secret.ts';
import { beginSubmission, partsOver, readyDraft } from '../support/builders.ts';
import { hasPostgres, newDatabase, openWire, rowsIn, type TestDatabase } from '../support/database.ts';
import { folder, recorder } from '../support/machine.ts';
import { programOf } from '../support/postgres-server.ts';

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

function withParameter(url: string, name: string, value: string): StoreUrl {
  const address = new URL(url);
  address.searchParams.set(name, value);
  const storeUrl = parseStoreUrl(address.href);
  expect.assert(storeUrl);
  return storeUrl;
}

async function wireTo(url: string) {
  const wire = await openWire(url);
  onTestFinished(wire.close);
  const storeUrl = parseStoreUrl(wire.url);
  expect.assert(storeUrl);
  return { ...wire, storeUrl };
}

/** Returns the messages of an error and all of its causes. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.stack}\n${wordsOf(error.cause)}` : String(error);
}

describe.skipIf(!hasPostgres())('a PostgreSQL store', () => {
  it('creates its tables only once if several processes start at once', async () => {
    const { storeUrl, query } = await database();
    await Promise.all(Array.from({ length: 5 }, () => started(storeUrl)));
    const count = String(Object.keys(MIGRATIONS).length);
    expect(await query('select count(*) from kysely_migration')).toEqual([{ count }]);
  });

  it('loses none of 50 concurrent changes from two processes', async () => {
    const { storeUrl } = await database();
    const [one, other] = [await started(storeUrl), await started(storeUrl)];
    await Promise.all(Array.from({ length: 25 }, () => [addOne(one), addOne(other)]).flat());
    expect(await one.values.get('n')).toBe(50);
  });

  it("can write one guild's data while another guild's changes are waiting", async () => {
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

  it('can store null characters in a value', async () => {
    const { values } = await started((await database()).storeUrl);
    await values.set('a:1', 'a\0b');
    expect(await values.get('a:1')).toBe('a\0b');
    await values.set('a:\0', 1);
    expect(await values.keys('a:')).toEqual(['a:1', 'a:\u{FFFD}']);
  });

  it('rolls back a transaction that ignored a database error', async () => {
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

  it("uses its own session settings, regardless of the database's defaults", async () => {
    const { url, setDefault } = await database();
    await setDefault('default_transaction_isolation', 'repeatable read');
    await setDefault('synchronous_commit', 'off');
    const store = await started(withParameter(url, 'options', '-c work_mem=8MB -c synchronous_commit=off'));
    const show = async (name: string) => {
      const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(
        store.tables(),
      );
      return rows[0]?.value;
    };
    const inGuild = (name: string, unsynced?: 'pruning') =>
      store.inGuild('1', () => show(name), { unsynced });
    expect(await inGuild('transaction_isolation')).toBe('read committed');
    expect(await inGuild('synchronous_commit')).toBe('on');
    expect(await inGuild('synchronous_commit', 'pruning')).toBe('off');
    expect(await show('idle_in_transaction_session_timeout')).toBe('20s');
    expect(await show('statement_timeout')).toBe('2s');
    expect(await show('work_mem')).toBe('8MB');
  });

  it('rejects a database with an unsuitable version, encoding or setting', async () => {
    const latin = await newDatabase("encoding 'LATIN1' locale 'C' locale_provider 'libc' template template0");
    onTestFinished(latin.drop);
    const { url } = await database();
    for (const [storeUrl, words] of [
      [latin.storeUrl, /its encoding is LATIN1/],
      [
        withParameter(url, 'statement_timeout', '9000'),
        /requests statement_timeout = .*, but the session has 9s/,
      ],
    ] as const) {
      await expect(storeAt(storeUrl).start()).rejects.toThrow(words);
      await expect(checkStore({ storeUrl })).rejects.toThrow(words);
    }
    expect(troubleWith({ version: 130_011, encoding: 'UTF8', settings: {} }, {})).toContain('PostgreSQL 13');
    expect(troubleWith({ version: 140_000, encoding: 'UTF8', settings: {} }, {})).toBeUndefined();
  });

  it('accepts writes again once the database is no longer read-only', async () => {
    const { storeUrl, setDefault, endSessions } = await database();
    const store = await started(storeUrl);
    await setDefault('default_transaction_read_only', 'on');
    await endSessions();
    await expect.poll(() => addOne(store).catch(String)).toContain('read-only');
    await setDefault('default_transaction_read_only', 'off');
    // Connections in constant use don't close on their own.
    await expect.poll(() => addOne(store).catch(String)).toBeUndefined();
  });

  it('fails immediately while the database is down, then recovers', async () => {
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

  it('rolls back a change interrupted by a database restart', async () => {
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

  it('replaces the connection if the database stops responding', async () => {
    const { url } = await database();
    const wire = await wireTo(url);
    const store = await started(wire.storeUrl);
    await store.values.set('a:1', 1);
    wire.freeze();
    await expect(store.values.get('a:1')).rejects.toThrow(StoreError);
    expect(await store.values.get('a:1')).toBe(1);
  });

  it.each([
    'a separate database',
    'the same database',
  ])('marks unfinished submissions as unknown after pg_restore to %s', async (where) => {
    const source = await database();
    const target = where === 'the same database' ? source : await database();
    const before = await started(source.storeUrl);
    const parts = partsOver(before, { processId: 'a bot of then' });
    const interaction = { id: '1', guild_id: '1', process_id: 'a bot of then', taken_at: 1, encrypted: '{}' };
    const mia = { guildId: '1', user: { id: '2', name: 'mia' } };
    const draft = readyDraft('1', 2);
    await before.tables().insertInto('interactions').values(interaction).execute();
    await beginSubmission(parts, mia, { interactionId: '1', draft });
    await before.stop();
    const dump = join(folder(), 'dump');
    const run = promisify(execFile);
    await run(programOf('pg_dump'), ['--format=custom', `--file=${dump}`, source.url]);
    await run(programOf('pg_restore'), ['--clean', '--if-exists', `--dbname=${target.url}`, dump]);

    const after = await started(target.storeUrl);
    const { submissions: restored } = partsOver(after, { processId: 'a bot of now' });
    await restored.endAbandoned('1');
    const [{ servers } = { servers: [] }] = await restored.by('1', '1');
    expect(servers.map(({ outcome }) => outcome?.kind)).toEqual(['unknown', 'unknown']);
    expect(await rowsIn(after, 'interactions')).toMatchObject([{ encrypted: null }]);
  });

  it('hides its password in connection errors', async () => {
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

  it('passes its health check while another process holds a lock', async () => {
    const { storeUrl } = await database();
    const [store, asleep] = [await started(storeUrl), await started(storeUrl)];
    const goOn = Promise.withResolvers<void>();
    const inside = Promise.withResolvers<void>();
    const sleeping = asleep.inGuild('none', async () => {
      inside.resolve();
      await goOn.promise;
    });
    await inside.promise;
    const gateway = {
      trouble: () => undefined,
      shards: () => ({ ready: 0, connecting: 0, disconnected: 0 }),
    };
    const breaker = { pausedGuilds: () => 'none' as const, latest: () => undefined };
    expect(await healthOf({ store, gateway, breaker, transportTrouble: () => undefined })).toMatchObject({
      ready: true,
      store: { ok: true },
    });
    goOn.resolve();
    await sleeping;
  });

  it("logs a warning if a remote URL doesn't require encryption", async () => {
    const { url } = await database();
    const elsewhere = url.replace('127.0.0.1', '0.0.0.0');
    const warned = async (storeUrl: StoreUrl) => {
      const logger = recorder();
      await started(storeUrl, logger);
      const isLogged = logger.lines.some(({ message }) => message.includes('?sslmode=verify-full'));
      return { isLogged, doctor: await find('Store', () => checkStore({ storeUrl })) };
    };
    const warning = {
      state: 'warning',
      text: expect.stringContaining('is not encrypted'),
      fix: expect.stringContaining('?sslmode=verify-full'),
    };
    expect(await warned(withParameter(elsewhere, 'application_name', 'bot'))).toMatchObject({
      isLogged: true,
      doctor: warning,
    });
    for (const fine of [
      withParameter(elsewhere, 'sslmode', 'disable'),
      withParameter(url, 'application_name', 'bot'),
    ])
      expect(await warned(fine)).toMatchObject({ isLogged: false, doctor: { state: 'ok' } });
  });

  it("isn't changed by npm run doctor", async () => {
    const { storeUrl, url, query } = await database();
    const encryptionKey = [new Secret(randomBytes(32).toString('base64'))];
    const config = { storeUrl, encryptionKey };
    expect(await checkStore(config)).toContain('its tables will be created at the first start');
    expect(await checkEncryption(config)).toContain('ENCRYPTION_KEY decrypts the data');
    expect(await query("select tablename from pg_tables where schemaname = 'public'")).toEqual([]);

    const store = await started(storeUrl);
    await store.values.set('published:1', 'a fingerprint');
    expect(await useValues(storeUrl, (values) => values.get('published:1'))).toBe('a fingerprint');
    await createStoreEncryption({ configured: encryptionKey, store, logger: recorder() }).start();
    expect(await checkStore(config)).toBe(`${storeUrl.name} responds`);
    expect(await checkEncryption(config)).toContain('ENCRYPTION_KEY decrypts the data');
    const another = { storeUrl, encryptionKey: [new Secret(randomBytes(32).toString('base64'))] };
    await expect(checkEncryption(another)).rejects.toThrow('encrypted with another key');
    await expect(checkDisk(config)).rejects.toThrow("the bot cannot check PostgreSQL's disk");

    const wrong = parseStoreUrl(url.replace(new URL(url).password, 'another-password'));
    expect.assert(wrong);
    await expect(checkStore({ storeUrl: wrong, encryptionKey })).rejects.toThrow(
      'password authentication failed',
    );
  });

  describe('its lock', () => {
    it('lets only one bot run at a time', async () => {
      const { storeUrl } = await database();
      const [first, second] = [lockAt(storeUrl), lockAt(storeUrl)];
      await first.start();
      await expect(second.start()).rejects.toThrow(/another bot is running on the database postgres:/);
      await first.stop();
      await second.start();
    });

    it('uses TCP settings that detect a lost connection quickly', async () => {
      const { url, query } = await database();
      await query('create schema first create table told (name text, setting text)');
      // The session that holds the lock calls this function, which records the session's settings.
      await query(`create function first.pg_try_advisory_lock(bigint) returns boolean language sql as $$
        insert into first.told select name, setting from pg_settings where name like 'tcp%';
        select pg_catalog.pg_try_advisory_lock($1) $$`);
      await lockAt(withParameter(url, 'options', '-c search_path=first,pg_catalog')).start();
      expect(await query('select * from first.told order by name')).toEqual([
        { name: 'tcp_keepalives_count', setting: '3' },
        { name: 'tcp_keepalives_idle', setting: '10' },
        { name: 'tcp_keepalives_interval', setting: '5' },
        { name: 'tcp_user_timeout', setting: '25000' },
      ]);
    });

    it("can't be acquired on a read-only server", async () => {
      const { storeUrl, setDefault } = await database();
      await setDefault('default_transaction_read_only', 'on');
      await expect(lockAt(storeUrl).start()).rejects.toThrow('the server is read-only');
    });

    it('is reacquired over a new connection if the old one hangs', async () => {
      const { url, query, endSessions } = await database();
      const wire = await wireTo(url);
      await lockAt(wire.storeUrl).start();
      const held = () =>
        query(`select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
          where locktype = 'advisory' and granted and datname = current_database()`);
      wire.freeze();
      await endSessions();
      await expect.poll(held).toEqual([]);
      // The bot checks every second whether it still holds the lock.
      await expect.poll(held, { timeout: 60_000 }).toHaveLength(1);
    });

    it('is reacquired after a database restart', async () => {
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
      await expect.poll(refusal).toContain('another bot is running');
    });
  });
});
