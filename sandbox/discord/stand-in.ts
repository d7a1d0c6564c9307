import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApplicationCommandType } from 'discord.js';
import { type Certificate, createLoopbackServer } from '../loopback-server.ts';
import { createWatchers } from '../watchers.ts';
import { introduce, joinDirectMessages } from './client/actor.ts';
import { createPerson } from './client/person.ts';
import type { Breach, DiscordEvent, DiscordStandIn } from './contract.ts';
import { createGuildEvents } from './gateway/guild-events.ts';
import { createDispatcher, createGateway, type Dispatcher, type Gateway } from './gateway/server.ts';
import { createRecords, type Records } from './records.ts';
import { type ApplicationSettings, applicationRoutes } from './rest/application-routes.ts';
import { callbackRoutes } from './rest/callback-routes.ts';
import { channelRoutes } from './rest/channel-routes.ts';
import { commandRoutes } from './rest/command-routes.ts';
import { createFaults } from './rest/faults.ts';
import { guildRoutes } from './rest/guild-routes.ts';
import { createOutgoing, type Outgoing } from './rest/outgoing.ts';
import type { Route } from './rest/route.ts';
import { createRestApi } from './rest/server.ts';
import { webhookRoutes } from './rest/webhook-routes.ts';
import { CATEGORY } from './world/channels.ts';
import type { CommandAnswers } from './world/command-form.ts';
import { ANSWER_WITHIN_MS } from './world/interactions.ts';
import { type Bounds, USUAL_BOUNDS } from './world/latest.ts';
import { createWorld, type World } from './world/world.ts';

