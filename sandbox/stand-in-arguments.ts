import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run stand-in -- [--port 4000] [--token aaa.bbb.ccc] [--shards 1] [--max-concurrency 1] [--tls FILE]

A Discord on this machine for a bot under test. Broken rules are printed as they happen.
Nobody types commands here: tests do, by startDiscord() of sandbox/discord/stand-in.ts.

  --port N             0 takes a free one
  --token TOKEN        what the bot logs in with
  --shards N           how many GET /gateway/bot recommends
  --max-concurrency N  how many shards may identify every 5 seconds
  --tls FILE           listens on TLS, with HTTP/2 on offer, and writes its certificate to FILE;
                       the bot trusts it with NODE_EXTRA_CA_CERTS=FILE
  --help               show this`;

/** What `npm run stand-in` was told. */
export interface Arguments {
  readonly token: string;
  readonly port: number;
  readonly shards: number;
  readonly maxConcurrency: number;
  /** Where the certificate goes; without it there is no TLS. */
  readonly tls?: string;
}

/**
 * @param line what follows the name of the script
 * @throws Error saying what is wrong with an argument
 */
export function readArguments(line: readonly string[]): Arguments | 'help' {
  const { values } = parseArgs({
    args: [...line],
    options: {
      port: { type: 'string', default: '4000' },
      token: { type: 'string', default: 'aaa.bbb.ccc' },
      shards: { type: 'string', default: '1' },
      'max-concurrency': { type: 'string', default: '1' },
      tls: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    token: tokenFrom(values.token),
    port: wholeNumber('port', values.port, 0, 65_535),
    shards: wholeNumber('shards', values.shards, 1, 1_000),
    maxConcurrency: wholeNumber('max-concurrency', values['max-concurrency'], 1, 1_000),
    ...(values.tls !== undefined && { tls: values.tls }),
  };
}

/** discord.js takes a `Bot ` in front of a token away, and a header cannot carry every character. */
function tokenFrom(text: string): string {
  if (/^[\w.-]+$/.test(text)) return text;
  throw new RangeError('--token must be letters, digits, dots, dashes and underscores only, without "Bot ".');
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new RangeError(`--${name} must be a whole number from ${least} to ${most}, and not "${text}".`);
}
