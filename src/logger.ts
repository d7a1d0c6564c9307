import { type DestinationStream, type LevelWithSilent, pino, stdTimeFunctions } from 'pino';

type Log = (details: object, message: string) => void;

/** What the parts of the bot log with. Details first; an error goes under `err`. */
export interface Logger {
  readonly debug: Log;
  readonly info: Log;
  readonly warn: Log;
  readonly error: Log;
}

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  /** Where the lines go; standard output without it. */
  readonly destination?: DestinationStream;
}

/**
 * JSON lines on standard output, unless told otherwise. They are written synchronously, so that the last one is out before the
 * process ends. Every line passes {@link scrub}, whatever it was made from.
 */
export function createLogger({
  level,
  destination = pino.destination({ dest: 1, sync: true }),
}: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    { write: (line) => destination.write(scrub(line)) },
  );
}

/** Lines for a person at a terminal. What formats them is loaded only for that. */
export async function terminalDestination(): Promise<DestinationStream> {
  const { isColorSupported, prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({ colorize: isColorSupported, translateTime: 'SYS:HH:MM:ss' });
  const output = pino.destination({ dest: 1, sync: true });
  return { write: (line) => output.write(format(line) ?? line) };
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
  const found: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(error)) {
    if (!names.includes(name)) continue;
    if (typeof value === 'number' || typeof value === 'string') found[name] = value;
  }
  return found;
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