/** How `startDiscord` sets a stand-in up. What has a default may be left out. */
export interface StandInOptions {
  readonly token: string;
  readonly port?: number;
  /** What the bot and its application are called. */
  readonly botName?: string;
  /** Listens on TLS with this certificate, and offers HTTP/2 beside HTTP/1.1, as Discord's CDN does. */
  readonly certificate?: Certificate;
  /** Called for every rule that is broken, as it happens. */
  readonly onBreach?: (breach: Breach) => void;
  /** The number of shards that `GET /gateway/bot` recommends; 1. */
  readonly shards?: number;
  /** How many shards may identify every 5 seconds; 1, as for every new bot. */
  readonly maxConcurrency?: number;
  /** How many of the 1,000 IDENTIFYs of the day are used already; 0. */
  readonly identifiesUsed?: number;
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
  /** How long the bot may take for the first response to an interaction, in milliseconds; 3,000, as at Discord. */
  readonly answerWithinMs?: number;
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
/** Any address: nothing is sent there. */
const ENDPOINT_URL = 'https://example.com/interactions';

/** Starts a Discord on loopback: REST API, gateway and CDN on one port, a free one unless told. */
export async function startDiscord(options: StandInOptions): Promise<DiscordStandIn> {
  const { onBreach = () => {}, invalidRequests = { limit: 10_000, onReached: () => {} } } = options;
  const bounds = { ...USUAL_BOUNDS, ...options.keep };
  const { tell, watch } = createWatchers<DiscordEvent>();
  const world = createWorld({
    botName: options.botName ?? 'Test Bot',
    cdnOrigin: () => served.origin(),
    dailyLimitStatus: options.dailyLimitStatus ?? 429,
    bounds,
    answerWithinMs: options.answerWithinMs ?? ANSWER_WITHIN_MS,
    takesUnknownDefaults: options.takesUnknownDefaults ?? false,
    onEvent: tell,
  });
  const { clock, guilds } = world;
  if (options.entryPoint) world.commands.upsert('global', ENTRY_POINT);
  const records = createRecords({ clock, onEvent: tell, invalidRequests, bounds });
  watch((event) => event.kind === 'breach' && onBreach(event.breach));
  const outgoing = createOutgoing(world);
  const served = await serve(options, { world, records, outgoing, tell });
  const { gateway, dispatch } = served;

  return {
    ...peopleOf({ world, outgoing, dispatch, reactionMs: options.reactionMs ?? 50 }),
    ...viewsOf(world),
    ...readiness({ world, gateway, watch }),
    apiUrl: `${served.origin()}/api`,
    cdnUrl: served.origin(),
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
    faults: served.faults,
    gateway,
    guildEvents: served.guildEvents,
    watch,
    async close() {
      world.close();
      await served.close();
    },
  };
}

/** The server: REST API, gateway and CDN on one port. */
async function serve(
  options: StandInOptions,
  deps: {
    readonly world: World;
    readonly records: Records;
    readonly outgoing: Outgoing;
    readonly tell: (event: DiscordEvent) => void;
  },
) {
  const { world, records, outgoing, tell } = deps;
  let { token } = options;
  let port = 0;
  const replaceToken = (next: string) => {
    token = next;
  };
  const origin = (scheme: string = loopback.scheme) => `${scheme}://127.0.0.1:${port}`;
  const faults = createFaults();
  const flaws = new Set<string>();
  const restApi = createRestApi({
    world,
    token: () => token,
    faults,
    routes: routesOf(world, {
      outgoing,
      options,
      connectionInfo: () => gateway.connectionInfo(),
      removeGuild: (id) => guildEvents.remove({ id, name: '', channelId: '' }),
    }),
    onRequest: records.request,
    onFlaw: (flaw) => flaws.add(flaw),
  });
  const loopback = createLoopbackServer(restApi, options.certificate);
  const gateway = createGateway({
    server: loopback.server,
    world,
    url: () => origin(loopback.scheme === 'https' ? 'wss' : 'ws'),
    token: () => token,
    replaceToken,
    shards: options.shards ?? 1,
    maxConcurrency: options.maxConcurrency ?? 1,
    identifiesUsed: options.identifiesUsed,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 41_250,
    grantedIntents: options.grantedIntents ?? 0,
    onFrame: records.frame,
    onBreach: records.gatewayBreach,
  });
  const guildEvents = createGuildEvents(world, (event) => {
    gateway.publish(event);
    tell({ kind: 'guild', what: event.t, guildId: event.guildId });
  });
  const silent = options.interactionsEndpoint === true;
  const { dispatch, disturb } = createDispatcher({ clock: world.clock, publish: gateway.publish, silent });
  port = await loopback.listen(options.port ?? 0);

  return {
    origin,
    faults,
    guildEvents,
    dispatch,
    gateway: { ...gateway, disturbDispatch: disturb, replaceToken },
    async close() {
      gateway.stop();
      await loopback.close();
      if (flaws.size > 0)
        throw new Error(`the stand-in answered what Discord would not:\n${[...flaws].join('\n')}`);
    },
  };
}

function routesOf(
  world: World,
  deps: {
    readonly outgoing: Outgoing;
    readonly options: StandInOptions;
    readonly connectionInfo: () => { readonly url: string };
    readonly removeGuild: (id: string) => void;
  },
): readonly Route[] {
  const { outgoing, options, connectionInfo, removeGuild } = deps;
  return [
    ...applicationRoutes(world, {
      connectionInfo,
      settings: options.application ?? {},
      interactionsEndpointUrl: options.interactionsEndpoint ? ENDPOINT_URL : undefined,
    }),
    ...guildRoutes(world, removeGuild),
    ...commandRoutes(world, options.commandAnswers ?? 'usual'),
    ...callbackRoutes(world, outgoing),
    ...webhookRoutes(world, outgoing),
    ...channelRoutes(world, outgoing),
  ];
}

/** Waits for a bot: until it is connected, and until it has published commands. */
function readiness(deps: {
  readonly world: World;
  readonly gateway: Gateway;
  readonly watch: DiscordStandIn['watch'];
}): Pick<DiscordStandIn, 'ready' | 'connected'> {
  const { world, gateway, watch } = deps;
  const isConnected = () => gateway.sessions().length > 0;
  const isPublished = () =>
    ['global', ...world.guilds.joined().map(({ id }) => id)].some((scope) =>
      world.commands.list(scope).some(({ type }) => type !== ENTRY_POINT.type),
    );

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

  return { ready: () => until(() => isConnected() && isPublished()), connected: () => until(isConnected) };
}

/** Those who use the bot. */
function peopleOf(deps: {
  readonly world: World;
  readonly outgoing: Outgoing;
  readonly dispatch: Dispatcher['dispatch'];
  readonly reactionMs: number;
}): Pick<DiscordStandIn, 'person' | 'personInDirectMessages' | 'say'> {
  const { world, outgoing, dispatch, reactionMs } = deps;
  return {
    person(who) {
      const actor = introduce(world, who);
      return { ...createPerson({ world, actor, reactionMs, dispatch }), guildId: who.guild.id };
    },
    personInDirectMessages(who) {
      const actor = joinDirectMessages(world, who);
      return createPerson({ world, actor, reactionMs, dispatch });
    },
    say: (person, content) => outgoing.say(person, content),
  };
}

/** What there is to be seen, and the Integrations page. */
function viewsOf({
  guilds,
  commands,
  messages,
  integrations,
  bot,
}: World): Pick<
  DiscordStandIn,
  'nameOf' | 'commands' | 'channels' | 'members' | 'roles' | 'messages' | 'setIntegrations'
> {
  return {
    nameOf: (id) => (id === bot.id ? bot.username : guilds.nameOf(id)),
    commands: (guild) => commands.list(guild?.id ?? 'global'),
    channels: ({ id }) =>
      [...(guilds.get(id)?.channels.values() ?? [])].filter(({ type }) => type !== CATEGORY),
    members: ({ id }) =>
      [...(guilds.get(id)?.members.values() ?? [])].map(({ userId, name }) => ({ id: userId, name })),
    roles: ({ id }) => [...(guilds.get(id)?.roles.values() ?? [])],
    messages: ({ channelId, userId }) =>
      messages
        .all()
        .filter((message) => message.channelId === channelId && message.current !== undefined)
        .filter(({ onlyFor }) => onlyFor === undefined || onlyFor === userId)
        .map(({ seen }) => seen),
    setIntegrations: ({ id }, target, overwrites) => integrations.set(id, target, overwrites),
  };
}
