import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Answer, Person } from '../sandbox/discord/contract.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { inStaff, turnApprovalOn, waitingIn } from './support/approval.ts';
import { createBotInProcess, setKey, type TestGuild } from './support/bot.ts';
import { addServer, lines, pressSubmit, sendFile } from './support/people.ts';

/*
 * Prints the costs of each kind of interaction: SQL statements and their callers, transactions, and the number of lines in
 * `src` and `commands` that ran. `npm run trace`
 */

const ROOT = join(import.meta.dirname, '..');
/** An interaction counts as finished after this many milliseconds without a statement. */
const QUIET_MS = 400;
/** How many of a statement's callers to print. */
const CALLERS = 3;

interface Statement {
  readonly sql: string;
  /** The collection, for a value stored under a key; otherwise an empty string. */
  readonly area: string;
  /** The functions that ran the statement, innermost first. */
  readonly callers: readonly string[];
}

let statements: Statement[] = [];
// Deep enough to reach the command through every await.
Error.stackTraceLimit = 200;

const isOfBot = (path: string) => path.startsWith(`${ROOT}/src/`) || path.startsWith(`${ROOT}/commands/`);

function callersNow(): readonly string[] {
  const frames = [
    ...(new Error().stack ?? '').matchAll(/at (?:async )?(?:(.*?) \()?file:\/\/(.*?):(\d+):\d+/g),
  ];
  return frames.flatMap(([, name = '', path = '', line]) => {
    const isStorage = path.startsWith(`${ROOT}/src/storage/`) || path === `${ROOT}/src/pacing/retry.ts`;
    if (!isOfBot(path) || isStorage) return [];
    return [`${path.slice(ROOT.length + 1)}:${line} ${name.replace('Object.', '')}`.trim()];
  });
}

function note(sql: string, parameters: readonly unknown[] = []): void {
  const [, area = ''] = /^(?:keyv:)?([\w-]+):/.exec(String(parameters[0] ?? '')) ?? [];
  statements.push({ sql, area: /\bkeyv\b/.test(sql) ? area : '', callers: callersNow() });
}

for (const name of ['all', 'run', 'get'] as const) {
  const original = StatementSync.prototype[name];
  Object.assign(StatementSync.prototype, {
    [name](this: StatementSync, ...parameters: unknown[]) {
      note(this.sourceSQL, parameters);
      return Reflect.apply(original, this, parameters);
    },
  });
}
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function noted(sql) {
  note(sql);
  return exec.call(this, sql);
};

const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

type Coverage = Awaited<ReturnType<typeof takeCoverage>>[number];

async function takeCoverage() {
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  return result.filter(({ url }) => url.startsWith('file:') && isOfBot(fileURLToPath(url)));
}

/** Returns how many lines of a file ran. Types, comments and blank lines don't count. */
function countLines({ url, functions }: Coverage): number {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const code = url.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
  const hasRun = new Uint8Array(code.length);
  // A nested range comes after the range that contains it, and overrides it.
  const ranges = functions
    .flatMap((each) => each.ranges)
    .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges)
    hasRun.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  let start = 0;
  let count = 0;
  for (const line of code.split('\n')) {
    const first = start + line.search(/\S/);
    const isCode = /\S/.test(line) && !/^\s*(?:\/\/|\/?\*)/.test(line);
    if (isCode && hasRun.subarray(first, start + line.length).includes(1)) count += 1;
    start += line.length + 1;
  }
  return count;
}

async function quiet(): Promise<void> {
  for (let before = -1; before !== statements.length; ) {
    before = statements.length;
    await sleep(QUIET_MS);
  }
}

/** Runs an interaction twice and prints the second run, with warm caches. */
async function trace(title: string, act: () => Promise<() => Promise<unknown>>): Promise<void> {
  for (const isFirst of [true, false]) {
    const run = await act();
    await quiet();
    await takeCoverage();
    statements = [];
    await run();
    await quiet();
    if (!isFirst) print(title, await takeCoverage());
  }
}

const isData = ({ sql }: Statement) => /^\s*(?:select|insert|update|delete|with)\b/i.test(sql);
const isRead = ({ sql }: Statement) => /^\s*(?:select|with)\b/i.test(sql);

