import type { APIApplicationCommand } from 'discord.js';
import type { Breach } from '../discord/contract.ts';
import { SAMPLE_LISTS } from '../page/client/sample-lists.ts';
import { withoutTokens } from '../page/trace.ts';

export const USAGE = `npm run sandbox -- [--data DIR] [--http] [--verbose] [--page] [--open] [--port N]

Runs the bot with its own local Discord and listing service, on this machine only.
Type commands at the prompt, or send them: npm run -s sandbox < script.txt

  --data DIR   keep the bot's database in DIR; by default it is deleted when the sandbox ends
  --http       Discord posts interactions to the bot instead of using its gateway
  --verbose    show the bot's whole log, instead of only warnings and errors
  --page       serve the page even if the lines come from a pipe; at a terminal it is always served
  --open       open the page in a browser
  --port N     the page's port; a free one by default`;

export const WELCOME = `The bot is running with its own local Discord and listing service; nothing leaves this machine.
You are an admin of its first server. To begin, type
  /setkey                                             then the key: sandbox-key-1234
  /addserver game:cs2 server:play.example.com:27015
  /addservers file:docs/servers.csv
  /games
help lists everything; exit ends.`;

/** @param buttons the labels of the buttons that the user can press */
export function helpText(commands: readonly APIApplicationCommand[], buttons: readonly string[]): string {
  const rows = commands.map(({ name, options = [], description }) => {
    const usage = options.map((option) => (option.required ? `${option.name}:…` : `[${option.name}:…]`));
    return [`/${[name, ...usage].join(' ')}`, description] as const;
  });
  const pressable =
    buttons.length === 0 ? ' of the last message; it has none now' : `: ${buttons.join(', ')}`;
  const actions = [
    ['press LABEL', `press a button${pressable}`],
    ['/addserver game:count?', 'what Discord lists while an option is typed'],
    ['submitted', 'what the listing service holds'],
    ['help', 'show this'],
    ['exit', 'stop the bot and end'],
  ] as const;
  const lists = SAMPLE_LISTS.map((name) => `/addservers file:docs/${name}`).join(' or ');
  return [
    'Each line is one action.',
    ...[...rows, ...actions].map(([left, right]) => `  ${left.padEnd(26)}  ${right}`),
    'A value can be in double quotes, with \\n for a new line.',
    `Give a file by its path: ${lists}.`,
    'When a form is open, the next line fills its first field; field=value fills a field by name; an empty line closes it.',
    'For menus, other users, languages and Discord servers, faults and kill -9, use the page.',
  ].join('\n');
}

/** Formats a breach of a Discord rule as a line that is hard to overlook. */
export function breachText({ title, method, path, status, code, message }: Breach): string {
  return `!!! A DISCORD RULE WAS BROKEN: ${title}\n!!! ${method} ${withoutTokens(path)} → ${status}, ${code}: ${message}`;
}

/** pino's level for warnings (pino docs: logger.level). */
const WARNING = 40;

/** Formats a line of the bot's log for humans. `urgent` lines are shown even if the user didn't ask for the log. */
export function readLogLine(line: string): { readonly text: string; readonly urgent: boolean } {
  if (!line.startsWith('{')) return { text: `bot: ${line}`, urgent: line.trim() !== '' };
  const { level, msg, err, time: _, ...details } = JSON.parse(line);
  const isUrgent = typeof level === 'number' ? level >= WARNING : !['debug', 'info'].includes(level);
  const error = err === undefined ? '' : ` – ${err.message}`;
  return { text: `bot ${level}: ${msg}${error} ${JSON.stringify(details)}`, urgent: isUrgent };
}
