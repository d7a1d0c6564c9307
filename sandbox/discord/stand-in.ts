import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  ApplicationCommandPermissionType,
  ApplicationCommandType,
  EntryPointCommandHandlerType,
} from 'discord.js';
import { type Certificate, createLoopbackServer } from '../loopback-server.ts';
import { createWatchers } from '../watchers.ts';
import type { Actor } from './client/payload.ts';
import { createPerson } from './client/person.ts';
import type { DiscordEvent, Person, Upload } from './contract.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import { createGateway, type GatewayOptions } from './gateway/server.ts';
import { createGuildEvents } from './guild-events.ts';
import { createRecords } from './records.ts';
import {
  type ApplicationSettings,
  applicationRoutes,
  commandRoutes,
  guildRoutes,
} from './rest/application-routes.ts';
import { channelRoutes } from './rest/channel-routes.ts';
import { createFaults } from './rest/faults.ts';
import { callbackRoutes, webhookRoutes } from './rest/interaction-routes.ts';
import { createOperatorWebhook } from './rest/operator-webhook.ts';
import { createOutgoing, personsMessage } from './rest/outgoing.ts';
import { createRestApi } from './rest/server.ts';
import type { Channel } from './world/channels.ts';
import type { CommandBody } from './world/commands.ts';
import type { Guild, Role } from './world/guilds.ts';
import { ANSWER_WITHIN_MS } from './world/interactions.ts';
import type { SeenMessage } from './world/messages.ts';
import { createWorld } from './world/world.ts';

/** Options for `startDiscord`. */
export interface StandInOptions extends GatewayOptions {
  readonly token: string;
  /** The name of the bot user and of its application. */
  readonly botName?: string;
  /** If set, the server uses TLS with this certificate and supports both HTTP/2 and HTTP/1.1, like Discord's CDN. */
  readonly certificate?: Certificate;
  /** Whether Activities are enabled for the application, which adds an entry point command. The default is `false`. */
  readonly entryPoint?: boolean;
  /** An Interactions Endpoint URL that is already saved. Interactions are sent to it instead of the gateway. */
  readonly endpointUrl?: string;
  /** The application's settings in the Developer Portal, which `GET /applications/@me` returns. */
  readonly application?: ApplicationSettings;
  /**
   * A user's reaction time before an action, in real milliseconds. The default is 50. Even a fast human would give the bot
   * that much time to get ready for the next step.
   */
  readonly reactionMs?: number;
  /**
   * How long the bot may take to send the first response to an interaction, in milliseconds. The default is 3,000, as on
   * the real Discord.
   */
  readonly answerWithinMs?: number;
  /**
   * The clock that times first responses, in milliseconds. More than 3 seconds is a breach, even if `answerWithinMs` is
   * longer. The default is real time, but tests can exclude delays caused by a busy machine.
   */
  readonly botTime?: () => number;
}

interface NewPerson {
  readonly guild: Guild;
  readonly name: string;
  readonly permissions: bigint;
  readonly locale?: string;
  /** The channel, thread or direct message channel that the user is in. The default is the guild's first text channel. */
  readonly channelId?: string;
  /** Set this to reuse a user in later runs. The default is a new id. */
  readonly userId?: string;
}

interface Place {
  readonly channelId: string;
  readonly userId?: string;
}

/** The command that Discord adds to an application when Activities are enabled in the Developer Portal. */
const ENTRY_POINT: CommandBody = {
  type: ApplicationCommandType.PrimaryEntryPoint,
  name: 'launch',
  name_localizations: { de: 'starten' },
  handler: EntryPointCommandHandlerType.DiscordLaunchActivity,
};

