import { constants, openSync } from 'node:fs';
import { type LevelWithSilent, pino, stdTimeFunctions } from 'pino';

type Log = (details: object, message: string) => void;

/** What the parts of the bot log with. Details first; an error goes under `err`. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

export interface LogOutput {
  /** @returns `false` when the line was dropped */
  write(line: string): unknown;
}

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  /** Standard output without it. */
  readonly output?: LogOutput;
}

/**
 * JSON lines on standard output, unless told otherwise. Every line passes {@link scrub}, whatever it was made from. After
 * lines that were dropped the next one says how many under `dropped`.
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

/** How much may wait for a reader or for room on the disk, in bytes: as much as a pipe of Linux holds. */
const MOST_WAITING = 65_536;
const WAITING_EVERY_MS = 1_000;

/**
 * Writes at once, so that the last line is out before the process ends. What cannot be written waits, up to
 * {@link MOST_WAITING}; what is more than that is dropped. So nobody waits for who reads the log, and a full disk ends nothing.
 */
function standardOutput(fd = 1): LogOutput {
  // Once Node has made its stream of a pipe or a socket, writing to that fails instead of waiting.
  void process.stdout;
  const output = pino.destination({
    dest: fd,
    sync: true,
    maxLength: MOST_WAITING,
    retryEAGAIN: () => false,
    // What waits is also tried again when there is no further line.
    minLength: 1,
    periodicFlush: WAITING_EVERY_MS,
  });
  let isDropped = false;
  output.on('drop', () => {
    isDropped = true;
  });
  // What could not be written still waits.
  output.on('error', () => undefined);
  return {
    write(line) {
      isDropped = false;
      output.write(line);
      return !isDropped;
    },
  };
}

/** Lines for a person at a terminal. What formats them is loaded only for that. */
export async function terminalOutput(): Promise<LogOutput> {
  const { isColorSupported, prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ colorize: isColorSupported, translateTime: 'SYS:HH:MM:ss' });
  const output = standardOutput(openTerminal());
  return { write: (line) => output.write(format(line) ?? line) };
}

/** The terminal once more, since Node's own stream waits while somebody holds the terminal (Ctrl-S). */
function openTerminal(): number {
  try {
    return openSync('/dev/tty', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return 1;
  }
}

/** How far the causes of an error are followed. */
const DEPTH = 4;

/**
 * An error as it may be logged. Only named fields are taken: the errors of discord.js carry the interaction
 * token in `url` and what a member typed in `requestBody`, those of other libraries may carry anything.
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

/** A bot's token: its id, a time of six characters, a signature of 27 or more. */
const BOT_TOKEN = /(?<![\w-])[\w-]{20,}\.[\w-]{5,20}\.[\w-]{20,}/g;

/** Text without what looks like a token: an interaction's (Discord puts it in paths), a bot's, a form's `api_key`. */
export function scrub(text: string): string {
  return text
    .replace(/\b((?:webhooks|interactions)(?:\/|%2F)\d+(?:\/|%2F))[^\s"'\\/?#&]+/gi, '$1[redacted]')
    .replace(BOT_TOKEN, '[redacted]')
    .replace(/\bapi_key(=|%3D|"?:\s*\\?")[^\s&"'\\]+/gi, 'api_key$1[redacted]');
}
