import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApplicationCommandType } from 'discord.js';
import { createLoopbackServer } from '../loopback-server.ts';
import { introduce, joinDirectMessages } from './client/introduce.ts';
import { createPerson } from './client/person.ts';
import type { DiscordStandIn } from './contract.ts';
import { createDispatcher } from './gateway/dispatcher.ts';
import { createGuildEvents } from './gateway/guild-events.ts';
import { createGateway } from './gateway/server.ts';
import { createRecords } from './records.ts';
import { applicationRoutes } from './rest/application-routes.ts';
import { callbackRoutes } from './rest/callback-routes.ts';
import { channelRoutes } from './rest/channel-routes.ts';
import { commandRoutes } from './rest/command-routes.ts';
import { createFaults } from './rest/faults.ts';
import { guildRoutes } from './rest/guild-routes.ts';
import { createOutgoing } from './rest/outgoing.ts';
import { createRestApi } from './rest/server.ts';
import { webhookRoutes } from './rest/webhook-routes.ts';
import type { StandInOptions } from './stand-in-options.ts';
import { CATEGORY } from './world/channels.ts';
import { USUAL_BOUNDS } from './world/latest.ts';
import { createWorld } from './world/world.ts';

/** What an application gets when Activities are enabled in the Developer Portal; 2: Discord itself opens the Activity. */
const ENTRY_POINT = { type: ApplicationCommandType.PrimaryEntryPoint, name: 'launch', handler: 2 } as const;

/** Starts a Discord on loopback: REST API, gateway and CDN on one port, a free one unless told. */
export async function startDiscord(options: StandInOptions): Promise<DiscordStandIn> {
  const {
    onBreach = () => {},
    reactionMs = 50,
    invalidRequests = { limit: 10_000, onReached: () => {} },
  } = options;
  const bounds = { ...USUAL_BOUNDS, ...options.keep };
  let token = options.token;
  let port = 0;
  const origin = (scheme: string = loopback.scheme) => `${scheme}://127.0.0.1:${port}`;
  const world = createWorld({
    cdnOrigin: () => origin(),
    dailyLimitStatus: options.dailyLimitStatus ?? 429,
    bounds,
    takesUnknownDefaults: options.takesUnknownDefaults ?? false,
  });
  const { clock, guilds, commands, integrations, messages } = world;
  if (options.entryPoint) commands.upsert('global', ENTRY_POINT);
  const records = createRecords({ clock, onBreach, invalidRequests, bounds });
  const faults = createFaults();
  const outgoing = createOutgoing(world);
  const changes = new EventTarget();
  const flaws = new Set<string>();
  const changed = () => changes.dispatchEvent(new Event('change'));

  const restApi = createRestApi({
    world,
    token: () => token,
    faults,
    routes: [
      ...applicationRoutes(world, {
        connectionInfo: () => gateway.connectionInfo(),
        settings: options.application ?? {},
        interactionsEndpointUrl: options.interactionsEndpoint
          ? 'https://example.com/interactions'
          : undefined,
      }),
      ...guildRoutes(world, (id) => guildEvents.remove({ id, name: '', channelId: '' })),
      ...commandRoutes(world, options.commandAnswers ?? 'usual'),
      ...callbackRoutes(world, outgoing),
      ...webhookRoutes(world, outgoing),
      ...channelRoutes(world, outgoing),
    ],
    onRequest(handled) {
      records.request(handled);
      changed();
    },
    onFlaw: (flaw) => flaws.add(flaw),
  });
  const loopback = createLoopbackServer(restApi, options.certificate);
  const gateway = createGateway({
    server: loopback.server,
    world,
    url: () => origin(loopback.scheme === 'https' ? 'wss' : 'ws'),
    token: () => token,
    replaceToken: (next) => {
      token = next;
    },
    shards: options.shards ?? 1,
    maxConcurrency: options.maxConcurrency ?? 1,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 41_250,
    grantedIntents: options.grantedIntents ?? 0,
    onFrame: records.frame,
    onBreach: records.gatewayBreach,
    onReady: changed,
  });
  const guildEvents = createGuildEvents(world, gateway.publish);
  const { dispatch, disturb } = createDispatcher({
    clock,
    publish: gateway.publish,
    silent: options.interactionsEndpoint === true,
  });

  port = await loopback.listen(options.port ?? 0);

  async function until(holds: () => boolean): Promise<void> {
    // What a process that just ended did to its connection is only seen a turn later.
    await nextTurn();
    while (!holds()) await once(changes, 'change');
  }
  const isConnected = () => gateway.sessions().length > 0;
  const isPublished = () =>
    ['global', ...guilds.joined().map(({ id }) => id)].some((scope) =>
      commands.list(scope).some(({ type }) => type !== ENTRY_POINT.type),
    );

  return {
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
    clock,
    faults,
    gateway: {
      ...gateway,
      disturbDispatch: disturb,
      replaceToken(next) {
        token = next;
      },
    },
    guildEvents,
    ready: () => until(() => isConnected() && isPublished()),
    connected: () => until(isConnected),
    nameOf: (id) => (id === world.bot.id ? world.bot.username : guilds.nameOf(id)),
    commands: (guild) => commands.list(guild?.id ?? 'global'),
    person(who) {
      const actor = introduce(world, who);
      return { ...createPerson({ world, actor, reactionMs, dispatch }), guildId: who.guild.id };
    },
    personInDirectMessages(who) {
      const actor = joinDirectMessages(world, who);
      return createPerson({ world, actor, reactionMs, dispatch });
    },
    channels: ({ id }) =>
      [...(guilds.get(id)?.channels.values() ?? [])].filter(({ type }) => type !== CATEGORY),
    say: (person, content) => outgoing.say(person, content),
    messages: ({ channelId, userId }) =>
      messages
        .all()
        .filter((message) => message.channelId === channelId && message.current !== undefined)
        .filter(({ onlyFor }) => onlyFor === undefined || onlyFor === userId)
        .map(({ seen }) => seen),
    setIntegrations: ({ id }, target, overwrites) => integrations.set(id, target, overwrites),
    async close() {
      world.close();
      gateway.stop();
      await loopback.close();
      if (flaws.size > 0)
        throw new Error(`the stand-in answered what Discord would not:\n${[...flaws].join('\n')}`);
    },
  };
}
