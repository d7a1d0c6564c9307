import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { measureHistory } from './history.ts';
import { type ProcessorTime, processorTimeOf } from './processor-time.ts';
import { measureReplicas } from './replicas.ts';
import { GAMES, type LightDiscord, startLightListing } from './services.ts';
import {
  completing,
  expectType,
  help,
  listSubmissions,
  perSecond,
  type Running,
  runBot,
  setKey,
  slash,
  submissions,
} from './work.ts';

/**
 * Compares this bot with a plain discord.js bot. Prints ratios, because the figures themselves also depend on the machine.
 * Two plain versions of /help are measured: a fixed message, and a list of the commands in the reader's language. Also prints
 * the processor time per interaction, because rates also depend on the program that sends the interactions. Usage:
 * `npm run bench -- --rounds 3 --seconds 3`
 * - `--replicas 1,2,4` only measures one, two and four processes, over HTTP and PostgreSQL.
 * - `--history 100000` only measures a guild that has submitted this many servers.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    replicas: { type: 'string' },
    history: { type: 'string' },
  },
});
const rounds = positive('rounds', values.rounds);
const seconds = positive('seconds', values.seconds);

/** How many interactions run at the same time, each in its own guild. */
const AT_ONCE = 16;
/** How many interactions are sent per second while acknowledgement times are measured. Either bot can handle far more. */
const RATE = 50;
/** How many more times to start each bot per round. A single start time depends more on the machine than on the bot. */
const STARTS = 5;
const MANY_GUILDS = 10_000;
const ROOT = join(import.meta.dirname, '../..');

/** The arguments for Node that `npm start` uses. */
const OURS = packageJson.scripts.start
  .split(' ')
  .slice(1)
  .map((argument) => argument.replace('--import=.', `--import=${ROOT}`))
  .map((argument) => (argument.startsWith('-') ? argument : resolve(ROOT, argument)));

const PLAIN = join(import.meta.dirname, 'plain-bot.ts');
/** `lists` is the plain bot, with a /help command that lists our bot's commands. */
type Bot = 'ours' | 'plain' | 'lists';
const BOTS = ['ours', 'plain'] as const;
const COMMANDS: Readonly<Record<Bot, readonly string[]>> = {
  ours: OURS,
  plain: [PLAIN],
  lists: [PLAIN, '--lists'],
};

/**
 * A measured value and the goal for the ratio ours / plain. The goal is a minimum if more is better, and a maximum if less
 * is better.
 */
interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly goal: readonly ['≥' | '≤', number] | undefined;
  /** The bot to compare ours with. The default is the plain bot. */
  readonly beside?: Bot;
}
const FIGURES = {
  autocomplete: { name: 'autocomplete, 16 at once', unit: '/s', goal: ['≥', 1.5] },
  constant: { name: '/help beside a constant one', unit: '/s', goal: ['≥', 0.9] },
  listed: { name: '/help beside one that lists', unit: '/s', goal: ['≥', 0.9], beside: 'lists' },
  submissions: { name: 'whole submissions, 16 at once', unit: '/s', goal: undefined },
  p50: { name: 'acknowledged, 50 a second, p50', unit: 'ms', goal: ['≤', 1.05] },
  p99: { name: 'acknowledged, 50 a second, p99', unit: 'ms', goal: undefined },
  ready: { name: 'start to ready, 1 guild', unit: 'ms', goal: ['≤', 1.4] },
  memory: { name: 'memory, 1 guild', unit: 'MiB', goal: undefined },
  memoryMany: { name: `memory, ${MANY_GUILDS} guilds`, unit: 'MiB', goal: ['≤', 0.2] },
} as const satisfies Record<string, Figure>;
type Name = keyof typeof FIGURES;

/** Interactions whose processor time is measured. A submission of a list consists of several interactions. */
const WORKS = ['autocomplete', '/help', 'submission', 'submission of 100'] as const;
type Work = (typeof WORKS)[number];
const LIST_LENGTH = 100;
/** How long the bots have to finish what they do after a reply, in milliseconds. */
const FINISHES_MS = 200;

const listing = await startLightListing();
const results = new Map<Name, Map<Bot, number[]>>();
const times: { readonly work: Work; readonly bot: Bot; readonly perWork: ProcessorTime }[] = [];
const say = (line: string) => process.stdout.write(`${line}\n`);

