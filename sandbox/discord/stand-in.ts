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

/** How `startDiscord` sets a stand-in up. What has a default may be left out. */
export interface StandInOptions extends GatewayOptions {
  readonly token: string;
  /** What the bot and its application are called. */
  readonly botName?: string;
  /** Listens on TLS with this certificate, and offers HTTP/2 beside HTTP/1.1, as Discord's CDN does. */
  readonly certificate?: Certificate;
  /** The application has Activities, and so an entry-point command from the start; `false`. */
  readonly entryPoint?: boolean;
  /** The Interactions Endpoint URL, as somebody has saved it before: interactions go there, and not over the gateway. */
  readonly endpointUrl?: string;
  /** What `GET /applications/@me` tells of the application's pages in the Developer Portal. */
  readonly application?: ApplicationSettings;
  /**
   * How long people take before they press, pick or submit, in real milliseconds; 50. A bot begins to listen for
   * the next step when its request was answered, and no human is faster than that.
   */
  readonly reactionMs?: number;
  /** How long the bot may take for the first response to an interaction, in milliseconds; 3,000, as at Discord. */
  readonly answerWithinMs?: number;
  /**
   * Milliseconds by which a first response counts as late after 3 seconds, also where `answerWithinMs` lets it pass;
   * real time. A test may leave out what a busy machine has kept the bot waiting.
   */
  readonly botTime?: () => number;
}

interface NewPerson {
  readonly guild: Guild;
  readonly name: string;
  readonly permissions: bigint;
  readonly locale?: string;
  /** Where they are, also a thread, an announcement channel or their direct messages; the guild's first text channel unless said. */
  readonly channelId?: string;
  /** For a person who is to be the same in every run; a new id without it. */
  readonly userId?: string;
}

interface Place {
  readonly channelId: string;
  readonly userId?: string;
}

/** What an application gets when Activities are enabled in the Developer Portal. */
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
  /** What the stand-in has answered otherwise than Discord would. */
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
    // What a process that just ended did to its connection is only seen a turn later.
    await nextTurn();
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => holds() && resolve();
    const stop = watch(look);
    look();
    await promise;
    stop();
  }

  return {
    /** A webhook of the operator: its address, and what was posted to it. */
    operatorWebhook: { url: `${origin()}/api/v10${operatorWebhook.path}`, posts: operatorWebhook.posts },
    /** What a bot's `rest.api` must be: `http://127.0.0.1:PORT/api`, or with `https`. */
    apiUrl: `${origin()}/api`,
    /** Where attachments are: the origin of `apiUrl`. */
    cdnUrl: origin(),
    applicationId: world.applicationId,
    /** Resolves when the bot is connected (READY sent, or its endpoint answers) and its commands are published. */
    ready: () => until(() => isConnected() && isPublished()),
    /** Resolves when a bot is connected, whether or not it has published anything. */
    connected: () => until(isConnected),
    /** Every rule broken so far. A run is clean when it is empty. */
    breaches: records.breaches,
    /** Every request as it arrived. */
    get requests() {
      return records.requests();
    },
    /**
     * The requests and gateway payloads in which a secret appears, plainly or encoded.
     * @throws Error when the oldest are no longer kept: the secret might have been in one of those
     */
    findSecret: records.findSecret,
    /** Guilds the bot is in. Two exist from the start: `guilds[0]` and `guilds[1]`, each with text channels. */
    get guilds(): readonly Guild[] {
      return guilds.joined();
    },
    /** Every guild there ever was, also those that the bot was removed from, in the order in which they came. */
    get everyGuild(): readonly Guild[] {
      return guilds.all();
    },
    /** The time of the stand-in: `advance` lets deadlines pass at once. */
    clock,
    /** Lets requests fail. */
    faults: faults.controls,
    /** What Discord posts interactions to in place of the gateway, once it has a URL. */
    endpoint: endpoint as Omit<Endpoint, 'post' | 'stop'>,
    /** Lets the gateway fail, and tells who is connected. */
    gateway: gateway.controls,
    /** Joins, removals and outages of guilds. */
    guildEvents: createGuildEvents(world),
    /**
     * Tells of everything that happens from now on, as it happens. What there is already is in `messages`, `requests`
     * and `breaches`. The function returned ends it.
     */
    watch,
    /** The name of a person, a role or a channel, by its id. */
    nameOf: (id: string) => (id === bot.id ? bot.username : guilds.nameOf(id)),
    /** Commands as the bot published them. */
    commands: commands.list,
    person({ guild: { id }, name, permissions, locale = 'en-US', channelId, userId }: NewPerson): Person {
      const guild = guilds.known(id);
      const { next } = world.snowflakes;
      const member = guilds.addMember(guild, { userId: userId ?? next(), name, permissions });
      const place = channelId ?? guild.channelId;
      const actor: Actor = { userId: member.userId, name, locale, channelId: place, guild, member };
      return createPerson({ world, actor, reactionMs, dispatch: gateway.dispatch });
    },
    /** Where messages can be in a guild: `general`, `staff`, the announcement channel `news`, the thread `questions`. */
    channels: ({ id }: Guild): readonly Channel[] => [...guilds.known(id).channels.values()],
    /** Where the bot's direct messages to a person are. */
    directChannel: (userId: string): string => directMessages.with(userId).id,
    /** The person has blocked the bot, or takes direct messages of nobody. */
    refuseDirectMessages: (userId: string) => void directMessages.refusing.add(userId),
    /** From now on Discord opens no direct messages for the bot, for this reason; `undefined`: it opens them again. */
    stopDirectMessages: directMessages.setStop,
    /** Who is in a guild. */
    members: ({ id }: Guild) =>
      [...guilds.known(id).members.values()].map(({ userId, name }) => ({ id: userId, name })),
    /** The roles of a guild, @everyone first. */
    roles: ({ id }: Guild): readonly Role[] => [...guilds.known(id).roles.values()],
    /** Puts a message of a person in the channel, perhaps with a file, and returns its id. */
    say({ userId, name, channelId }: Person, content: string, file?: Upload): string {
      const author = { id: userId, name };
      const id = world.snowflakes.next();
      const attachments = file ? [world.files.keep({ ...file, ephemeral: false })] : [];
      const message = personsMessage({ id, channelId, author, at: clock.now() }, content);
      return messages.add({ ...message, attachments }).id;
    },
    /** People who may manage messages delete any. */
    deleteMessage: messages.delete,
    /** The messages of a channel that everybody can see, in order; of one person also those that only they can see. */
    messages: ({ channelId, userId }: Place): readonly SeenMessage[] =>
      messages
        .all()
        .filter((message) => message.channelId === channelId)
        .filter(({ onlyFor }) => onlyFor === undefined || onlyFor === userId),
    /** On the Integrations page of the guild the person is allowed to use a command, by its id. */
    allowCommand: ({ guildId, userId }: Person, commandId: string) =>
      guilds.known(guildId).allowed.add(`${commandId} ${userId}`),
    /** @throws Error when an answer of the stand-in was not of the shape that Discord's published schema gives it. */
    async close(): Promise<void> {
      world.close();
      endpoint.stop();
      gateway.stop();
      await loopback.close();
      if (flaws.size > 0)
        throw new Error(`the stand-in answered what Discord would not:\n${[...flaws].join('\n')}`);
    },
  };
}
