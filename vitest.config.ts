import { accessSync, constants, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest files begin first, as they do once vitest has seen a run: begun last they would be waited for. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/test\/(?:faults\/|sandbox\/prompt\/pipe\.)/.test(moduleId);
    return (await super.sort(files)).toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
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
    // Ten times what a test takes on a machine that is busy: what fails by them does not happen at all.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000, interval: 10 } },
  },
});
