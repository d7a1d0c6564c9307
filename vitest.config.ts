import { accessSync, constants, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * What floods the bot or runs it as a process of its own: two files at once at most, when all else is over, so that
 * nothing that takes the processor runs beside a test that waits for a process.
 */
const ALONE = [
  'test/faults/{bad-days,gateway-outages,kill,machine}.test.ts',
  'test/end-to-end/{fairness,operator,rotate-key,two-bots}.test.ts',
  'test/support/{event-loop-stall,bot}.test.ts',
  'test/operations/{http,kept-code,terminal}.test.ts',
  'test/tools/{backup,doctor}.test.ts',
  'test/sandbox/prompt/pipe.test.ts',
];
/** Scripts of their own, which `.ci/run` runs too. */
const APART = ['test/ops/**', 'test/page/**'];
/** What runs on both kinds of database, or on PostgreSQL alone. */
const STORES = [
  'test/storage/{contract,postgres}.test.ts',
  'test/tools/copy-store.test.ts',
  'test/faults/{postgres,replicas}.test.ts',
];
/** Starts a server of PostgreSQL; also for the tests of the whole bot where these are to run on it (`STORE=postgres`). */
const SERVER = 'test/support/postgres-server.ts';
const BOT_SERVER = process.env.STORE === 'postgres' ? [SERVER] : [];

const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 1024 ** 3;

/**
 * Where temporary folders are made: in memory where Linux has room for them there. Each commit waits for the disk, and so
 * did a third of the time of the tests that use a bot; a store in memory is a file like any other. Who runs the tests
 * with a TMPDIR has them there.
 */
function temporaryFolder(): { readonly TMPDIR?: string } {
  if (process.env.TMPDIR !== undefined) return {};
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize < MEMORY_NEEDED ? {} : { TMPDIR: MEMORY };
  } catch {
    return {};
  }
}

interface Files {
  readonly include: string[];
  readonly exclude?: string[];
  readonly globalSetup?: string[];
}

const project = (name: string, files: Files) => ({
  extends: true as const,
  test: { name, ...files },
});

export default defineConfig({
  test: {
    projects: [
      project('main', {
        include: ['test/**/*.test.ts'],
        exclude: [...ALONE, ...APART, ...STORES],
        globalSetup: BOT_SERVER,
      }),
      project('stores', { include: STORES, globalSetup: [SERVER] }),
      {
        extends: true as const,
        test: {
          name: 'alone',
          include: ALONE,
          globalSetup: BOT_SERVER,
          maxWorkers: Math.min(2, availableParallelism()),
          sequence: { groupOrder: 1 },
        },
      },
      project('ops', { include: ['test/ops/**/*.test.ts'] }),
      project('page', { include: ['test/page/**/*.test.ts'] }),
    ],
    // Most of a test's time is waiting for sockets, so a file more runs at once than there are processors.
    maxWorkers: availableParallelism() + 1,
    // The files that a worker runs share what they import: to read discord.js anew for each of them took half of the time.
    isolate: false,
    env: temporaryFolder(),
    setupFiles: ['test/support/what-the-bot-said.ts'],
    // Of those that run at once within a file, each with a bot that mostly waits.
    maxConcurrency: 8,
    // What fails by these does not happen at all, on however busy a machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
  },
});
