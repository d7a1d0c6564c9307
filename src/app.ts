import { explainFailure } from '../commands/explain-failure.ts';
import { createCommands } from '../commands/index.ts';
import { keyRefusedNotice } from '../commands/key-notices.ts';
import { createSubmissionLog } from '../commands/submission-log.ts';
import type { Config } from './config.ts';
import { createBoundIds } from './discord/bound-ids.ts';
import { createChannelPosts } from './discord/channel-posts.ts';
import { type Connection, createConnection, type FatalDiscordError } from './discord/connection.ts';
import { createDispatcher } from './discord/dispatch.ts';
import { createGuildLog } from './discord/guild-log.ts';
import { createApiKeys } from './guilds/api-keys.ts';
import { createKeyWatch } from './guilds/key-watch.ts';
import { logPlaces } from './guilds/log-places.ts';
import { createGuildSettings } from './guilds/settings.ts';
import { inOrder, type Part } from './lifecycle.ts';
import { createListingApi } from './listing/client.ts';
import { createGameCatalog } from './listing/game-catalog.ts';
import type { Logger } from './observability/logger.ts';
import { createDatabase } from './storage/database.ts';
import { createStoreEncryption } from './storage/encryption-key.ts';
import { allowedGamesStep } from './submissions/allowed-games.ts';
import { createDailyQuota } from './submissions/daily-quota.ts';
import { createDesk } from './submissions/desk.ts';
import { createLedger, ledgerStep } from './submissions/ledger.ts';

export interface AppDeps {
  readonly config: Config;
  readonly logger: Logger;
  /** Called when the bot cannot go on although it had started; the process has to end. */
  readonly onFatal: (error: FatalDiscordError) => void;
}

/** The whole bot, put together; the only place that knows every part. Nothing happens before `start`. */
export function createApp({ config, logger, onFatal }: AppDeps): Required<Omit<Part, 'name'>> {
  const mention = (command: string): string => discord.mention(command);
  const database = createDatabase({ url: config.storeUrl, logger });
  const encryption = createStoreEncryption({ configured: config.encryptionKeys, database, logger });
  const keys = createApiKeys({ store: database, encryption });
  const listing = createListingApi({
    baseUrl: config.listingApiUrl,
    timeoutMs: config.listingApiTimeoutMs,
    arrayFormat: config.listingApiArrayFormat,
    logger,
  });
  const keyWatch = createKeyWatch({
    keys,
    onRefused: (guildId) => guildLog.tell(guildId, (t) => keyRefusedNotice(t, mention)),
    logger,
  });
  const games = createGameCatalog({
    listing,
    store: database,
    ttlMs: config.gamesTtlSeconds * 1000,
    ...(config.listingApiKey && { operatorKey: config.listingApiKey }),
    onAnswer: keyWatch.heard,
    logger,
  });

  const settings = createGuildSettings({ store: database });
  const posts = createChannelPosts({ rest: () => discord.rest, logger });
  const guildLog = createGuildLog({ posts, ...logPlaces(settings), logger });
  const ledger = createLedger({ store: database });
  const quota = createDailyQuota({
    store: database,
    limitOf: async (guildId) => (await settings.get(guildId)).dailyQuota,
  });
  const submissionLog = createSubmissionLog({ guildLog, games });
  const desk = createDesk({
    listing,
    steps: [
      keyWatch.step,
      allowedGamesStep(async (guildId) => (await settings.get(guildId)).games),
      quota.step,
      ledgerStep(ledger),
      submissionLog,
    ],
    logger,
  });
  const commands = createCommands({
    desk,
    listing,
    games,
    keys,
    keyWatch,
    settings,
    posts,
    guildLog,
    ledger,
    links: {
      ...(config.supportUrl !== undefined && { support: config.supportUrl }),
      ...(config.privacyUrl !== undefined && { privacy: config.privacyUrl }),
    },
  });
  const dispatcher = createDispatcher({
    commands,
    ids: createBoundIds(config.discordToken),
    mention,
    logger,
    explain: (error, t) => explainFailure(error, t, mention),
  });
  const discord: Connection = createConnection({
    apiUrl: config.discordApiUrl,
    token: config.discordToken,
    commands: commands.map(({ data }) => data),
    logger,
    onInteraction: dispatcher.handle,
    async drain(ms) {
      await dispatcher.drain(ms);
      // While the connection is still there.
      await submissionLog.flush();
      await guildLog.flush();
    },
    onFatal,
  });

  const connections: Part = { name: 'listing', stop: () => listing.close() };
  return inOrder([database, encryption, settings, connections, { name: 'games', ...games }, discord], logger);
}
