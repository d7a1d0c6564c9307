import { defineConfig } from 'vitest/config';

const project = (name: string, files: { readonly include: string[]; readonly exclude?: string[] }) => ({
  extends: true as const,
  test: { name, ...files },
});

export default defineConfig({
  test: {
    projects: [
      project('main', { include: ['test/**/*.test.ts'], exclude: ['test/transport/**', 'test/scale/**'] }),
      // Scripts of their own, which `.ci/run` runs too.
      project('transport', { include: ['test/transport/**/*.test.ts'] }),
      project('scale', { include: ['test/scale/**/*.test.ts'] }),
    ],
    // Most of a test's time is waiting for real processes and sockets, so more files run at once than there are cores.
    maxWorkers: 5,
    // The files that a worker runs share what they import: to read discord.js anew for each of them took half of the time.
    isolate: false,
    // Real processes and sockets: a start of the bot takes about a second on a small machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
