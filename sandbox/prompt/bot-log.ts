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
