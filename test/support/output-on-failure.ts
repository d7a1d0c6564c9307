/** vitest loads this file before each test file. `npm run hostile` doesn't run in vitest, so it only uses outputs.ts. */
import { beforeEach } from 'vitest';
import { closing, outputs } from './outputs.ts';

/** How many lines of a bot's output to show if a test fails. */
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
