import { constants, openSync } from 'node:fs';
import { type LevelWithSilent, pino, stdTimeFunctions } from 'pino';

type Log = (details: object, message: string) => void;

/** The first argument holds details, with an error under `err`. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

const nothing = () => undefined;
/** For programs that report directly to people at a terminal. */
export const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

export interface LogOutput {
  /** @returns `false` if the line was dropped */
  write(line: string): unknown;
}

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  readonly output?: LogOutput;
}

/**
 * Creates a logger that writes JSON lines, to standard output by default. Every line passes through {@link scrub}. If lines
 * were dropped, the next line contains the number of dropped lines as `dropped`.
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

/** The capacity of a pipe on Linux. */
const MAX_WAITING_BYTES = 65_536;
const WAITING_EVERY_MS = 1_000;

/**
 * Writes to standard output synchronously, so that no line is lost when the process ends. If writing fails, up to
 * `MAX_WAITING_BYTES` bytes wait and the rest is dropped. The bot therefore never waits for a slow log reader, and a full disk
 * doesn't stop it.
 */
function standardOutput(fd = 1): LogOutput {
  // Makes Node create its stdout stream. Writing to a full pipe or socket then fails instead of blocking.
  void process.stdout;
  const output = pino.destination({
    dest: fd,
    sync: true,
    maxLength: MAX_WAITING_BYTES,
    retryEAGAIN: () => false,
    // Retries waiting lines even if no new line is written.
    minLength: 1,
    periodicFlush: WAITING_EVERY_MS,
  });
  let isDropped = false;
  output.on('drop', () => {
    isDropped = true;
  });
  // Ignores errors, because lines that couldn't be written are kept and retried.
  output.on('error', () => undefined);
  return {
    write(line) {
      isDropped = false;
      output.write(line);
      return !isDropped;
    },
  };
}

/** Loads the formatter here, because only terminals need it. */
export async function terminalOutput(): Promise<LogOutput> {
  const { isColorSupported, prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ colorize: isColorSupported, translateTime: 'SYS:HH:MM:ss' });
  const output = standardOutput(openTerminal());
  return { write: (line) => output.write(format(line) ?? line) };
}

/** Opens the terminal a second time, because Node's own stream blocks if the user has paused the terminal (Ctrl-S). */
function openTerminal(): number {
  try {
    return openSync('/dev/tty', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return 1;
  }
}

const MAX_CAUSES_LOGGED = 4;

/**
 * Describes an error in a form that is safe to log, by only copying known fields. In discord.js errors, `url` contains the
 * interaction token and `requestBody` contains members' input. Errors from other libraries may contain anything.
 */
function describeError(error: unknown, depth = MAX_CAUSES_LOGGED): unknown {
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
    ...(inner.length === 0
      ? {}
      : { errors: inner.slice(0, MAX_CAUSES_LOGGED).map((one) => describeError(one, 0)) }),
  };
}

function pick(error: Error, names: readonly string[]): Record<string, string | number> {
  const isWanted = ([name, value]: [string, unknown]) =>
    names.includes(name) && (typeof value === 'number' || typeof value === 'string');
  return Object.fromEntries(Object.entries(error).filter(isWanted));
}

/** Matches a bot token: an id, a timestamp of six characters and a signature of at least 27 characters. */
const BOT_TOKEN = /(?<![\w-])[\w-]{20,}\.[\w-]{5,20}\.[\w-]{20,}/g;

/** Removes anything that looks like a bot token, a form's `api_key` or an interaction token in a URL path. */
export function scrub(text: string): string {
  return text
    .replace(/\b((?:webhooks|interactions)(?:\/|%2F)\d+(?:\/|%2F))[^\s"'\\/?#&]+/gi, '$1[redacted]')
    .replace(BOT_TOKEN, '[redacted]')
    .replace(/\bapi_key(=|%3D|"?:\s*\\?")[^\s&"'\\]+/gi, 'api_key$1[redacted]');
}
