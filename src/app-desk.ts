import { createSubmissionLog } from '../commands/submission-log.ts';
import type { Config } from './config.ts';
import type { GuildLog } from './discord/guild-log.ts';
import type { Memory } from './discord/memory.ts';
import type { KeyWatch } from './guilds/key-watch.ts';
import type { GuildSettings } from './guilds/settings.ts';
import type { GuardedListing } from './listing/breaker.ts';
import type { Scheduler } from './listing/contract.ts';
import type { GameCatalog } from './listing/game-catalog.ts';
import type { Logger } from './observability/logger.ts';
import type { Database } from './storage/database.ts';
import type { Encryption } from './storage/encryption.ts';
import { allowedGamesStep } from './submissions/allowed-games.ts';
import { createDailyQuota } from './submissions/daily-quota.ts';
import { createDesk, type DeskStep } from './submissions/desk.ts';
import { createInFlight } from './submissions/in-flight.ts';
import { createJournal } from './submissions/journal.ts';
import { type Ledger, ledgerStep } from './submissions/ledger.ts';
import { usageLimits } from './submissions/usage-limits.ts';

export interface AppDeskDeps {
  readonly config: Pick<Config, 'memberLimit' | 'guildLimit'>;
  readonly database: Database;
  readonly encryption: Encryption;
  readonly listing: GuardedListing;
  readonly scheduler: Scheduler;
  readonly games: GameCatalog;
  readonly settings: GuildSettings;
  readonly ledger: Ledger;
  readonly keyWatch: Pick<KeyWatch, 'step'>;
  readonly guildLog: Pick<GuildLog, 'tell'>;
  readonly logger: Logger;
}

/** The part of the app that every submission passes: the desk, and its steps in their order. */
export function createAppDesk(deps: AppDeskDeps) {
  const {
    config,
    database,
    encryption,
    listing,
    scheduler,
    games,
    settings,
    ledger,
    keyWatch,
    guildLog,
    logger,
  } = deps;
  const journal = createJournal({ store: database, encryption, ledger, logger });
  const inFlight = createInFlight();
  const breaker: DeskStep = {
    name: 'breaker',
    admit: async ({ guildId }) => (listing.isDown(guildId) ? { code: 'service-down' } : undefined),
  };
  const quota = createDailyQuota({
    store: database,
    limitOf: async (guildId) => (await settings.get(guildId)).dailyQuota,
  });
  const submissionLog = createSubmissionLog({ guildLog, games });
  // The first holds back, the last two count and tell: what refuses an order goes in between.
  const steps = [
    inFlight.step,
    journal.step,
    keyWatch.step,
    allowedGamesStep(async (guildId) => (await settings.get(guildId)).games),
    ledgerStep(ledger),
    breaker,
    quota.step,
    usageLimits({ member: config.memberLimit, guild: config.guildLimit }),
    submissionLog,
  ];
  const memory: Memory = {
    remember: journal.remember,
    forget: async (interactionId) => {
      inFlight.release(interactionId);
      await journal.forget(interactionId);
    },
  };
  return { desk: createDesk({ listing, scheduler, steps, logger }), journal, memory, quota, submissionLog };
}
