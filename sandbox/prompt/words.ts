import type { Breach } from '../discord/contract.ts';

export const USAGE = `npm run sandbox -- [--data DIR] [--verbose]

Runs the bot against a Discord and a listing service of its own, on this machine only.
Type commands at the prompt, or send them: npm run -s sandbox < script.txt

  --data DIR   keep the bot's database in DIR; by default it goes when the sandbox ends
  --verbose    show the bot's whole log, not only warnings and errors`;

export const WELCOME = `The bot is running against a Discord and a listing service of its own; nothing leaves this machine.
You are an admin of its first guild. To begin, type
  /setkey                                             then the key: sandbox-key
  /addserver game:cs2 server:play.example.com:27015
  /games
help lists everything; Tab completes; exit ends.`;

/** A broken rule of Discord, said loudly. The token in a path is a credential, even at a stand-in. */
export function breachText({ rule, method, path, status, code, body }: Breach): string {
  const place = path.replace(/(\/(?:interactions|webhooks)\/\d+\/)[^/?]+/, '$1[token]');
  const errors = body.errors === undefined ? '' : `\n!!! ${JSON.stringify(body.errors)}`;
  return `!!! A RULE OF DISCORD WAS BROKEN (rule ${rule})\n!!! ${method} ${place} → ${status}, ${code}: ${body.message}${errors}`;
}
