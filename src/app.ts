import { createCommands } from '../commands/index.ts';
import type { Config } from './config/config.ts';
import { createAttachments } from './discord/attachments.ts';
import type { Context } from './discord/command.ts';
import { createSignedIds } from './discord/components/controls.ts';
import {
  type Connection,
  createConnection,
  type FatalDiscordError,
  type Service,
} from './discord/connection.ts';
import { createDispatcher } from './discord/dispatch.ts';
import { createChannelPosts, createGuildLog, type GuildLogTiming } from './discord/guild-log.ts';
import { createLogInspection } from './discord/log-channel.ts';
import { asPublished } from './discord/publish.ts';
import { createLeftInteractions, type PastReplies } from './discord/resume.ts';
import { createTakenInteractions, interactionContext } from './discord/taken.ts';
import { createTraces, type Traces } from './discord/traces.ts';
import { createApiKeys } from './guilds/api-keys.ts';
import { createGuildData } from './guilds/guild-data.ts';
import { createKeyTrials, createKeyWatch } from './guilds/key-watch.ts';
import { createMembership } from './guilds/membership.ts';
import { createGuildSettings, logChannels } from './guilds/settings.ts';
import { inOrder, type Part } from './lifecycle.ts';
import { createBreaker } from './listing/breaker.ts';
import { createListingApi } from './listing/client.ts';
import { createGameCatalog, createSuggestions, gamesObserver } from './listing/game-catalog.ts';
import { createScheduler } from './listing/scheduler.ts';
import type { Logger } from './logger.ts';
import { createScheduledBackups } from './operations/backup.ts';
import { createOperations, type Listeners } from './operations/operations.ts';
import { createSilence } from './operations/silence.ts';
import { MAX_FILE_BYTES } from './server-lists/read-list.ts';
import { createDatabase } from './storage/database.ts';
import { createStoreLock } from './storage/database-file.ts';
import { createStoreEncryption, keyInUse } from './storage/encryption-key.ts';
import { createChecks } from './submissions/checks.ts';
import { createErasure } from './submissions/erasure.ts';
import { createHistory } from './submissions/history.ts';
import { createListDrafts } from './submissions/list-drafts.ts';
import { createPipeline, toResume } from './submissions/pipeline.ts';
import { createPreviousRecords } from './submissions/previous/move.ts';
import { createPruning, createTidying } from './submissions/pruning.ts';
import { createRecords } from './submissions/record.ts';
import { toldAfterRestart } from './words/history.ts';
import { createSubmissionLog } from './words/outcome.ts';
import { createKeyAlert, createKeyNotice } from './words/refusal.ts';
import { createWords, type Words } from './words/words.ts';

const DAY_MS = 86_400_000;

/** How long the bot waits by itself, in milliseconds, where it is not to be the usual time: a test waits for nobody. */
export interface Timing {
  /** Before Discord is asked again for a page of the guilds, try by try. */
  readonly guildListPauses?: readonly number[];
  readonly guildLog?: GuildLogTiming;
  /** Before the second try of a request to the listing service; twice that before the third. */
  readonly listingFirstWait?: number;
  /** Before the first check for guilds that were left, and what it may take when the bot stops. */
  readonly membershipCheck?: number;
  readonly membershipStop?: number;
}

