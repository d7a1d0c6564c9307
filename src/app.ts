import { randomUUID } from 'node:crypto';
import { createCommands } from '../commands/index.ts';
import { replyAboutDocument, replyAfterCrash } from '../commands/submit/after-crash.ts';
import type { Config } from './config/config.ts';
import { type ApiTiming, createDiscordApi } from './discord/api.ts';
import { createAttachments } from './discord/attachments.ts';
import { isForeign, listGuilds } from './discord/bot-guilds.ts';
import { createChannelPosts } from './discord/channel-posts.ts';
import { createClockCheck } from './discord/clock.ts';
import { createEndpoint } from './discord/endpoint.ts';
import { createGateway, FatalDiscordError } from './discord/gateway.ts';
import {
  type Application,
  endpointTrouble,
  growthTroubles,
  installationTroubles,
  inviteLink,
  NEW_TOKEN,
  portalPage,
  readApplication,
} from './discord/portal.ts';
import { asPublished, createPublishing } from './discord/publish.ts';
import { createAccess } from './guilds/access.ts';
import { createApiKeys } from './guilds/api-keys.ts';
import { createDeletion } from './guilds/deletion.ts';
import { createGoneGames } from './guilds/gone-games.ts';
import { createKeyTrials } from './guilds/key-trials.ts';
import { createMembership } from './guilds/membership.ts';
import { createGuildSettings, logChannels } from './guilds/settings.ts';
import { createAfterCrash } from './interactions/after-crash.ts';
import { createAnswering } from './interactions/answer.ts';
import { createApprovalMessages } from './interactions/approval-messages.ts';
import { createDispatcher } from './interactions/dispatch.ts';
import { createEditOrder } from './interactions/edit-order.ts';
import { createGuildLog, type GuildLogTiming } from './interactions/guild-log.ts';
import { createKeyAlert, createSubmissionLog } from './interactions/guild-log-entries.ts';
import { createGuildWords } from './interactions/guild-words.ts';
import { createRecord } from './interactions/record.ts';
import { createTakeover } from './interactions/takeover.ts';
import { createTraces } from './interactions/traces.ts';
import { createUnderWay } from './interactions/under-way.ts';
import { atMost, createJob, inOrder, type Part } from './lifecycle.ts';
import { createBreaker } from './listing/breaker.ts';
import { createListingApi } from './listing/client.ts';
import { createGames } from './listing/games.ts';
import { type Asker, createGuard } from './listing/guard.ts';
import { createTurns } from './listing/turns.ts';
import type { Logger } from './logger.ts';
import { DAY_MS } from './numbers.ts';
import { createHealthServer } from './operations/health.ts';
import { createMaintenance } from './operations/maintenance.ts';
import { createMetrics } from './operations/metrics.ts';
import { createScheduledBackups } from './operations/scheduled-backups.ts';
import { createSealing } from './operations/sealing.ts';
import { createSilence } from './operations/silence.ts';
import { reportStart } from './operations/start-report.ts';
import { retry } from './retry.ts';
import type { Secret } from './secret.ts';
import { createListReader } from './server-lists/list-reader.ts';
import { MAX_FILE_BYTES } from './server-lists/read-list.ts';
import { createStoreEncryption } from './storage/encryption-key.ts';
import { createLeases, type LeaseOver } from './storage/leases.ts';
import { createStoreLock } from './storage/lock.ts';
import { createOnlyOne } from './storage/only-one.ts';
import { createStore, type StuckTransaction } from './storage/store.ts';
import { createAlreadySubmitted } from './submissions/already-submitted.ts';
import { createApprovals } from './submissions/approvals.ts';
import { createDrafts } from './submissions/drafts.ts';
import { createErasure } from './submissions/erasure.ts';
import { createHistory } from './submissions/history.ts';
import { createLimits } from './submissions/limits.ts';
import { createListDrafts } from './submissions/list-drafts.ts';
import { createPipeline, type Observer } from './submissions/pipeline.ts';
import { createRuns } from './submissions/runs.ts';
import { createSuggestions } from './submissions/suggestions.ts';
import { escapeText } from './words/escape.ts';
import type { Language } from './words/languages.ts';
import { signed } from './words/servers.ts';
import { createWords } from './words/words.ts';
import { createWorkTurns } from './work-turns.ts';

