import { MOST_FILE_BYTES } from '../commands/batch-opening.ts';
import { gamesObserver } from '../commands/games-observer.ts';
import { createCommands } from '../commands/index.ts';
import { createAppListing } from './app-listing.ts';
import type { Timing } from './app-timing.ts';
import type { Config } from './config.ts';
import { createAttachments } from './discord/attachment.ts';
import { createChannelPosts } from './discord/channel-posts.ts';
import type { Context } from './discord/command.ts';
import { createSignedIds } from './discord/components/custom-ids.ts';
import { type Connection, createConnection, type FatalDiscordError } from './discord/connection.ts';
import { createDispatcher } from './discord/dispatch.ts';
import { createFailureWords } from './discord/failure-words.ts';
import { createGuildLog } from './discord/guild-log.ts';
import type { PastReplies } from './discord/past-replies.ts';
import { createTakenInteractions, interactionContext } from './discord/taken.ts';
import { createApiKeys } from './guilds/api-keys.ts';
import { createDepartures } from './guilds/departures.ts';
import { createGuildData } from './guilds/guild-data.ts';
import { heldKeys } from './guilds/held-keys.ts';
import { createKeyWatch } from './guilds/key-watch.ts';
import { logPlaces } from './guilds/log-places.ts';
import { createGuildSettings } from './guilds/settings.ts';
import { inOrder, type Part } from './lifecycle.ts';
import { createGameCatalog } from './listing/game-catalog.ts';
import type { Logger } from './logger.ts';
import { createDatabase } from './storage/database.ts';
import { createStoreEncryption, keyInUse } from './storage/encryption-key.ts';
import { createErasure } from './submissions/erasure.ts';
import { createHistory } from './submissions/history.ts';
import { createLimits } from './submissions/limits.ts';
import { createPipeline } from './submissions/pipeline.ts';
import { createPreviousRecords } from './submissions/previous/move.ts';
import { createPruning } from './submissions/pruning.ts';
import { createRecords } from './submissions/record.ts';
import { toResume } from './submissions/run.ts';
import { createTidying } from './submissions/tidying.ts';
import { afterRestartText } from './words/after-restart.ts';
import { explainFailure } from './words/explain-failure.ts';
import { keyRefusedNotice } from './words/key-notices.ts';
import { createSubmissionLog } from './words/submission-log.ts';

const DAY_MS = 86_400_000;

export interface AppDeps {
  readonly config: Config;
  readonly logger: Logger;
  /** Called when the bot cannot go on although it had started; the process has to end. */
  readonly onFatal: (error: FatalDiscordError) => void;
  readonly timing?: Timing;
}