function record(name: Name, bot: Bot, value: number): void {
  const byBot = results.get(name) ?? new Map<Bot, number[]>();
  byBot.set(bot, [...(byBot.get(bot) ?? []), value]);
  results.set(name, byBot);
}

/** Measures the time until a bot's first reply, and its memory use afterwards. */
async function atOneGuild(bot: Bot): Promise<void> {
  await withBot(bot, { guilds: 1 }, async ({ readyMs, bot: child }) => {
    record('ready', bot, readyMs);
    record('memory', bot, await memoryAtRest(child));
  });
}

const started = (bot: Bot) =>
  withBot(bot, { guilds: 1 }, async ({ readyMs }) => record('ready', bot, readyMs));

async function atManyGuilds(bot: Bot): Promise<void> {
  await withBot(bot, { guilds: MANY_GUILDS }, async ({ bot: child }) => {
    record('memoryMany', bot, await memoryAtRest(child));
  });
}

async function load(bot: Bot): Promise<void> {
  await withBot(bot, { guilds: AT_ONCE }, async ({ discord, bot: { pid } }) => {
    /** Records the processor time per interaction, and returns the interactions per second. */
    async function measure(work: Work, run: (guild: number) => Promise<void>): Promise<number> {
      let count = 0;
      const before = await processorTimeOf(pid);
      const rate = await perSecond(
        async (guild) => {
          await run(guild);
          count += 1;
        },
        seconds,
        AT_ONCE,
      );
      await sleep(FINISHES_MS);
      const after = await processorTimeOf(pid);
      const perWork = {
        user: (after.user - before.user) / count,
        system: (after.system - before.system) / count,
      };
      times.push({ work, bot, perWork });
      return rate;
    }

    if (bot === 'ours') for (let guild = 0; guild < AT_ONCE; guild += 1) await setKey(discord, guild);
    let number = 0;
    const complete = async (guild: number) => {
      number += 1;
      const typed = `game number ${number % GAMES}`.slice(0, 3 + (number % 12));
      const { acknowledged } = discord.send(completing(typed), guild);
      expectType(await acknowledged, 8);
    };
    const askHelp = (guild: number) => help(discord, guild);
    const submit = submissions(discord);
    // Runs each command once, because both bots are slow at first.
    const submitList = listSubmissions(discord, LIST_LENGTH);
    for (const work of [complete, askHelp, submit, submitList]) await perSecond(work, 0.5, AT_ONCE);
    record('autocomplete', bot, await measure('autocomplete', complete));
    const asked = await measure('/help', askHelp);
    record('constant', bot, asked);
    record('listed', bot, asked);
    record('submissions', bot, await measure('submission', submit));
    await measure('submission of 100', submitList);
  });
}

/** Measures the plain bot whose /help command lists the commands. */
async function listed(): Promise<void> {
  await withBot('lists', { guilds: AT_ONCE }, async ({ discord }) => {
    const askHelp = (guild: number) => help(discord, guild);
    await perSecond(askHelp, 0.5, AT_ONCE);
    record('listed', 'lists', await perSecond(askHelp, seconds, AT_ONCE));
  });
}

/** Runs both bots at the same time and measures them in short turns, so any other load on the machine affects both. */
async function acknowledge(): Promise<void> {
  await withBot('ours', { guilds: AT_ONCE }, (ours) =>
    withBot('plain', { guilds: AT_ONCE }, async (plain) => {
      const running = { ours, plain };
      const acknowledged: Readonly<Record<'ours' | 'plain', number[]>> = { ours: [], plain: [] };
      for (const bot of BOTS) await acknowledgements(running[bot].discord);
      for (let turn = 0; turn < 2 * seconds; turn += 1) {
        for (const bot of BOTS) acknowledged[bot].push(...(await acknowledgements(running[bot].discord)));
      }
      for (const bot of BOTS) {
        record('p50', bot, quantile(acknowledged[bot], 0.5));
        record('p99', bot, quantile(acknowledged[bot], 0.99));
      }
    }),
  );
}

