import type { APIApplicationCommand } from 'discord.js';
import type { Breach } from '../discord/contract.ts';
import { SAMPLE_LISTS } from '../page/client/sample-lists.ts';
import { withoutTokens } from '../page/trace.ts';

export const USAGE = `npm run sandbox -- [--data DIR] [--http] [--verbose] [--page] [--open] [--port N]

Runs the bot against a Discord and a listing service of its own, on this machine only.
Type commands at the prompt, or send them: npm run -s sandbox < script.txt

  --data DIR   keep the bot's database in DIR; by default it goes when the sandbox ends
  --http       Discord posts interactions to the bot, in place of its gateway
  --verbose    show the bot's whole log, not only warnings and errors
  --page       serve the page also where the lines come from a pipe; at a terminal it always is
  --open       open the page in a browser
  --port N     the page's port; a free one by default`;

export const WELCOME = `The bot is running against a Discord and a listing service of its own; nothing leaves this machine.
You are an admin of its first server. To begin, type
  /setkey                                             then the key: sandbox-key-1234
  /addserver game:cs2 server:play.example.com:27015
  /addservers file:docs/servers.csv
  /games
help lists everything; exit ends.`;

/** @param buttons the labels of those that can be pressed now */
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
    'One line does one thing.',
    ...[...rows, ...actions].map(([left, right]) => `  ${left.padEnd(26)}  ${right}`),
    'A value may stand in double quotes, with \\n for a new line.',
    `A file is named by its path: ${lists}.`,
    'When a modal is open, the next line fills its first field; field=value fills one by name; an empty line closes it.',
    'Selects, other people, languages and Discord servers, bad days, kill -9: see the page.',
  ].join('\n');
}

/** A broken rule of Discord, said loudly. */
export function breachText({ title, method, path, status, code, message }: Breach): string {
  return `!!! A RULE OF DISCORD WAS BROKEN: ${title}\n!!! ${method} ${withoutTokens(path)} → ${status}, ${code}: ${message}`;
}

/** pino's level of a warning (pino docs: logger.level). */
const WARNING = 40;

/** A line that the bot printed, in a form for people; `urgent`: for those who did not ask for the log, too. */
export function readLogLine(line: string): { readonly text: string; readonly urgent: boolean } {
  if (!line.startsWith('{')) return { text: `bot: ${line}`, urgent: line.trim() !== '' };
  const { level, msg, err, time: _, ...details } = JSON.parse(line);
  const isUrgent = typeof level === 'number' ? level >= WARNING : !['debug', 'info'].includes(level);
  const error = err === undefined ? '' : ` – ${err.message}`;
  return { text: `bot ${level}: ${msg}${error} ${JSON.stringify(details)}`, urgent: isUrgent };
}
