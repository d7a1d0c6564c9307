import { accessSync, constants, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** In which order files begin; all others come last. */
const ORDER = [
  // What waits or starts processes for most of its time: begun late, it would be waited for.
  /\/test\/(?:faults|docs)\//,
  /\/(?:pipe|session|scene|two-bots|list-faults|rotate-key|backup|silence|doctor|kept-code|foreign-bot)\.test/,
  // Whatever has a bot, or one of the stand-ins.
  /\/test\/(?:end-to-end|operations|guilds|sandbox|support)\//,
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = ORDER.findIndex((files) => files.test(moduleId));
      return found === -1 ? ORDER.length : found;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 1024 ** 3;

/**
 * Where temporary folders are made: in memory where Linux has room for them there. Each commit waits for the disk, and so
 * did a third of the time of the tests that use a bot; a store in memory is a file like any other.
 */
function temporaryFolder(): { readonly TMPDIR?: string } {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize < MEMORY_NEEDED ? {} : { TMPDIR: MEMORY };
  } catch {
    return {};
  }
}

const project = (name: string, files: { readonly include: string[]; readonly exclude?: string[] }) => ({
  extends: true as const,
  test: { name, ...files },
});

export default defineConfig({
  test: {
    projects: [
      project('main', {
        include: ['test/**/*.test.ts'],
        exclude: ['test/transport/**', 'test/scale/**', 'test/ops/**', 'test/page/**'],
      }),
      // Scripts of their own, which `.ci/run` runs too.
      project('transport', { include: ['test/transport/**/*.test.ts'] }),
      project('ops', { include: ['test/ops/**/*.test.ts'] }),
      project('page', { include: ['test/page/**/*.test.ts'] }),
      project('scale', { include: ['test/scale/**/*.test.ts'] }),
    ],
    // Most of a test's time is waiting for real processes and sockets, so more files run at once than there are cores.
    maxWorkers: 5,
    // The files that a worker runs share what they import: to read discord.js anew for each of them took half of the time.
    isolate: false,
    env: temporaryFolder(),
    sequence: { sequencer: LongestFirst },
    // Of those that run at once within a file, each with a bot that mostly waits.
    maxConcurrency: 8,
    // Ten times what a test takes on a machine that is busy: what fails by them does not happen at all.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000, interval: 10 } },
  },
});
