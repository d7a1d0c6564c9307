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
import { type ListingOptions, startListing } from './listing/stand-in.ts';
import type { Certificate } from './loopback-server.ts';
import { createPeople } from './people.ts';
import { quietPort } from './quiet-port.ts';
import { DISCORD_TROUBLES, SERVICE_TROUBLES } from './troubles.ts';
import { createWatchers } from './watchers.ts';

/** The bot does something else now, or has printed a line. */
type BotEvent =
  | { readonly kind: 'bot'; readonly state: 'starting' | 'ready' }
  | { readonly kind: 'bot'; readonly state: 'stopped' | 'crashed'; readonly exit: Exit }
  /** A line that it printed. */
  | { readonly kind: 'log'; readonly line: string };

/** Everything that a front end may show. */
export type SandboxEvent =
  | DiscordEvent
  | BotEvent
  /** The listing service was told to behave in another manner, knows other keys, or answered a request. */
  | { readonly kind: 'listing' };

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;
/** What the bot is doing. `crashed`: it ended without being told to. */
type BotState = 'starting' | 'ready' | 'stopped' | 'crashed';

export interface SandboxOptions {
  /** The environment of this process; of it the bot gets PATH and the like, and nothing else. */
  readonly surroundings: NodeJS.ProcessEnv;
  /** A folder to keep; without it a temporary one that is removed by `close`. */
  readonly data?: string | undefined;
  /** Discord posts interactions to the bot; without it the bot connects to the gateway. */
  readonly http?: boolean;
  /** More variables for the bot, or other values than the sandbox's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** For tests: see {@link BotProcessDeps.wrapper}. */
  readonly wrapper?: readonly string[];
  /** For tests: another way to run the bot than as a process of its own. */
  readonly createBot?: (deps: BotProcessDeps) => BotProcess;
  /** For tests: both stand-ins listen on TLS, with HTTP/2 on offer; the bot trusts this certificate. */
  readonly certificate?: Certificate;
  /** For tests: shards, limits and the like of the Discord stand-in. */
  readonly discord?: Omit<StandInOptions, 'token'>;
  /** For tests: other keys or games than the usual ones, or a plan of failures. */
  readonly listing?: ListingOptions;
}

/** The bot ended, or did not connect, instead of becoming ready. */
export class BotNotReady extends Error {
  override readonly name = 'BotNotReady';
}

/** A start takes about a second; a machine that is busy may need much longer. */
const READY_WITHIN_MS = 30_000;

/**
 * Both stand-ins and the real bot, connected to each other over loopback, and the people who use it: one world, which
 * any number of front ends show and change at once.
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
  return {
    discord,
    listing,
    bot,
    /** What is wrong with Discord: one of {@link DISCORD_TROUBLES}. */
    get discordTrouble() {
      return discordTrouble;
    },
    /** What is wrong with the listing service: one of {@link SERVICE_TROUBLES}. */
    get serviceTrouble() {
      return serviceTrouble;
    },
    /** @throws Error when there is no such trouble */
    troubleDiscord(name: string): void {
      const { how } = troubleNamed(DISCORD_TROUBLES, name);
      discord.faults.clear();
      how(discord.faults);
      discordTrouble = name;
    },
    /** @throws Error when there is no such trouble */
    async troubleService(name: string): Promise<void> {
      const { how } = troubleNamed(SERVICE_TROUBLES, name);
      serviceTrouble = name;
      await listing.behave(how);
    },
    get botState(): BotState {
      return keeper.state();
    },
    /** Who uses the bot: the same person for every front end. */
    people: createPeople(discord),
    /** The bot's token at the stand-in; made up anew each time. */
    token,
    /** Where the bot keeps its database and its encryption key. */
    data,
    /**
     * Starts the bot and waits until it is connected and its commands are published.
     * @throws BotNotReady
     */
    startBot: keeper.start,
    /** Stops the bot and starts it on the same data. */
    async restart(): Promise<void> {
      await bot.stop();
      await keeper.start();
    },
    /**
     * Tells of everything that happens from now on, as it happens: messages, interactions, guilds, what goes over the
     * wire and the rules that it breaks, the service, the bot and its log. What there is already is in `discord`,
     * `listing` and `botState`. The function returned ends it.
     */
    watch,
    /** Stops everything; a temporary folder is removed. */
    async close(): Promise<void> {
      await bot.stop();
      try {
        await Promise.all([discord.close(), listing.close()]);
      } finally {
        if (options.data === undefined) await rm(data, { recursive: true, force: true });
      }
    },
  };
}

/** Starts the bot as often as is wanted, and tells what it is doing. */
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
      // An end during the start is told by the error of startBot.
      state = exit.wanted || state === 'starting' ? 'stopped' : 'crashed';
      tell({ kind: 'bot', state, exit });
    },
  });

  async function start(): Promise<void> {
    state = 'starting';
    tell({ kind: 'bot', state });
    // Discord lets a shard identify once in 5 seconds; nobody has to sit through that after a restart.
    discord.gateway.waiveIdentifyLimit();
    // The previous run's connection must be seen to be gone, or its end could be taken for readiness.
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
      throw new BotNotReady(`The bot did not connect within ${READY_WITHIN_MS / 1000} s.`);
    }
    throw new BotNotReady(
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

/** Three parts with dots between them, as a real token has, since discord.js masks what stands behind the second. */
function madeUpToken(): string {
  return [18, 4, 28].map((bytes) => randomBytes(bytes).toString('base64url')).join('.');
}
