import { beforeEach } from 'vitest';

/** Lines of a bot's output that are shown beside a failure. */
const MOST_LINES = 40;

beforeEach(({ onTestFailed }) => {
  for (const output of closing.splice(0)) outputs.delete(output);
  onTestFailed(() => {
    for (const output of outputs) {
      const lines = output().split('\n').slice(-MOST_LINES).join('\n');
      process.stderr.write(`\nThe bot's last lines:\n${lines}\n`);
    }
  });
});

/** What the bots of the present file have printed, each since its scene was opened. */
export const outputs = new Set<() => string>();

/** Closed, but perhaps in the test that fails. */
export const closing: (() => string)[] = [];

/** A test that fails from now on prints the end of this output. @returns ends it, once the scene is closed */
export function showWhenATestFails(output: () => string): () => void {
  outputs.add(output);
  return () => void closing.push(output);
}
