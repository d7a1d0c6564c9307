import type { Breach } from '../discord/contract.ts';

export const USAGE = `npm run sandbox -- [--data DIR] [--verbose] [--page] [--open] [--port N]

Runs the bot against a Discord and a listing service of its own, on this machine only.
Type commands at the prompt, or send them: npm run -s sandbox < script.txt

  --data DIR   keep the bot's database in DIR; by default it goes when the sandbox ends
  --verbose    show the bot's whole log, not only warnings and errors
  --page       serve the page also where the lines come from a pipe; at a terminal it always is
  --open       open the page in a browser
  --port N     the page's port; a free one by default`;

export const WELCOME = `The bot is running against a Discord and a listing service of its own; nothing leaves this machine.
You are an admin of its first guild. To begin, type
  /setkey                                             then the key: sandbox-key-1234
  /addserver game:cs2 server:play.example.com:27015
  /addservers file:docs/servers.csv
  /games
help lists everything; Tab completes; exit ends.`;

/** A broken rule of Discord, said loudly. The token in a path is a credential, even at a stand-in. */
export function breachText({ rule, method, path, status, code, body }: Breach): string {
  const place = path.replace(/(\/(?:interactions|webhooks)\/\d+\/)[^/?]+/, '$1[token]');
  const errors = body.errors === undefined ? '' : `\n!!! ${JSON.stringify(body.errors)}`;
  return `!!! A RULE OF DISCORD WAS BROKEN (rule ${rule})\n!!! ${method} ${place} → ${status}, ${code}: ${body.message}${errors}`;
}

/** A line that the bot printed, in a form for people. */
export interface LogLine {
  readonly text: string;
  /** Worth showing to someone who did not ask for the log: a warning, an error, or words outside the log. */
  readonly urgent: boolean;
}

/** pino's levels (pino docs: logger.level). */
const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};
const WARNING = 40;
/** What pino puts on every line; it says nothing here. */
const NOISE = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err', 'v', 'name']);

/** One JSON line of the bot's log as one readable line; anything else it printed as it stands. */
export function readLogLine(line: string): LogLine {
  const entry = parse(line);
  if (!entry) return { text: `bot: ${line}`, urgent: line.trim() !== '' };
  const level = typeof entry.level === 'number' ? entry.level : levelNamed(entry.level);
  const details = Object.entries(entry)
    .filter(([name]) => !NOISE.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const text = [
    `bot ${LEVELS[level] ?? level}: ${String(entry.msg ?? '')}`,
    ...errorText(entry.err),
    ...(details.length > 0 ? [`(${details.join(' ')})`] : []),
  ].join(' ');
  return { text: text.replaceAll('\n', ' '), urgent: level >= WARNING };
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function levelNamed(name: unknown): number {
  const found = Object.entries(LEVELS).find(([, known]) => known === name || known.slice(0, 4) === name);
  return Number(found?.[0] ?? WARNING);
}

function errorText(err: unknown): string[] {
  if (typeof err !== 'object' || err === null || !('message' in err)) return [];
  return [`– ${'type' in err ? `${err.type}: ` : ''}${err.message}`];
}
