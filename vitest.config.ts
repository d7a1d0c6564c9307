import { accessSync, constants, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 1024 ** 3;

/**
 * Puts temporary folders in memory if Linux has enough space there, unless TMPDIR is set. On a disk, tests with a bot spent a
 * third of their time waiting for commits.
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
/** Tests that flood the bot or run it in its own process. */
const PROCESS_TESTS = 'test/**/*.process.test.ts';
/** Tests that need an uncommon program, such as promtool or Chromium. `.ci/run` installs these programs. */
const TOOL_TESTS = 'test/**/*.tool.test.ts';

/**
 * Vitest starts small files last, and all other workers would then wait for these. The first needs the processor for a
 * minute; the others mostly wait.
 */
const SLOWEST_FILES = ['linear-time.test.ts', 'lost-machine.process.test.ts', 'stop.process.test.ts'];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) => SLOWEST_FILES.includes(basename(moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

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
          // Runs after all other tests, because these tests wait for processes and need a machine that isn't too busy.
          sequence: { groupOrder: 1 },
          maxWorkers: availableParallelism() + 2,
        },
      },
      { extends: true, test: { name: 'tool', include: [TOOL_TESTS] } },
    ],
    globalSetup: ['test/support/postgres-server.ts'],
    // A test with a bot waits half of the time, for example for Discord's rate limits.
    maxWorkers: availableParallelism() * 3,
    // Files in a worker share their imports, because loading discord.js again for each file took half of the time.
    isolate: false,
    env: temporaryFolder(),
    sequence: { sequencer: SlowestFirst },
    setupFiles: ['test/support/output-on-failure.ts'],
    // Applies to concurrent tests within a file. Each has a bot, but the bots are mostly idle.
    maxConcurrency: 8,
    // Long enough for a busy machine. A test that times out was waiting for something that never happens.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The default is short, so that a failed expectation is reported quickly if you run a single file. `npm test` waits longer,
    // because the machine is busy.
    expect: { poll: { timeout: Number(process.env.POLL_SECONDS ?? 5) * 1_000, interval: 10 } },
  },
});
