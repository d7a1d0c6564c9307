import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { rotatedFor } from '../../commands/submissions/queue.ts';

describe("a moderator's queue", () => {
  const all = Array.from({ length: 30 }, (_, n) => n);
  const ids = Array.from({ length: 50 }, () => String(1_000_000_000_000 + randomInt(1e12)));

  it('contains every submission, always in the same order', () => {
    for (const id of ids) {
      const order = rotatedFor(id, all);
      expect(order).toEqual(rotatedFor(id, all));
      const start = order[0] ?? -1;
      expect(order).toEqual([...all.slice(start), ...all.slice(0, start)]);
    }
    expect(rotatedFor('1', [])).toEqual([]);
    expect(rotatedFor('1', ['only'])).toEqual(['only']);
  });

  it('starts with a different submission for each moderator', () => {
    const starts = new Set(ids.map((id) => rotatedFor(id, all)[0]));
    expect(starts.size).toBeGreaterThan(10);
  });
});