/** How often it is looked whether commands still come in this way, in milliseconds. */
const WAY_IN_EVERY_MS = 60_000;
/*
 * How long each of these may take to end when the bot stops, in milliseconds. They end one after the other, then the store:
 * together within the 10 seconds after which main.ts ends the process.
 */
const INTERACTIONS_END_MS = 6_000;
const LOG_ENDS_MS = 1_000;
const JOBS_END_MS = 1_000;
const CONNECTIONS_END_MS = 500;
/** How long a member waits while Discord is asked about their guild, in milliseconds. */
const ASK_GUILD_MS = 2_000;

/** How long the bot waits by itself, in milliseconds, where it is not to be the usual time: a test waits for nobody. */
export interface Timing extends ApiTiming {
  readonly guildLog?: GuildLogTiming;
  /** Before the second try of a request to the listing service; twice that before the third. */
  readonly listingFirstWait?: number;
  /** How long reading a file may take. */
  readonly listReadingMs?: number;
  /** How often a process says that it is alive. */
  readonly leaseRenewedEveryMs?: number;
  /** How often it is looked whether commands still come in this way. */
  readonly wayInEveryMs?: number;
  readonly largeTurnMs?: number;
  /** Before what could not be recorded is recorded again, try by try. */
  readonly recordPauses?: readonly number[];
}

export interface AppDeps {
  readonly config: Config;
  readonly logger: Logger;
  /** Called when the bot cannot go on; the process has to end. */
  readonly onFatal: (error: FatalDiscordError | LeaseOver | StuckTransaction) => void;
  readonly timing?: Timing;
  /** Other languages than the bot's own, for a test of all that it says. */
  readonly languages?: readonly Language[];
}

