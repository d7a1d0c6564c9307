import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Most of a test's time is waiting for real processes and sockets, so more files run at once than there are cores.
    maxWorkers: 4,
    // Real processes and sockets: a start of the bot takes about a second on a small machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
