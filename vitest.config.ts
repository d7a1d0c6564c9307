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
    sequence: { sequencer: LongestFirst },
    // Ten times what a test takes on a machine that is busy: what fails by them does not happen at all.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
