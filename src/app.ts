import { createCommands } from '../commands/index.ts';
import { createPanelTask } from '../commands/panel-message.ts';
import { createApprovalMessages } from './approval/approval-messages.ts';
import { createApprovals } from './approval/approvals.ts';
import { createDecisionMessages, type DecisionMessagesTiming } from './approval/decision-messages.ts';
import { createDecisionNotices } from './approval/decision-notices.ts';
import { createWaitingSubmissions } from './approval/waiting-store.ts';
import type { Config } from './config/config.ts';
import type { ApiTiming } from './discord/api.ts';
import { createConnection } from './discord/connection.ts';
import { createDiscord } from './discord/discord.ts';
import { asPublished } from './discord/publish.ts';
import { createServerLookup } from './game-servers/server-lookup.ts';
import { createGuildLog, type GuildLogTiming } from './guild-log/guild-log.ts';
import { createGoneGamesEntry, createKeyAlert, createSubmissionLog } from './guild-log/guild-log-entries.ts';
import { createGoneGames } from './guilds/gone-games.ts';
import { createGuilds } from './guilds/guilds.ts';
import { createEditOrder } from './interactions/edit-order.ts';
import { createGuildWords } from './interactions/guild-words.ts';
import { createInteractionStore } from './interactions/interaction-store.ts';
import { createInteractions } from './interactions/interactions.ts';
import { createTraces } from './interactions/traces.ts';
import { type Part, startInOrder, waitAtMost } from './lifecycle.ts';
import { createListing } from './listing/listing.ts';
import type { Logger } from './logger.ts';
import { createMetrics } from './operations/metrics.ts';
import { createOperations } from './operations/operations.ts';
import { backupDaysOf } from './operations/scheduled-backups.ts';
import { reportStart } from './operations/start-report.ts';
import { DAY_MS } from './pacing/durations.ts';
import { createWorkTurns } from './pacing/turns.ts';
import { MAX_FILE_BYTES } from './server-lists/read-list.ts';
import { warmUpListParser } from './server-lists/warm-up.ts';
import { openStore } from './storage/open-store.ts';
import { createSubmissionHandling } from './submissions/submission-handling.ts';
import { createSubmissionStore } from './submissions/submission-store.ts';
import type { Language } from './words/languages.ts';
import { createWords } from './words/words.ts';

/*
 * Time limits for stopping parts of the bot, in milliseconds. These parts stop one after another, after the HTTP endpoint
 * (one second) and before the store. In total, this takes less than the 10 seconds after which main.ts ends the process.
 */
const INTERACTIONS_END_MS = 6_000;
const LOG_ENDS_MS = 1_000;
const JOBS_END_MS = 1_000;
const CONNECTIONS_END_MS = 500;

/** Tests replace the defaults to avoid waiting. All values are in milliseconds. */
export interface Timing extends ApiTiming {
  readonly guildLog?: GuildLogTiming;
  readonly decisionMessages?: DecisionMessagesTiming;
  readonly declineUndoMs?: number;
  /** Delay before the first retry of a request to the listing service. It doubles before the second retry. */
  readonly listingFirstWait?: number;
  readonly listReadingMs?: number;
  readonly leaseRenewedEveryMs?: number;
  /** How often the bot checks that interactions still arrive. */
  readonly transportEveryMs?: number;
  /** How often the bot checks for conditions to report to the operator, and sends a heartbeat. */
  readonly watchEveryMs?: number;
  /** Delay before each retry of a failed write. */
  readonly recordPausesMs?: readonly number[];
}

export interface AppDeps {
  readonly config: Config;
  readonly logger: Logger;
  /** Called when the bot can't continue. The process must then exit. */
  readonly onFatal: (error: Error) => void;
  readonly timing?: Timing;
  /** Replaces the bot's languages. A test can then check all the text shown by the bot. */
  readonly languages?: readonly Language[];
}

