import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** How a run of the bot ended. */
export interface Exit {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was told to stop. */
  readonly wanted: boolean;
  /** The last lines it printed. */
  readonly lastWords: readonly string[];
}

export interface BotProcess {
  readonly running: boolean;
  /** Of the present run; with a `wrapper` that does not replace itself, the wrapper's. */
  readonly pid: number | undefined;
  /** Starts the process; it is ready when Discord says so. Nothing happens when it already runs. */
  start(): void;
  /** Whether what the bot prints is read from now on, in later runs too. */
  readLog(isRead: boolean): void;
  /** Resolves when the present run has ended; with the end of the previous run when none is under way. */
  exited(): Promise<Exit>;
  /** Sends the signal and waits for the end; a bot that has not ended after 15 s is killed. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

export interface BotProcessDeps {
  /** The whole configuration. Secrets are given here and never as arguments, which every user of a machine can read. */
  readonly env: Readonly<Record<string, string>>;
  /** A program and its arguments that run the bot's command line, which is put behind them: a shell that sets limits. */
  readonly wrapper?: readonly string[];
  /** The environment that the process's surroundings, such as PATH, are taken from. */
  readonly surroundings: NodeJS.ProcessEnv;
  /** Called for each line of the bot's stdout and stderr. */
  readonly onLine: (line: string) => void;
  /** Called when a run has ended. */
  readonly onExit: (exit: Exit) => void;
}

const MAIN = fileURLToPath(new URL('../src/start.js', import.meta.url));
/** The bot stops within 10 s; past this it hangs. */
const STOP_WITHIN_MS = 15_000;
const LAST_WORDS = 12;

/** What a process needs of its surroundings, as far as it is there. All else, such as an operator's own DISCORD_TOKEN, stays outside. */
const SURROUNDINGS = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'TZ', 'LANG', 'SystemRoot'];

/** The real bot as a process of its own: the same entry as `npm start`, with the stand-ins' addresses in its environment. */
export function createBotProcess(deps: BotProcessDeps): BotProcess {
  const { env, wrapper = [], surroundings, onLine, onExit } = deps;
  let child: ChildProcess | undefined;
  let wanted = false;
  let isLogRead = true;
  /** What the present run prints. */
  let outputs: readonly Readable[] = [];
  let end: Promise<Exit> = Promise.resolve({ status: null, signal: null, wanted: true, lastWords: [] });

  // The bot must not outlive the sandbox, even when that dies of an error of its own.
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
    // It would not be closed before all of it was read.
    const ended = outputs;
    run.once('exit', () => {
      for (const output of ended) output.resume();
    });
    end = new Promise((resolve, reject) => {
      run.once('error', reject);
      // `close` comes after the last line, `exit` may come before it.
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

/** `exit status 1` or `signal SIGKILL`. */
export function describeExit({ status, signal }: Exit): string {
  return signal === null ? `exit status ${status}` : `signal ${signal}`;
}
