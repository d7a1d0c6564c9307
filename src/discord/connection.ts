import {
  type Client,
  calculateShardId,
  Events,
  GatewayDispatchEvents,
  type GatewayReadyDispatchData,
  type Interaction,
  type REST,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import { atMost, type Part } from '../lifecycle.ts';
import type { Logger } from '../logger.ts';
import type { Secret } from '../secret.ts';
import type { WordsFor } from '../words/words.ts';
import { type Invitation, inviteLink, isForeign, listGuilds, tellOfApplication } from './application.ts';
import { createClient, createGatewayState, type GatewayState } from './client.ts';
import { type PacketsDeps, receiveInteractions } from './incoming.ts';
import { explainPublishFailure, publishCommands } from './publish.ts';
import { type PastReplies, pastReplies } from './resume.ts';

/** Close codes after which reconnecting cannot help (Discord docs: Gateway close event codes), and what to do. */
const FATAL_CLOSE_CODES: Readonly<Record<number, string>> = {
  4004: 'the bot token is not valid (any more)',
  4010: 'the shard is not valid',
  4011: 'the bot is in too many servers for one shard',
  4012: 'the version of the gateway is no longer served',
  4013: 'the intents are not valid',
  4014: 'the intents are not granted to this bot',
};

/** The bot cannot go on: what to tell the operator, in one line. */
export class FatalDiscordError extends Error {
  override readonly name = 'FatalDiscordError';
}

export interface ConnectionDeps {
  readonly apiUrl: string;
  readonly token: Secret;
  readonly wordsFor: WordsFor;
  readonly logger: Logger;
  /** Called with each 429 of Discord: whose limit it was, by Discord's word. */
  readonly onRateLimited?: ((scope: string) => void) | undefined;
  /** Called once, when all that belongs to a start has been done. */
  readonly onOnline?: ((online: Online) => void) | undefined;
  /** The pauses of {@link listGuilds}. */
  readonly listPauses?: readonly number[] | undefined;
  /** Called once when Discord ends the connection for good after a start that went well. */
  readonly onFatal: (error: FatalDiscordError) => void;
}

/** A connection that has just been made. */
export interface Online {
  readonly guilds: number;
  /** How many are published; `undefined` when they could not be. */
  readonly commands: number | undefined;
  /** `undefined` when Discord did not tell. */
  readonly application: Invitation | undefined;
}

/** What is done for those who use the bot. */
export interface Service extends Pick<PacketsDeps, 'onUse'> {
  readonly commands: readonly RESTPostAPIApplicationCommandsJSONBody[];
  /** Called once after login, with the means to answer what a previous run has left. */
  readonly onReady: (replies: PastReplies) => Promise<void>;
  readonly onInteraction: (interaction: Interaction) => Promise<void>;
  /** Takes no new interaction and waits for those under way, at most this long, in milliseconds. */
  readonly drain: (ms: number) => Promise<void>;
}

export interface Connection {
  /** A command as a clickable mention, or `/name` until Discord has told its id. */
  readonly mention: (command: string) => string;
  /** The ids of every guild the bot is in: all of them, or an error. For when it has started. */
  readonly listGuilds: (signal?: AbortSignal) => Promise<readonly string[]>;
  /** Whether Discord says that the bot user is not in a guild; an error when it does not say. For when it has started. */
  readonly isForeign: (guildId: string, signal?: AbortSignal) => Promise<boolean>;
  /** Where the bot user can be added to a guild that lacks it; `undefined` when it is there or Discord does not say. */
  readonly addBotLink: (guildId: string) => Promise<string | undefined>;
  /** The id of the application that the token is of. For when it has started. */
  readonly applicationId: () => string;
  /** The id of the bot user, which older applications do not share. For when it has started. */
  readonly botId: () => string;
  /** Whether the guild is on one of the shards of this process. For when it has started. */
  readonly isOurs: (guildId: string) => boolean;
  readonly gateway: GatewayState;
  /** Requests with the bot's own token, once it has started. */
  readonly rest: Pick<REST, 'get' | 'post'>;
  /** Logs in when the part is started, and offers the service until it is stopped. Only once for a connection. */
  readonly serve: (service: Service) => Part;
}

/** How long a member waits while Discord is asked about their guild. */
const ASK_TIMEOUT_MS = 2_000;
/** How long running interactions may take to end when the bot stops. */
const DRAIN_MS = 8000;
/** How long a login under way may take to end when the bot stops; Discord answers within a second. */
const LOGIN_ENDS_MS = 3_000;
/** How long Discord may take to confirm that the connection is closed. */
const CLOSES_MS = 1_000;

/** The bot's connection to Discord: login, publishing the commands, fatal ends, and a stop that loses no answer. */
export function createConnection(deps: ConnectionDeps): Connection {
  const { client, close } = createClient(deps);
  const heardAt = new Map<number, number>();
  let ids: ReadonlyMap<string, string> = new Map();

  return {
    gateway: createGatewayState(client, heardAt),
    rest: client.rest,
    mention: (command) => {
      const id = ids.get(command);
      return id === undefined ? `\`/${command}\`` : `</${command}:${id}>`;
    },
    listGuilds: (signal) => listGuilds(client.rest, { signal, pauses: deps.listPauses }),
    isForeign: (guildId, signal) => isForeign(client.rest, guildId, { signal }),
    async addBotLink(guildId) {
      const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
      const lacksBot = await isForeign(client.rest, guildId, { signal }).catch(() => false);
      return lacksBot ? `${inviteLink(client.application?.id ?? '')}&guild_id=${guildId}` : undefined;
    },
    applicationId: () => client.application?.id ?? '',
    botId: () => client.user?.id ?? '',
    isOurs: (guildId) => client.ws.shards.has(calculateShardId(guildId, client.options.shardCount ?? 1)),
    serve(service) {
      let leaving = false;
      let login: Promise<unknown> = Promise.resolve();
      listen(client, {
        ...deps,
        ...service,
        heardAt,
        isLeaving: () => leaving,
        onPublished: (now) => (ids = now),
      });
      return {
        name: 'discord',
        async start() {
          try {
            login = client.login(deps.token.reveal());
            await login;
          } catch (error) {
            throw explainLogin(error);
          }
        },
        async stop() {
          await service.drain(DRAIN_MS);
          leaving = true;
          // Destroyed while it waits for READY, discord.js 14.28 connects anew, and `destroy` never resolves.
          await atMost(LOGIN_ENDS_MS, login);
          await atMost(CLOSES_MS, client.destroy());
          await close();
        },
      };
    },
  };
}

interface Listening
  extends Omit<Service, 'drain'>,
    Pick<PacketsDeps, 'heardAt'>,
    Pick<ConnectionDeps, 'wordsFor' | 'logger' | 'onFatal' | 'onOnline'> {
  /** Whether the bot has begun to go: nothing of the connection is news then. */
  readonly isLeaving: () => boolean;
  /** Told the id of each command, once the commands are published. */
  readonly onPublished: (ids: ReadonlyMap<string, string>) => void;
}

/** Answers whatever the client tells. */
function listen(client: Client, listening: Listening): void {
  const { commands, logger, isLeaving, onPublished, onReady, onFatal, onOnline } = listening;

  async function publish(ready: Client<true>): Promise<number | undefined> {
    try {
      const ids = await publishCommands({ client: ready, commands, logger });
      onPublished(ids);
      return ids.size;
    } catch (error) {
      logger.error({ err: error }, explainPublishFailure(error));
      return undefined;
    }
  }

  const guildsOfShards = new Map<number, number>();
  client.ws.on(GatewayDispatchEvents.Ready, ({ guilds }: GatewayReadyDispatchData, shard: number) => {
    guildsOfShards.set(shard, guilds.length);
  });
  receiveInteractions({ client, ...listening });
  client.on(Events.Error, (error) => logger.error({ err: error }, 'discord.js reported an error'));
  client.on(Events.Warn, (message) => logger.warn({ message }, 'discord.js warns'));
  client.on(Events.ShardError, (error, shard) =>
    logger.warn({ err: error, shard }, 'connection to Discord failed'),
  );
  client.on(Events.ShardReconnecting, (shard) => {
    if (!isLeaving()) logger.info({ shard }, 'reconnecting to Discord');
  });
  client.on(Events.ShardResume, (shard, replayed) =>
    logger.info({ shard, replayed }, 'connection to Discord resumed'),
  );
  client.once(Events.ClientReady, (ready) => {
    if (isLeaving()) return;
    const guilds = [...guildsOfShards.values()].reduce((sum, count) => sum + count, 0);
    logger.info({ user: ready.user.tag, guilds }, 'connected to Discord');
    void Promise.all([publish(ready), tellOfApplication(ready.rest, logger)]).then(
      ([published, application]) => {
        if (!isLeaving()) onOnline?.({ guilds, commands: published, application });
      },
    );
    onReady(pastReplies(ready)).catch((error: unknown) =>
      logger.error({ err: error }, 'what was left from before the restart could not be read'),
    );
  });
  client.on(Events.ShardDisconnect, ({ code }, shard) => {
    if (isLeaving()) return;
    const reason = FATAL_CLOSE_CODES[code] ?? 'Discord closed the connection for good';
    onFatal(new FatalDiscordError(`Discord ended shard ${shard} with code ${code}: ${reason}`));
  });
  client.on(Events.Invalidated, () => {
    if (!isLeaving()) onFatal(new FatalDiscordError('Discord has invalidated the session of this bot'));
  });
}

/** A login's failure as one line for the operator; the token is in none of them. */
function explainLogin(error: unknown): FatalDiscordError {
  const code = Object(error).code;
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'TokenInvalid' || message === 'Authentication failed') {
    return new FatalDiscordError(
      'Discord does not accept DISCORD_TOKEN: copy it again from the Developer Portal',
      {
        cause: error,
      },
    );
  }
  return new FatalDiscordError(`Could not log in to Discord: ${message}`, { cause: error });
}
