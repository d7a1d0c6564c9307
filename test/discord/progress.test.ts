import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgress } from '../../src/discord/presses.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Shows progress; each edit ends when it is told to. */
function start() {
  const edits: PromiseWithResolvers<void>[] = [];
  const editReply = () => {
    const edit = Promise.withResolvers<void>();
    edits.push(edit);
    return edit.promise;
  };
  const progress = createProgress({ editReply });
  return { edits, show: () => progress({ embeds: [{ description: 'half' }] }) };
}

describe('progress', () => {
  it('is shown at most every 2 seconds', async () => {
    const { edits, show } = start();
    for (let ms = 0; ms < 6_000; ms += 100) {
      show();
      edits.at(-1)?.resolve();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(edits).toHaveLength(3);
  });

  it('is not shown again while Discord has not taken the last one, whatever became of it', async () => {
    const { edits, show } = start();
    show();
    await vi.advanceTimersByTimeAsync(60_000);
    show();
    expect(edits).toHaveLength(1);
    edits[0]?.reject(new Error('Discord is down'));
    await vi.advanceTimersByTimeAsync(0);
    show();
    expect(edits).toHaveLength(2);
  });
});
