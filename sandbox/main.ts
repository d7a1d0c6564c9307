import { parseArgs } from 'node:util';
import { createFrontEnd } from './prompt/front-end.ts';
import { USAGE } from './prompt/words.ts';
import { openSandbox } from './sandbox.ts';

const { stdin, stdout, stderr } = process;
const { data, verbose } = readOptions();
let leaving = false;

const sandbox = await openSandbox({ surroundings: process.env, data });
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
// Whoever read our output is gone, as with `| head`.
stdout.on('error', () => void leave(1));

await leave(await prompt.run());

async function leave(status: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  // Ctrl+C reaches the bot as well.
  prompt.leave();
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