/** Creates the whole bot from its parts. The bot is idle until `start` is called. */
export function createApp({ config, logger, onFatal, timing = {}, languages }: AppDeps) {
  const metrics = config.httpPort === undefined ? undefined : createMetrics();
  const traces = createTraces({ logger, onEnd: metrics?.onInteraction });
  const words = createWords({ name: config.listingName, page: config.listingUrl }, languages);
  const myTurn = createWorkTurns();
  const cutOff: string[] = [];
  async function endWithin(ms: number, what: string, work: Promise<unknown>): Promise<void> {
    if (!(await waitAtMost(ms, work))) cutOff.push(what);
  }

  const { parts: storeParts, ...opened } = openStore({
    url: config.storeUrl,
    configured: config.encryptionKey,
    // Processes can only share interactions that arrive over HTTP, because the gateway sends every interaction to each
    // session.
    mayBeShared: config.interactions === 'http',
    onTransaction: metrics?.onTransaction,
    onOver: onFatal,
    renewedEveryMs: timing.leaseRenewedEveryMs,
    logger,
  });
  const { store } = opened;
  const commonDeps = { ...opened, values: store.values, myTurn, onFatal, logger };
  const discord = createDiscord({
    ...commonDeps,
    ...timing,
    apiUrl: config.discordApiUrl,
    token: config.discordToken,
    files: { hosts: config.attachmentHosts, maxBytes: MAX_FILE_BYTES },
    onRateLimited: metrics?.onRateLimited,
    onDirectMessage: metrics?.onDirectMessage,
  });
  const { api, posts, publishing } = discord;
  const { mention } = publishing;

  const submissionStore = createSubmissionStore({
    ...commonDeps,
    member: config.memberLimit,
    guild: config.guildLimit,
    days: config.historyDays,
    declineUndoMs: timing.declineUndoMs,
    createWaitingSubmissions,
  });
  const guilds = createGuilds({
    ...commonDeps,
    ...discord,
    accessLists: {
      allowedGuilds: config.allowedGuilds,
      blockedGuilds: config.blockedGuilds,
      blockedUsers: config.blockedUsers,
    },
    submissions: submissionStore.erasure,
    checkEveryMs: config.departureCheckSeconds * 1000,
    graceMs: config.departureGraceDays * DAY_MS,
  });
  const { keys, settings, blocks, logChannel, membership } = guilds;
  const { guildWords, hear } = createGuildWords({ settings, wordsFor: words.wordsFor });
  const setTrouble: typeof logChannel.setTrouble = async (guildId, channelId, trouble) => {
    await logChannel.setTrouble(guildId, channelId, trouble);
    if (trouble === undefined) await approvalMessages.moved(guildId);
  };
  const guildLog = createGuildLog({
    posts,
    guildWords,
    channelOf: logChannel.channelOf,
    setTrouble,
    ...timing.guildLog,
    logger,
  });
  const onKeyChange = createKeyAlert({ guildLog, keys, mention, logger });

  const listing = createListing({
    ...commonDeps,
    baseUrl: config.listingApiUrl,
    operatorKey: config.listingApiKey,
    timeoutMs: config.listingApiTimeoutMs,
    arrayFormat: config.listingApiArrayFormat,
    concurrentRequests: config.listingRequestsAtOnce,
    ttlMs: config.gamesTtlSeconds * 1000,
    keys,
    onRequest: metrics?.onListingRequest,
    onKeyChange,
    firstWaitMs: timing.listingFirstWait,
  });
  const { games } = listing;
  const serverLookup =
    config.serverLookup === 'on'
      ? createServerLookup({
          steamApiUrl: config.steamApiUrl,
          nameServers: config.nameServers,
          games,
          onLookup: metrics?.onLookup,
          logger,
        })
      : undefined;
  const interactionStore = createInteractionStore(commonDeps);
  const approvals = createApprovals({ ...submissionStore, store, blocks, settings });
  const approvalMessages = createApprovalMessages({
    ...commonDeps,
    ...discord,
    approvals,
    settings,
    setTrouble,
    guildWords,
    games,
    onChange: () => void decisionNotices.notifyDue(),
  });
  const submissionLog = createSubmissionLog({ guildLog, games });
  const submissionHandling = createSubmissionHandling({
    ...commonDeps,
    submissionStore,
    keys,
    settings,
    blocks,
    listing,
    serverLookup,
    demandOwned: interactionStore.demandOwned,
    showApproval: approvalMessages.show,
    showDueApprovals: () => void approvalMessages.showDue(),
    encryptNotice: (which, interactionId) => decisionNotices.encrypt(which, interactionId),
    observers: [traces.observer, submissionLog, ...(metrics ? [metrics.observer] : [])],
    onKeyChange,
    longestRequestMs: config.listingApiTimeoutMs,
    readingMs: timing.listReadingMs,
    recordPausesMs: timing.recordPausesMs,
  });

  const editOrder = createEditOrder(commonDeps);
  const wording = { ...words, guildWords, mention };
  const decisionNotices = createDecisionNotices({
    ...commonDeps,
    api,
    interactionStore,
    submissions: submissionStore.submissions,
    declineUndoMs: timing.declineUndoMs,
    editOrder,
    wording,
    replyOf: (context, submission) => commands.replyForSubmission(context, submission),
  });
  const decisionMessages = createDecisionMessages({
    ...commonDeps,
    ...discord,
    ...guilds,
    ...timing.decisionMessages,
    declineUndoMs: timing.declineUndoMs,
    isOn: config.directMessages === 'on',
    interactionStore,
    submissions: submissionStore.submissions,
    approvals,
    wording,
    games,
  });
  const commands = createCommands({
    logger,
    ...discord,
    ...submissionStore,
    ...guilds,
    ...listing,
    ...submissionHandling,
    approvals,
    approvalMessages,
    decisionMessages,
    editOrder,
    guildLog,
    submissionLog,
    onKeyChange,
    graceDays: config.departureGraceDays,
    historyDays: config.historyDays,
    backupDays: backupDaysOf(config),
    links: { support: config.supportUrl, privacy: config.privacyUrl },
  });
  const interactions = createInteractions({
    ...commonDeps,
    ...discord,
    ...commands,
    access: guilds.access,
    interactionStore,
    editOrder,
    submissions: submissionStore.submissions,
    wording,
    supportUrl: config.supportUrl,
    notifyGuild: guildLog.add,
    announcements: guilds.announcements,
    onUse(guildId, guildLocale) {
      membership.used(guildId);
      hear(guildId, guildLocale);
    },
    onTakenOver: () => void approvalMessages.showDue(),
    traces,
    onLaterReply(outcome) {
      metrics?.onLaterReply(outcome);
      operations.onLaterReply(outcome);
    },
  });
  const published = commands.commands.map(asPublished);
  const connection = createConnection({
    ...commonDeps,
    interactions: config.interactions,
    discordPublicKey: config.discordPublicKey,
    host: config.interactionsHost ?? config.httpHost,
    port: config.interactionsPort,
    token: config.discordToken,
    discord,
    commands: published,
    onInteraction: (payload) => void interactions.handle(payload),
    onPublished: (online) => reportStart(config, logger, listing.breaker, online),
    async finish() {
      const pending = await interactions.drain(INTERACTIONS_END_MS);
      if (pending > 0) cutOff.push(`interactions: ${pending}`);
      await endWithin(LOG_ENDS_MS, 'log channel messages', guildLog.flush());
    },
    transportEveryMs: timing.transportEveryMs,
  });

  const notifyAdmins = createGoneGamesEntry({ guildLog, mention });
  const operations = createOperations({
    ...commonDeps,
    ...discord,
    ...listing,
    ...connection,
    config,
    traces,
    metrics,
    byAge: {
      async submissions(stopping) {
        await submissionStore.erasure.prune(stopping);
        void approvalMessages.showDue();
      },
      interactions: interactionStore.prune,
      channels: discord.directMessageChannels.prune,
      keyTrials: listing.keyTrials.prune,
    },
    tasks: {
      games: createGoneGames({ ...commonDeps, settings, games, notifyAdmins }),
      panels: createPanelTask({ panels: guilds.panels, posts, guildWords }),
    },
    mayPost: () => api.block.leftMs() === 0,
    watchEveryMs: timing.watchEveryMs,
  });
  const jobs: readonly Part[] = [
    connection.transportCheck,
    membership,
    approvalMessages,
    decisionNotices,
    decisionMessages,
    ...operations.jobs,
  ];

  const parts: readonly Part[] = [
    ...operations.health,
    ...storeParts(interactions.takeOver),
    {
      name: 'connections',
      stop: () =>
        endWithin(
          CONNECTIONS_END_MS,
          'connections',
          Promise.all([listing.api.close(), serverLookup?.stop(), discord.close()]),
        ),
    },
    { name: 'games', start: games.start },
    // Starts before the connection, to detect a connection that never opens.
    operations.silence,
    // Parts stop in reverse order: interactions finish before jobs stop, because members are waiting for replies.
    {
      name: 'jobs',
      async start() {
        for (const job of jobs) await job.start?.();
      },
      stop: () => endWithin(JOBS_END_MS, 'jobs', Promise.all(jobs.map((job) => job.stop?.()))),
    },
    connection.part,
    {
      name: 'list parser',
      async start() {
        void warmUpListParser(games);
      },
    },
  ];
  const { start, stop, running } = startInOrder(parts, logger);
  return {
    start,
    stop,
    commands: published,
    cutOff: (): readonly string[] => [...cutOff, ...running()],
  };
}
