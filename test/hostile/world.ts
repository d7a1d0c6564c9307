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

/** No limits, since this is about what is sent; and what Discord waits 3 seconds for may take longer on a busy machine. */
const NO_LIMITS = { MEMBER_LIMIT: '20000/1', GUILD_LIMIT: '20000/1' };

const CLOCK = new URL('../faults/preloads/clock.ts', import.meta.url).href;

/** Several processes of the bot, over a server of PostgreSQL. */
export interface Replicas {
  readonly count: number;
  readonly server: PostgresServer;
}

export interface WorldOptions {
  readonly verdict: Verdict;
  readonly env?: Readonly<Record<string, string>>;
  readonly listing?: ListingOptions;
  /** How long the bot may take for a first response, in milliseconds; 3,000, as at Discord. */
  readonly answerWithinMs?: number;
  /** Discord's codes of errors that are nobody's fault here. */
  readonly blameless?: readonly number[];
  /** In place of one process. */
  readonly replicas?: Replicas;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The real bot between both stand-ins, three guilds, and all that is to be judged in the end. */
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
    discord: { reactionMs: 0, ...(answerWithinMs !== undefined && { answerWithinMs }) },
  });
  const { discord, listing, bot, people, data } = sandbox;
  const stored = createHistory(replicas ? inPostgres(databaseUrl) : inFile(data));
  const lines: string[] = [];
  const asks: Ask[] = [];
  discord.guildEvents.add({ name: 'Third' });
  sandbox.watch((event) => {
    if (event.kind === 'log') lines.push(event.line);
    if (event.kind === 'bot' && event.state === 'crashed') {
      verdict.harm('crashes', event.exit.lastWords.join('\n') || 'it ended without a word');
    }
  });

  return {
    discord,
    listing,
    bot,
    data,
    token: sandbox.token,
    startBot: sandbox.startBot,
    restart: sandbox.restart,
    verdict,
    probe,
    /** By how much the bot's clock is wrong from now on, in milliseconds. */
    setClock,
    /** Everything that the bot has printed. */
    lines,
    /** What people asked to be submitted, to be compared with what became of it. */
    asks,
    /** Of `discord.guilds[guild]`. */
    person(role: Role, guild: number): Person {
      const place = discord.guilds[guild];
      if (place === undefined) throw new Error(`there is no guild ${guild}`);
      return people.at({ role, guild: place, locale: 'en-US' });
    },
    stored,
    /** The processes, where there are several. */
    fleet: () => fleet,
    /**
     * Compares what everybody was told with what the service got and holds, once the bot has stopped.
     * @param isJudged the keys whose requests were asked for in `asks`
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
    /** Stops everything, and looks for crashes, secrets, and rules of Discord that were broken. */
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

/** Of the rate limits: buttons that were posted here in the bot's name, and what a bot that starts anew cannot know of. */
const isOwn = ({ status, path }: Breach) => status === 429 && /\/messages(?:\/\d+)?$/.test(path);
/**
 * Replicas that stood still and go on answer together what the balancer had handed to each of them in turn; none knows
 * what the others use up of the limit of the interaction's token.
 */
const isSharedToken = ({ status, path }: Breach) => status === 429 && path.endsWith('/callback');