/** Measures acknowledgement times for half a second. */
async function acknowledgements(discord: LightDiscord): Promise<readonly number[]> {
  const count = RATE / 2;
  const start = performance.now();
  const all = [];
  for (let index = 0; index < count; index += 1) {
    await sleep(Math.max(0, start + (index * 1000) / RATE - performance.now()));
    all.push(discord.send(slash('help'), index).acknowledged.then(({ acknowledgedMs }) => acknowledgedMs));
  }
  return Promise.all(all);
}

/** Runs a bot with its own data folder. */
async function withBot(
  bot: Bot,
  { guilds }: { readonly guilds: number },
  use: (running: Running) => Promise<void>,
): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'bench-'));
  const env = { STORE_URL: `sqlite://${join(data, 'bot.sqlite')}`, LOG_LEVEL: 'warn' };
  try {
    await runBot({ command: COMMANDS[bot], listing, guilds, env }, use);
  } finally {
    await rm(data, { recursive: true });
  }
}

/** Waits until a process's resident memory no longer changes, and returns it. Only works on Linux. */
async function memoryAtRest(child: ChildProcess): Promise<number> {
  let before = Number.NaN;
  for (;;) {
    await sleep(1500);
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    const mib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    if (Math.abs(mib - before) < 0.02 * mib) return mib;
    before = mib;
  }
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function show(): void {
  say(
    `${'medians of'.padEnd(32)} ${'ours'.padStart(10)} ${'plain'.padStart(10)} ${'ours/plain'.padStart(11)}  goal`,
  );
  for (const [name, { name: title, unit, goal, beside = 'plain' }] of Object.entries(FIGURES) as [
    Name,
    Figure,
  ][]) {
    const of = (bot: Bot) => quantile(results.get(name)?.get(bot) ?? [], 0.5);
    const ratio = of('ours') / of(beside);
    const isMet = goal === undefined || (goal[0] === '≥' ? ratio >= goal[1] : ratio <= goal[1]);
    const wanted = goal === undefined ? '' : `${goal[0]} ${goal[1]}${isMet ? '' : '  MISSED'}`;
    const figure = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.padStart(10);
    say(
      `${title.padEnd(32)} ${figure(of('ours'))} ${figure(of(beside))} ${`${ratio.toFixed(2)}×`.padStart(11)}  ${wanted}`,
    );
  }
}

/** Prints the processor time per interaction: the total, and in brackets the parts in the program and in the kernel. */
function showProcessorTime(): void {
  const title = 'processor time per interaction';
  say(
    `${title.padEnd(32)} ${'ours (user + system)'.padStart(28)} ${'plain'.padStart(28)} ${'ours/plain'.padStart(11)}`,
  );
  for (const work of WORKS) {
    const median = (bot: Bot, part: (time: ProcessorTime) => number) =>
      quantile(
        times.filter((time) => time.work === work && time.bot === bot).map(({ perWork }) => part(perWork)),
        0.5,
      );
    const total = (bot: Bot) => median(bot, ({ user, system }) => user + system);
    const figure = (bot: Bot) => {
      const [user, system] = [median(bot, (time) => time.user), median(bot, (time) => time.system)];
      return `${total(bot).toFixed(3)} ms (${user.toFixed(3)} + ${system.toFixed(3)})`.padStart(28);
    };
    const ratio = `${(total('ours') / total('plain')).toFixed(2)}×`.padStart(11);
    say(`${work.padEnd(32)} ${figure('ours')} ${figure('plain')} ${ratio}`);
  }
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new RangeError(`--${name} must be a number above 0`);
  return number;
}

if (values.replicas !== undefined) {
  const counts = values.replicas.split(',').map((text) => positive('replicas', text));
  await measureReplicas({ counts, seconds, listing, command: OURS });
  await listing.close();
  process.exit();
}

if (values.history !== undefined) {
  await measureHistory({ count: positive('history', values.history), listing, command: OURS });
  await listing.close();
  process.exit();
}

for (let round = 1; round <= rounds; round += 1) {
  const inTurn = round % 2 === 1 ? BOTS : BOTS.toReversed();
  for (const bot of inTurn) {
    process.stderr.write(`round ${round} of ${rounds}: ${bot}\n`);
    await atOneGuild(bot);
    await load(bot);
    await atManyGuilds(bot);
  }
  await listed();
  await acknowledge();
  for (let more = 0; more < STARTS; more += 1) for (const bot of inTurn) await started(bot);
}
await listing.close();
show();
showProcessorTime();
