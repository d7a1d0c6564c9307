import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { servePage } from './page/server.ts';
import { createFrontEnd } from './prompt/front-end.ts';
import { USAGE } from './prompt/words.ts';
import { openSandbox } from './sandbox.ts';

const { stdin, stdout, stderr } = process;
const { data, http, verbose, isPageWanted, open, port } = readOptions();
let leaving = false;

const sandbox = await openSandbox({ surroundings: process.env, data, http, serverLookup: true });
// Without a terminal, the page is only served if an option requests it.
const served = isPageWanted || stdin.isTTY ? await servePage({ sandbox, port }) : undefined;
if (served !== undefined) stdout.write(`In a browser: ${served.address}\n`);
const prompt = createFrontEnd({
  sandbox,
  input: stdin,
  output: stdout,
  errors: stderr,
  verbose,
  onInterrupt: () => void leave(130),
});

for (const [signal, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  process.on(signal, () => void leave(status));
// The program reading the output, such as `head`, has ended.
stdout.on('error', () => void leave(1));

if (served !== undefined && open) openInBrowser(served.address);
await leave(await prompt.run());

async function leave(status: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  // Ctrl+C also stops the bot, which shouldn't be reported as an error.
  prompt.leave();
  await served?.close();
  await sandbox.close();
  stdout.write('', () => process.exit(status));
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        data: { type: 'string' },
        http: { type: 'boolean' },
        verbose: { type: 'boolean' },
        page: { type: 'boolean' },
        open: { type: 'boolean' },
        port: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) {
      stdout.write(`${USAGE}\n`);
      process.exit(0);
    }
    const { data, http = false, verbose = false, page = false, open = false, port } = values;
    // These options need the page, so they enable it even if there is no terminal.
    const isPageWanted = page || open || port !== undefined;
    return { data, http, verbose, isPageWanted, open, port: portFrom(port) };
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    process.exit(1);
  }
}

function portFrom(text = '0'): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new RangeError(`--port must be a whole number from 0 to 65535, not "${text}".`);
}

/** Opens a URL in the user's browser. If that fails, the user can still open the printed URL. */
function openInBrowser(address: string): void {
  /** The command that opens a URL on each platform. */
  const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
    darwin: ['open'],
    win32: ['cmd', '/c', 'start', ''],
  };
  const [program, ...line] = openers[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...line, address], { stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}
