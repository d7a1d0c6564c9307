import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApplicationCommandType, EntryPointCommandHandlerType } from 'discord.js';
import { type Certificate, createLoopbackServer } from '../loopback-server.ts';
import { createWatchers } from '../watchers.ts';
import type { Actor } from './client/actor.ts';
import { createPerson } from './client/person.ts';
import { createIntegrations } from './client/visibility.ts';
import type { DiscordEvent, DiscordStandIn } from './contract.ts';
import { createEndpoint, type Endpoint } from './endpoint.ts';
import { createGateway, type Gateway, type GatewayOptions } from './gateway/server.ts';
import { createGuildEvents } from './guild-events.ts';
import { createRecords } from './records.ts';
import { type ApplicationSettings, applicationRoutes } from './rest/application-routes.ts';
import { callbackRoutes } from './rest/callback-routes.ts';
import { channelRoutes } from './rest/channel-routes.ts';
import { commandRoutes } from './rest/command-routes.ts';
import { createFaults } from './rest/faults.ts';
import { guildRoutes } from './rest/guild-routes.ts';
import { createOutgoing, personsMessage } from './rest/outgoing.ts';
import { createRestApi } from './rest/server.ts';
import { webhookRoutes } from './rest/webhook-routes.ts';
import type { CommandAnswers, CommandBody } from './world/commands.ts';
import { ANSWER_WITHIN_MS } from './world/interactions.ts';
import { createWorld, type World } from './world/world.ts';

/** How `startDiscord` sets a stand-in up. What has a default may be left out. */
export interface StandInOptions extends GatewayOptions {
  readonly token: string;
  readonly port?: number;
  /** What the bot and its application are called. */
  readonly botName?: string;
  /** Listens on TLS with this certificate, and offers HTTP/2 beside HTTP/1.1, as Discord's CDN does. */
  readonly certificate?: Certificate;
  /** How much `GET` and `PUT …/commands` say of a command: what Discord does, all that it may, or as little. */
  readonly commandAnswers?: CommandAnswers;
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
}

/** What an application gets when Activities are enabled in the Developer Portal. */
const ENTRY_POINT: CommandBody = {
  type: ApplicationCommandType.PrimaryEntryPoint,
  name: 'launch',
  handler: EntryPointCommandHandlerType.DiscordLaunchActivity,
};

/** Starts a Discord on loopback: REST API, gateway and CDN on one port, a free one unless told. */
export async function startDiscord(options: StandInOptions): Promise<DiscordStandIn> {
  const { botName = 'Test Bot', answerWithinMs = ANSWER_WITHIN_MS, reactionMs = 50 } = options;
  let port = 0;
  const origin = (scheme: string = loopback.scheme) => `${scheme}://127.0.0.1:${port}`;
  const { tell, watch } = createWatchers<DiscordEvent>();
  const world = createWorld({ botName, origin: () => origin(), answerWithinMs, onEvent: tell });
  const { clock, guilds, messages, commands, bot } = world;
  if (options.entryPoint) commands.replace([ENTRY_POINT]);
  const records = createRecords({ clock, onEvent: tell });
  const endpoint = createEndpoint({
    world,
    answerWithinMs,
    url: options.endpointUrl,
    onPosted: (...posted) => records.posted(...posted),
  });
  const outgoing = createOutgoing(world);
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
      ...commandRoutes(world, options.commandAnswers ?? 'usual'),
      ...callbackRoutes(world, outgoing),
      ...webhookRoutes(world, outgoing),
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
  const integrations = createIntegrations(world);
  port = await loopback.listen(options.port ?? 0);

  return {
    ...readiness({ world, gateway, endpoint, watch }),
    apiUrl: `${origin()}/api`,
    cdnUrl: origin(),
    applicationId: world.applicationId,
    breaches: records.breaches,
    get requests() {
      return records.requests();
    },
    findSecret: records.findSecret,
    get guilds() {
      return guilds.joined();
    },
    get everyGuild() {
      return guilds.all();
    },
    clock,
    faults: faults.controls,
    endpoint,
    gateway: gateway.controls,
    guildEvents: createGuildEvents(world, () => tell({ kind: 'guild' })),
    watch,
    nameOf: (id) => (id === bot.id ? bot.username : guilds.nameOf(id)),
    commands: commands.list,
    person({ guild: { id }, name, permissions, locale = 'en-US', channelId, userId }) {
      const guild = guilds.get(id);
      if (guild === undefined) throw new Error(`there is no guild ${id}`);
      const member = guilds.addMember(guild, { userId, name, permissions });
      const place = channelId ?? guild.channelId;
      const actor: Actor = { userId: member.userId, name, locale, channelId: place, guild, member };
      const { dispatch } = gateway;
      return createPerson({
        world,
        actor,
        reactionMs,
        dispatch,
        commands: () => integrations.commandsOf(actor),
      });
    },
    channels: ({ id }) => [...(guilds.get(id)?.channels.values() ?? [])],
    members: ({ id }) =>
      [...(guilds.get(id)?.members.values() ?? [])].map(({ userId, name }) => ({ id: userId, name })),
    roles: ({ id }) => [...(guilds.get(id)?.roles.values() ?? [])],
    say({ userId, name, channelId }, content) {
      const author = { id: userId, name };
      const id = world.snowflakes.next();
      return messages.add(personsMessage({ id, channelId, author, at: clock.now(), content })).id;
    },
    messages: ({ channelId, userId }) =>
      messages
        .all()
        .filter((message) => message.channelId === channelId)
        .filter(({ onlyFor }) => onlyFor === undefined || onlyFor === userId)
        .map(({ seen }) => seen),
    setIntegrations: ({ id }, commandId, overwrites) => integrations.set(id, commandId, overwrites),
    async close() {
      world.close();
      endpoint.stop();
      gateway.stop();
      await loopback.close();
      if (flaws.size > 0)
        throw new Error(`the stand-in answered what Discord would not:\n${[...flaws].join('\n')}`);
    },
  };
}

/** Waits for a bot: until it is connected, and until it has published commands. */
function readiness(deps: {
  readonly world: World;
  readonly gateway: Gateway;
  readonly endpoint: Endpoint;
  readonly watch: DiscordStandIn['watch'];
}): Pick<DiscordStandIn, 'ready' | 'connected'> {
  const { world, gateway, endpoint, watch } = deps;
  const isConnected = () => endpoint.url() !== undefined || gateway.controls.sessions().length > 0;
  const isPublished = () => world.commands.list().some(({ type }) => type !== ENTRY_POINT.type);

  async function until(holds: () => boolean): Promise<void> {
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
    async ready() {
      await endpoint.reachable();
      await until(() => isConnected() && isPublished());
    },
    async connected() {
      await endpoint.reachable();
      await until(isConnected);
    },
  };
}
