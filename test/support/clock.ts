import { onTestFinished } from 'vitest';

/**
 * A clock of this process that can be set ahead until the test has ended, so that nobody waits for a time to be over.
 * To be made before what reads it; timers are not concerned.
 */
export function createTestClock(): { advance(ms: number): void } {
  const now = Date.now;
  let ahead = 0;
  Date.now = () => now() + ahead;
  onTestFinished(() => {
    Date.now = now;
  });
  return {
    advance(ms) {
      ahead += ms;
    },
  };
}
