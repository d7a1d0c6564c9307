import { createRequire } from 'node:module';
import type { Registry } from 'prom-client';
import { DIRECT_MESSAGE_OUTCOMES, type DirectMessageOutcome } from '../discord/direct-messages.ts';
import { LATER_REPLY_OUTCOMES, type LaterReplyOutcome } from '../interactions/after-crash.ts';
import { INTERACTION_OUTCOMES, INTERACTION_TYPES, type InteractionEnd } from '../interactions/traces.ts';
import { waitAtMost } from '../lifecycle.ts';
import type { ListingRequest } from '../listing/client.ts';
import { FOUND } from '../server-lists/row.ts';
import type { TransactionEnd } from '../storage/store.ts';
import type { Observer } from '../submissions/pipeline.ts';
import { VERSION } from '../version.ts';
import { METRIC_KINDS } from '../words/servers.ts';
import { newestBackup } from './backup-files.ts';
import { healthOf, type WatchedParts } from './health.ts';
import { roomForBackup } from './make-backup.ts';

export type Metrics = ReturnType<typeof createMetrics>;

const ASK_IDENTIFIES_EVERY_MS = 60_000;
const IDENTIFIES_TIMEOUT_MS = 1_000;
const PREFIX = 'listing_bot_';
/** Discord waits 3 seconds for a first response. */
const FIRST_RESPONSE_BUCKETS_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 10];
/** A long list can take minutes, and Discord accepts replies for 15 minutes. */
const REPLY_BUCKETS_SECONDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 900];
const REQUEST_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120];
/** A synced commit took 0.43 ms (measured). */
const TRANSACTION_BUCKETS_SECONDS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2];

const LISTING_OUTCOMES: Readonly<Record<ListingRequest['action'], readonly ListingRequest['outcome'][]>> = {
  add: METRIC_KINDS,
  games: ['games', ...METRIC_KINDS.filter((kind) => kind !== 'accepted')],
};
const SERVER_OUTCOMES = [...METRIC_KINDS, 'refused'] as const;
/** Scopes of rate limits (Discord docs: Rate Limits, "X-RateLimit-Scope"); `none` for a missing or unknown scope. */
const SCOPES = ['user', 'global', 'shared', 'none'] as const;

/** Loads the library only if metrics are served, because loading it takes 40 ms. */
const loadClient = (): typeof import('prom-client') => createRequire(import.meta.url)('prom-client');

/**
 * Creates the metrics in the Prometheus text format. Some are counted as events happen, and others are read at each scrape.
 * Labels have few possible values and never contain a guild or a user. Each bot has its own registry, so that two bots in
 * the same process don't share counts.
 */
export function createMetrics() {
  const { Registry, collectDefaultMetrics } = loadClient();
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    ...createCounters(registry),
    watch: (parts: WatchedParts): void => watchState(registry, parts),
    contentType: registry.contentType,
    text: (): Promise<string> => registry.metrics(),
  };
}

function createCounters(register: Registry) {
  const { Counter, Histogram } = loadClient();
  const registers = [register];
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({ name: PREFIX + name, help, labelNames, buckets, registers });
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers });

  const responded = histogram(
    'first_response_seconds',
    'From receiving an interaction to its first response.',
    ['type'],
    FIRST_RESPONSE_BUCKETS_SECONDS,
  );
  const replied = histogram(
    'reply_seconds',
    'From receiving an interaction to its reply.',
    ['type'],
    REPLY_BUCKETS_SECONDS,
  );
  const interactions = counter(
    'interactions_total',
    'Finished interactions. Lost: too late, or handled by another process.',
    ['command', 'outcome'],
  );
  const servers = counter(
    'submitted_servers_total',
    'Servers that members tried to submit. Refused: rejected by the bot before sending.',
    ['outcome'],
  );
  const requests = histogram(
    'listing_request_seconds',
    'Requests to the listing service, including retries.',
    ['action', 'outcome'],
    REQUEST_BUCKETS_SECONDS,
  );
  const transactions = histogram(
    'store_seconds',
    'Store transactions, including their waiting time.',
    [],
    TRANSACTION_BUCKETS_SECONDS,
  );
  const storeErrors = counter('store_errors_total', 'Transactions that failed in the database.', []);
  const limited = counter('discord_rate_limited_total', 'Responses with status 429, by scope of the limit.', [
    'scope',
  ]);

  const backups = counter('backups_total', 'Successful and failed backups.', ['outcome']);
  const lookups = counter(
    'server_lookups_total',
    'Server lookup: requests to Steam, failures, and values found.',
    ['what'],
  );
  const toldLater = counter(
    'told_later_total',
    'Attempts to reply to an interaction after a crash. Too late: Discord no longer accepts a reply.',
    ['outcome'],
  );

  const directMessages = counter(
    'direct_messages_total',
    'Direct messages to members. Stopped: Discord stopped them, so the bot pauses them for an hour or a day.',
    ['outcome'],
  );

  // Without a previous 0, Prometheus wouldn't count the first event of a kind as an increase.
  for (const type of Object.values(INTERACTION_TYPES))
    for (const each of [responded, replied]) each.zero({ type });
  for (const outcome of INTERACTION_OUTCOMES) interactions.inc({ command: 'other', outcome }, 0);
  for (const outcome of SERVER_OUTCOMES) servers.inc({ outcome }, 0);
  for (const action of ['add', 'games'] as const) {
    for (const outcome of LISTING_OUTCOMES[action]) requests.zero({ action, outcome });
  }
  transactions.zero({});
  for (const scope of SCOPES) limited.inc({ scope }, 0);
  for (const outcome of ['made', 'failed']) backups.inc({ outcome }, 0);
  for (const what of ['asked', 'failed', ...FOUND]) lookups.inc({ what }, 0);
  for (const outcome of LATER_REPLY_OUTCOMES) toldLater.inc({ outcome }, 0);
  for (const outcome of DIRECT_MESSAGE_OUTCOMES) directMessages.inc({ outcome }, 0);

  return {
    onInteraction({ command, type, outcome, respondedMs, repliedMs }: InteractionEnd): void {
      interactions.inc({ command, outcome });
      if (respondedMs !== undefined) responded.observe({ type }, respondedMs / 1000);
      if (repliedMs !== undefined) replied.observe({ type }, repliedMs / 1000);
    },
    onListingRequest: ({ action, outcome, ms }: ListingRequest): void =>
      requests.observe({ action, outcome }, ms / 1000),
    onTransaction({ ms, isStoreError }: TransactionEnd): void {
      transactions.observe(ms / 1000);
      if (isStoreError) storeErrors.inc();
    },
    onRateLimited: (scope: string): void =>
      limited.inc({ scope: SCOPES.find((known) => known === scope) ?? 'none' }),
    onBackup: (outcome: 'made' | 'failed'): void => backups.inc({ outcome }),
    onLookup: (what: string): void => lookups.inc({ what }),
    onLaterReply: (outcome: LaterReplyOutcome): void => toldLater.inc({ outcome }),
    onDirectMessage: (outcome: DirectMessageOutcome): void => directMessages.inc({ outcome }),
    observer: {
      async ended(_, ended) {
        for (const { outcome } of ended) servers.inc({ outcome: outcome.kind });
      },
      async notSubmitted(_, wanted) {
        servers.inc({ outcome: 'refused' }, wanted.length);
      },
    } satisfies Observer,
  };
}

