import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { onTestFinished } from 'vitest';
import type { Logger } from '../../src/logger.ts';
import { DAY_MS } from '../../src/pacing/durations.ts';

interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly details: object;
  readonly message: string;
}

/** Returns a logger that remembers its entries. */
export function recorder(): Logger & { readonly lines: readonly Line[] } {
  const lines: Line[] = [];
  const at = (level: Line['level']) => (details: object, message: string) => {
    lines.push({ level, details, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Creates a folder that is removed after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'bot-store-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Makes Node use `npm start`'s compile cache, which halves the time that a new process takes to start. */
export const KEPT_CODE: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/server-listing-bot', import.meta.url)),
};

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** All environment variables except PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /**
   * Whether file permissions apply even to root. The program drops root's capabilities but stays root, because another user
   * might not be able to read the repository.
   */
  readonly isOrdinary?: boolean;
  readonly onStart?: (child: ChildProcess) => void;
  /** The program's standard input. */
  readonly input?: string;
}

/** Runs a program the way an operator would, and waits until it exits. */
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
 * Runs one of the project's files with Node.
 * @param line the file's path from the project's root, followed by its arguments
 */
export const runFile = (
  [file, ...args]: readonly [string, ...string[]],
  options: ProgramOptions,
): Promise<Ended> =>
  runProgram([process.execPath, fileURLToPath(new URL(`../../${file}`, import.meta.url)), ...args], options);

class ToolExit extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the tool has exited with status ${status}`);
    this.status = status;
  }
}

let toolRuns = 0;

/**
 * Like {@link runFile}, for one of the operator's tools. Runs it in this process, because a new process would spend a second
 * on loading the same modules. Replaces this process's globals while the tool is running, so only one tool can run at a time.
 */
export async function runToolInProcess(
  [file, ...args]: readonly [string, ...string[]],
  { env, cwd, input = '' }: Pick<ProgramOptions, 'env' | 'cwd' | 'input'>,
): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const undo: (() => void)[] = [];
  function replace(owner: object, name: string, value: unknown): void {
    const original = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    undo.push(() => {
      Reflect.deleteProperty(owner, name);
      if (original) Object.defineProperty(owner, name, original);
    });
  }
  for (const name of ['stdout', 'stderr'] as const)
    replace(process[name], 'write', (text: string) => {
      said[name] += text;
      return true;
    });
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  replace(process, 'argv', [process.execPath, path, ...args]);
  replace(process, 'env', { PATH: process.env.PATH, ...env });
  replace(process, 'stdin', Readable.from([Buffer.from(input)]));
  replace(process, 'exit', (status: number) => {
    throw new ToolExit(status);
  });
  const folder = process.cwd();
  const { exitCode } = process;
  process.exitCode = 0;
  try {
    if (cwd !== undefined) process.chdir(cwd);
    toolRuns += 1;
    // The query makes the tool run again, although its module has already been loaded.
    await import(`${path}?run=${toolRuns}`);
    return { status: Number(process.exitCode), ...said };
  } catch (error) {
    if (error instanceof ToolExit) return { status: error.status, ...said };
    throw error;
  } finally {
    process.chdir(folder);
    process.exitCode = exitCode;
    for (const each of undo) each();
  }
}

/** A line in the metrics text format: a name, unparsed labels and a value. */
export interface Sample {
  readonly name: string;
  /** The labels in braces, or an empty string. */
  readonly labels: string;
  readonly value: number;
}

/** Reads a bot's `/metrics`. */
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

/** Returns the value of one sample. Labels are written as `{a="b"}`. */
export function sampleOf(samples: readonly Sample[], name: string, labels = ''): number | undefined {
  return samples.find((sample) => sample.name === name && sample.labels === labels)?.value;
}

/** A period during which the bot's event loop was blocked. */
export interface Stall {
  /** When the stall ended, in ms since 1970. */
  readonly at: number;
  /** How long the stall took in milliseconds, including time used by other processes. */
  readonly ms: number;
  /**
   * How much processor time the bot's main thread used during the stall, in milliseconds. For the rest of `ms`, the thread
   * waited, for example for a processor.
   */
  readonly ownMs: number;
}

const PRELOAD = new URL('preloads/event-loop-stall.ts', import.meta.url);

/** Measures, from inside a bot's process, how long its event loop is blocked. */
export async function createStallProbe() {
  const folder = await mkdtemp(join(tmpdir(), 'stalls-'));
  const file = join(folder, 'stalls.jsonl');

  /**
   * Returns all stalls that took longer than 20 ms and ended at `since` (ms since 1970) or later. Starting the bot also
   * causes a stall.
   */
  async function stalls(since = 0): Promise<readonly Stall[]> {
    const text = await readFile(file, 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Stall)
      .filter(({ at }) => at >= since);
  }

  return {
    /** Environment variables for the bot's process: `openBot({ asProcess: true, env: probe.env })`. */
    env: { NODE_OPTIONS: `--import ${PRELOAD.href}`, STALL_FILE: file },
    stalls,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Returns the time in milliseconds on a clock that pauses while this process or process `pid` waits for a processor. */
export const timeOf = (pid = process.pid): number =>
  [...new Set([process.pid, pid])].reduce((ms, each) => ms - waitedForProcessor(each), performance.now());

/**
 * Returns how long a process has waited for a processor, in milliseconds. This is the second number in `schedstat` (Linux
 * docs: Scheduler Statistics). Returns 0 if the file doesn't exist.
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
 * Replaces this process's clocks until the test ends, so that tests don't have to wait. Must be called before anything
 * reads a clock. Timers and `new Date()` aren't affected.
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
    /** Advances both clocks. */
    advance(ms) {
      ahead += ms;
      passed += ms;
    },
    /** Changes only the wall clock, as if someone had adjusted it. */
    set(ms) {
      ahead += ms;
    },
  };
}

/** In the last 15 minutes before midnight UTC, the bot's wording is different for limits that reset at midnight. */
const NEAR_MIDNIGHT_MS = 20 * 60_000;

/** Sets this process's clock back by an hour if midnight UTC is near, until the test ends. */
export function awayFromMidnight(): void {
  const clock = createTestClock();
  if (DAY_MS - (Date.now() % DAY_MS) < NEAR_MIDNIGHT_MS) clock.set(-3_600_000);
}

/** Counts the turns of the event loop during a task. */
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
 * Counts the characters that string methods and regular expressions process during `run`. Unlike time, this doesn't depend
 * on the machine. The result shows whether a string is read repeatedly. Each call counts as linear, because `npm run check`
 * only allows linear regular expressions.
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

  /**
   * `test`, `replace`, `match` and `split` all use `exec`. This counts the characters from the start of the search to the
   * end of the match.
   */
  function watchExec(): void {
    const original = RegExp.prototype.exec;
    RegExp.prototype.exec = function watched(text) {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const match = original.call(this, text);
      // A sticky expression only tries one position.
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

/** Returns how many bytes of the heap are still referenced. */
export function usedMemory(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
