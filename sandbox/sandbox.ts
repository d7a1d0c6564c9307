import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BotProcess,
  type BotProcessDeps,
  createBotProcess,
  describeExit,
  type Exit,
} from './bot-process.ts';
import type { DiscordEvent, DiscordStandIn } from './discord/contract.ts';
import { type StandInOptions, startDiscord } from './discord/stand-in.ts';
import { startPublicRecords } from './game-servers.ts';
import { type ListingOptions, startListing } from './listing/stand-in.ts';
import type { Certificate } from './loopback-server.ts';
import { createPeople } from './people.ts';
import { quietPort } from './quiet-port.ts';
import { DISCORD_TROUBLES, SERVICE_TROUBLES, STEAM_TROUBLES } from './troubles.ts';
import { createWatchers } from './watchers.ts';

/** A change of the bot's state, or a line that it printed. */
type BotEvent =
  | { readonly kind: 'bot'; readonly state: 'starting' | 'ready' }
  | { readonly kind: 'bot'; readonly state: 'stopped' | 'crashed'; readonly exit: Exit }
  /** A line that the bot printed. */
  | { readonly kind: 'log'; readonly line: string };

/** Every event that a front end may show. */
export type SandboxEvent =
  | DiscordEvent
  | BotEvent
  /** The listing service got another mode or other keys, or responded to a request. */
  | { readonly kind: 'listing' };

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;
/** The bot's state. `crashed` means that it ended without being told to. */
type BotState = 'starting' | 'ready' | 'stopped' | 'crashed';

export interface SandboxOptions {
  /** The environment of this process, from which the bot only gets PATH and similar variables. */
  readonly surroundings: NodeJS.ProcessEnv;
  /** Whether the bot looks up game servers in the stand-ins for Steam and DNS; by default it doesn't. */
  readonly serverLookup?: boolean;
  /** A folder to keep; by default a temporary one that `close` removes. */
  readonly data?: string | undefined;
  /** Whether Discord posts interactions to the bot; by default the bot connects to the gateway. */
  readonly http?: boolean;
  /** Adds variables for the bot, or replaces the sandbox's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** For tests: see {@link BotProcessDeps.wrapper}. */
  readonly wrapper?: readonly string[];
  /** For tests: runs the bot in another way than as a separate process. */
  readonly createBot?: (deps: BotProcessDeps) => BotProcess;
  /** For tests: makes both stand-ins use TLS and offer HTTP/2; the bot trusts this certificate. */
  readonly certificate?: Certificate;
  /** For tests: shards, limits and other options of the Discord stand-in. */
  readonly discord?: Omit<StandInOptions, 'token'>;
  /** For tests: other keys or games than the default, or faults. */
  readonly listing?: ListingOptions;
}

/** The bot ended or did not connect, so it didn't become ready. */
export class BotNotReadyError extends Error {
  override readonly name = 'BotNotReadyError';
}

/** A start takes about a second, but much longer on a busy machine. */
const READY_WITHIN_MS = 30_000;

/**
 * Opens both stand-ins, the real bot and its users, connected over loopback. Any number of front ends can show and change
 * this world at the same time.
 */
