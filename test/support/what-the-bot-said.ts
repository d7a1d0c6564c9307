/** Loaded before each test file, and by nothing else: `npm run hostile` opens bots as well, and has no tests. */
import { beforeEach } from 'vitest';
import { closing, outputs } from './outputs.ts';

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
