import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { BotProcessDeps } from '../../sandbox/bot-process.ts';
import type { Breach, Person } from '../../sandbox/discord/contract.ts';
import type { ListingOptions } from '../../sandbox/listing/stand-in.ts';
import type { Role } from '../../sandbox/people.ts';
import { openSandbox } from '../../sandbox/sandbox.ts';
import { leaksOf } from '../support/bot.ts';
import { openWire } from '../support/database.ts';
import { createStallProbe } from '../support/machine.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { createFleet, type Fleet } from './fleet.ts';
import { createHistory, inFile, inPostgres } from './history.ts';
import { type Ask, judge } from './judge.ts';
import type { Verdict } from './verdict.ts';

/** Limits that are never reached, because these runs test requests. */
const NO_LIMITS = { MEMBER_LIMIT: '20000/1', GUILD_LIMIT: '20000/1' };

const CLOCK = new URL('../faults/preloads/clock.ts', import.meta.url).href;

/** Several bot processes that share a PostgreSQL server. */
export interface Replicas {
  readonly count: number;
  readonly server: PostgresServer;
}

interface WorldOptions {
  readonly verdict: Verdict;
  readonly env?: Readonly<Record<string, string>>;
  readonly listing?: ListingOptions;
  /** Whether the bot looks up game servers. The default is `false`. */
  readonly serverLookup?: boolean;
  /** The maximum time for the bot to send a first response, in milliseconds. The default is Discord's limit of 3,000. */
  readonly answerWithinMs?: number;
  /** Discord error codes that don't count as violations here. */
  readonly blameless?: readonly number[];
  /** Runs several processes instead of one. */
  readonly replicas?: Replicas;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Starts the real bot with three guilds, and records everything that will be judged at the end. */
export async function openWorld(options: WorldOptions) {
  const { verdict, answerWithinMs, blameless = [], replicas } = options;
  const probe = await createStallProbe();
  const clock = join(await mkdtemp(join(tmpdir(), 'hostile-')), 'clock');
  const setClock = (ms: number) => writeFile(clock, String(ms));
  await setClock(0);
  const databaseUrl = replicas?.server.url ?? '';
  const encryptionKeys = randomBytes(32).toString('base64');
  const wires = await Promise.all(Array.from({ length: replicas?.count ?? 0 }, () => openWire(databaseUrl)));
  let fleet: Fleet | undefined;
  const sandbox = await openSandbox({
    surroundings: process.env,
    env: {
      ...NO_LIMITS,
      ...probe.env,
      NODE_OPTIONS: `${probe.env.NODE_OPTIONS} --import=${CLOCK}`,
      CLOCK_FILE: clock,
      ...options.env,
      ...(replicas && { STORE_URL: databaseUrl, ENCRYPTION_KEY: encryptionKeys }),
    },
    ...(replicas && {
      http: true,
      createBot(deps: BotProcessDeps) {
        fleet = createFleet(wires, deps);
        return fleet;
      },
    }),
    ...(options.listing && { listing: options.listing }),
    serverLookup: options.serverLookup ?? false,
    discord: { reactionMs: 0, ...(answerWithinMs !== undefined && { answerWithinMs }) },
  });
  const { discord, listing, records, bot, people, data } = sandbox;
  const stored = createHistory(replicas ? inPostgres(databaseUrl) : inFile(data));
  const lines: string[] = [];
  const asks: Ask[] = [];
  discord.guildEvents.add({ name: 'Third' });
  sandbox.watch((event) => {
    if (event.kind === 'log') lines.push(event.line);
    if (event.kind === 'bot' && event.state === 'crashed') {
      verdict.harm('crashes', event.exit.lastWords.join('\n') || 'the bot ended without output');
    }
  });

  return {
    discord,
    listing,
    /** Steam's list and the DNS records. */
    records,
    bot,
    data,
    token: sandbox.token,
    startBot: sandbox.startBot,
    verdict,
    probe,
    /** Sets the offset of the bot's clock, in milliseconds. */
    setClock,
    /** Everything that the bot has printed. */
    lines,
    /** The users' requests to submit servers, which are compared with the outcomes. */
    asks,
    /** Returns a user in the guild `discord.guilds[guild]`. */
    person(role: Role, guild: number): Person {
      const place = discord.guilds[guild];
      if (place === undefined) throw new Error(`there is no guild ${guild}`);
      return people.at({ role, guild: place, locale: 'en-US' });
    },
    stored,
    /** Returns the processes if there are several. */
    fleet: () => fleet,
    /**
     * Compares every reply with the servers that the service received and stored. Call this after the bot has stopped.
     * @param isJudged whether the requests made with this key belong to `asks`
     */
    async judge(isJudged: (key: string) => boolean, turnedDown: readonly string[] = []): Promise<void> {
      const submitted = await stored.submitted();
      const requests = listing.requests.filter(({ action, key }) => action === 'add' && isJudged(key));
      const asked = new Set(asks.map(({ server }) => server));
      const findings = {
        asks,
        received: requests.flatMap(({ servers }) => servers.map(({ server = '' }) => server)),
        turnedDown,
        held: listing.submitted.map(({ server }) => server).filter((server) => asked.has(server)),
        isInHistory: (guildId: string, server: string) => submitted.has(`${guildId} ${server}`),
      };
      judge(findings, verdict.harm);
    },
    /** Stops everything, and checks for leaked secrets and broken Discord rules. */
    async close(): Promise<void> {
      try {
        await bot.stop();
        for (const leak of await leaksOf(sandbox, { output: lines.join('\n'), encryptionKeys, databaseUrl }))
          verdict.harm('secrets found', leak);
        const broken = discord.breaches.filter(
          (breach) =>
            !isOwn(breach) && !(replicas && isSharedToken(breach)) && !blameless.includes(breach.code),
        );
        for (const about of new Set(broken.map((breach) => JSON.stringify(breach)))) {
          verdict.harm('rules of Discord broken', about);
        }
        await sandbox.close();
      } finally {
        for (const wire of wires) wire.close();
        await probe.close();
        await rm(dirname(clock), { recursive: true });
      }
    },
  };
}

/**
 * Whether the bot couldn't have avoided this rate limit. The test also posts messages as the bot, and a restarted bot
 * doesn't know about earlier requests.
 */
const isOwn = ({ status, path }: Breach) => status === 429 && /\/messages(?:\/\d+)?$/.test(path);
/**
 * Whether several replicas jointly exceeded a rate limit. After a pause, they all resume at the same time with the same
 * token, without knowing about each other's requests.
 */
const isSharedToken = ({ status, path }: Breach) => status === 429 && path.endsWith('/callback');
