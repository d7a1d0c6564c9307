import { parseArgs } from 'node:util';
import { ConfigError } from '../config/config.ts';
import { type Logger, SILENT } from '../logger.ts';
import { EncryptionKeyError } from '../storage/encryption-key.ts';
import { StoreError } from '../storage/store-error.ts';

/** A stack trace would only be a distraction. */
const SELF_EXPLANATORY_ERRORS = [ConfigError, EncryptionKeyError, StoreError];

/**
 * Runs a command-line program for operators. Prints each warning to standard error as one line. If the program fails, the
 * exit status is 1, and an error with a self-explanatory message is also printed as one line.
 */
export async function runTool(name: string, run: (logger: Logger) => Promise<void>): Promise<void> {
  const warn = (_details: object, message: string) => void process.stderr.write(`${name}: ${message}\n`);
  try {
    await run({ ...SILENT, warn, error: warn });
  } catch (error) {
    if (!(error instanceof Error) || !SELF_EXPLANATORY_ERRORS.some((kind) => error instanceof kind))
      throw error;
    warn({}, error.message);
    process.exitCode = 1;
  }
}

/**
 * Returns the tool's arguments. With `--help`, prints the usage instead.
 * @throws ConfigError with the usage if the number of arguments is wrong or if there is an option
 */
export const usage = (how: string, { arguments: count }: { readonly arguments: number }): readonly string[] =>
  readArguments(how, { minArguments: count, maxArguments: count }).positionals;

/**
 * Like {@link usage}, for a tool with optional arguments.
 * @param flags the names of options without a value
 */
export function readArguments(
  how: string,
  limits: {
    readonly minArguments: number;
    readonly maxArguments: number;
    readonly flags?: readonly string[];
  },
): { readonly positionals: readonly string[]; readonly flags: readonly string[] } {
  const { minArguments, maxArguments, flags = [] } = limits;
  const { values, positionals } = parse(how, flags);
  if (values.help) {
    process.stdout.write(`${how}\n`);
    process.exit(0);
  }
  const isNumberRight = positionals.length >= minArguments && positionals.length <= maxArguments;
  if (!isNumberRight || positionals.some((each) => each.startsWith('-') || each === ''))
    throw new ConfigError(how);
  return { positionals, flags: Object.keys(values) };
}

function parse(how: string, flags: readonly string[]) {
  const options = Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' as const }]));
  try {
    return parseArgs({
      allowPositionals: true,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
    });
  } catch {
    throw new ConfigError(how);
  }
}
