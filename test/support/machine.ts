import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onTestFinished } from 'vitest';
import type { Logger } from '../../src/logger.ts';

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly details: object;
  readonly message: string;
}

/** A logger that keeps what it is given. */
export function recorder(): Logger & { readonly lines: readonly Line[] } {
  const lines: Line[] = [];
  const at = (level: Line['level']) => (details: object, message: string) => {
    lines.push({ level, details, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A folder that is removed after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'bot-store-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Has Node keep what it makes of the code where `npm start` keeps it: a process then costs half as much. */
export const KEPT_CODE: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/server-listing-bot', import.meta.url)),
};

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** The whole environment but PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Root is not above the modes of files. Another user might not reach the clone in which the program is. */
  readonly isOrdinary?: boolean;
  readonly onStart?: (child: ChildProcess) => void;
  /** What it is piped. */
  readonly input?: string;
}

/** Runs a program as an operator does, and waits for it to end by itself. */
export async function runProgram(
  line: readonly [string, ...string[]],
  { env, onStart, input, isOrdinary = false, ...how }: ProgramOptions,
): Promise<Ended> {
  const [program, ...args] =
    isOrdinary && process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', ...line] : line;
  const child = spawn(program, args, {
    ...how,
    env: { PATH: process.env.PATH, ...KEPT_CODE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  onStart?.(child);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status: status as number | null, stdout, stderr };
}

/**
 * The same for a file of the project that Node runs.
 * @param line the file, from the root, and its arguments
 */
export const runFile = (
  [file, ...args]: readonly [string, ...string[]],
  options: ProgramOptions,
): Promise<Ended> =>
  runProgram([process.execPath, fileURLToPath(new URL(`../../${file}`, import.meta.url)), ...args], options);

/** One line of the text format: a name, its labels as they stand there, a value. */
export interface Sample {
  readonly name: string;
  /** With its braces; empty without labels. */
  readonly labels: string;
  readonly value: number;
}

/** What `/metrics` of a bot says now. */
export async function scrape(port: number): Promise<readonly Sample[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  assert.equal(response.status, 200);
  return samplesOf(await response.text());
}

export function samplesOf(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
      return { name, labels, value: Number(value.replace('+Inf', 'Infinity')) };
    });
}

/** The value of one sample; labels as `{a="b"}`. */
export function sampleOf(samples: readonly Sample[], name: string, labels = ''): number | undefined {
  return samples.find((sample) => sample.name === name && sample.labels === labels)?.value;
}

/** One time that the bot's event loop stood still. */
export interface Stall {
  /** When it ended, in ms since 1970. */
  readonly at: number;
  /** Milliseconds by the clock: the bot's own work, and whatever else the machine did meanwhile. */
  readonly ms: number;
  /**
   * Of these, the milliseconds of processor time that the bot's main thread used. On a machine with other work this is
   * what the bot did; the rest of `ms` was waiting for a processor.
   */
  readonly ownMs: number;
}

const PRELOAD = new URL('preloads/event-loop-stall.ts', import.meta.url);

/** Measures how long the event loop of a bot's process stands still, from inside that process. */
export async function createStallProbe() {
  const folder = await mkdtemp(join(tmpdir(), 'stalls-'));
  const file = join(folder, 'stalls.jsonl');

  /** What ended at `since` or later, in ms since 1970; a start of the bot is a stall too. Those up to 20 ms are left out. */
  async function stalls(since = 0): Promise<readonly Stall[]> {
    const text = await readFile(file, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Stall)
      .filter(({ at }) => at >= since);
  }

  return {
    /** To be given to the bot's process: `openBot({ asProcess: true, env: probe.env })`. */
    env: { NODE_OPTIONS: `--import ${PRELOAD.href}`, STALL_FILE: file },
    stalls,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Milliseconds, without those in which others had the processors that this process or another one was ready to use. */
export const timeOf = (pid = process.pid): number =>
  [...new Set([process.pid, pid])].reduce((ms, each) => ms - waitedForProcessor(each), performance.now());

/**
 * How long a process was ready to run while others had the processors, in milliseconds: the second number of `schedstat`
 * (Linux docs: Scheduler Statistics). 0 on a system without it, and for a process that is gone.
 */
function waitedForProcessor(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1_000_000;
  } catch {
    return 0;
  }
}

/**
 * The clocks of this process until the test has ended, so that nobody waits for a time to be over. To be made before what
 * reads them; timers and `new Date()` are not concerned.
 */
export function createTestClock(): { advance(ms: number): void; set(ms: number): void } {
  const now = Date.now;
  const monotonic = performance.now;
  let ahead = 0;
  let passed = 0;
  Date.now = () => now() + ahead;
  performance.now = () => monotonic.call(performance) + passed;
  onTestFinished(() => {
    Date.now = now;
    performance.now = monotonic;
  });
  return {
    /** Time passes. */
    advance(ms) {
      ahead += ms;
      passed += ms;
    },
    /** Somebody sets the wall clock by so much. */
    set(ms) {
      ahead += ms;
    },
  };
}

const DAY_MS = 86_400_000;
/** What begins anew at midnight, UTC, is told of otherwise in the 15 minutes before. */
const NEAR_MIDNIGHT_MS = 20 * 60_000;

/** Sets the clock of this process back by an hour until the test has ended, if it is shortly before midnight, UTC. */
export function awayFromMidnight(): void {
  const clock = createTestClock();
  if (DAY_MS - (Date.now() % DAY_MS) < NEAR_MIDNIGHT_MS) clock.set(-3_600_000);
}

/** Counts the turns that the event loop gives to others while a task runs. */
export async function turnsDuring(task: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  try {
    await task();
  } finally {
    clearImmediate(next);
  }
  return turns;
}

/**
 * Counts the characters that strings and regular expressions go through while something runs: a measure of its time
 * that is the same on every machine. Each call is counted once for the text it is given, which is what it costs because
 * `npm run check` lets only linear expressions pass; what this finds is text that is read over and over again.
 */
export async function stepsOf(run: () => unknown): Promise<number> {
  let steps = 0;
  const undo: (() => void)[] = [];

  function watch(owner: object, name: string, cost: (self: unknown, result: unknown) => number): void {
    const original = Reflect.get(owner, name) as (...given: unknown[]) => unknown;
    Reflect.set(owner, name, function watched(this: unknown, ...given: unknown[]) {
      const result = original.apply(this, given);
      steps += cost(this, result);
      return result;
    });
    undo.push(() => Reflect.set(owner, name, original));
  }

  const whole = (self: unknown) => String(self).length;
  const made = (_self: unknown, result: unknown) => String(result).length;
  for (const name of [
    'includes',
    'indexOf',
    'toLowerCase',
    'normalize',
    'toWellFormed',
    'trim',
    'replaceAll',
  ])
    watch(String.prototype, name, whole);
  watch(String.prototype, 'charCodeAt', () => 1);
  for (const name of ['slice', 'padEnd', 'concat']) watch(String.prototype, name, made);
  watch(Array.prototype, 'join', made);
  watchExec();
  try {
    await run();
  } finally {
    for (const each of undo) each();
  }
  return steps;

  /** All of test, replace, match and split go through this one: from where it began to where its match ends. */
  function watchExec(): void {
    const original = RegExp.prototype.exec;
    RegExp.prototype.exec = function watched(text) {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const match = original.call(this, text);
      // A sticky one looks at one place only.
      const to = match ? match.index + match[0].length : this.sticky ? from : text.length;
      steps += 1 + to - from;
      return match;
    };
    undo.push(() => {
      RegExp.prototype.exec = original;
    });
  }
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Bytes of the heap that something still refers to. */
export function usedMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
