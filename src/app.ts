import { explainFailure } from '../commands/explain-failure.ts';
import { createCommands } from '../commands/index.ts';
import { keyRefusedNotice } from '../commands/key-notices.ts';
import type { Config } from './config.ts';
import { createBoundIds } from './discord/bound-ids.ts';
import { type Connection, createConnection, type FatalDiscordError } from './discord/connection.ts';
import { createDispatcher } from './discord/dispatch.ts';
import { createApiKeys } from './guilds/api-keys.ts';
import { createDepartures } from './guilds/departures.ts';
import { createGuildData } from './guilds/guild-data.ts';
import type { TellGuild } from './guilds/guild-notice.ts';
import { createKeyWatch } from './guilds/key-watch.ts';
import { inOrder, type Part } from './lifecycle.ts';
import { createListingApi } from './listing/client.ts';
import { createGameCatalog } from './listing/game-catalog.ts';
import type { Logger } from './observability/logger.ts';
import { createDatabase } from './storage/database.ts';
import { createStoreEncryption } from './storage/encryption-key.ts';
import { keyInUse } from './storage/key-in-use.ts';
import { createDesk } from './submissions/desk.ts';
import { createLedger } from './submissions/ledger.ts';

const DAY_MS = 86_400_000;

export interface AppDeps {
  readonly config: Config;
  readonly logger: Logger;
  /** Called when the bot cannot go on although it had started; the process has to end. */
  readonly onFatal: (error: FatalDiscordError) => void;
}

/** The whole bot, put together; the only place that knows every part. Nothing happens before `start`. */
export function createApp({ config, logger, onFatal }: AppDeps): Required<Omit<Part, 'name'>> {
  const mention = (command: string): string => discord.mention(command);
  const tellGuild: TellGuild = async (guildId, text) => logger.info({ guildId, text }, 'for the admins');
  const database = createDatabase({ url: config.storeUrl, logger });
  const encryption = createStoreEncryption({ configured: config.encryptionKeys, database, logger });
  const keys = createApiKeys({ store: database, encryption });
  const listing = createListingApi({
    baseUrl: config.listingApiUrl,
    timeoutMs: config.listingApiTimeoutMs,
    arrayFormat: config.listingApiArrayFormat,
    logger,
  });
  const ledger = createLedger({ store: database });
  const guildData = createGuildData({ store: database, keys, ledger });
  const keyWatch = createKeyWatch({
    keys,
    onRefused: (guildId, locale) => tellGuild(guildId, keyRefusedNotice(locale, mention)),
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

  const desk = createDesk({ listing, steps: [keyWatch.step], logger });
  const commands = createCommands({
    desk,
    listing,
    games,
    keys,
    keyWatch,
    tellGuild,
    guildData,
    graceDays: config.departureGraceDays,
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
    drain: dispatcher.drain,
    onFatal,
  });

  const departures = createDepartures({
    store: database,
    data: guildData,
    keys,
    listGuilds: discord.listGuilds,
    isOurs: discord.isOurs,
    checkEveryMs: config.departureCheckSeconds * 1000,
    graceMs: config.departureGraceDays * DAY_MS,
    logger,
  });

  const connections: Part = { name: 'listing', stop: () => listing.close() };
  const parts = [
    database,
    encryption,
    keyInUse({ database, encryption }),
    connections,
    { name: 'games', ...games },
    discord,
    departures,
  ];
  return inOrder(parts, logger);
}
