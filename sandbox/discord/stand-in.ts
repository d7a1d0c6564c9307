import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApplicationCommandType, EntryPointCommandHandlerType } from 'discord.js';
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

/** Options of `startDiscord`. Those with a default may be omitted. */
export interface StandInOptions extends GatewayOptions {
  readonly token: string;
  /** The name of the bot and its application. */
  readonly botName?: string;
  /** Listens on TLS with this certificate, and offers HTTP/2 beside HTTP/1.1, as Discord's CDN does. */
  readonly certificate?: Certificate;
  /** Whether the application has Activities, and so an entry point command from the start; by default `false`. */
  readonly entryPoint?: boolean;
  /** An already saved Interactions Endpoint URL, which receives interactions in place of the gateway. */
  readonly endpointUrl?: string;
  /** The application's settings in the Developer Portal, for `GET /applications/@me`. */
  readonly application?: ApplicationSettings;
  /**
   * How long users take before they press, pick or submit, in real milliseconds; by default 50. A bot starts to wait for the
   * next step when its request gets a response, and no human is faster than that.
   */
  readonly reactionMs?: number;
  /** The bot's time for the first response to an interaction, in milliseconds; by default 3,000, as with Discord. */
  readonly answerWithinMs?: number;
  /**
   * Returns a clock in milliseconds. A first response counts as late after 3 seconds on this clock, even if `answerWithinMs`
   * allows it; by default real time. A test may exclude the time in which a busy machine delayed the bot.
   */
  readonly botTime?: () => number;
}

interface NewPerson {
  readonly guild: Guild;
  readonly name: string;
  readonly permissions: bigint;
  readonly locale?: string;
  /**
   * The user's channel, which may be a thread, an announcement channel or direct messages; by default the guild's first text
   * channel.
   */
  readonly channelId?: string;
  /** A fixed id for a user who is the same in every run; by default a new id. */
  readonly userId?: string;
}

interface Place {
  readonly channelId: string;
  readonly userId?: string;
}

/** The command that an application gets when Activities are enabled in the Developer Portal. */
const ENTRY_POINT: CommandBody = {
  type: ApplicationCommandType.PrimaryEntryPoint,
  name: 'launch',
  name_localizations: { de: 'starten' },
  handler: EntryPointCommandHandlerType.DiscordLaunchActivity,
};

/** Starts a Discord on loopback: REST API, gateway and CDN on one free port. */
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
  /** Responses of the stand-in that differ from Discord's. */
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
    // The end of a process closes its connection only a turn later.
    await nextTurn();
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => holds() && resolve();
    const stop = watch(look);
    look();
    await promise;
    stop();
  }

  return {
    /** An operator's webhook: its URL, and the messages posted to it. */
    operatorWebhook: { url: `${origin()}/api/v10${operatorWebhook.path}`, posts: operatorWebhook.posts },
    /** The value for a bot's `rest.api`: `http://127.0.0.1:PORT/api`, or with `https`. */
    apiUrl: `${origin()}/api`,
    /** The origin of attachments, the same as the one in `apiUrl`. */
    cdnUrl: origin(),
    applicationId: world.applicationId,
    /** Resolves when the bot is connected (READY sent, or its endpoint responds) and its commands are published. */
    ready: () => until(() => isConnected() && isPublished()),
    /** Resolves when a bot is connected, whether or not it has published commands. */
    connected: () => until(isConnected),
    /** Every breach so far; empty for a clean run. */
    breaches: records.breaches,
    /** Returns every request in order of arrival. */
    get requests() {
      return records.requests();
    },
    /**
     * Finds the requests and gateway payloads that contain a secret, plain or encoded.
     * @throws Error if the oldest requests are no longer kept, because one of them might contain it
     */
    findSecret: records.findSecret,
    /**
     * Returns the guilds that the bot is in. Two exist from the start, `guilds[0]` and `guilds[1]`, each with text channels.
     */
    get guilds(): readonly Guild[] {
      return guilds.joined();
    },
    /** Returns every guild so far in order of creation, including those that the bot was removed from. */
    get everyGuild(): readonly Guild[] {
      return guilds.all();
    },
    /** The stand-in's clock; `advance` skips waits. */
    clock,
    /** Controls that make requests fail. */
    faults: faults.controls,
    /** The endpoint that receives interactions in place of the gateway once it has a URL. */
    endpoint: endpoint as Omit<Endpoint, 'post' | 'stop'>,
    /** Controls that make the gateway fail, and its connected sessions. */
    gateway: gateway.controls,
    /** Controls that add, remove or interrupt guilds. */
    guildEvents: createGuildEvents(world),
    /**
     * Reports every event from now on. Earlier ones are in `messages`, `requests` and `breaches`. @returns a function that
     * ends it
     */
    watch,
    /** Returns the name of a user, role or channel by its id. */
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
    /** Returns a guild's channels: `general`, `staff`, the announcement channel `news`, the thread `questions`. */
    channels: ({ id }: Guild): readonly Channel[] => [...guilds.known(id).channels.values()],
    /** Returns the id of the bot's direct channel with a user. */
    directChannel: (userId: string): string => directMessages.with(userId).id,
    /** Makes a user reject direct messages from the bot. */
    refuseDirectMessages: (userId: string) => void directMessages.refusing.add(userId),
    /** Stops Discord from opening direct channels for the bot, for this reason; `undefined` ends this. */
    stopDirectMessages: directMessages.setStop,
    /** Returns the members of a guild. */
    members: ({ id }: Guild) =>
      [...guilds.known(id).members.values()].map(({ userId, name }) => ({ id: userId, name })),
    /** Returns the roles of a guild, @everyone first. */
    roles: ({ id }: Guild): readonly Role[] => [...guilds.known(id).roles.values()],
    /** Posts a user's message in the channel, optionally with a file. @returns its id */
    say({ userId, name, channelId }: Person, content: string, file?: Upload): string {
      const author = { id: userId, name };
      const id = world.snowflakes.next();
      const attachments = file ? [world.files.keep({ ...file, ephemeral: false })] : [];
      const message = personsMessage({ id, channelId, author, at: clock.now() }, content);
      return messages.add({ ...message, attachments }).id;
    },
    /** Deletes any message, as a user with Manage Messages can. */
    deleteMessage: messages.delete,
    /** Returns the public messages of a channel in order; with a user id, also those that only this user can see. */
    messages: ({ channelId, userId }: Place): readonly SeenMessage[] =>
      messages
        .all()
        .filter((message) => message.channelId === channelId)
        .filter(({ onlyFor }) => onlyFor === undefined || onlyFor === userId),
    /** Allows the user to use a command, by its id, on the guild's Integrations page. */
    allowCommand: ({ guildId, userId }: Person, commandId: string) =>
      guilds.known(guildId).allowed.add(`${commandId} ${userId}`),
    /** @throws Error if a response of the stand-in violated Discord's published schema */
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
