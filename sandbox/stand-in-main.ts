import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Breach, DiscordStandIn } from './discord/contract.ts';
import { startDiscord } from './discord/stand-in.ts';
import { selfSigned } from './loopback-server.ts';

const USAGE = `Usage: npm run stand-in -- [--port 4000] [--token aaa.bbb.ccc] [--shards 1] [--max-concurrency 1] [--tls FILE]

A Discord on this machine for a bot under test. Broken rules are printed as they happen.
Nobody types commands here: tests do, by startDiscord() of sandbox/discord/stand-in.ts.

  --port N             0 takes a free one
  --token TOKEN        what the bot logs in with
  --shards N           how many GET /gateway/bot recommends
  --max-concurrency N  how many shards may identify every 5 seconds
  --tls FILE           listens on TLS, with HTTP/2 on offer, and writes its certificate to FILE;
                       the bot trusts it with NODE_EXTRA_CA_CERTS=FILE
  --help               show this`;

/** Where its words go. */
export interface Streams {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/** A stand-in that listens until it is told to leave. */
export interface Running {
  /** Exit status 1 when a rule was broken, so that a script can tell. */
  leave(): Promise<0 | 1>;
}

/**
 * Does what `npm run stand-in` was told.
 * @param line what follows the name of the script
 * @returns the exit status where it does not go on
 */
export async function runStandIn(line: readonly string[], streams: Streams): Promise<Running | 0 | 1> {
  const { stdout, stderr } = streams;
  const options = optionsOf(line, streams);
  if (typeof options === 'number') return options;
  let breaches = 0;
  const onBreach = (breach: Breach) => {
    breaches += 1;
    stderr.write(`${breachLine(breach)}\n`);
  };
  try {
    // Nobody reads here what was sent long ago, and it may run for days.
    const discord = await startDiscord({ ...options, keep: { count: 10_000 }, onBreach });
    stdout.write(`${howTo(discord, options.token)}\n`);
    void announce(discord, stdout);
    return {
      async leave() {
        await discord.close();
        return breaches === 0 ? 0 : 1;
      },
    };
  } catch (error) {
    stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
}

function optionsOf(line: readonly string[], { stdout, stderr }: Streams) {
  try {
    const read = readArguments(line);
    if (read === 'help') {
      stdout.write(`${USAGE}\n`);
      return 0;
    }
    const { tls, ...options } = read;
    return { ...options, ...(tls !== undefined && { certificate: writtenCertificate(tls) }) };
  } catch (error) {
    stderr.write(`${messageOf(error)}\n\n${USAGE}\n`);
    return 1;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const howTo = ({ apiUrl, cdnUrl, applicationId, guilds }: DiscordStandIn, token: string) =>
  `A stand-in for Discord listens on ${cdnUrl}.

Point a discord.js bot at it and change nothing else:

    const client = new Client({ intents: [], rest: { api: '${apiUrl}' } });
    client.login('${token}');

and its script that publishes commands:

    new REST({ api: '${apiUrl}' }).setToken('${token}')

Application id: ${applicationId}
Guilds: ${guilds.map(({ id, name }) => `${id} (${name})`).join(', ')}

Broken rules are printed here. Ctrl+C ends it.`;

/** Says once that a bot is there. */
async function announce(discord: DiscordStandIn, stdout: NodeJS.WritableStream): Promise<void> {
  await discord.connected();
  stdout.write('A bot is connected.\n');
  await discord.ready();
  const names = [discord.commands(), ...discord.guilds.map((guild) => discord.commands(guild))]
    .flat()
    .map(({ name }) => name);
  stdout.write(`Its commands: ${names.join(', ')}\n`);
}

/** The token of an interaction is long, and says nothing to a reader. */
function breachLine({ rule, method, path, status, body }: Breach): string {
  const shortened = path.replace(/[\w-]{100,}/, '{token}');
  return `Rule ${rule} broken: ${method} ${shortened} → ${status || 'closed'} ${JSON.stringify(body)}`;
}

/** A certificate made at start; a bot needs only what is written, and not its key. */
function writtenCertificate(file: string) {
  const certificate = selfSigned();
  writeFileSync(file, certificate.cert);
  return certificate;
}

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

const statusOf = (running: Running | 0 | 1) => (typeof running === 'number' ? running : running.leave());

// At the end, where everything above is there.
if (import.meta.main) {
  const starting = runStandIn(process.argv.slice(2), process);
  // Whoever reads that it listens may end it at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, async () => process.exit(await statusOf(await starting)));
  const running = await starting;
  if (typeof running === 'number') process.exit(running);
}
