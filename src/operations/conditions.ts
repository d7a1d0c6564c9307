import type { Config } from '../config/config.ts';
import type { DirectMessages } from '../discord/direct-messages.ts';
import type { LaterReplyOutcome } from '../interactions/after-crash.ts';
import { waitAtMost } from '../lifecycle.ts';
import { HOUR_MS } from '../pacing/durations.ts';
import { isRecent } from '../pacing/recent.ts';
import { reason } from '../storage/store-error.ts';
import { backupFolderOf, newestBackup } from './backup-files.ts';
import type { Health, WatchedParts } from './health.ts';
import { MIN_FREE_BYTES, mebibytes, roomForBackup } from './make-backup.ts';
import { BACKUP_OVERDUE_AFTER_MS, type BackupOutcome } from './scheduled-backups.ts';

/** A condition that is reported to operators through ops/alerts.yml and the webhook. */
export interface Condition {
  /** The name of the corresponding rule in ops/alerts.yml. */
  readonly alert: string;
  /** How many minutes the condition must hold before it's posted. The alert rule uses the same value. */
  readonly minutes: number;
  /** Whether the condition applies to all processes together, so only one process posts it. */
  readonly isShared?: boolean;
  readonly text: string;
  readonly textAfter: string;
  /** Returns whether the condition holds, or details if it does. Details don't contain secrets or members' names. */
  readonly check: (health: Health) => boolean | string | Promise<boolean | string>;
}

/** If fewer IDENTIFYs are left today, something keeps starting new sessions, so the alarm is triggered. */
const FEW_IDENTIFIES = 250;
const DISCORD_TIMEOUT_MS = 1_000;
/** How long a condition holds after an event. The alert rules use the same time. */
const EVENT_MS = 15 * 60_000;

export interface ConditionsDeps extends WatchedParts {
  readonly config: Pick<Config, 'backupEveryHours'>;
  readonly directMessages: Pick<DirectMessages, 'isPaused'>;
}

export function createConditions({ config, gateway, breaker, store, directMessages }: ConditionsDeps) {
  const { path } = store;
  const everyMs = config.backupEveryHours * HOUR_MS;
  let failedReplyAt = Number.NEGATIVE_INFINITY;
  let whyLastBackupFailed: string | undefined;

  async function identifiesLeft(): Promise<number> {
    const left = gateway.identifiesLeft() ?? Number.POSITIVE_INFINITY;
    if (left >= FEW_IDENTIFIES) return left;
    // Discord resets the number every day, so the known number may be from yesterday.
    await waitAtMost(DISCORD_TIMEOUT_MS, gateway.askIdentifiesLeft());
    return gateway.identifiesLeft() ?? left;
  }

  const list: readonly Condition[] = [
    {
      alert: 'ListingBotNotReady',
      minutes: 2,
      text: 'The bot is not receiving commands',
      textAfter: 'The bot is receiving commands',
      check: ({ ready, gateway: { detail }, store: stored }) => !ready && (stored.detail ?? detail ?? true),
    },
    {
      alert: 'ListingBotStoreNotWritable',
      minutes: 1,
      text: 'The database does not accept writes, so members cannot submit game servers',
      textAfter: 'The database accepts writes',
      check: (health) => !health.store.ok,
    },
    {
      alert: 'ListingBotShardDeaf',
      minutes: 5,
      text: 'Some Discord servers do not get replies',
      textAfter: 'All Discord servers get replies',
      // A bot without any sessions triggers ListingBotNotReady instead.
      check({ gateway: { shards } }) {
        const { ready = 0, ...others } = shards;
        const deaf = Object.values(others).reduce((sum, count) => sum + count, 0);
        return ready > 0 && deaf > 0 && `${deaf} of ${ready + deaf} shards do not have a session`;
      },
    },
    {
      alert: 'ListingBotBreakerOpen',
      minutes: 5,
      isShared: true,
      text: 'The listing service is down',
      textAfter: 'The listing service responds',
      check: ({ listing: { detail } }) => breaker.pausedGuilds() !== 'none' && (detail ?? true),
    },
    {
      alert: 'ListingBotFewIdentifies',
      minutes: 0,
      isShared: true,
      text: 'Few IDENTIFYs are left for today, and Discord resets the token after the last one. Find out what restarts the bot or uses its token',
      textAfter: 'Enough IDENTIFYs are left',
      async check() {
        const left = await identifiesLeft();
        return left < FEW_IDENTIFIES && `${left} are left`;
      },
    },
    {
      alert: 'ListingBotNotTold',
      minutes: 0,
      text: 'The bot could not notify members of the result of an interrupted command',
      textAfter: 'The bot notified every member in the last 15 minutes',
      check: () => isRecent(failedReplyAt, EVENT_MS, performance.now()),
    },
    {
      alert: 'ListingBotDirectMessagesStopped',
      minutes: 0,
      isShared: true,
      text: 'Discord has stopped the direct messages of the bot, so members do not get any for now',
      textAfter: 'The bot sends direct messages again',
      check: directMessages.isPaused,
    },
    {
      alert: 'ListingBotBackupFailed',
      minutes: 0,
      text: 'A backup failed',
      textAfter: 'Backups work',
      check: () => whyLastBackupFailed ?? false,
    },
    {
      alert: 'ListingBotBackupOld',
      minutes: 10,
      text: 'A backup is overdue',
      textAfter: 'The bot made a backup',
      async check() {
        if (path === undefined || everyMs === 0) return false;
        try {
          const newest = await newestBackup(path);
          if (newest === undefined) return whyLastBackupFailed ?? `${backupFolderOf(path)} has no backup`;
          if (isRecent(newest.at, everyMs + BACKUP_OVERDUE_AFTER_MS)) return false;
          return whyLastBackupFailed ?? `the newest one is from ${new Date(newest.at).toISOString()}`;
        } catch (error) {
          return reason(error);
        }
      },
    },
    {
      alert: 'ListingBotDiskNearlyFull',
      minutes: 5,
      text: 'The disk with the database is nearly full',
      textAfter: 'The disk with the database has enough free space',
      async check() {
        if (path === undefined) return false;
        const { freeBytes } = await roomForBackup(path);
        return freeBytes < MIN_FREE_BYTES && `${mebibytes(freeBytes)} is free`;
      },
    },
  ];

  return {
    list,
    onLaterReply(outcome: LaterReplyOutcome): void {
      if (outcome !== 'told') failedReplyAt = performance.now();
    },
    onBackup(outcome: BackupOutcome): void {
      whyLastBackupFailed = outcome.kind === 'failed' ? outcome.why : undefined;
    },
  };
}
