import { onTestFinished } from 'vitest';

/**
 * The clocks of this process until the test has ended, so that nobody waits for a time to be over. To be made before what
 * reads them; timers are not concerned.
 */
export function createTestClock(): { advance(ms: number): void; set(ms: number): void } {
  const now = Date.now;
  const monotonic = performance.now;
  let ahead = 0;
  let passed = 0;
  Date.now = () => now() + ahead;
  performance.now = () => monotonic.call(performance) + passed;
  onTestFinished(() => {
    Date.now = now;
    performance.now = monotonic;
  });
  return {
    /** Time passes. */
    advance(ms) {
      ahead += ms;
      passed += ms;
    },
    /** Somebody sets the wall clock by so much. */
    set(ms) {
      ahead += ms;
    },
  };
}
