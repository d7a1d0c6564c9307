import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Agent, request } from 'undici';
import { quietPort } from '../../sandbox/quiet-port.ts';
import { type PostgresServer, startServer } from '../support/postgres-server.ts';
import { type LightDiscord, type LightListing, startLightDiscord } from './services.ts';
import { endBot, help, perSecond, setKey, startBot, submissions } from './work.ts';

/** How many interactions run at the same time, each in its own guild. */
const AT_ONCE = 64;
/** How many seconds the bot runs before the measurement, because code is slow at first. */
const WARM_SECONDS = 2;
/** If the processor is busy for at least this share of the time, it is the bottleneck. */
const BUSY = 0.9;

interface ReplicasOptions {
  readonly counts: readonly number[];
  readonly seconds: number;
  readonly listing: LightListing;
  /** Arguments for Node that start the bot. */
  readonly command: readonly string[];
}

const say = (line: string) => process.stdout.write(`${line}\n`);

/**
 * Measures how many submissions and acknowledgements several processes handle per second, and finds the bottleneck. They
 * share one PostgreSQL server on disk, and receive interactions in turn.
 */
export async function measureReplicas({ counts, ...options }: ReplicasOptions): Promise<void> {
  const server = await startServer({ onDisk: true });
  if (server === undefined) {
    say('PostgreSQL is not installed: --replicas cannot run without it (apt-get install postgresql)');
    return;
  }
  say('processes  submissions  acknowledgements  commits    limited by');
  try {
    for (const count of counts) {
      const found = await measure(server, count, options);
      const columns = [
        String(count).padEnd(9),
        `${found.submissions.toFixed(0)} /s`.padEnd(11),
        `${found.acknowledgements.toFixed(0)} /s`.padEnd(16),
        `${found.commits.toFixed(0)} /s`.padEnd(9),
        limitOf(found.busy),
      ];
      say(columns.join('  '));
    }
  } finally {
    await server.stop();
  }
}

function limitOf(busy: number): string {
  const share = `${cpus().length} cores, ${Math.round(busy * 100)} % busy with all that runs here`;
  return busy >= BUSY ? `the processor (${share})` : `waiting (${share})`;
}

async function measure(
  server: PostgresServer,
  count: number,
  { seconds, listing, command }: Omit<ReplicasOptions, 'counts'>,
) {
  const database = `bench_${count}`;
  await query(server.url, `create database ${database}`);
  const storeUrl = new URL(server.url);
  storeUrl.pathname = `/${database}`;
  const ports = await Promise.all(Array.from({ length: count }, quietPort));
  const { publicKey, post } = createPoster(ports);
  const discord = await startLightDiscord({ guilds: AT_ONCE, post });
  const env = {
    DISCORD_PUBLIC_KEY: publicKey,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    INTERACTIONS: 'http',
    STORE_URL: storeUrl.href,
    LOG_LEVEL: 'error',
  };
  const bots = ports.map((port) =>
    startBot(command, { discord, listing }, { ...env, INTERACTIONS_PORT: String(port) }),
  );
  try {
    for (const port of ports) await untilListening(port);
    return await load(discord, seconds, () => commitsOf(server.url, database));
  } finally {
    await Promise.all(bots.map(endBot));
    await discord.close();
  }
}

/** @param commits returns the number of transactions so far */
async function load(discord: LightDiscord, seconds: number, commits: () => Promise<number>) {
  for (let guild = 0; guild < AT_ONCE; guild += 1) await setKey(discord, guild);
  const askHelp = (guild: number) => help(discord, guild);
  const submit = submissions(discord);
  for (const work of [askHelp, submit]) await perSecond(work, WARM_SECONDS, AT_ONCE);
  const commitsBefore = await commits();
  const before = processorTimes();
  const submitted = await perSecond(submit, seconds, AT_ONCE);
  const after = processorTimes();
  const commitsAfter = await commits();
  return {
    submissions: submitted,
    acknowledgements: await perSecond(askHelp, seconds, AT_ONCE),
    commits: (commitsAfter - commitsBefore) / seconds,
    busy: 1 - (after.idle - before.idle) / (after.all - before.all),
  };
}

/** Returns the processors' busy time and total time since the machine started, in milliseconds. */
function processorTimes() {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { idle, all };
}

/** Posts interactions the way Discord does, to each port in turn. */
function createPoster(ports: readonly number[]) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const dispatcher = new Agent();
  let posted = 0;

  async function send(payload: object): Promise<void> {
    const body = JSON.stringify(payload);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = sign(null, Buffer.from(timestamp + body), privateKey).toString('hex');
    posted += 1;
    const answer = await request(`http://127.0.0.1:${ports[posted % ports.length]}/interactions`, {
      method: 'POST',
      headers: { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp },
      body,
      dispatcher,
    });
    await answer.body.dump();
    if (answer.statusCode !== 202) throw new Error(`an interaction was answered with ${answer.statusCode}`);
  }

  return {
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex'),
    post: (payload: object) => void send(payload),
  };
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    try {
      const { body } = await request(`http://127.0.0.1:${port}/`);
      await body.dump();
      return;
    } catch {
      await sleep(50);
    }
  }
}

async function query(url: string, sql: string, values: readonly unknown[] = []) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function commitsOf(url: string, database: string): Promise<number> {
  // PostgreSQL connections report their transactions once a second.
  await sleep(1_100);
  const [row] = await query(url, 'select xact_commit from pg_stat_database where datname = $1', [database]);
  return Number(Object(row).xact_commit);
}