function print(title: string, coverage: readonly Coverage[]): void {
  const data = statements.filter(isData);
  const reads = data.filter(isRead).length;
  const ran = coverage.map(countLines).filter((count) => count > 0);
  const sum = ran.reduce((all, count) => all + count, 0);
  const transactions = statements.filter(({ sql }) => /^\s*begin\b/i.test(sql)).length;
  say(
    `${title}: ${data.length} statements (${reads} read, ${data.length - reads} write), ` +
      `${transactions} transactions, ${sum} lines in ${ran.length} files`,
  );
  let place = '';
  let transaction = 0;
  for (const statement of statements) {
    const { sql, area, callers } = statement;
    if (/^\s*begin\b/i.test(sql)) {
      transaction += 1;
      place = `T${transaction}`;
    }
    if (/^\s*(?:commit|rollback)\b/i.test(sql)) place = '';
    if (isData(statement)) {
      const what = `${nameOf(sql)} ${area}`.trim();
      say(`  ${place.padEnd(3)} ${what.padEnd(30)} ${callers.slice(0, CALLERS).join(' < ')}`);
    }
  }
}

function nameOf(sql: string): string {
  const [verb = ''] = sql.trim().split(/\s/);
  const tables = [...sql.matchAll(/\b(?:from|into|update|join)\s+"?(?!set\b)(\w+)"?/gi)].map(
    ([, table]) => table,
  );
  return `${verb.toLowerCase()} ${[...new Set(tables)].join(', ')}`;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

const sandbox = await openSandbox({
  surroundings: process.env,
  createBot: (deps) =>
    // This prevents lease renewals during an interaction.
    createBotInProcess(deps, {
      timing: { guildLog: { collectMs: 20, messageGapMs: 20 }, leaseRenewedEveryMs: 2_000_000_000 },
    }),
  env: { LOG_LEVEL: 'warn', MEMBER_LIMIT: '20000/60', GUILD_LIMIT: '20000/60' },
  discord: { reactionMs: 0 },
});
await sandbox.startBot();
const { discord, listing, people } = sandbox;
listing.allow('sandbox-key');

async function newGuild(): Promise<TestGuild> {
  const guild = discord.guildEvents.add({ name: `Guild ${discord.guilds.length}`, locale: 'en-US' });
  const person: TestGuild['person'] = ({ role = 'member', locale = 'en-US' }) =>
    people.at({ role, guild, locale });
  const admin = person({ role: 'admin' });
  await setKey(admin, 'sandbox-key');
  return { ...guild, discord, listing, admin, member: person({}), person };
}

const plain = await newGuild();
const moderated = await newGuild();
await turnApprovalOn(moderated);

let number = 0;
function nextAddress(): string {
  number += 1;
  return `play${number}.example.com:27015`;
}
const add = (person: Person, address: string) => (): Promise<Answer> => addServer(person, address);

function nextList(): string {
  number += 1;
  return lines(250).replaceAll('.example', `-${number}.example`);
}

await trace('/addserver, accepted', async () => add(plain.member, nextAddress()));
await trace('/addserver, wrong address', async () => add(plain.member, 'play..example.com:27015'));
await trace('/addserver, held back because it was already submitted', async () => {
  const address = nextAddress();
  await addServer(plain.member, address);
  await quiet();
  return add(plain.member, address);
});
await trace('/addserver, waits for a moderator', async () => add(moderated.member, nextAddress()));
await trace('Approve', async () => {
  await addServer(moderated.member, nextAddress());
  await quiet();
  const message = await waitingIn(moderated);
  return () => inStaff(moderated, 'admin').press(message, 'Approve');
});
await trace('a list of 250, its preview', async () => () => sendFile(plain.member, nextList()));
await trace('a list of 250, submitted', async () => {
  const preview = await sendFile(plain.member, nextList());
  return () => pressSubmit(plain.member, preview);
});
await trace(
  'an autocomplete',
  async () => () => plain.member.complete('addserver', 'game', { game: 'coun' }),
);
await trace('/games', async () => () => plain.member.slash('games'));
await sandbox.close();
process.exit();
