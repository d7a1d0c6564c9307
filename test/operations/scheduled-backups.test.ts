import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { readBackupFailure, saveBackupFailure } from '../../src/operations/backup-files.ts';
import { createScheduledBackups } from '../../src/operations/scheduled-backups.ts';
import { oneBot } from '../support/bot.ts';
import { hasPostgres, newDatabase, openStore } from '../support/database.ts';
import { folder, recorder, sampleOf, scrape } from '../support/machine.ts';

const MINUTE_MS = 60_000;

interface Given {
  readonly hours?: number;
  /** How many milliseconds ago the last backup was made, or `undefined` if there is none. */
  readonly ago?: number;
}

async function open({ hours = 1, ago }: Given) {
  const data = folder();
  const store = await openStore(join(data, 'bot.sqlite'));
  if (ago !== undefined) await store.values.set('backup:last', Date.now() - ago);
  const logger = recorder();
  const outcomes: string[] = [];
  const backups = createScheduledBackups({
    config: { backupEveryHours: hours, backupKeep: 2 },
    store,
    onBackup: ({ kind }) => outcomes.push(kind),
    logger,
  });
  onTestFinished(() => backups.stop?.());
  return { data: join(data, 'backups'), store, logger, outcomes, backups };
}

describe('the backup job', () => {
  it('makes a backup when one is due, and keeps the newest BACKUP_KEEP backups', async () => {
    const { data, store, outcomes, backups } = await open({ ago: 61 * MINUTE_MS });
    mkdirSync(data);
    const old = ['01', '02', '03'].map((day) => `bot-2020-01-${day}T00-00-00Z.sqlite`);
    const others = ['bot-mine.sqlite', 'mine-2020-01-01T00-00-00Z.sqlite'];
    for (const name of [...old, ...others]) writeFileSync(join(data, name), '');
    await backups.start?.();
    await expect.poll(() => readdirSync(data)).toHaveLength(4);
    const made = readdirSync(data).filter((name) => !others.includes(name) && name !== old[2]);
    expect(made).toEqual([expect.stringMatching(/^bot-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.sqlite$/)]);
    expect(statSync(join(data, made[0] ?? '')).mode & 0o777).toBe(0o600);
    await expect.poll(() => outcomes).toEqual(['made']);
    const last = await store.values.get('backup:last');
    expect(Date.now() - Number(last)).toBeLessThan(10 * MINUTE_MS);
    await backups.stop?.();
    expect(outcomes).toEqual(['made']);
  });

  it('deletes backups with future dates first', async () => {
    const { data, outcomes, backups } = await open({});
    mkdirSync(data);
    const ahead = ['01', '02', '03'].map((day) => `bot-2999-01-${day}T00-00-00Z.sqlite`);
    const before = 'bot-2020-01-01T00-00-00Z.sqlite';
    for (const name of [...ahead, before]) writeFileSync(join(data, name), '');
    await backups.start?.();
    await expect.poll(() => outcomes).toEqual(['made']);
    await backups.stop?.();
    expect(readdirSync(data)).toEqual([before, expect.stringMatching(/^bot-20[2-9]/)]);
  });

  it("doesn't delete other databases' backups in the same folder", async () => {
    const { data, outcomes, backups } = await open({});
    mkdirSync(data);
    const at = ['2020-01-01T00-00-00Z', '2999-01-01T00-00-00Z'];
    const neighbours = ['bot-2', 'bot-test', 'bot-old', 'robot'].map((name) => [name, '.sqlite']);
    const others = [
      ...neighbours,
      ['bot', '.old'],
      ['bot', ''],
      ['bot', '.sqlite-journal'],
      ['bot', 'xsqlite'],
    ];
    const kept = others.flatMap(([name, ext]) => at.map((time) => `${name}-${time}${ext}`)).sort();
    const ours = at.map((time) => `bot-${time}.sqlite`);
    for (const name of [...kept, ...ours]) writeFileSync(join(data, name), '');
    await backups.start?.();
    await expect.poll(() => outcomes).toEqual(['made']);
    await backups.stop?.();
    const left = readdirSync(data).sort();
    expect(left.filter((name) => kept.includes(name))).toEqual(kept);
    expect(left.filter((name) => !kept.includes(name))).toEqual([
      ours[0],
      expect.stringMatching(/^bot-20[2-9]/),
    ]);
  });

  it.each<[what: string, given: Given]>([
    ['if there is none yet', {}],
    ['if the clock was set back', { ago: -MINUTE_MS }],
  ])('makes a backup %s', async (_, given) => {
    const { outcomes, backups } = await open(given);
    await backups.start?.();
    await expect.poll(() => outcomes).toEqual(['made']);
  });

  it.each<[what: string, given: Given, looks: number]>([
    ['before the interval has passed', { ago: 59 * MINUTE_MS }, 6],
    ['if BACKUP_EVERY_HOURS is 0', { hours: 0 }, 0],
  ])("doesn't make a backup %s", async (_, given, expected) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { data, store, backups } = await open(given);
    const looks = vi.spyOn(store.values, 'get');
    await backups.start?.();
    for (let minutes = 0; minutes <= 50; minutes += 10) {
      await vi.advanceTimersByTimeAsync(minutes === 0 ? 0 : 10 * MINUTE_MS);
      // A check doesn't start while the previous check is still running.
      await Promise.all(looks.mock.results.map(({ value }) => value));
    }
    await backups.stop?.();
    expect(looks).toHaveBeenCalledTimes(expected);
    expect(existsSync(data)).toBe(false);
  });

  it('deletes an interrupted backup', async () => {
    const { data, store, backups } = await open({});
    await sql`CREATE TABLE large AS
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT zeroblob(1000000) FROM n`.execute(
      store.tables(),
    );
    await backups.start?.();
    await expect.poll(() => readdirSync(data).join()).toContain('.partial');
    await backups.stop?.();
    expect(readdirSync(data).join()).not.toContain('.partial');
  });

  it('logs why a backup failed, and retries later', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { data, store, logger, outcomes, backups } = await open({});
    const looks = vi.spyOn(store.values, 'get');
    // A file blocks the folder's path.
    writeFileSync(data, '');
    await backups.start?.();
    await expect.poll(() => outcomes).toEqual(['failed']);
    await vi.advanceTimersByTimeAsync(5 * MINUTE_MS);
    expect(looks).toHaveBeenCalledTimes(1);
    await backups.stop?.();
    expect(logger.lines).toMatchObject([{ level: 'error', details: { err: expect.any(Error) } }]);
    expect(outcomes).toEqual(['failed']);
  });

  it('clears the recorded failure at startup if no backup is due', async () => {
    const { store, outcomes, backups } = await open({ ago: 5 * MINUTE_MS });
    await saveBackupFailure(store.values, 'no space');
    await backups.start?.();
    await expect.poll(() => readBackupFailure(store.values)).toBeUndefined();
    expect(outcomes).toEqual([]);
  });

  it("counts a backup as successful even if old backups can't be deleted", async () => {
    const { data, store, logger, outcomes, backups } = await open({});
    for (const day of ['01', '02', '03']) {
      mkdirSync(join(data, `bot-2020-01-${day}T00-00-00Z.sqlite`), { recursive: true });
    }
    await backups.start?.();
    await expect
      .poll(() => logger.lines.map(({ message }) => message))
      .toContain('could not delete old backups; will retry after the next one');
    expect(outcomes).toEqual(['made']);
    expect(await readBackupFailure(store.values)).toBeUndefined();
  });

  it('runs in the bot and updates its metrics', async () => {
    const port = await quietPort();
    const { data } = await oneBot({ env: { HTTP_PORT: String(port), BACKUP_EVERY_HOURS: '24' } });
    const made = async () => sampleOf(await scrape(port), 'listing_bot_backups_total', '{outcome="made"}');
    await expect.poll(made).toBe(1);
    expect(readdirSync(join(data, 'backups'))).toHaveLength(1);
    expect(sampleOf(await scrape(port), 'listing_bot_last_backup_timestamp_seconds')).toBeGreaterThan(0);
  });

  it.skipIf(!hasPostgres())('reports no last backup time if the bot uses PostgreSQL', async () => {
    const database = await newDatabase();
    onTestFinished(() => database.drop());
    const port = await quietPort();
    const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');
    await oneBot({ env: { HTTP_PORT: String(port), STORE_URL: database.url, ENCRYPTION_KEY } });
    const metrics = await scrape(port);
    expect(sampleOf(metrics, 'listing_bot_store_writable')).toBe(1);
    expect(sampleOf(metrics, 'listing_bot_last_backup_timestamp_seconds')).toBeUndefined();
  });
});
