import type { Config } from '../config/config.ts';
import type { DirectMessages } from '../discord/direct-messages.ts';
import type { LaterReplyOutcome } from '../interactions/after-crash.ts';
import { waitAtMost } from '../lifecycle.ts';
import { HOUR_MS } from '../numbers.ts';
import type { Health, WatchedParts } from './health.ts';
import { LEAST_FREE, mebibytes, readLastBackup, roomFor } from './make-backup.ts';
import { OVERDUE_MS } from './scheduled-backups.ts';

/** A state that ops/alerts.yml and the webhook report to operators. */
export interface Condition {
  /** The name of its rule in ops/alerts.yml. */
  readonly alert: string;
  /** How many minutes it must hold, as in that rule. */
  readonly minutes: number;
  /** Whether it concerns all processes, so that only one of them posts it. */
  readonly isShared?: boolean;
  /** The sentences for when it starts and for when it ends. */
  readonly says: string;
  readonly over: string;
  /** Returns whether it holds, or a detail without secrets and members' names. */
  readonly look: (health: Health) => boolean | string | Promise<boolean | string>;
}

/** With fewer IDENTIFYs left for the day, something keeps starting new sessions. */
const FEW_IDENTIFIES = 250;
/** How long the bot waits for Discord, in milliseconds. */
const ASK_MS = 1_000;
/** How long an event counts, in milliseconds, as in the rules. */
const EVENT_MS = 15 * 60_000;

export interface ConditionsDeps extends WatchedParts {
  readonly config: Pick<Config, 'backupEveryHours'>;
  readonly directMessages: Pick<DirectMessages, 'isPaused'>;
}

/** Creates every condition. A condition that is an event holds for a while after the bot reported it here. */
export function createConditions({ config, gateway, breaker, store, directMessages }: ConditionsDeps) {
  const { path } = store;
  const everyMs = config.backupEveryHours * HOUR_MS;
  let notToldAt = Number.NEGATIVE_INFINITY;
  let hasBackupFailed = false;
  const isRecent = (at: number) => performance.now() - at < EVENT_MS;

  async function identifiesLeft(): Promise<number> {
    const left = gateway.identifiesLeft() ?? Number.POSITIVE_INFINITY;
    if (left >= FEW_IDENTIFIES) return left;
    // A new day may have started.
    await waitAtMost(ASK_MS, gateway.askIdentifiesLeft());
    return gateway.identifiesLeft() ?? left;
  }

  const list: readonly Condition[] = [
    {
      alert: 'ListingBotNotReady',
      minutes: 2,
      says: 'The bot takes no commands',
      over: 'The bot takes commands',
      look: ({ ready, gateway: { detail }, store: stored }) => !ready && (stored.detail ?? detail ?? true),
    },
    {
      alert: 'ListingBotStoreNotWritable',
      minutes: 1,
      says: 'The database accepts no writes, so nothing can be submitted',
      over: 'The database accepts writes',
      look: (health) => !health.store.ok,
    },
    {
      alert: 'ListingBotShardDeaf',
      minutes: 5,
      says: 'A part of the Discord servers gets no replies',
      over: 'All Discord servers get replies',
      // Without any session, the bot isn't ready, which is another condition.
      look({ gateway: { shards } }) {
        const { ready = 0, ...others } = shards;
        const deaf = Object.values(others).reduce((sum, count) => sum + count, 0);
        return ready > 0 && deaf > 0 && `${deaf} of ${ready + deaf} shards have no session at Discord`;
      },
    },
    {
      alert: 'ListingBotBreakerOpen',
      minutes: 5,
      isShared: true,
      says: 'The listing service is down',
      over: 'The listing service answers',
      look: ({ listing: { detail } }) => breaker.heldBackFor() !== 'none' && (detail ?? true),
    },
    {
      alert: 'ListingBotFewIdentifies',
      minutes: 0,
      isShared: true,
      says: 'Few starts are left of this day, and at none Discord resets the token: find what restarts the bot or uses its token',
      over: 'Enough starts are left',
      async look() {
        const left = await identifiesLeft();
        return left < FEW_IDENTIFIES && `${left} are left`;
      },
    },
    {
      alert: 'ListingBotNotTold',
      minutes: 0,
      says: 'Members could not be told what became of a command that was cut off',
      over: 'For 15 minutes every member could be told',
      look: () => isRecent(notToldAt),
    },
    {
      alert: 'ListingBotDirectMessagesStopped',
      minutes: 0,
      isShared: true,
      says: 'Discord has stopped the direct messages of the bot: members get none for now',
      over: 'Direct messages are sent',
      look: directMessages.isPaused,
    },
    {
      alert: 'ListingBotBackupFailed',
      minutes: 0,
      says: 'A backup failed: the log says why',
      over: 'Backups are made',
      look: () => hasBackupFailed,
    },
    {
      alert: 'ListingBotBackupOld',
      minutes: 10,
      says: 'A backup is overdue: the log says why',
      over: 'A backup was made',
      async look() {
        if (path === undefined || everyMs === 0) return false;
        const last = await readLastBackup(store.values);
        return last === undefined || Date.now() - last > everyMs + OVERDUE_MS;
      },
    },
    {
      alert: 'ListingBotDiskNearlyFull',
      minutes: 5,
      says: 'The disk of the database is nearly full',
      over: 'There is room on the disk of the database',
      async look() {
        if (path === undefined) return false;
        const { free } = await roomFor(path);
        return free < LEAST_FREE && `${mebibytes(free)} are free`;
      },
    },
  ];

  return {
    list,
    onLaterReply(outcome: LaterReplyOutcome): void {
      if (outcome !== 'told') notToldAt = performance.now();
    },
    onBackup(outcome: 'made' | 'failed'): void {
      hasBackupFailed = outcome === 'failed';
    },
  };
}
