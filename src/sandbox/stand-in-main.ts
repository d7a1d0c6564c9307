import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Breach } from './contract.ts';
import { selfSigned } from './self-signed.ts';
import { startDiscord } from './stand-in.ts';

const USAGE = `Usage: npm run stand-in -- [--port 4000] [--token aaa.bbb.ccc] [--shards 1] [--max-concurrency 1] [--tls FILE]

A Discord on this machine for a bot under test. Broken rules are printed as they happen.
Nobody types commands here: tests do, by startDiscord() of src/sandbox/stand-in.ts.

  --port N             0 takes a free one
  --token TOKEN        what the bot logs in with
  --shards N           how many GET /gateway/bot recommends
  --max-concurrency N  how many shards may identify every 5 seconds
  --tls FILE           listens on TLS, with HTTP/2 on offer, and writes its certificate to FILE;
                       the bot trusts it with NODE_EXTRA_CA_CERTS=FILE
  --help               show this`;

const { stdout, stderr } = process;
const options = readOptions();
let breaches = 0;
const discord = await start();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void leave());

stdout.write(`A stand-in for Discord listens on ${discord.cdnUrl}.

Point a discord.js bot at it and change nothing else:

    const client = new Client({ intents: [], rest: { api: '${discord.apiUrl}' } });
    client.login('${options.token}');

and its script that publishes commands:

    new REST({ api: '${discord.apiUrl}' }).setToken('${options.token}')

Application id: ${discord.applicationId}
Guilds: ${discord.guilds.map(({ id, name }) => `${id} (${name})`).join(', ')}

Broken rules are printed here. Ctrl+C ends it.
`);

void announce();

/** Says once that a bot is there. */
async function announce(): Promise<void> {
  await discord.connected();
  stdout.write('A bot is connected.\n');
  await discord.ready();
  const names = [discord.commands(), ...discord.guilds.map((guild) => discord.commands(guild))]
    .flat()
    .map(({ name }) => name);
  stdout.write(`Its commands: ${names.join(', ')}\n`);
}

/** Exit status 1 when a rule was broken, so that a script can tell. */
async function leave(): Promise<void> {
  await discord.close();
  process.exit(breaches === 0 ? 0 : 1);
}

async function start() {
  try {
    // Nobody reads here what was sent long ago, and it may run for days.
    return await startDiscord({ ...options, keep: { count: 10_000 }, onBreach: tell });
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function tell({ rule, method, path, status, body }: Breach): void {
  breaches += 1;
  stderr.write(
    `Rule ${rule} broken: ${method} ${withoutToken(path)} → ${status || 'closed'} ${JSON.stringify(body)}\n`,
  );
}

/** The token of an interaction is long, and says nothing to a reader. */
function withoutToken(path: string): string {
  return path.replace(/[\w-]{100,}/, '{token}');
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '4000' },
        token: { type: 'string', default: 'aaa.bbb.ccc' },
        shards: { type: 'string', default: '1' },
        'max-concurrency': { type: 'string', default: '1' },
        tls: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      stdout.write(`${USAGE}\n`);
      process.exit(0);
    }
    return {
      token: tokenFrom(values.token),
      port: wholeNumber('port', values.port, 0, 65_535),
      shards: wholeNumber('shards', values.shards, 1, 1_000),
      maxConcurrency: wholeNumber('max-concurrency', values['max-concurrency'], 1, 1_000),
      ...(values.tls !== undefined && { certificate: writtenCertificate(values.tls) }),
    };
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    process.exit(1);
  }
}

/** A certificate made at start; a bot needs only what is written, and not its key. */
function writtenCertificate(file: string) {
  const certificate = selfSigned();
  writeFileSync(file, certificate.cert);
  return certificate;
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
