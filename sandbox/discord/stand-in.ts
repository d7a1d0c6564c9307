import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApplicationCommandType } from 'discord.js';
import { type Certificate, createLoopbackServer } from '../loopback-server.ts';
import { introduce, joinDirectMessages } from './client/actor.ts';
import { createPerson } from './client/person.ts';
import type { Breach, DiscordStandIn } from './contract.ts';
import { createGuildEvents } from './gateway/guild-events.ts';
import { createDispatcher, createGateway } from './gateway/server.ts';
import { createRecords } from './records.ts';
import { type ApplicationSettings, applicationRoutes } from './rest/application-routes.ts';
import { callbackRoutes } from './rest/callback-routes.ts';
import { channelRoutes } from './rest/channel-routes.ts';
import { commandRoutes } from './rest/command-routes.ts';
import { createFaults } from './rest/faults.ts';
import { guildRoutes } from './rest/guild-routes.ts';
import { createOutgoing } from './rest/outgoing.ts';
import { createRestApi } from './rest/server.ts';
import { webhookRoutes } from './rest/webhook-routes.ts';
import { CATEGORY } from './world/channels.ts';
import type { CommandAnswers } from './world/command-form.ts';
import { type Bounds, USUAL_BOUNDS } from './world/latest.ts';
import { createWorld } from './world/world.ts';

/** How `startDiscord` sets a stand-in up. What has a default may be left out. */
export interface StandInOptions {
  readonly token: string;
  readonly port?: number;
  /** Listens on TLS with this certificate, and offers HTTP/2 beside HTTP/1.1, as Discord's CDN does. */
  readonly certificate?: Certificate;
  /** Called for every rule that is broken, as it happens. */
  readonly onBreach?: (breach: Breach) => void;
  /** The number of shards that `GET /gateway/bot` recommends; 1. */
  readonly shards?: number;
  /** How many shards may identify every 5 seconds; 1, as for every new bot. */
  readonly maxConcurrency?: number;
  /** 41250, as Discord's. */
  readonly heartbeatIntervalMs?: number;
  /** The privileged intents that were granted, as bits; none. */
  readonly grantedIntents?: number;
  /** How the 201st new command of a day is refused: 429 as today, or 400 as in 2023. */
  readonly dailyLimitStatus?: 400 | 429;
  /** Interactions go to an HTTP endpoint, and so never over the gateway (rule 51). */
  readonly interactionsEndpoint?: boolean;
  /** How much `GET` and `PUT …/commands` say of a command: what Discord does, all that it may, or as little. */
  readonly commandAnswers?: CommandAnswers;
  /** The application has Activities, and so an entry-point command from the start; `false`. */
  readonly entryPoint?: boolean;
  /** Selects may preselect channels that are gone, which Discord's documents neither allow nor forbid; `false`. */
  readonly takesUnknownDefaults?: boolean;
  /** What `GET /applications/@me` tells of the application's pages in the Developer Portal. */
  readonly application?: ApplicationSettings;
  /**
   * How long people take before they press, pick or submit, in real milliseconds; 50. A bot begins to listen for
   * the next step when its request was answered, and no human is faster than that.
   */
  readonly reactionMs?: number;
  /**
   * How much of what happened is kept: requests, messages, interactions and files, up to so many (50,000) and so many
   * bytes (256 MiB) of each; then the oldest go.
   */
  readonly keep?: Partial<Bounds>;
  /** Rule 57: called once when that many of 401, 403 and 429 were answered within 10 minutes; 10,000 ban an address. */
  readonly invalidRequests?: { readonly limit: number; readonly onReached: (count: number) => void };
}

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