/** The whole bot, put together; the only file that knows every part. Nothing happens before `start`. */
export function createApp({ config, logger, timing = {}, languages, ...deps }: AppDeps) {
  // A token that is refused is noticed more than once.
  const onFatal = firstOnly(deps.onFatal);
  const metrics = config.httpPort === undefined ? undefined : createMetrics();
  const traces = createTraces({ logger, onEnd: metrics?.onInteraction });
  const words = createWords({ name: config.listingName, page: config.listingUrl }, languages);

  // Discord.
  const api = createDiscordApi({
    apiUrl: config.discordApiUrl,
    token: config.discordToken,
    onRateLimited: metrics?.onRateLimited,
    onTokenRefused: () =>
      onFatal(new FatalDiscordError(`Discord does not accept DISCORD_TOKEN: ${NEW_TOKEN}`)),
    firstResponseMs: timing.firstResponseMs,
    firstAttemptMs: timing.firstAttemptMs,
    logger,
  });

  // What is kept.
  const store = createStore({
    url: config.storeUrl,
    onTransaction: metrics?.onTransaction,
    onStuck: onFatal,
    logger,
  });
  const encryption = createStoreEncryption({ configured: config.encryptionKey, store, logger });
  // Only what Discord posts can be shared: to every session of a gateway it sends all.
  const isShared = config.storeUrl.kind === 'postgres' && config.interactions === 'http';
  /** The id of this process. What it takes bears it. */
  const owner = randomUUID();
  const onlyOne = createOnlyOne({ store, owner });
  const breaker = createBreaker();
  const keys = createApiKeys({ store, encryption, logger });
  const settings = createGuildSettings({ store, logger });

  // What is asked of Discord.
  const clock = createClockCheck({ api, logger });
  const application = once(() => readApplication(api));
  const publishing = createPublishing({ api, values: store.values, onlyOne, logger });
  const guildWords = createGuildWords({ settings, wordsFor: words.wordsFor });
  const wording = { ...words, guildWords, mention: publishing.mention };
  const posts = createChannelPosts({ api, logger });
  const logChannel = logChannels(settings);
  const guildLog = createGuildLog({
    posts,
    guildWords,
    ...logChannel,
    ...timing.guildLog,
    logger,
  });

  // The listing service.
  const listing = createListingApi({
    baseUrl: config.listingApiUrl,
    timeoutMs: config.listingApiTimeoutMs,
    arrayFormat: config.listingApiArrayFormat,
    requestsAtOnce: config.listingRequestsAtOnce,
    onRequest: metrics?.onListingRequest,
    logger,
  });
  const guard = createGuard({
    turns: createTurns({ atOnce: config.listingRequestsAtOnce }),
    breaker,
    firstWaitMs: timing.listingFirstWait,
  });
  const readGames = (asker: Asker, key: Secret) =>
    guard.inTurn({ ...asker, kind: 'reading' }, () => listing.games(key));
  const keyTrials = createKeyTrials({ games: readGames });

  const tellOfKey = createKeyAlert({ guildLog, keys, mention: publishing.mention });
  /** The service refuses a guild's key for the first time. */
  async function onKeyRefused(guildId: string): Promise<void> {
    logger.info(
      { guildId },
      "the listing service refuses a guild's API key; from now on it is tried once an hour",
    );
    await tellOfKey(guildId);
  }

  const operatorKey = config.listingApiKey;
  const games = createGames({
    ...(operatorKey && { fetchAsOperator: () => readGames({ guildId: 'operator' }, operatorKey) }),
    async fetchFor(guildId) {
      const usable = await keys.usable(guildId);
      if ('code' in usable) return undefined;
      const outcome = await readGames({ guildId }, usable.key);
      if (await keys.noteOutcome(guildId, usable.setAt, outcome)) await onKeyRefused(guildId);
      return outcome;
    },
    values: store.values,
    onlyOne,
    ttlMs: config.gamesTtlSeconds * 1000,
    logger,
  });

  // Submissions.
  const myTurn = createWorkTurns();
  const limits = createLimits({ store, member: config.memberLimit, guild: config.guildLimit });
  const alreadySubmitted = createAlreadySubmitted({ store });
  const drafts = createDrafts({ store });
  const runs = createRuns({ store, drafts, owner });
  const approvals = createApprovals({ store, drafts, runs });
  const approvalMessages = createApprovalMessages({
    approvals,
    posts,
    settings,
    setTrouble: logChannel.setTrouble,
    guildWords,
    games,
    onlyOne,
    logger,
  });
  const interactionRecord = createRecord({
    store,
    owner,
    encryption,
    logger,
  });
  const history = createHistory({ store, myTurn });
  const erasure = createErasure({ store, drafts, limits, runs, days: config.historyDays });
  const suggestions = createSuggestions({ history, games, settings });
  const reader = createListReader({ games, readingMs: timing.listReadingMs });
  const lists = createListDrafts({
    store,
    drafts,
    runs,
    approvals,
    alreadySubmitted,
    limits,
    settings,
    games,
    reader,
  });
  const gamesObserver: Observer = {
    async ended({ guildId }, ended) {
      const isUnknownGame = ended.some(
        ({ outcome }) => outcome.kind === 'rejected' && outcome.known === 'gameInvalid',
      );
      if (isUnknownGame) games.invalidate();
      games.refreshSoon(guildId);
    },
  };
  const pipeline = createPipeline({
    store,
    drafts,
    runs,
    alreadySubmitted,
    limits,
    approvals,
    showApproval: approvalMessages.show,
    keys,
    settings,
    listing,
    guard,
    demandOwned: interactionRecord.demandOwned,
    observers: [
      createSubmissionLog({ guildLog, games }),
      gamesObserver,
      ...(metrics ? [metrics.observer] : []),
    ],
    onKeyRefused,
    longestRequestMs: config.listingApiTimeoutMs,
    recordPauses: timing.recordPauses,
    logger,
  });

  // What belongs to a guild goes, on demand and when the bot was removed from it.
  const deletion = createDeletion({ store, keys, settings, submissions: erasure });
  const membership = createMembership({
    store,
    deletion,
    keys,
    submissions: erasure,
    listGuilds: (signal) => listGuilds(api, signal),
    isForeign: (guildId, signal) => isForeign(api, guildId, signal),
    tellUnreachable: api.tellUnreachable,
    applicationId: async () => (await application()).id,
    isClockRight: clock.isRight,
    onlyOne,
    checkEveryMs: config.departureCheckSeconds * 1000,
    graceMs: config.departureGraceDays * DAY_MS,
    logger,
  });

  /** Where the bot user can be added to a guild that has the commands alone. */
  async function addBotLink(guildId: string): Promise<string | undefined> {
    const lacksBot = await isForeign(api, guildId, AbortSignal.timeout(ASK_GUILD_MS)).catch(() => false);
    return lacksBot ? `${inviteLink((await application()).id)}&guild_id=${guildId}` : undefined;
  }

  // The commands, and how an interaction comes to them and its answer to Discord.
  const attachments = createAttachments({ hosts: config.attachmentHosts, maxBytes: MAX_FILE_BYTES, logger });
  const access = createAccess(config);
  const editOrder = createEditOrder({ store, owner });
  const { commands, actions } = createCommands({
    editOrder,
    access,
    pipeline,
    drafts,
    runs,
    approvals,
    approvalMessages,
    lists,
    reader,
    history,
    games,
    suggestions,
    limits,
    keys,
    keyTrials,
    breaker,
    onKeyRefused,
    settings,
    deletion,
    guildLog,
    posts,
    attachments,
    addBotLink,
    graceDays: config.departureGraceDays,
    historyDays: config.historyDays,
    links: { support: config.supportUrl, privacy: config.privacyUrl },
  });
  const published = commands.map(asPublished);
  const underWay = createUnderWay();
  const replying = { runs, drafts, pipeline, games, settings };
  const afterCrash = createAfterCrash({
    record: interactionRecord,
    underWay,
    editOrder,
    api,
    wording,
    async reportOf(context, to) {
      // What the interaction was writing has ended once another transaction of its guild begins.
      await store.inGuild(context.guildId, () => runs.endRunningOf(context.interactionId));
      return replyAfterCrash(context, to, replying);
    },
    stateOfDocument: (context, pressed) => replyAboutDocument(context, pressed, replying),
    tellGuild: guildLog.tell,
    onToldLater: metrics?.onToldLater,
    logger,
  });
  const takeOver = createTakeover({
    store,
    owner,
    submissions: runs,
    tellUnreplied: afterCrash.tellUnreplied,
    showDue: approvalMessages.showDue,
    logger,
  });
  const leases = createLeases({
    store,
    owner,
    isAlone: !isShared,
    takeOver,
    onOver: deps.onFatal,
    sealingKeyId: encryption.sealingKeyId,
    renewedEveryMs: timing.leaseRenewedEveryMs,
    logger,
  });
  const answering = createAnswering({
    api,
    record: interactionRecord,
    underWay,
    editOrder,
    afterCrash,
    posts,
    myTurn,
    largeTurnMs: timing.largeTurnMs,
    logger,
  });
  const dispatcher = createDispatcher({
    api,
    access,
    supportUrl: config.supportUrl,
    commands,
    actions,
    wording,
    answering,
    record: interactionRecord,
    traces,
    tellGuild: guildLog.tell,
    onUse: membership.used,
    logger,
  });
  function onInteraction(payload: unknown): void {
    wayInTrouble = undefined;
    void dispatcher.handle(payload);
  }
  const gateway =
    config.interactions === 'http'
      ? createEndpoint({
          // There are both, or the configuration would not have been taken.
          publicKey: config.discordPublicKey ?? '',
          port: config.interactionsPort ?? 0,
          host: config.interactionsHost ?? config.httpHost,
          onInteraction,
          onFatal,
          logger,
        })
      : createGateway({ api, token: config.discordToken, onInteraction, onFatal, logger });

  /** Why Discord sends no commands to this bot; `undefined` as far as it is known. */
  let wayInTrouble: string | undefined;
  /** The settings may change while the bot runs: without that it would be ready, and hear nothing. */
  function tellOfWayIn(known: Application): void {
    const trouble = endpointTrouble(known, config);
    if (trouble && trouble.says !== wayInTrouble)
      logger.error({}, `${trouble.says}. To mend it, ${trouble.mend}`);
    wayInTrouble = trouble?.says;
  }

  /** Connects to Discord in the background, for as long as it takes. */
  function connection(): Part {
    const stopping = new AbortController();

    async function introduce(): Promise<void> {
      const known = await retry(application, {
        signal: stopping.signal,
        firstMs: 1_000,
        longestMs: 60_000,
        onFailure(error, pauseMs) {
          if (!api.tellUnreachable(error, pauseMs)) {
            logger.warn(
              { err: error, againInSeconds: pauseMs / 1000 },
              "the application's settings could not be read from Discord",
            );
          }
          return pauseMs;
        },
      });
      if (known === undefined) return;
      tellOfWayIn(known);
      await clock.tell();
      for (const says of [...installationTroubles(known), ...growthTroubles(known)]) {
        logger.warn({ page: portalPage(known, 'installation') }, says);
      }
      const count = await publishing.publish(known.id, published, stopping.signal);
      if (!stopping.signal.aborted)
        await reportStart(config, logger, { commands: count, application: known });
    }

    return {
      name: 'discord',
      async start() {
        void gateway.connect(stopping.signal);
        void introduce();
      },
      async stop() {
        stopping.abort();
        api.stopWaiting();
        // Over HTTP the load balancer sends what comes from now on to another process. Over the gateway it is told to wait.
        if (config.interactions === 'http') await gateway.disconnect();
        await dispatcher.drain(INTERACTIONS_END_MS);
        // While the connection is still there.
        await atMost(LOG_ENDS_MS, guildLog.flush());
        await atMost(CONNECTIONS_END_MS, gateway.disconnect());
      },
    };
  }

  const wayIn = createJob({
    firstMs: timing.wayInEveryMs ?? WAY_IN_EVERY_MS,
    everyMs: timing.wayInEveryMs ?? WAY_IN_EVERY_MS,
    run: () => readApplication(api, wayIn.stopping).then(tellOfWayIn, () => undefined),
  });

  const jobs: readonly Part[] = [
    { name: 'way in', ...wayIn },
    membership,
    approvalMessages,
    createScheduledBackups({ config, store, onBackup: metrics?.onBackup, logger }),
    createMaintenance({
      byAge: {
        async submissions(stopping) {
          await erasure.prune(stopping);
          await approvalMessages.showDue();
        },
        interactions: interactionRecord.prune,
      },
      isClockRight: clock.isRight,
      tasks: {
        games: createGoneGames({
          values: store.values,
          settings,
          games,
          tell: (guildId, aliases) =>
            guildLog.tell(guildId, (t) => {
              const gone = t.and(aliases.map((alias) => escapeText(alias)));
              const mention = publishing.mention('settings');
              return signed('not-sent', t('guildLog.gamesGone', { games: gone, settings: mention }));
            }),
        }),
        encryption: createSealing({ store, encryption, logger }),
        space: store.shrink,
        log: store.cutLog,
      },
      onlyOne,
      logger,
    }),
  ];

  const { httpPort: port, httpHost: host } = config;
  const watched = { store, gateway, games, breaker, traces, wayInTrouble: () => wayInTrouble };
  const health =
    port === undefined || metrics === undefined
      ? []
      : [createHealthServer({ port, host, metrics, parts: watched, logger })];
  const parts: readonly Part[] = [
    ...health,
    createStoreLock({ url: config.storeUrl, isShared, logger }),
    store,
    encryption,
    leases,
    {
      name: 'connections',
      stop: () =>
        atMost(CONNECTIONS_END_MS, Promise.all([listing.close(), attachments.close(), api.close()])),
    },
    { name: 'games', ...games },
    createSilence({ config, gateway, onFatal, logger }),
    // Before the connection, so that they end after it: no member waits for them.
    {
      name: 'jobs',
      async start() {
        for (const job of jobs) await job.start?.();
      },
      stop: () => atMost(JOBS_END_MS, Promise.all(jobs.map((job) => job.stop?.()))),
    },
    connection(),
  ];
  return { ...inOrder(parts, logger), commands: published };
}

/** Passes the first call on, and no other. */
function firstOnly<Value>(take: (value: Value) => void): (value: Value) => void {
  let isTaken = false;
  return (value) => {
    if (isTaken) return;
    isTaken = true;
    take(value);
  };
}

/** Asks once, and remembers the answer. */
function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | undefined;
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}
