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

/** The bot's state changed, or the bot printed a line. */
type BotEvent =
  | { readonly kind: 'bot'; readonly state: 'starting' | 'ready' }
  | { readonly kind: 'bot'; readonly state: 'stopped' | 'crashed'; readonly exit: Exit }
  /** The bot printed a line. */
  | { readonly kind: 'log'; readonly line: string };

/** Everything that can happen in the sandbox, for the page and the prompt. */
export type SandboxEvent =
  | DiscordEvent
  | BotEvent
  /** The listing service's mode or keys changed, or it responded to a request. */
  | { readonly kind: 'listing' };

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;
/** The state of the bot. `crashed` means that the bot ended on its own. */
type BotState = 'starting' | 'ready' | 'stopped' | 'crashed';

export interface SandboxOptions {
  /** This process's environment. The bot only receives PATH and similar variables from it. */
  readonly surroundings: NodeJS.ProcessEnv;
  /** Whether the bot looks up game servers, with the stand-ins for Steam and DNS. The default is `false`. */
  readonly serverLookup?: boolean;
  /** The folder for the bot's data. The default is a temporary folder, which `close` deletes. */
  readonly data?: string | undefined;
  /** Whether Discord posts interactions to the bot over HTTP. By default, the bot connects to the gateway. */
  readonly http?: boolean;
  /** Environment variables to add for the bot. These override the sandbox's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** For tests: see {@link BotProcessDeps.wrapper}. */
  readonly wrapper?: readonly string[];
  /** For tests: another way to run the bot. The default is a separate process. */
  readonly createBot?: (deps: BotProcessDeps) => BotProcess;
  /** For tests: makes Discord and the listing service use TLS and support HTTP/2. The bot trusts this certificate. */
  readonly certificate?: Certificate;
  /** For tests: options of the simulated Discord, such as the number of shards. */
  readonly discord?: Omit<StandInOptions, 'token'>;
  /** For tests: options of the simulated listing service, such as its keys or games. */
  readonly listing?: ListingOptions;
}

/** The bot didn't become ready, because it ended or couldn't connect. */
export class BotNotReadyError extends Error {
  override readonly name = 'BotNotReadyError';
}

/** The bot usually starts in about a second, but takes much longer on a busy machine. */
const READY_WITHIN_MS = 30_000;

/**
 * Starts a simulated Discord and a simulated listing service, and creates the bot and its users. Several front ends can use
 * one sandbox at the same time.
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
    /** The stand-ins for Steam's server list and DNS. */
    records,
    bot,
    /** Discord's current fault: one of {@link DISCORD_TROUBLES}. */
    get discordTrouble() {
      return discordTrouble;
    },
    /** The listing service's current fault: one of {@link SERVICE_TROUBLES}. */
    get serviceTrouble() {
      return serviceTrouble;
    },
    /** The current fault in Steam's server list: one of {@link STEAM_TROUBLES}. */
    get steamTrouble() {
      return steamTrouble;
    },
    /** @throws Error if the fault doesn't exist */
    troubleSteam(name: string): void {
      records.behaveAsSteam(troubleNamed(STEAM_TROUBLES, name).how);
      steamTrouble = name;
    },
    /** @throws Error if the fault doesn't exist */
    troubleDiscord(name: string): void {
      const { how } = troubleNamed(DISCORD_TROUBLES, name);
      discord.faults.clear();
      how(discord.faults);
      discordTrouble = name;
    },
    /** @throws Error if the fault doesn't exist */
    async troubleService(name: string): Promise<void> {
      const { how } = troubleNamed(SERVICE_TROUBLES, name);
      serviceTrouble = name;
      await listing.behave(how);
    },
    get botState(): BotState {
      return keeper.state();
    },
    /** The users, which all front ends share. */
    people: createPeople(discord),
    /** The random bot token that the simulated Discord accepts. */
    token,
    /** The folder with the bot's database and encryption key. */
    data,
    /**
     * Starts the bot and waits until it has connected and published its commands.
     * @throws BotNotReadyError
     */
    startBot: keeper.start,
    /** Stops the bot and starts it again with the same data. */
    async restart(): Promise<void> {
      await bot.stop();
      await keeper.start();
    },
    /**
     * Calls a function with every event from now on. The current state is in `discord`, `listing` and `botState`. @returns
     * a function that stops the calls
     */
    watch,
    /** Stops everything and deletes the data folder if it is temporary. */
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

/** Starts the bot on request and keeps track of its state. */
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
      // A bot that exits during startup doesn't count as crashed: `startBot` throws an error instead.
      state = exit.wanted || state === 'starting' ? 'stopped' : 'crashed';
      tell({ kind: 'bot', state, exit });
    },
  });

  async function start(): Promise<void> {
    state = 'starting';
    tell({ kind: 'bot', state });
    // Otherwise, a restart might have to wait 5 seconds for Discord to let the shard identify again.
    discord.gateway.waiveIdentifyLimit();
    // Waits until the previous run's connection has closed. Otherwise, the new run would immediately count as connected.
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

/** Creates a token with three parts separated by dots, like a real token. discord.js masks the last part. */
function madeUpToken(): string {
  return [18, 4, 28].map((bytes) => randomBytes(bytes).toString('base64url')).join('.');
}
