import { writeFileSync } from 'node:fs';
import type { Breach } from './discord/contract.ts';
import { startDiscord } from './discord/stand-in.ts';
import { selfSigned } from './loopback-server.ts';
import { readArguments, USAGE } from './stand-in-arguments.ts';

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
    const read = readArguments(process.argv.slice(2));
    if (read === 'help') {
      stdout.write(`${USAGE}\n`);
      process.exit(0);
    }
    const { tls, ...options } = read;
    return { ...options, ...(tls !== undefined && { certificate: writtenCertificate(tls) }) };
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
