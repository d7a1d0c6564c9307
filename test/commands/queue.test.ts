import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startOf } from '../../commands/submissions/queue.ts';

describe("the first submission in a moderator's queue", () => {
  const waiting = Array.from({ length: 30 }, (_, n) => ({ id: `draft ${n}` }));
  const moderators = Array.from({ length: 50 }, () => String(1_000_000_000_000 + randomInt(1e12)));

  it('stays the same while moderators decide on other submissions', () => {
    for (const moderator of moderators) {
      const first = waiting[startOf(moderator, waiting)];
      for (const decided of waiting.filter((each) => each !== first)) {
        const left = waiting.filter((each) => each !== decided);
        expect(left[startOf(moderator, left)]).toBe(first);
      }
    }
  });

  it('changes only if a new submission takes its place', () => {
    const [first, more] = [waiting.slice(0, 20), new Set(waiting.slice(20))];
    const moved = moderators.filter((moderator) => startOf(moderator, first) !== startOf(moderator, waiting));
    for (const moderator of moved) expect(more).toContain(waiting[startOf(moderator, waiting)]);
    expect(moved.length).toBeLessThan(moderators.length);
  });

  it('differs between moderators', () => {
    expect(new Set(moderators.map((moderator) => startOf(moderator, waiting))).size).toBeGreaterThan(10);
    expect(startOf('1', [])).toBe(0);
  });
});