/** Starts a simulated Discord on a loopback address. The REST API, the gateway and the CDN share one free port. */
export async function startDiscord(options: StandInOptions) {
  const { botName = 'Test Bot', answerWithinMs = ANSWER_WITHIN_MS, reactionMs = 50 } = options;
  const { botTime = () => performance.now() } = options;
  let port = 0;
  const origin = (scheme: string = loopback.scheme) => `${scheme}://127.0.0.1:${port}`;
  const { tell, watch } = createWatchers<DiscordEvent>();
  const world = createWorld({
    botName,
    origin: () => origin(),
    answerWithinMs,
    botTime,
    onLate: (...late) => records.lateResponse(...late),
    onEvent: tell,
  });
  const { clock, guilds, messages, commands, bot, directMessages } = world;
  if (options.entryPoint) commands.replace([ENTRY_POINT]);
  const records = createRecords({ clock, onEvent: tell });
  const endpoint = createEndpoint({
    world,
    answerWithinMs,
    url: options.endpointUrl,
    onPosted: (...posted) => records.posted(...posted),
  });
  const outgoing = createOutgoing(world);
  const operatorWebhook = createOperatorWebhook(world);
  const faults = createFaults(() => loopback.sockets());
  /** Mismatches between the stand-in's own responses and Discord's schemas. */
  const flaws = new Set<string>();

  const restApi = createRestApi({
    world,
    token: options.token,
    faults,
    routes: [
      ...applicationRoutes(world, {
        connectionInfo: () => gateway.connectionInfo(),
        endpoint,
        settings: options.application ?? {},
      }),
      ...guildRoutes(world),
      ...commandRoutes(world),
      ...callbackRoutes(world, outgoing),
      ...webhookRoutes(world, outgoing, operatorWebhook),
      ...channelRoutes(world, outgoing),
    ],
    onRequest: records.request,
    onFlaw: (flaw) => flaws.add(flaw),
  });
  const loopback = createLoopbackServer(restApi, options.certificate);
  const gateway = createGateway({
    options,
    server: loopback.server,
    world,
    url: () => origin(loopback.scheme === 'https' ? 'wss' : 'ws'),
    token: options.token,
    onFrame: records.frame,
    onBreach: records.gatewayBreach,
    endpoint,
  });
  port = await loopback.listen(0);

  const isConnected = () => endpoint.url() !== undefined || gateway.controls.sessions().length > 0;
  const isPublished = () => commands.list().some(({ type }) => type !== ENTRY_POINT.type);

  async function until(holds: () => boolean): Promise<void> {
    await endpoint.reachable();
    // If the bot process has just ended, its connection isn't closed until the next turn of the event loop.
    await nextTurn();
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => holds() && resolve();
    const stop = watch(look);
    look();
    await promise;
    stop();
  }

  return {
    /** The operator's webhook with its URL, and all messages posted to it. */
    operatorWebhook: { ...operatorWebhook, url: `${origin()}/api/v10${operatorWebhook.path}` },
    /** The value for discord.js's `rest.api` option: `http://127.0.0.1:PORT/api`, or `https` if there is a certificate. */
    apiUrl: `${origin()}/api`,
    /** The beginning of all attachment URLs, with the host and port of `apiUrl`. */
    cdnUrl: origin(),
    applicationId: world.applicationId,
    /** Resolves once the bot is connected (or its endpoint responds) and its commands are published. */
    ready: () => until(() => isConnected() && isPublished()),
    /** Resolves once the bot is connected (or its endpoint responds), even if its commands aren't published yet. */
    connected: () => until(isConnected),
    /** Every breach of a Discord rule so far. */
    breaches: records.breaches,
    /** Returns all requests in the order in which they arrived. */
    get requests() {
      return records.requests();
    },
    /**
     * Finds the requests and gateway payloads that contain a secret, in plain text or encoded.
     * @throws Error if the oldest requests have been dropped, because they could also contain the secret
     */
    findSecret: records.findSecret,
    /** Returns the guilds that the bot is in. There are two at the start, `guilds[0]` and `guilds[1]`. */
    get guilds(): readonly Guild[] {
      return guilds.joined();
    },
    /** Returns all guilds in order of creation, including guilds that the bot has left. */
    get everyGuild(): readonly Guild[] {
      return guilds.all();
    },
    /** The stand-in's clock. Tests call `advance` to skip waits. */
    clock,
    /** Functions that make REST requests fail. */
    faults: faults.controls,
    /** The bot's endpoint. If its URL is set, interactions are sent to it instead of the gateway. */
    endpoint: endpoint as Omit<Endpoint, 'post' | 'stop'>,
    /** Functions that make the gateway fail, and a function that returns its connected sessions. */
    gateway: gateway.controls,
    /** Functions that add, remove and change guilds. */
    guildEvents: createGuildEvents(world),
    /**
     * Calls a function with every event from now on. Earlier events are in `messages`, `requests` and `breaches`. @returns
     * a function that stops the calls
     */
    watch,
    /** Returns the name of the user, role or channel with this id. */
    nameOf: (id: string) => (id === bot.id ? bot.username : guilds.nameOf(id)),
    /** Returns the commands that the bot has published. */
    commands: commands.list,
    person({ guild: { id }, name, permissions, locale = 'en-US', channelId, userId }: NewPerson): Person {
      const guild = guilds.known(id);
      const { next } = world.snowflakes;
      const member = guilds.addMember(guild, { userId: userId ?? next(), name, permissions });
      const place = channelId ?? guild.channelId;
      const actor: Actor = { userId: member.userId, name, locale, channelId: place, guild, member };
      return createPerson({ world, actor, reactionMs, dispatch: gateway.dispatch });
    },
    /**
     * Returns the channels of a guild. A new guild has `general`, `staff`, the announcement channel `news` and the thread
     * `questions`.
     */
    channels: ({ id }: Guild): readonly Channel[] => [...guilds.known(id).channels.values()],
    /** Returns the id of the direct message channel between the bot and a user. */
    directChannel: (userId: string): string => directMessages.with(userId).id,
    /** Makes Discord reject the bot's direct messages to this user. */
    rejectDirectMessages: (userId: string) => void directMessages.rejecting.add(userId),
    /**
     * Makes Discord reject the bot's attempts to open direct message channels, for this reason; `undefined` allows them
     * again.
     */
    stopDirectMessages: directMessages.setStop,
    /** Returns the members of a guild. */
    members: ({ id }: Guild) =>
      [...guilds.known(id).members.values()].map(({ userId, name }) => ({ id: userId, name })),
    /** Returns the roles of a guild, starting with @everyone. */
    roles: ({ id }: Guild): readonly Role[] => [...guilds.known(id).roles.values()],
    /** Posts a message from a user in a channel, optionally with a file. @returns the message's id */
    say({ userId, name, channelId }: Person, content: string, file?: Upload): string {
      const author = { id: userId, name };
      const id = world.snowflakes.next();
      const attachments = file ? [world.files.keep({ ...file, ephemeral: false })] : [];
      const message = personsMessage({ id, channelId, author, at: clock.now() }, content);
      return messages.add({ ...message, attachments }).id;
    },
    /** Deletes any message, like a user with the Manage Messages permission. */
    deleteMessage: messages.delete,
    /** Returns a channel's public messages in order. With a user id, includes messages that only this user can see. */
    messages: ({ channelId, userId }: Place): readonly SeenMessage[] =>
      messages
        .all()
        .filter((message) => message.channelId === channelId)
        .filter(({ onlyFor }) => onlyFor === undefined || onlyFor === userId),
    /** Allows a user to run a command, like an admin on the Integrations page. */
    allowCommand({ guildId, userId }: Person, commandId: string): void {
      const { integrations } = guilds.known(guildId);
      const entry = { id: userId, type: ApplicationCommandPermissionType.User, permission: true };
      integrations.set(commandId, [...(integrations.get(commandId) ?? []), entry]);
    },
    /** @throws Error if a response of the stand-in didn't match Discord's published schema */
    async close(): Promise<void> {
      world.close();
      endpoint.stop();
      gateway.stop();
      await loopback.close();
      if (flaws.size > 0)
        throw new Error(`the stand-in sent responses that Discord would not send:\n${[...flaws].join('\n')}`);
    },
  };
}
