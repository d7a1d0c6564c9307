import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** Has Node keep what it makes of the code where `npm start` keeps it: a process then costs half as much. */
export const KEPT_CODE: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/server-listing-bot', import.meta.url)),
};

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** The whole environment but PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The user that it runs as. */
  readonly uid?: number;
  readonly gid?: number;
  readonly onStart?: (child: ChildProcess) => void;
}

/** Runs a program as an operator does, and waits for it to end by itself. */
export async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  { env, onStart, ...how }: ProgramOptions,
): Promise<Ended> {
  const child = spawn(program, args, {
    ...how,
    env: { PATH: process.env.PATH, ...KEPT_CODE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onStart?.(child);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status: status as number | null, stdout, stderr };
}

/**
 * The same for a file of the project that Node runs.
 * @param line the file, from the root, and its arguments
 */
export const runFile = (
  [file, ...args]: readonly [string, ...string[]],
  options: ProgramOptions,
): Promise<Ended> =>
  runProgram([process.execPath, fileURLToPath(new URL(`../../${file}`, import.meta.url)), ...args], options);
