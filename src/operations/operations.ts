import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import type { FatalDiscordError } from '../discord/gateway.ts';
import type { Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Store } from '../storage/store.ts';
import { type Alarms, type AlarmsDeps, createAlarms } from './alarms.ts';
import { type ConditionsDeps, createConditions } from './conditions.ts';
import { createHealthServer, type Health, healthOf, type WatchedParts } from './health.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createMaintenance, type MaintenanceDeps } from './maintenance.ts';
import type { Metrics } from './metrics.ts';
import { createReencryption, type ReencryptionDeps } from './re-encryption.ts';
import { createScheduledBackups } from './scheduled-backups.ts';
import { createSilence } from './silence.ts';

export interface OperationsDeps
  extends MaintenanceDeps,
    Omit<WatchedParts, 'store'>,
    Pick<ReencryptionDeps, 'encryption'>,
    Pick<AlarmsDeps, 'mayPost' | 'watchEveryMs'>,
    Pick<ConditionsDeps, 'directMessages'> {
  readonly config: Config;
  readonly store: Store;
  /** Undefined if metrics aren't served. */
  readonly metrics: Metrics | undefined;
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly logger: Logger;
}

export function createOperations(deps: OperationsDeps) {
  const { config, store, encryption, gateway, metrics, onFatal, logger } = deps;
  const { httpPort: port, httpHost: host, operatorWebhookUrl: webhook, heartbeatUrl } = config;
  const conditions = createConditions(deps);
  // If there can be several processes, the host name distinguishes them.
  const place = store.path === undefined ? hostname() : '';
  const health = (): Promise<Health> => healthOf({ ...deps, alarms });
  const alarms: Alarms | undefined =
    webhook &&
    createAlarms({ ...deps, values: store.values, webhook, conditions: conditions.list, health, place });
  const isServed = port !== undefined && metrics !== undefined;
  const jobs: readonly Part[] = [
    createScheduledBackups({
      config,
      store,
      onBackup(outcome) {
        metrics?.onBackup(outcome.kind);
        conditions.onBackup(outcome);
      },
      logger,
    }),
    createMaintenance({
      ...deps,
      tasks: {
        ...deps.tasks,
        encryption: createReencryption({ store, encryption, logger }),
        log: store.cutLog,
      },
    }),
    ...(alarms ? [alarms] : []),
    ...(heartbeatUrl
      ? [createHeartbeat({ url: heartbeatUrl, health, everyMs: deps.watchEveryMs, logger })]
      : []),
  ];
  return {
    health: isServed ? [createHealthServer({ port, host, metrics, parts: { ...deps, alarms }, logger })] : [],
    silence: createSilence({ config, gateway, onFatal, logger }),
    jobs,
    onLaterReply: conditions.onLaterReply,
  };
}
