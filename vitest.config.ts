import { accessSync, constants, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

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

const EVERY_TEST = 'test/**/*.test.ts';
/** Floods the bot or runs it as a process of its own. */
const PROCESS_TESTS = 'test/**/*.process.test.ts';
/** Needs a program that is on few machines, such as promtool or Chromium; `.ci/run` installs them. */
const TOOL_TESTS = 'test/**/*.tool.test.ts';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'main', include: [EVERY_TEST], exclude: [PROCESS_TESTS, TOOL_TESTS] },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: [PROCESS_TESTS],
          // Two files at once at most, when all else is over, so that nothing that takes the processor runs beside a
          // test that waits for a process.
          maxWorkers: Math.min(2, availableParallelism()),
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: 'tool', include: [TOOL_TESTS] } },
    ],
    globalSetup: ['test/support/postgres-server.ts'],
    // Most of a test's time is waiting for sockets, so a file more runs at once than there are processors.
    maxWorkers: availableParallelism() + 1,
    // The files that a worker runs share what they import: to read discord.js anew for each of them took half of the time.
    isolate: false,
    env: temporaryFolder(),
    setupFiles: ['test/support/output-on-failure.ts'],
    // Of those that run at once within a file, each with a bot that mostly waits.
    maxConcurrency: 8,
    // What fails by these does not happen at all, on however busy a machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A wrong expectation is told soon to whoever runs one file; `npm test` has more patience with a busy machine.
    expect: { poll: { timeout: Number(process.env.POLL_SECONDS ?? 5) * 1_000, interval: 10 } },
  },
});
