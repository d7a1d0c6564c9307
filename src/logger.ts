import { constants, openSync } from 'node:fs';
import { type LevelWithSilent, pino, stdTimeFunctions } from 'pino';

type Log = (details: object, message: string) => void;

/** The logger of all parts of the bot. Details come first; an error belongs under `err`. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

const nothing = () => undefined;
/** A logger for programs that report to people at a terminal, which logs nothing. */
export const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export interface LogOutput {
  /** @returns `false` if the line was dropped */
  write(line: string): unknown;
}

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  /** Standard output if absent. */
  readonly output?: LogOutput;
}

/**
 * Creates a logger that writes JSON lines, by default to standard output. Every line passes through {@link scrub}. After
 * lines were dropped, the next one contains their number as `dropped`.
 */
export function createLogger({ level, output = standardOutput() }: LoggerOptions): Logger {
  let dropped = 0;
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => (dropped === 0 ? {} : { dropped }),
      serializers: { err: describeError },
    },
    {
      write(line) {
        dropped = output.write(scrub(line)) === false ? dropped + 1 : 0;
      },
    },
  );
}

/** The maximum number of bytes that wait to be written, which is the capacity of a Linux pipe. */
const MOST_WAITING = 65_536;
const WAITING_EVERY_MS = 1_000;

/**
 * Writes immediately, so that the last line is written before the process ends. Lines that can't be written wait, up to
 * {@link MOST_WAITING}; the rest is dropped. So the bot never waits for a slow reader of the log, and a full disk doesn't
 * stop it.
 */
function standardOutput(fd = 1): LogOutput {
  // Once Node has created its stream for a pipe or a socket, writing fails instead of blocking.
  void process.stdout;
  const output = pino.destination({
    dest: fd,
    sync: true,
    maxLength: MOST_WAITING,
    retryEAGAIN: () => false,
    // Retries waiting lines even if there is no new line.
    minLength: 1,
    periodicFlush: WAITING_EVERY_MS,
  });
  let isDropped = false;
  output.on('drop', () => {
    isDropped = true;
  });
  // Lines that couldn't be written are still waiting.
  output.on('error', () => undefined);
  return {
    write(line) {
      isDropped = false;
      output.write(line);
      return !isDropped;
    },
  };
}

/** Creates output for a person at a terminal. The formatter is loaded only here. */
export async function terminalOutput(): Promise<LogOutput> {
  const { isColorSupported, prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ colorize: isColorSupported, translateTime: 'SYS:HH:MM:ss' });
  const output = standardOutput(openTerminal());
  return { write: (line) => output.write(format(line) ?? line) };
}

/** Opens the terminal a second time, because Node's own stream blocks while the user has paused the terminal (Ctrl-S). */
function openTerminal(): number {
  try {
    return openSync('/dev/tty', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return 1;
  }
}

/** The number of nested causes of an error that are logged. */
const DEPTH = 4;

/**
 * Describes an error in a form that can be logged. It copies only known fields. discord.js errors contain the interaction
 * token in `url` and members' input in `requestBody`, and errors from other libraries may contain anything.
 */
function describeError(error: unknown, depth = DEPTH): unknown {
  if (!(error instanceof Error))
    return { message: typeof error === 'string' ? error : `a thrown ${typeof error}` };
  const { name, message, stack, cause } = error;
  const inner = error instanceof AggregateError && depth > 0 ? error.errors : [];
  return {
    name,
    message,
    ...pick(error, ['code', 'status', 'statusCode', 'method', 'errcode', 'syscall']),
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || depth === 0 ? {} : { cause: describeError(cause, depth - 1) }),
    ...(inner.length === 0 ? {} : { errors: inner.slice(0, DEPTH).map((one) => describeError(one, 0)) }),
  };
}

function pick(error: Error, names: readonly string[]): Record<string, string | number> {
  const isWanted = ([name, value]: [string, unknown]) =>
    names.includes(name) && (typeof value === 'number' || typeof value === 'string');
  return Object.fromEntries(Object.entries(error).filter(isWanted));
}

/** Matches a bot token: its id, a time of six characters, and a signature of 27 or more. */
const BOT_TOKEN = /(?<![\w-])[\w-]{20,}\.[\w-]{5,20}\.[\w-]{20,}/g;

/** Removes anything that looks like an interaction token (Discord puts it in paths), a bot token, or a form's `api_key`. */
export function scrub(text: string): string {
  return text
    .replace(/\b((?:webhooks|interactions)(?:\/|%2F)\d+(?:\/|%2F))[^\s"'\\/?#&]+/gi, '$1[redacted]')
    .replace(BOT_TOKEN, '[redacted]')
    .replace(/\bapi_key(=|%3D|"?:\s*\\?")[^\s&"'\\]+/gi, 'api_key$1[redacted]');
}
