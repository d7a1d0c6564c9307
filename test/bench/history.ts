import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLoopbackServer } from '../../sandbox/loopback-server.ts';
import { createStore } from '../../src/storage/store.ts';
import { sqliteAt } from '../../src/store-url.ts';
import { fill } from '../support/builders.ts';
import { createStallProbe } from '../support/machine.ts';
import { processorTimeOf } from './processor-time.ts';
import { guildId, type LightDiscord, type LightListing } from './services.ts';
import { expectType, press, type Running, runBot, slash, startBot, withFile } from './work.ts';

interface HistoryOptions {
  /** How many servers the guild has submitted. */
  readonly count: number;
  readonly listing: LightListing;
  /** Arguments for Node that start the bot. */
  readonly command: readonly string[];
}

/** How many members run the same command at the same time. */
const AT_ONCE = 30;
const LIST_LENGTH = 1_000;
/** How long another guild pauses between two /help commands, in milliseconds. */
const HELP_EVERY_MS = 20;
const FULL_GUILD = 0;
const OTHER_GUILD = 1;
const DAY_MS = 86_400_000;
const BACKUP = join(import.meta.dirname, '../../src/tools/backup.ts');

const say = (line: string) => process.stdout.write(`${line}\n`);

/**
 * Measures the cost of a guild's long history with SQLite. Prints the processor time, the bot's longest stall, and the
 * longest wait for /help in another guild.
 */
export async function measureHistory({ count, listing, command }: HistoryOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const file = join(folder, 'bot.sqlite');
  const copy = join(folder, 'copy.sqlite');
  const lists = await startListServer();
  const probe = await createStallProbe();
  const env = {
    ATTACHMENT_HOSTS: lists.host,
    ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    LOG_LEVEL: 'error',
  };
  const onFile = (path: string) => ({ ...env, STORE_URL: sqliteAt(path).name });
  const measuring =
    ({ discord, bot }: Running) =>
    async (name: string, work: () => Promise<unknown>): Promise<void> => {
      const before = await processorMs(bot);
      const since = Date.now();
      const isOver = new AbortController();
      const waited = longestHelp(discord, isOver.signal);
      await work();
      isOver.abort();
      const helpMs = await waited;
      const stalls = await probe.stalls(since);
      const longest = (of: 'ms' | 'ownMs') => Math.max(0, ...stalls.map((stall) => stall[of]));
      const stall = `${inMs(longest('ms'))} (${inMs(longest('ownMs'))})`;
      const used = (await processorMs(bot)) - before;
      say([name.padEnd(40), inMs(used).padEnd(11), stall.padEnd(25), inMs(helpMs)].join(' '));
    };

  try {
    await fillFile(file, count);
    say(`${`a guild with ${count} servers`.padEnd(40)} processor   stalled (processor)       /help waited`);
    await runBot({ command, listing, guilds: 2, env: { ...onFile(file), ...probe.env } }, async (running) => {
      const { discord } = running;
      const measure = measuring(running);
      const search = () => look(discord, { server: 'nothing' });
      const firstPage = () => look(discord, {});
      const list = () => sendList(discord, lists.url);
      // Runs each command once as a warm-up.
      await Promise.all([search(), firstPage(), list()]);
      await measure('a search', search);
      await measure('a first page', firstPage);
      await measure(`a list of ${LIST_LENGTH}, all submitted before`, list);
      await measure(`${AT_ONCE} searches`, () => Promise.all(times(AT_ONCE, search)));
      const all = () => Promise.all([...times(AT_ONCE, search), ...times(AT_ONCE, firstPage), list()]);
      await measure(`${AT_ONCE} searches, ${AT_ONCE} first pages, a list`, all);
      await measure('the bot beside a backup', async () => {
        const tool = startBot([BACKUP, copy], { discord, listing }, onFile(file));
        await once(tool, 'exit');
      });
      await measure('a deletion of all data', () => press(discord, 'privacy:confirm', FULL_GUILD));
    });
    // Makes the guild's whole history expire.
    const days = { ...onFile(copy), ...probe.env, HISTORY_DAYS: '1' };
    await runBot({ command, listing, guilds: 2, env: days }, (running) =>
      measuring(running)('the hourly job, which deletes all', () => untilEmpty(copy)),
    );
  } finally {
    await probe.close();
    await lists.close();
    await rm(folder, { recursive: true });
  }
}

async function fillFile(path: string, count: number): Promise<void> {
  const nothing = () => undefined;
  const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const store = createStore({ url: sqliteAt(path), logger });
  await store.start();
  await fill(store, guildId(FULL_GUILD), { count, at: Date.now() - 3 * DAY_MS });
  await store.stop();
}

/** Starts a server that returns the same list at every URL. */
async function startListServer() {
  const lines = Array.from({ length: LIST_LENGTH }, (_, index) => `s${index}.example.com:27015`);
  const server = createLoopbackServer((_request, response) => response.end(lines.join('\n')));
  const host = `127.0.0.1:${await server.listen(0)}`;
  return { host, url: `http://${host}/list.txt`, close: server.close };
}

const times = <Result>(count: number, work: () => Promise<Result>) => Array.from({ length: count }, work);

async function look(discord: LightDiscord, filter: Readonly<Record<string, string>>): Promise<void> {
  expectType(await discord.send(slash('submissions', filter), FULL_GUILD).acknowledged, 4);
}

async function sendList(discord: LightDiscord, url: string): Promise<void> {
  const sent = discord.send(withFile(slash('addservers', { game: 'game0' }), url), FULL_GUILD);
  await sent.acknowledged;
  await sent.answered;
}

/** Polls the database, because the job doesn't report when it has finished. */
async function untilEmpty(path: string): Promise<void> {
  const database = new DatabaseSync(path, { readOnly: true });
  const some = database.prepare('select 1 from servers limit 1');
  while (some.get() !== undefined) await sleep(100);
  database.close();
}

async function processorMs({ pid }: ChildProcess): Promise<number> {
  const { user, system } = await processorTimeOf(pid);
  return user + system;
}

const inMs = (ms: number) => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;

async function longestHelp(discord: LightDiscord, isOver: AbortSignal): Promise<number> {
  let longestMs = 0;
  while (!isOver.aborted) {
    const { acknowledgedMs } = await discord.send(slash('help'), OTHER_GUILD).acknowledged;
    longestMs = Math.max(longestMs, acknowledgedMs);
    await sleep(HELP_EVERY_MS);
  }
  return longestMs;
}