export async function openSandbox(options: SandboxOptions) {
  const token = madeUpToken();
  const data = options.data === undefined ? await mkdtemp(join(tmpdir(), 'sandbox-')) : resolve(options.data);
  await mkdir(data, { recursive: true });
  const { certificate } = options;
  const common = certificate === undefined ? {} : { certificate };
  const port = options.http ? await quietPort() : undefined;
  const discord = await startDiscord({
    ...common,
    ...(port !== undefined && { endpointUrl: `http://127.0.0.1:${port}/interactions` }),
    botName: 'Listing Bot',
    ...options.discord,
    token,
  });
  const listing = await startListing({ ...common, ...options.listing });
  const records = await startPublicRecords();
  const { tell, watch } = createWatchers<SandboxEvent>();
  discord.watch(tell);
  listing.watch(() => tell({ kind: 'listing' }));
  const { bot, ...keeper } = keepBot({
    options,
    env: {
      DISCORD_TOKEN: token,
      DISCORD_API_URL: discord.apiUrl,
      LISTING_API_URL: listing.url,
      ATTACHMENT_HOSTS: new URL(discord.cdnUrl).host,
      STORE_URL: `sqlite://${join(data, 'bot.sqlite')}`,
      BACKUP_EVERY_HOURS: '0',
      SERVER_LOOKUP: options.serverLookup ? 'on' : 'off',
      STEAM_API_URL: records.steamUrl,
      NAME_SERVERS: records.nameServer,
      ...(port !== undefined && {
        INTERACTIONS: 'http',
        DISCORD_PUBLIC_KEY: discord.endpoint.publicKey,
        INTERACTIONS_PORT: String(port),
      }),
      ...(certificate !== undefined && { NODE_EXTRA_CA_CERTS: certificate.file }),
      ...options.env,
    },
    discord,
    tell,
  });

  let discordTrouble = 'ok';
  let serviceTrouble = 'ok';
  let steamTrouble = 'ok';
  return {
    discord,
    listing,
    /** Steam's list and DNS. */
    records,
    bot,
    /** The present fault of Discord: one of {@link DISCORD_TROUBLES}. */
    get discordTrouble() {
      return discordTrouble;
    },
    /** The present fault of the listing service: one of {@link SERVICE_TROUBLES}. */
    get serviceTrouble() {
      return serviceTrouble;
    },
    /** The present fault of Steam's list: one of {@link STEAM_TROUBLES}. */
    get steamTrouble() {
      return steamTrouble;
    },
    /** @throws Error if there is no such fault */
    troubleSteam(name: string): void {
      records.behaveAsSteam(troubleNamed(STEAM_TROUBLES, name).how);
      steamTrouble = name;
    },
    /** @throws Error if there is no such fault */
    troubleDiscord(name: string): void {
      const { how } = troubleNamed(DISCORD_TROUBLES, name);
      discord.faults.clear();
      how(discord.faults);
      discordTrouble = name;
    },
    /** @throws Error if there is no such fault */
    async troubleService(name: string): Promise<void> {
      const { how } = troubleNamed(SERVICE_TROUBLES, name);
      serviceTrouble = name;
      await listing.behave(how);
    },
    get botState(): BotState {
      return keeper.state();
    },
    /** The bot's users, shared by all front ends. */
    people: createPeople(discord),
    /** The bot's random token at the stand-in. */
    token,
    /** The folder of the bot's database and encryption key. */
    data,
    /**
     * Starts the bot and waits until it is connected and its commands are published.
     * @throws BotNotReadyError
     */
    startBot: keeper.start,
    /** Stops the bot and starts it on the same data. */
    async restart(): Promise<void> {
      await bot.stop();
      await keeper.start();
    },
    /**
     * Reports every event from now on: messages, interactions, guilds, traffic and the breaches in it, the service, the bot
     * and its log. The present state is in `discord`, `listing` and `botState`. @returns a function that ends it
     */
    watch,
    /** Stops everything, and removes a temporary folder. */
    async close(): Promise<void> {
      await bot.stop();
      try {
        await Promise.all([discord.close(), listing.close(), records.close()]);
      } finally {
        if (options.data === undefined) await rm(data, { recursive: true, force: true });
      }
    },
  };
}

/** Starts the bot on request, and reports its state. */
function keepBot(deps: {
  readonly options: SandboxOptions;
  readonly env: Readonly<Record<string, string>>;
  readonly discord: DiscordStandIn;
  readonly tell: (event: BotEvent) => void;
}) {
  const { options, env, discord, tell } = deps;
  let state: BotState = 'stopped';

  const bot = (options.createBot ?? createBotProcess)({
    env,
    ...(options.wrapper && { wrapper: options.wrapper }),
    surroundings: options.surroundings,
    onLine: (line) => tell({ kind: 'log', line }),
    onExit(exit) {
      // startBot throws an error if the bot ends during the start.
      state = exit.wanted || state === 'starting' ? 'stopped' : 'crashed';
      tell({ kind: 'bot', state, exit });
    },
  });

  async function start(): Promise<void> {
    state = 'starting';
    tell({ kind: 'bot', state });
    // Discord lets a shard identify once in 5 seconds; a restart here needn't wait for that.
    discord.gateway.waiveIdentifyLimit();
    // The previous run's connection must be gone first, or the bot would seem ready because of it.
    while (discord.gateway.sessions().length > 0) await sleep(10);
    bot.start();
    await untilReady();
    state = 'ready';
    tell({ kind: 'bot', state });
  }

  async function untilReady(): Promise<void> {
    const timeout = Promise.withResolvers<'timeout'>();
    const timer = setTimeout(() => timeout.resolve('timeout'), READY_WITHIN_MS);
    const ready = discord.ready().then(() => 'ready' as const);
    const first = await Promise.race([ready, bot.exited(), timeout.promise]).finally(() =>
      clearTimeout(timer),
    );
    if (first === 'ready') return;
    if (first === 'timeout') {
      await bot.stop('SIGKILL');
      throw new BotNotReadyError(`The bot did not connect within ${READY_WITHIN_MS / 1000} s.`);
    }
    throw new BotNotReadyError(
      `The bot ended while it was starting (${describeExit(first)}). Its last words:\n${first.lastWords.join('\n')}`,
    );
  }

  return { bot, start, state: () => state };
}

function troubleNamed<T>(troubles: Readonly<Record<string, T>>, name: string): T {
  const trouble = Object.hasOwn(troubles, name) ? troubles[name] : undefined;
  if (trouble === undefined) throw new Error(`there is ${Object.keys(troubles).join(', ')}`);
  return trouble;
}

/**
 * Creates a token of three parts with dots between them, as real ones have, because discord.js masks the part after the
 * second dot.
 */
function madeUpToken(): string {
  return [18, 4, 28].map((bytes) => randomBytes(bytes).toString('base64url')).join('.');
}