function watchState(register: Registry, parts: WatchedParts): void {
  const { Gauge } = loadClient();
  const { gateway, traces, breaker, games, store } = parts;
  const gauge = (name: string, help: string, value: () => number | undefined | Promise<number | undefined>) =>
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers: [register],
      async collect() {
        // Leaves out the metric if its value is unknown or can't be read.
        this.remove();
        const now = await Promise.try(value).catch(() => undefined);
        if (now !== undefined) this.set(now);
      },
    });
  const labelled = (
    name: string,
    help: string,
    label: string,
    values: () => Readonly<Record<string, number>>,
  ) =>
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      labelNames: [label],
      registers: [register],
      collect() {
        for (const [value, now] of Object.entries(values())) this.set({ [label]: value }, now);
      },
    });
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);

  labelled('info', 'Always 1: the version is its label.', 'version', () => ({ [VERSION]: 1 }));
  gauge('ready', 'Whether commands arrive and can be recorded, as in /readyz.', async () =>
    Number((await healthOf(parts)).ready),
  );
  gauge('store_writable', 'Whether the database accepts writes.', async () =>
    Number((await healthOf(parts)).store.ok),
  );
  gauge('gateway_silent_seconds', 'How long the quietest shard has received nothing from the gateway.', () =>
    seconds(gateway.silentMs()),
  );
  let askedAt = Number.NEGATIVE_INFINITY;
  gauge('gateway_identifies_left', 'IDENTIFYs left for today.', async () => {
    if (gateway.isConnected() && performance.now() - askedAt >= ASK_IDENTIFIES_EVERY_MS) {
      askedAt = performance.now();
      await waitAtMost(IDENTIFIES_TIMEOUT_MS, gateway.askIdentifiesLeft());
    }
    return gateway.identifiesLeft();
  });
  gauge('unanswered_interactions', 'Interactions without a reply.', () => traces.unanswered().count);
  gauge(
    'oldest_unanswered_timestamp_seconds',
    'When the oldest interaction without a reply was received.',
    () => seconds(traces.unanswered().oldestAt),
  );
  gauge('games', 'Games in the current list.', () => games.all.length);
  gauge('games_fetched_timestamp_seconds', 'When the games list was fetched.', () =>
    seconds(games.fetchedAt()),
  );
  // The bot doesn't manage PostgreSQL's backups and disk.
  const { path } = store;
  if (path !== undefined) {
    gauge(
      'last_backup_timestamp_seconds',
      'When the newest file in the backups folder was made; 0: there is none.',
      async () => seconds((await newestBackup(path))?.at ?? 0),
    );
    gauge(
      'disk_free_bytes',
      'Free space on the disk with the database.',
      async () => (await roomForBackup(path)).freeBytes,
    );
  }
  labelled('shards', 'Shards by state.', 'state', gateway.shards);
  const breakerHelp = '1 for the guilds whose submissions are paused: none, some or all.';
  labelled('listing_breaker', breakerHelp, 'extent', () => ({
    none: 0,
    some: 0,
    all: 0,
    [breaker.pausedGuilds()]: 1,
  }));
}
