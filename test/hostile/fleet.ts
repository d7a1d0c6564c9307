import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import {
  type BotProcess,
  type BotProcessDeps,
  createBotProcess,
  type Exit,
} from '../../sandbox/bot-process.ts';
import { createLoopbackServer } from '../../sandbox/loopback-server.ts';
import { quietPort } from '../../sandbox/quiet-port.ts';
import type { Wire } from '../support/database.ts';

/**
 * The interval and timeout of the load balancer's health checks in milliseconds. Both are shorter than in ops/Caddyfile.
 */
const LOOK_EVERY_MS = 250;
const LOOK_MS = 1_000;
/** How long the load balancer waits for a replica to accept an interaction. Discord waits 3,000 ms in total. */
const TAKE_MS = 1_000;
/** How long the supervisor waits before it restarts a process that has exited. */
const START_AGAIN_MS = 200;

/** Turns a replica into the next version. Every second replica loads this file, as in a half-finished update. */
const NEXT_VERSION = new URL('../support/preloads/next-version.ts', import.meta.url).href;

/** A replica prints this when it exits because others have taken over its work. */
const LEASE_OVER = 'others have taken over its work';
/** A replica prints this if it can't use the database at startup or later. */
const NO_DATABASE = /cannot use the database|server-listing-bot: the database failed/;

/** One of several processes that run the same bot under a supervisor. */
export interface Replica extends BotProcess {
  readonly isReady: boolean;
  /** The replica's own proxy to the database. */
  readonly wire: Wire;
  /** Sends a signal without waiting for its effect. */
  signal(name: NodeJS.Signals): void;
}

/** Several processes that act as one bot behind a load balancer. */
export interface Fleet extends BotProcess {
  readonly replicas: readonly Replica[];
  /** How many replicas have exited because others had taken over their work. */
  leasesOver(): number;
}

/**
 * Creates replicas behind a load balancer that listens on INTERACTIONS_PORT.
 * @param wires one database proxy per replica
 */
export function createFleet(wires: readonly Wire[], { env, onLine, onExit, ...deps }: BotProcessDeps): Fleet {
  const agent = new Agent({ connections: 100 });
  let isWanted = false;
  let over = 0;
  let served = 0;
  let looking: NodeJS.Timeout | undefined;
  let end: Promise<Exit> = Promise.resolve({ status: 0, signal: null, wanted: true, lastWords: [] });

  const balancer = createLoopbackServer((incoming, response) => {
    pass(incoming, response).catch(() => response.destroy());
  });
  const replicas = wires.map(createReplica);

  function createReplica(wire: Wire, at: number) {
    const { NODE_OPTIONS = '' } = env;
    const version = at % 2 === 1 ? { NODE_OPTIONS: `${NODE_OPTIONS} --import=${NEXT_VERSION}` } : {};
    let run: BotProcess | undefined;
    let address = '';
    let health = '';
    let isReady = false;

    async function start(): Promise<void> {
      const [port, healthPort] = [await quietPort(), await quietPort()];
      address = `http://127.0.0.1:${port}`;
      health = `http://127.0.0.1:${healthPort}/livez`;
      run = createBotProcess({
        ...deps,
        env: {
          ...env,
          ...version,
          STORE_URL: wire.url,
          INTERACTIONS_PORT: String(port),
          HTTP_PORT: String(healthPort),
        },
        onLine,
        onExit: (exit) => void ended(exit),
      });
      run.start();
    }

    async function ended(exit: Exit): Promise<void> {
      isReady = false;
      const isOver = exit.lastWords.some((line) => line.includes(LEASE_OVER));
      const isAway = exit.lastWords.some((line) => NO_DATABASE.test(line));
      if (isOver) over += 1;
      else if (!exit.wanted && !isAway) onExit(exit);
      await sleep(START_AGAIN_MS);
      if (isWanted) await start();
    }

    async function look(): Promise<void> {
      const signal = AbortSignal.timeout(LOOK_MS);
      isReady = await request(health, { signal, dispatcher: agent }).then(
        async ({ statusCode, body }) => {
          await body.dump();
          return statusCode === 200;
        },
        () => false,
      );
    }

    return {
      wire,
      signal(name: NodeJS.Signals) {
        if (run?.running && run.pid !== undefined) process.kill(run.pid, name);
      },
      get isReady() {
        return isReady;
      },
      get running() {
        return run?.running ?? false;
      },
      get pid() {
        return run?.pid;
      },
      address: () => address,
      look,
      start: () => void start(),
      readLog: (isRead: boolean) => run?.readLog(isRead),
      exited: () => run?.exited() ?? end,
      stop: (signal?: NodeJS.Signals) => run?.stop(signal) ?? end,
    };
  }

  /** Passes an interaction to the next replica that accepts it. */
  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).filter(
        ([name]) => name.startsWith('x-signature') || name === 'content-type',
      ),
    ) as Record<string, string>;
    served += 1;
    const ready = replicas.filter(({ isReady }) => isReady);
    for (let tries = 0; tries < ready.length; tries += 1) {
      const replica = ready[(served + tries) % ready.length];
      const answer = await request(`${replica?.address()}${incoming.url}`, {
        method: 'POST',
        headers,
        body: Buffer.concat(chunks),
        signal: AbortSignal.timeout(TAKE_MS),
        dispatcher: agent,
      }).catch(() => undefined);
      if (answer === undefined || answer.statusCode >= 500) continue;
      response.writeHead(answer.statusCode, { 'content-type': 'application/json' });
      response.end(await answer.body.text());
      return;
    }
    response.writeHead(503).end();
  }

  async function startAll(): Promise<void> {
    await balancer.listen(Number(env.INTERACTIONS_PORT));
    looking = setInterval(() => {
      for (const replica of replicas) void replica.look();
    }, LOOK_EVERY_MS);
    for (const replica of replicas) replica.start();
  }

  async function stopAll(): Promise<Exit> {
    clearInterval(looking);
    await Promise.all(replicas.map((replica) => replica.stop()));
    await balancer.close();
    const exit: Exit = { status: 0, signal: null, wanted: true, lastWords: [] };
    onExit(exit);
    return exit;
  }

  return {
    replicas,
    leasesOver: () => over,
    get running() {
      return isWanted;
    },
    get pid() {
      return replicas[0]?.pid;
    },
    start() {
      if (isWanted) return;
      isWanted = true;
      void startAll();
    },
    readLog(isRead) {
      for (const replica of replicas) replica.readLog(isRead);
    },
    exited: () => (isWanted ? new Promise(() => undefined) : end),
    stop() {
      if (isWanted) end = stopAll();
      isWanted = false;
      return end;
    },
  };
}
