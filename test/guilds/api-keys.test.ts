import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ApiKeys, createApiKeys } from '../../src/guilds/api-keys.ts';
import type { GamesOutcome, Outcome } from '../../src/listing/contract.ts';
import { createEncryption } from '../../src/storage/encryption.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { Secret } from '../../src/text/secret.ts';
import { bytesOnDisk, openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const encryption = createEncryption([randomBytes(32)]);
const by = { by: { id: '42', name: 'Ada' } };
const FIRST = new Secret('first-key-0123456789-abcd');
const SECOND = new Secret('second-key-9876543210-wxyz');

const GAMES: GamesOutcome = { kind: 'games', games: [], unusable: [], leftOut: 0 };
const REJECTED: Outcome = { kind: 'rejected', known: 'invalidKey', message: 'Invalid API key.' };
const DOWN: Outcome = { kind: 'not-sent', reason: 'unreachable' };

async function open() {
  const store = await openStore();
  const logger = recorder();
  const clock = { now: 0 };
  const keys = createApiKeys({ store, encryption, logger, now: () => clock.now });
  return { store, keys, logger, clock };
}

const revealed = async (keys: ApiKeys, guildId = '1') => (await keys.get(guildId))?.key.reveal();

/** Replaces the guild's current key. */
const replace = async (keys: ApiKeys, key: Secret, guildId = '1') =>
  keys.set(guildId, key, { ...by, previous: await keys.status(guildId) });

/** Records how the service responded to a request with the guild's current key. */
async function answered(keys: ApiKeys, answer: Outcome | GamesOutcome) {
  const key = await keys.get('1');
  return keys.noteOutcome('1', key?.setAt ?? '', answer);
}

describe("a guild's API key", () => {
  it('is stored per guild, along with the admin who set it', async () => {
    const { keys } = await open();
    await keys.set('1', FIRST, by);
    await keys.set('2', SECOND, by);
    expect(await revealed(keys)).toBe(FIRST.reveal());
    expect(await revealed(keys, '2')).toBe(SECOND.reveal());
    expect(await keys.get('3')).toBeUndefined();
    const time = '1970-01-01T00:00:00.000Z';
    const status = {
      lastFour: 'abcd',
      setBy: '42',
      setByName: 'Ada',
      setAt: time,
      workedAt: time,
      readable: true,
    };
    expect(await keys.status('1')).toEqual(status);
  });

  it.each([
    ['a-key-of-11', ''],
    ['a-key-of-12c', '-12c'],
    ['🔑🔑🔑🔑🔑🔑', ''],
    ['🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑🗝', '🔑🔑🔑🗝'],
  ])('is identified by its last four characters unless it is short (%s: "%s")', async (key, lastFour) => {
    const { keys } = await open();
    await keys.set('1', new Secret(key), by);
    expect(await keys.status('1')).toMatchObject({ lastFour });
  });

  it('is encrypted on disk, and erased when it is replaced or deleted', async () => {
    const { store, keys } = await open();
    const sealed = async () => JSON.stringify(Object(await store.values.get('api-key:1')).sealed.data);
    await keys.set('1', FIRST, by);
    const first = await sealed();
    expect(bytesOnDisk(store.path)).toContain(first);
    for (const coding of ['utf8', 'base64', 'hex', 'utf16le'] as const) {
      expect(bytesOnDisk(store.path)).not.toContain(Buffer.from(FIRST.reveal()).toString(coding));
    }
    await replace(keys, SECOND);
    expect(bytesOnDisk(store.path)).not.toContain(first);
    const second = await sealed();
    expect(await keys.delete('1')).toBe(true);
    expect(bytesOnDisk(store.path)).not.toContain(second);
    expect(bytesOnDisk(store.path)).not.toContain('api-key:1');
    expect(await keys.delete('1')).toBe(false);
    expect(await keys.usable('1')).toEqual({ kind: 'unusable', problem: { code: 'key-missing' } });
  });

  it.each([
    ['replaced', (keys: ApiKeys) => replace(keys, SECOND), SECOND],
    ['removed', (keys: ApiKeys) => keys.delete('1'), undefined],
  ] as const)("isn't saved if the previous key is %s during the key test", async (_what, change, left) => {
    const { keys, clock } = await open();
    expect(await keys.set('1', FIRST, by)).toBe(true);
    const previous = await keys.status('1');
    clock.now = 1;
    await change(keys);
    expect(await keys.set('1', FIRST, { ...by, previous })).toBe(false);
    expect(await revealed(keys)).toBe(left?.reveal());
  });

  it("isn't deleted by a request to delete the previous key", async () => {
    const { keys, clock } = await open();
    await keys.set('1', FIRST, by);
    const first = (await keys.get('1'))?.setAt ?? '';
    clock.now = 1;
    await replace(keys, SECOND);
    expect(await keys.delete('1', first)).toBe(false);
    expect(await revealed(keys)).toBe(SECOND.reveal());
    expect(await keys.delete('1', (await keys.get('1'))?.setAt)).toBe(true);
  });

  it("can't be decrypted for another guild or with the wrong encryption key", async () => {
    const { store, keys } = await open();
    await keys.set('1', FIRST, by);
    await store.values.set('api-key:2', await store.values.get('api-key:1'));
    const other = createApiKeys({
      store,
      encryption: createEncryption([randomBytes(32)]),
      now: Date.now,
      logger: recorder(),
    });
    await other.set('3', FIRST, by);
    for (const guildId of ['2', '3']) {
      expect(await keys.get(guildId)).toBeUndefined();
      expect(await keys.usable(guildId)).toEqual({ kind: 'unusable', problem: { code: 'key-unreadable' } });
      expect(await keys.status(guildId)).toMatchObject({
        lastFour: 'abcd',
        setBy: '42',
        setByName: 'Ada',
        readable: false,
      });
      await replace(keys, SECOND, guildId);
      expect(await revealed(keys, guildId)).toBe(SECOND.reveal());
    }
  });

  it('can be deleted even if its record is corrupted', async () => {
    const { store, keys, logger } = await open();
    await store.values.set('api-key:1', { lastFour: 7 });
    expect(await keys.usable('1')).toEqual({ kind: 'unusable', problem: { code: 'key-unreadable' } });
    expect(await keys.status('1')).toEqual({ readable: false });
    expect(await keys.get('1')).toBeUndefined();
    expect(await keys.noteOutcome('1', '', REJECTED)).toBeUndefined();
    expect(logger.lines).toMatchObject([{ level: 'error', details: { record: 'api-key:1' } }]);
    expect(await keys.delete('1', 'any')).toBe(true);
    expect(await keys.usable('1')).toEqual({ kind: 'unusable', problem: { code: 'key-missing' } });
  });

  it('can still be cached as missing after another process sets it', async () => {
    const { keys, store, logger } = await open();
    const otherProcess = createApiKeys({ store, encryption, logger });
    expect(await keys.problem('1')).toEqual({ code: 'key-missing' });
    await otherProcess.set('1', FIRST, by);
    expect(await keys.problem('1')).toEqual({ code: 'key-missing' });
    await replace(keys, SECOND);
    expect(await keys.problem('1')).toBeUndefined();
    await answered(keys, REJECTED);
    expect(await keys.problem('1')).toMatchObject({ code: 'key-invalid', setByName: 'Ada' });
    await store.inGuild('1', () => keys.deleteName('1', '42'));
    expect(await keys.problem('1')).toEqual({ code: 'key-invalid', setBy: '' });
    await keys.delete('1');
    expect(await keys.problem('1')).toEqual({ code: 'key-missing' });
  });

  it("can't be read, set or deleted while the store is failing", async () => {
    const { store, keys } = await open();
    await keys.set('1', FIRST, by);
    await store.stop();
    await expect(keys.get('1')).rejects.toThrow(StoreError);
    await expect(keys.set('1', SECOND, by)).rejects.toThrow(StoreError);
    await expect(keys.delete('1')).rejects.toThrow(StoreError);
  });
});

describe("the service's response", () => {
  it('is stored with its timestamp and message', async () => {
    const { keys, clock } = await open();
    await keys.set('1', FIRST, by);
    clock.now = 1_000;
    expect(await answered(keys, REJECTED)).toBe('rejected');
    clock.now = 2_000;
    expect(await answered(keys, REJECTED)).toBeUndefined();
    expect(await keys.usable('1')).toEqual({
      kind: 'unusable',
      problem: { code: 'key-invalid', setBy: '42', setByName: 'Ada' },
    });
    expect(await revealed(keys)).toBe(FIRST.reveal());
    expect(await keys.status('1')).toMatchObject({
      workedAt: '1970-01-01T00:00:00.000Z',
      answer: { at: '1970-01-01T00:00:02.000Z', message: 'Invalid API key.' },
      invalidSince: '1970-01-01T00:00:01.000Z',
    });
  });

  it('updates the time at which the key last worked', async () => {
    const { keys, clock } = await open();
    await keys.set('1', FIRST, by);
    clock.now = 1_000;
    const at = '1970-01-01T00:00:01.000Z';
    await answered(keys, { kind: 'accepted', message: 'Thanks.' });
    expect(await keys.status('1')).toMatchObject({
      workedAt: at,
      answer: { at, message: 'Thanks.' },
    });
    await answered(keys, GAMES);
    expect((await keys.status('1'))?.answer).toEqual({ at });
  });

  it('pauses the key for an hour if the key is rejected', async () => {
    const HOUR = 3_600_000;
    const { keys, clock } = await open();
    const rests = async () => (await keys.usable('1')).kind === 'unusable';
    await keys.set('1', FIRST, by);
    await answered(keys, REJECTED);
    clock.now = HOUR - 1;
    expect(await rests()).toBe(true);
    clock.now = HOUR;
    expect(await rests()).toBe(false);
    expect(await keys.problem('1')).toEqual({ code: 'key-invalid', setBy: '42', setByName: 'Ada' });
    // Sets the clock back.
    clock.now = -1;
    expect(await rests()).toBe(false);
    clock.now = HOUR;
    expect(await answered(keys, REJECTED)).toBeUndefined();
    clock.now = 2 * HOUR - 1;
    expect(await rests()).toBe(true);
    await answered(keys, GAMES);
    expect(await rests()).toBe(false);
    expect(await keys.problem('1')).toBeUndefined();
    expect(await answered(keys, REJECTED)).toBe('rejected');
    await replace(keys, SECOND);
    expect(await rests()).toBe(false);
  });

  it('affects only the key in the request', async () => {
    const { keys, clock } = await open();
    await keys.set('1', FIRST, by);
    const first = (await keys.get('1'))?.setAt ?? '';
    clock.now = 1;
    await replace(keys, SECOND);
    expect(await keys.noteOutcome('1', first, REJECTED)).toBeUndefined();
    expect(await keys.noteOutcome('2', first, REJECTED)).toBeUndefined();
    expect(await keys.usable('1')).toHaveProperty('key');
    expect(await keys.status('2')).toBeUndefined();
  });

  it("doesn't affect the key's status if it is about a game server", async () => {
    const { keys } = await open();
    await keys.set('1', FIRST, by);
    await answered(keys, { kind: 'rejected', known: 'gameInvalid', message: 'No such game.' });
    await answered(keys, DOWN);
    expect((await keys.status('1'))?.answer).toBeUndefined();
    await answered(keys, { kind: 'rejected', message: '💥'.repeat(5_000) });
    expect((await keys.status('1'))?.answer).toMatchObject({ message: `${'💥'.repeat(149)}…` });
    expect(await keys.usable('1')).toHaveProperty('key');
  });

  it('triggers only one report even if it rejects concurrent requests', async () => {
    const { keys } = await open();
    await keys.set('1', FIRST, by);
    const first = await Promise.all(Array.from({ length: 5 }, () => answered(keys, REJECTED)));
    expect(first.filter((isFirst) => isFirst)).toHaveLength(1);
  });
});