/** The whole bot, put together; the only place that knows every part. Nothing happens before `start`. */
export function createApp({ config, logger, onFatal, timing = {} }: AppDeps): Required<Omit<Part, 'name'>> {
  const mention = (command: string): string => discord.mention(command);
  const database = createDatabase({ url: config.storeUrl, logger });
  const encryption = createStoreEncryption({ configured: config.encryptionKey, database, logger });
  const keys = createApiKeys({ store: database, encryption });
  const operatorKey = config.listingApiKey && { operatorKey: config.listingApiKey };
  const { listing, scheduler, reading, keyTrials } = createAppListing({ config, keys, logger });
  const settings = createGuildSettings({ store: database });
  const posts = createChannelPosts({ rest: () => discord.rest, logger });
  const guildLog = createGuildLog({ posts, ...logPlaces(settings), ...timing.guildLog, logger });
  const keyWatch = createKeyWatch({
    keys,
    onRefused: (guildId) => guildLog.tell(guildId, (t) => keyRefusedNotice(t, mention)),
    logger,
  });
  const games = createGameCatalog({
    listing: reading,
    store: database,
    ttlMs: config.gamesTtlSeconds * 1000,
    heldKeys: () => heldKeys({ store: database, encryption }),
    ...operatorKey,
    onAnswer: keyWatch.heard,
    logger,
  });
  const history = createHistory({ database });
  const limits = createLimits({ database, encryption, member: config.memberLimit, guild: config.guildLimit });
  const erasure = createErasure({ database, encryption, limits });
  const records = createRecords({ database });
  // All tries of one request together (see createListingApi).
  const longestRequestMs = 2 * config.listingApiTimeoutMs;
  const pipeline = createPipeline({
    database,
    records,
    scheduler,
    history,
    limits,
    keys: { usable: keys.usable, hear: keyWatch.hear, tellRefused: keyWatch.tellRefused },
    settings,
    listing,
    observers: [createSubmissionLog({ guildLog, games }), gamesObserver(games)],
    longestRequestMs,
    logger,
  });
  const guildData = createGuildData({ store: database, keys, submissions: erasure, parts: [settings] });
  const attachments = createAttachments({ hosts: config.attachmentHosts, maxBytes: MOST_FILE_BYTES, logger });
  const commands = createCommands({
    pipeline,
    records,
    keyTrials,
    games,
    keys,
    keyWatch,
    settings,
    posts,
    addBotLink: (guildId) => discord.addBotLink(guildId),
    guildLog,
    history,
    guildData,
    graceDays: config.departureGraceDays,
    historyDays: config.historyDays,
    attachments,
    links: {
      ...(config.supportUrl !== undefined && { support: config.supportUrl }),
      ...(config.privacyUrl !== undefined && { privacy: config.privacyUrl }),
    },
  });
  const taken = createTakenInteractions({ database, encryption, logger });
  const dispatcher = createDispatcher({
    commands,
    ids: createSignedIds(config.discordToken),
    mention,
    memory: taken,
    words: createFailureWords({ logger, explain: (error, t) => explainFailure(error, t, mention) }),
    tellGuild: (guildId, text) => guildLog.tell(guildId, () => text),
    logger,
  });

  /** Answers what a crash has left unanswered. */
  async function settle(replies: PastReplies): Promise<void> {
    await Promise.all(
      (await taken.left(replies.owns)).map(async ({ interaction, at }) => {
        const record = await records.carriedOutBy(interaction.guildId, interaction.interactionId);
        const { servers, known } = record ? toResume(record) : { servers: [], known: new Map() };
        const outcomes = servers.map((_, place) => known.get(place));
        const report = known.size > 0 && {
          report: (context: Context) => afterRestartText(context, { servers, outcomes }, games),
        };
        return dispatcher.resume({ interaction, at, ...report }, replies);
      }),
    );
  }

  const discord: Connection = createConnection({
    apiUrl: config.discordApiUrl,
    token: config.discordToken,
    commands: commands.map(({ data }) => data),
    listPauses: timing.guildListPauses,
    logger,
    onReady: settle,
    onInteraction: dispatcher.handle,
    onUse: (guildId) => departures.used(guildId),
    async drain(ms) {
      await dispatcher.drain(ms);
      // While the connection is still there.
      await guildLog.flush();
    },
    onFatal,
  });
  const departures = createDepartures({
    store: database,
    data: guildData,
    keys,
    listGuilds: discord.listGuilds,
    isForeign: discord.isForeign,
    applicationId: discord.applicationId,
    isOurs: discord.isOurs,
    checkEveryMs: config.departureCheckSeconds * 1000,
    graceMs: config.departureGraceDays * DAY_MS,
    stopWithinMs: timing.departuresStop,
    logger,
  });

  const connections: Part = {
    name: 'connections',
    stop: async () => void (await Promise.all([listing.close(), attachments.close()])),
  };
  const inTheirOrder: readonly Part[] = [
    database,
    encryption,
    keyInUse({ database, encryption }),
    settings,
    createPreviousRecords({ database, encryption, interactionContext, logger }),
    taken,
    createTidying({ database, logger }),
    createPruning({ database, limits, erasure, days: config.historyDays, logger }),
    connections,
    { name: 'games', ...games },
    discord,
    departures,
  ];
  return inOrder(inTheirOrder, logger);
}