export interface AppDeps {
  readonly config: Config;
  readonly logger: Logger;
  /** Called when the bot cannot go on although it had started; the process has to end. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly timing?: Timing;
}

/** The whole bot, put together; the only place that knows every part. Nothing happens before `start`. */
export function createApp(deps: AppDeps): Required<Omit<Part, 'name'>> & Pick<Service, 'commands'> {
  const { config, logger, onFatal, timing } = deps;
  const operations = createOperations({ config, logger });
  const { listeners } = operations;
  const traces = createTraces({ logger, onEnd: listeners.onInteraction });
  const words = createWords({ name: config.listingName, page: config.listingUrl });
  const connection = createConnection({
    ...words,
    apiUrl: config.discordApiUrl,
    token: config.discordToken,
    listPauses: timing?.guildListPauses,
    onRateLimited: listeners.onRateLimited,
    onOnline: listeners.onOnline,
    logger,
    onFatal,
  });
  const storage = createStorage(deps, listeners);
  const guilds = createGuilds(deps, { ...storage, connection, words });
  const listing = createListing(deps, { ...storage, ...guilds, listeners });
  const submissions = createSubmissions(deps, { ...storage, ...guilds, ...listing, listeners });
  const leaving = createLeaving(deps, { ...storage, ...guilds, ...submissions, connection, words });
  const all = { ...storage, ...guilds, ...listing, ...submissions, ...leaving, connection, traces, words };
  const { service, taken, left, attachments } = createService(deps, all);

  const { database, encryption } = storage;
  const { gateway } = connection;
  const inTheirOrder: readonly Part[] = [
    operations.watch({ ...listing, gateway, database, traces }),
    createStoreLock(database.path),
    database,
    encryption,
    keyInUse(storage),
    guilds.settings,
    createPreviousRecords({ database, encryption, interactionContext, logger }),
    leaving.guildData,
    taken,
    left,
    createTidying({ database, logger }),
    submissions.pipeline,
    createPruning({ ...submissions, database, days: config.historyDays, logger }),
    {
      name: 'connections',
      stop: async () => void (await Promise.all([listing.listing.close(), attachments.close()])),
    },
    { name: 'games', ...listing.games },
    { name: 'suggestions', stop: submissions.suggestions.stop },
    createSilence({ config, gateway, store: database, onFatal, logger }),
    connection.serve(service),
    leaving.membership,
    createScheduledBackups({ config, database, onBackup: listeners.onBackup, logger }),
  ];
  return { ...inOrder(inTheirOrder, logger), commands: service.commands };
}

/** What an area of the app is made with: what is said of the bot as a whole, and the parts of the areas before it. */
type Storage = ReturnType<typeof createStorage>;
type Guilds = ReturnType<typeof createGuilds>;
type Listing = ReturnType<typeof createListing>;
type Submissions = ReturnType<typeof createSubmissions>;
type Leaving = ReturnType<typeof createLeaving>;
interface Connected {
  readonly connection: Connection;
  readonly words: Words;
}
interface Watched {
  readonly listeners: Listeners;
}

function createStorage({ config, logger }: AppDeps, { onStatement, onCommit }: Listeners) {
  const database = createDatabase({ url: config.storeUrl, logger, onStatement, onCommit });
  const encryption = createStoreEncryption({ configured: config.encryptionKey, database, logger });
  return { database, encryption };
}

/** What a guild has chosen, its key, and what is written into its log channel. */
function createGuilds({ logger, timing }: AppDeps, parts: Storage & Connected) {
  const { database, encryption, connection, words } = parts;
  const keys = createApiKeys({ store: database, encryption });
  const settings = createGuildSettings({ store: database });
  const posts = createChannelPosts({ rest: () => connection.rest, logger });
  const guildLog = createGuildLog({ posts, ...words, ...logChannels(settings), ...timing?.guildLog, logger });
  const keyWatch = createKeyWatch({
    keys,
    onRefused: createKeyAlert({ guildLog, keys, mention: connection.mention }),
    logger,
  });
  return { keys, settings, posts, inspectLog: createLogInspection(connection), guildLog, keyWatch };
}

/** What every request to the listing service passes: the scheduler, the breaker, HTTP; and the games list. */
function createListing({ config, logger, timing }: AppDeps, parts: Storage & Guilds & Watched) {
  const { database, keys, keyWatch, listeners } = parts;
  const { listingApiTimeoutMs: timeoutMs, listingRequestsAtOnce: atOnce } = config;
  const operatorKey = config.listingApiKey && { operatorKey: config.listingApiKey };
  const api = createListingApi({
    baseUrl: config.listingApiUrl,
    timeoutMs,
    firstWaitMs: timing?.listingFirstWait,
    arrayFormat: config.listingApiArrayFormat,
    requestsAtOnce: atOnce,
    onRequest: listeners.onListingRequest,
    logger,
  });
  const scheduler = createScheduler({ atOnce });
  const listing = createBreaker({ listing: api, scheduler, guildOf: keys.guildOf, ...operatorKey, logger });
  // All tries of one request together take no longer (see createListingApi).
  const longestRequestMs = 2 * timeoutMs;
  const keyTrials = createKeyTrials({ listing, longestMs: longestRequestMs });
  const games = createGameCatalog({
    listing,
    store: database,
    ttlMs: config.gamesTtlSeconds * 1000,
    heldKeys: keys.all,
    ...operatorKey,
    onAnswer: keyWatch.keepGamesAnswer,
    logger,
  });
  return { listing, scheduler, longestRequestMs, keyTrials, games };
}

/** The one pipeline, and what it leaves on record. */
function createSubmissions({ config, logger }: AppDeps, parts: Storage & Guilds & Listing & Watched) {
  const { database, encryption, keys, keyWatch, settings, guildLog, games } = parts;
  const { scheduler, listing, longestRequestMs, listeners } = parts;
  const history = createHistory({ database });
  const { memberLimit: member, guildLimit: guild } = config;
  const checks = createChecks({ database, encryption, listing, member, guild });
  const erasure = createErasure({ database, encryption, checks });
  const records = createRecords({ database });
  const drafts = createListDrafts({ records, checks, settings, games });
  const suggestions = createSuggestions({ history, games, settings, logger });
  const pipeline = createPipeline({
    ...{ database, records, scheduler, checks, keys, settings, listing },
    onKeyRefused: keyWatch.tellRefused,
    observers: [
      createSubmissionLog({ guildLog, games }),
      gamesObserver(games),
      suggestions,
      ...listeners.observers,
    ],
    longestRequestMs,
    logger,
  });
  return { history, checks, erasure, records, drafts, pipeline, suggestions };
}

/** What becomes of a guild's data, on demand and when the bot was removed from it. */
function createLeaving(
  { config, logger, timing }: AppDeps,
  parts: Storage & Guilds & Submissions & Connected,
) {
  const { database: store, keys, settings, erasure, suggestions, connection } = parts;
  const guildData = createGuildData({
    store,
    keys,
    submissions: erasure,
    parts: [settings, suggestions],
    logger,
  });
  const membership = createMembership({
    ...{ store, data: guildData, keys, logger },
    listGuilds: connection.listGuilds,
    isForeign: connection.isForeign,
    applicationId: connection.applicationId,
    isOurs: connection.isOurs,
    checkEveryMs: config.departureCheckSeconds * 1000,
    graceMs: config.departureGraceDays * DAY_MS,
    ...{ afterStartMs: timing?.membershipCheck, stopWithinMs: timing?.membershipStop },
  });
  return { guildData, membership };
}

type All = Storage & Guilds & Listing & Submissions & Leaving & Connected & { readonly traces: Traces };

/** The commands, and how an interaction comes to them and its answer to Discord. */
function createService({ config, logger }: AppDeps, parts: All) {
  const { database, encryption, guildLog, records, games, membership, connection, traces, words } = parts;
  const attachments = createAttachments({ hosts: config.attachmentHosts, maxBytes: MAX_FILE_BYTES, logger });
  const commands = createCommands({
    ...parts,
    addBotLink: connection.addBotLink,
    graceDays: config.departureGraceDays,
    historyDays: config.historyDays,
    attachments,
    links: { support: config.supportUrl, privacy: config.privacyUrl },
  });
  const taken = createTakenInteractions({ database, encryption, logger });
  const left = createLeftInteractions({ database, encryption, logger });
  const dispatcher = createDispatcher({
    commands,
    ids: createSignedIds(config.discordToken),
    wording: { ...words, mention: connection.mention },
    memory: taken,
    traces,
    firstForAdmins: createKeyNotice(parts),
    tellGuild: guildLog.tell,
    logger,
  });

  /** Answers what a crash has left unanswered. */
  async function answerLeft(replies: PastReplies): Promise<void> {
    await Promise.all(
      (await left.left(replies.owns)).map(async ({ interaction, at }) => {
        const record = await records.carriedOutBy(interaction.guildId, interaction.interactionId);
        const { servers, known } = record ? toResume(record) : { servers: [], known: new Map() };
        const outcomes = servers.map((_, position) => known.get(position));
        const report = known.size > 0 && {
          report: (context: Context) => toldAfterRestart(context, { servers, outcomes }, games),
        };
        return dispatcher.resume({ interaction, at, ...report }, replies);
      }),
    );
  }

  const service: Service = {
    commands: commands.map(asPublished),
    onReady: answerLeft,
    onInteraction: dispatcher.handle,
    onUse: [membership.used, parts.suggestions.used],
    async drain(ms) {
      await dispatcher.drain(ms);
      // While the connection is still there.
      await guildLog.flush();
    },
  };
  return { service, taken, left, attachments };
}
