import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createScheduledBackups, readLastBackup, recordBackup } from '../../src/operations/backup.ts';
import { folder, openStore, recorder } from '../storage/temporary.ts';
import { freePort } from '../support/free-port.ts';
import { inAppScene } from '../support/scene.ts';
import { sampleOf, scrape } from '../support/scrape.ts';

async function open(hours = 1, keep = 2) {
  const data = folder();
  const path = join(data, 'bot.sqlite');
  const database = await openStore(path);
  const logger = recorder();
  const outcomes: string[] = [];
  const backups = createScheduledBackups({
    config: { storeUrl: `sqlite://${path}`, backupEveryHours: hours, backupKeep: keep },
    database,
    onBackup: (outcome) => outcomes.push(outcome),
    logger,
    lookEveryMs: 20,
  });
  onTestFinished(() => backups.stop?.());
  const names = () => readdirSync(join(data, 'backups')).sort();
  return { data, database, logger, outcomes, backups, names };
}

describe('BACKUP_EVERY_HOURS', () => {
  it('makes one when the last one is old enough, and leaves the latest BACKUP_KEEP of its own', async () => {
    const { data, database, outcomes, backups, names } = await open();
    mkdirSync(join(data, 'backups'));
    const old = ['bot-2020-01-01T00-00-00Z.sqlite', 'bot-2020-01-02T00-00-00Z.sqlite'];
    const others = ['bot-mine.sqlite', 'mine-2020-01-01T00-00-00Z.sqlite'];
    const cutOff = 'bot-2020-01-03T00-00-00Z.sqlite.partial-0123456789ab';
    for (const name of [...old, ...others, cutOff]) writeFileSync(join(data, 'backups', name), '');
    await recordBackup(database, Date.now() - 3_700_000);
    await backups.start?.();
    await expect.poll(() => outcomes).toEqual(['made']);
    await expect.poll(() => names().length).toBe(4);
    expect(names()).toEqual(expect.arrayContaining([old[1] ?? '', ...others]));
    const made = names().find((name) => !old.concat(others).includes(name)) ?? '';
    expect(made).toMatch(/^bot-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.sqlite$/);
    expect(statSync(join(data, 'backups', made)).mode & 0o777).toBe(0o600);
    expect(Date.now() - ((await readLastBackup(database)) ?? 0)).toBeLessThan(600_000);
    // Not again until an hour has gone.
    expect(outcomes).toEqual(['made']);
  });

  it('makes none before its time, and none where it is 0', async () => {
    const { data, database, outcomes, backups } = await open();
    await recordBackup(database, Date.now() - 3_500_000);
    await backups.start?.();
    await backups.stop?.();
    const never = await open(0);
    await never.backups.start?.();
    await never.backups.stop?.();
    expect([outcomes, never.outcomes]).toEqual([[], []]);
    expect([readdirSync(data), readdirSync(never.data)].flat()).not.toContain('backups');
  });

  it('says in the log why one failed, and does not try again at once', async () => {
    const { data, logger, outcomes, backups } = await open();
    // In the place of the folder.
    writeFileSync(join(data, 'backups'), '');
    await backups.start?.();
    await expect.poll(() => outcomes).toEqual(['failed']);
    await expect.poll(() => logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(logger.lines.map(({ message }) => message)).toContain('no backup could be made; will try again');
    rmSync(join(data, 'backups'));
  });

  it('is carried out by a running bot, and counted', async () => {
    const port = await freePort();
    await inAppScene({ env: { HTTP_PORT: String(port), BACKUP_EVERY_HOURS: '24' } }, async ({ data }) => {
      const made = async () => sampleOf(await scrape(port), 'listing_bot_backups_total', '{outcome="made"}');
      await expect.poll(made).toBe(1);
      expect(readdirSync(join(data, 'backups'))).toHaveLength(1);
      expect(sampleOf(await scrape(port), 'listing_bot_last_backup_timestamp_seconds')).toBeGreaterThan(0);
    });
  });
});
