import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { describeExit } from './bot-process.ts';
import { BadLine } from './prompt/bad-line.ts';
import { paintFor } from './prompt/markdown.ts';
import { createPrompt } from './prompt/prompt.ts';
import { NoAnswer } from './prompt/session.ts';
import { openTerminal, type Terminal } from './prompt/terminal.ts';
import { breachText, readLogLine, USAGE, WELCOME } from './prompt/words.ts';
import { BotNotReady, openSandbox } from './sandbox.ts';

const { stdin, stdout, stderr } = process;
const options = readOptions();
const interactive = stdin.isTTY === true && stdout.isTTY === true;
const paint = paintFor(stderr);
let terminal: Terminal | undefined;
let leaving = false;
/** What a script must hear of by its exit status. */
let failed = false;

const sandbox = await openSandbox({
  surroundings: process.env,
  data: options.data,
  onLine(line) {
    const { text, urgent } = readLogLine(line);
    if (urgent || options.verbose) tell(paint('dim', text));
  },
  onCrash(exit) {
    // Ctrl+C reaches the bot as well.
    if (leaving) return;
    fail(
      `The bot ended by itself (${describeExit(exit)}); restart starts it again. Its last words:\n${exit.lastWords.join('\n')}`,
    );
  },
  onBreach: (breach) => fail(breachText(breach)),
});
const prompt = createPrompt({
  sandbox,
  print: (text) => stdout.write(`${text}\n`),
  paint: paintFor(stdout),
});

for (const [signal, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  process.on(signal, () => void leave(status));
// Whoever read our output is gone, as with `| head`.
stdout.on('error', () => void leave(1));

try {
  await sandbox.startBot();
  if (interactive) await converse();
  else await runScript();
} catch (error) {
  if (!isTold(error)) throw error;
  fail(error.message);
  await leave(1);
}
await leave(!interactive && (failed || prompt.session.lost) ? 1 : 0);

/** Lines from a pipe, one after the other. Each is echoed, except into a modal: there it may be a key. */
async function runScript(): Promise<void> {
  for await (const line of createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (prompt.session.modal) stdout.write(line === '' ? '>\n' : '> ********\n');
    else if (line.trim() !== '') stdout.write(`> ${line}\n`);
    if (!(await run(line)) || !sandbox.bot.running) return;
  }
}

async function converse(): Promise<void> {
  stdout.write(`${WELCOME}\n`);
  terminal = openTerminal({
    input: stdin,
    output: stdout,
    session: prompt.session,
    onInterrupt: () => void leave(130),
  });
  for await (const line of terminal.lines()) {
    try {
      if (!(await run(line))) return;
    } catch (error) {
      if (!isTold(error)) throw error;
      fail(error.message);
    }
  }
}

async function run(line: string): Promise<boolean> {
  try {
    return await prompt.run(line);
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    fail(error.message);
    return true;
  }
}

function isTold(error: unknown): error is Error {
  return error instanceof BotNotReady || error instanceof NoAnswer;
}

function fail(text: string): void {
  failed = true;
  tell(paint('red', text));
}

function tell(text: string): void {
  const write = () => void stderr.write(`${text}\n`);
  if (terminal) terminal.aside(write);
  else write();
}

async function leave(status: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  await sandbox.close();
  stdout.write('', () => process.exit(status));
}

function readOptions(): { data: string | undefined; verbose: boolean } {
  try {
    const { values } = parseArgs({
      options: { data: { type: 'string' }, verbose: { type: 'boolean' }, help: { type: 'boolean' } },
    });
    if (values.help) {
      stdout.write(`${USAGE}\n`);
      process.exit(0);
    }
    return { data: values.data, verbose: values.verbose ?? false };
  } catch (error) {
    stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
    process.exit(1);
  }
}
