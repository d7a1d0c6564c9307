import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The end of a run of the bot. */
export interface Exit {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether it was told to stop. */
  readonly wanted: boolean;
  /** The last lines that it printed. */
  readonly lastWords: readonly string[];
}

export interface BotProcess {
  readonly running: boolean;
  /** The id of the present run; with a `wrapper` that doesn't replace itself, the wrapper's. */
  readonly pid: number | undefined;
  /** Starts the process; the bot is ready when Discord reports it. Does nothing if the process is already running. */
  start(): void;
  /** Sets whether the bot's output is read, in this and later runs. */
  readLog(isRead: boolean): void;
  /** Resolves when the present run has ended; if there is none, with the end of the previous one. */
  exited(): Promise<Exit>;
  /** Sends the signal and waits for the end. A bot that has not ended after 15 s is killed. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface BotProcessDeps {
  /** The whole configuration. Secrets belong here rather than in arguments, which every user of a machine can read. */
  readonly env: Readonly<Record<string, string>>;
  /** A program and its arguments, to which the bot's command line is appended; for example a shell that sets limits. */
  readonly wrapper?: readonly string[];
  /** The environment from which variables such as PATH are taken. */
  readonly surroundings: NodeJS.ProcessEnv;
  /** Called for each line of the bot's stdout and stderr. */
  readonly onLine: (line: string) => void;
  /** Called when a run has ended. */
  readonly onExit: (exit: Exit) => void;
}

const MAIN = fileURLToPath(new URL('../src/start.js', import.meta.url));
/** The bot stops within 10 s; after this time it hangs. */
const STOP_WITHIN_MS = 15_000;
const LAST_WORDS = 12;

/** Variables passed on to a process, if set. All others, such as an operator's own DISCORD_TOKEN, are left out. */
const SURROUNDINGS = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'TZ', 'LANG', 'SystemRoot'];

/**
 * Creates the real bot as a separate process: the entry point of `npm start`, with the stand-ins' URLs in its environment.
 */
export function createBotProcess(deps: BotProcessDeps): BotProcess {
  const { env, wrapper = [], surroundings, onLine, onExit } = deps;
  let child: ChildProcess | undefined;
  let wanted = false;
  let isLogRead = true;
  /** The outputs of the present run. */
  let outputs: readonly Readable[] = [];
  let end: Promise<Exit> = Promise.resolve({ status: null, signal: null, wanted: true, lastWords: [] });

  // Kills the bot with the sandbox, even if the sandbox fails.
  const killWithUs = () => child?.kill('SIGKILL');

  function start(): void {
    if (child) return;
    wanted = false;
    const lastWords: string[] = [];
    const [program = process.execPath, ...line] = [...wrapper, process.execPath, MAIN];
    const run = spawn(program, line, {
      env: { ...Object.fromEntries(SURROUNDINGS.map((name) => [name, surroundings[name]])), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = run;
    process.on('exit', killWithUs);
    outputs = [run.stdout, run.stderr];
    for (const input of outputs)
      createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
        lastWords.push(line);
        lastWords.splice(0, lastWords.length - LAST_WORDS);
        onLine(line);
      });
    readLog(isLogRead);
    // An output is only closed once all of it has been read.
    const ended = outputs;
    run.once('exit', () => {
      for (const output of ended) output.resume();
    });
    end = new Promise((resolve, reject) => {
      run.once('error', reject);
      // `close` follows the last line; `exit` may come before it.
      run.once('close', (status, signal) => {
        child = undefined;
        process.off('exit', killWithUs);
        const exit = { status, signal, wanted, lastWords };
        onExit(exit);
        resolve(exit);
      });
    });
  }

  function readLog(isRead: boolean): void {
    isLogRead = isRead;
    for (const output of outputs) {
      if (isRead) output.resume();
      else output.pause();
    }
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Exit> {
    const run = child;
    if (!run) return end;
    wanted = true;
    run.kill(signal);
    const killer = setTimeout(() => run.kill('SIGKILL'), STOP_WITHIN_MS);
    try {
      return await end;
    } finally {
      clearTimeout(killer);
    }
  }

  return {
    get running() {
      return child !== undefined;
    },
    get pid() {
      return child?.pid;
    },
    start,
    readLog,
    exited: () => end,
    stop,
  };
}

/** Formats an exit as `exit status 1` or `signal SIGKILL`. */
export function describeExit({ status, signal }: Exit): string {
  return signal === null ? `exit status ${status}` : `signal ${signal}`;
}
