/** Loaded before each test file only. `npm run hostile` also opens bots, but has no tests. */
import { beforeEach } from 'vitest';
import { closing, outputs } from './outputs.ts';

/** The number of a bot's output lines shown with a failure. */
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
