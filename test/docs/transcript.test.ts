import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { madeAnew, TRANSCRIPTS } from './transcript.ts';

// The pages at the same time, since each mostly waits.
describe.concurrent.each(TRANSCRIPTS)('%s', (path) => {
  it('is what the bot says today (npm run transcript writes it anew)', async () => {
    const page = await readFile(path, 'utf8');
    expect(await madeAnew(page)).toBe(page);
  });

  it('hides every key', async () => {
    expect(await readFile(path, 'utf8')).not.toMatch(/^> sandbox-key/m);
  });
});
