import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** How a bot process ended. */
export interface Exit {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Whether the process ended because `stop()` was called. */
  readonly wanted: boolean;
  /** The last lines of the process's output. */
  readonly lastWords: readonly string[];
}

export interface BotProcess {
  readonly running: boolean;
  /** The current run's process id. If a `wrapper` doesn't exec the bot, this is the wrapper's id. */
  readonly pid: number | undefined;
  /** Starts the bot unless it is already running. Doesn't wait until the bot is ready. */
  start(): void;
  /** Turns reading the bot's output on or off, in this run and later ones. */
  readLog(isRead: boolean): void;
  /** Resolves when the current run ends. If the bot isn't running, returns how the previous run ended. */
  exited(): Promise<Exit>;
  /** Sends the signal and waits for the process to end. Kills the bot if it is still running after 15 seconds. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface BotProcessDeps {
  /** The bot's settings. Secrets belong here because every user of the machine can read command-line arguments. */
  readonly env: Readonly<Record<string, string>>;
  /** A program with arguments that runs the bot; for example, a shell that sets limits. */
  readonly wrapper?: readonly string[];
  /** The environment to copy PATH and similar variables from. */
  readonly surroundings: NodeJS.ProcessEnv;
  /** Called with each line of the bot's stdout and stderr. */
  readonly onLine: (line: string) => void;
  /** Called when a run ends. */
  readonly onExit: (exit: Exit) => void;
}

/** The arguments for Node, as in `npm start`, but without reading `.env`. */
const COMMAND = [
  '--max-semi-space-size=8',
  '--v8-pool-size=1',
  '--preserve-symlinks',
  fileURLToPath(new URL('../src/start.js', import.meta.url)),
];
/** The bot should stop within 10 seconds. If it takes more than 15 seconds, it must have hung. */
const STOP_WITHIN_MS = 15_000;
const LAST_WORDS = 12;

/** Environment variables that are passed to the bot. All others, such as the operator's own DISCORD_TOKEN, are dropped. */
const SURROUNDINGS = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'TZ', 'LANG', 'SystemRoot'];

/** Runs the real bot in a separate process, as `npm start` does. Its environment contains the URLs of the stand-ins. */
export function createBotProcess(deps: BotProcessDeps): BotProcess {
  const { env, wrapper = [], surroundings, onLine, onExit } = deps;
  let child: ChildProcess | undefined;
  let wanted = false;
  let isLogRead = true;
  /** The output streams of the current run. */
  let outputs: readonly Readable[] = [];
  let end: Promise<Exit> = Promise.resolve({ status: null, signal: null, wanted: true, lastWords: [] });

  // Kills the bot when the sandbox exits, even if the sandbox crashes.
  const killWithUs = () => child?.kill('SIGKILL');

  function start(): void {
    if (child) return;
    wanted = false;
    const lastWords: string[] = [];
    const [program = process.execPath, ...line] = [...wrapper, process.execPath, ...COMMAND];
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
    // Resumes paused output, because a stream doesn't close until all of its data has been read.
    const ended = outputs;
    run.once('exit', () => {
      for (const output of ended) output.resume();
    });
    end = new Promise((resolve, reject) => {
      run.once('error', reject);
      // Waits for `close`, because `exit` can be emitted before the last line is read.
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

/** Describes how a process ended, as in `exit status 1` or `signal SIGKILL`. */
export function describeExit({ status, signal }: Exit): string {
  return signal === null ? `exit status ${status}` : `signal ${signal}`;
}
