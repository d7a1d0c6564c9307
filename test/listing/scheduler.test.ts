import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Failure } from '../../src/listing/contract.ts';
import { createScheduler } from '../../src/listing/scheduler.ts';
import { Secret } from '../../src/secret.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_000 }));
afterEach(() => void vi.useRealTimers());

/** Milliseconds that the service takes for a request. */
const SERVICE_MS = 2_000;

interface Asked {
  readonly guildId: string;
  readonly memberId?: string;
  readonly kind?: 'submission' | 'reading';
  readonly receivedAt?: number;
  readonly key?: Secret;
  /** Milliseconds that this one takes. */
  readonly takes?: number;
}

function setUp(atOnce = 8) {
  const scheduler = createScheduler({ atOnce });
  const started: string[] = [];
  const running: Record<string, number> = {};
  const most: Record<string, number> = {};
  const change = (name: string, by: number) => {
    running[name] = (running[name] ?? 0) + by;
    most[name] = Math.max(most[name] ?? 0, running[name]);
  };
  /** @returns the failure, or how many milliseconds it took from being asked to its end */
  async function ask({ takes = SERVICE_MS, ...asked }: Asked): Promise<number | string> {
    const at = Date.now();
    const request = { kind: 'submission', key: new Secret('key'), ...asked } as const;
    const outcome = await scheduler.run(request, async () => {
      started.push(asked.guildId);
      for (const name of ['all', request.kind, asked.guildId]) change(name, 1);
      await new Promise((resolve) => setTimeout(resolve, takes));
      for (const name of ['all', request.kind, asked.guildId]) change(name, -1);
      return undefined;
    });
    return outcome === undefined ? Date.now() - at : outcome.reason;
  }
  return { ask, started, most };
}

describe('the scheduler', () => {
  it.each([
    8, 4,
  ])('lets nobody wait for five guilds with lists and a member with 200 submissions (%i at once)', async (atOnce) => {
    const { ask, started, most } = setUp(atOnce);
    const lists = Array.from({ length: 5 }, async (_, guild) => {
      for (let n = 0; n < 10; n += 1) await ask({ guildId: `list ${guild}`, memberId: 'a' });
    });
    const single = Array.from({ length: 200 }, () => ask({ guildId: 'singles', memberId: 'b' }));
    await vi.advanceTimersByTimeAsync(3_500);
    started.length = 0;
    const victim = ask({ guildId: 'victim', memberId: 'c' });
    await vi.advanceTimersByTimeAsync(SERVICE_MS + 3_000);
    // Whoever had no request under way comes first.
    expect(started.indexOf('victim')).toBeLessThanOrEqual(atOnce);
    expect(await victim).toBeLessThanOrEqual(SERVICE_MS + 3_000);
    await vi.advanceTimersByTimeAsync(600_000);
    await Promise.all(lists);
    const ends = await Promise.all(single);
    // Those that found a place at once, and twenty that waited.
    const sent = ends.filter((end) => typeof end === 'number').length;
    expect(sent).toBe(20 + Math.min(2, Math.max(0, atOnce - 5)));
    expect(ends.filter((end) => end === 'queue-full')).toHaveLength(200 - sent);
    expect(most).toMatchObject({ all: atOnce, singles: 2 });
  });

  it.each([
    [2, 1],
    [8, 1],
    [8, 4],
    [8, 5],
  ])('keeps one of %i places free of what %i guilds pile up, however slow the service is', async (atOnce, busy) => {
    const { ask } = setUp(atOnce);
    const takes = 20_000;
    const piled = Array.from({ length: 20 * busy }, (_, n) =>
      ask({ guildId: `busy ${n % busy}`, memberId: 'a', takes }),
    );
    await vi.advanceTimersByTimeAsync(takes / 2);
    const victim = ask({ guildId: 'victim', memberId: 'b', takes });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await victim).toBeLessThanOrEqual(takes + 3_000);
    await Promise.all(piled);
  });

  it('lets a guild with one submission go before fifty whose lists go on', async () => {
    const { ask } = setUp();
    const requests = 20;
    const lists = Array.from({ length: 50 }, async (_, guild) => {
      for (let n = 0; n < requests; n += 1) await ask({ guildId: `list ${guild}`, memberId: 'a' });
    });
    // By then each of them has had its first request.
    await vi.advanceTimersByTimeAsync(10 * SERVICE_MS + 100);
    const victim = ask({ guildId: 'victim', memberId: 'b' });
    await vi.advanceTimersByTimeAsync(SERVICE_MS * (requests * 50));
    expect(await victim).toBeLessThanOrEqual(2 * SERVICE_MS);
    await Promise.all(lists);
  });

  it('takes turns between the members of a guild', async () => {
    const { ask } = setUp();
    const many = Array.from({ length: 20 }, () => ask({ guildId: '1', memberId: 'a' }));
    const other = ask({ guildId: '1', memberId: 'b' });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await other).toBe(2 * SERVICE_MS);
    expect(await Promise.all(many)).not.toContain('queue-full');
  });

  it('serves guilds in turn when more wait than there are places', async () => {
    const { ask, started, most } = setUp(2);
    const all = ['a', 'b', 'c'].flatMap((guildId) =>
      Array.from({ length: 4 }, (_, n) => ask({ guildId, memberId: `${n}` })),
    );
    await vi.advanceTimersByTimeAsync(600_000);
    await Promise.all(all);
    expect(started.join('')).toBe('abcabcabcabc');
    expect(most).toMatchObject({ all: 2 });
  });

  it('leaves half of the places to submissions, whatever is read or tried', async () => {
    const { ask, most } = setUp();
    const reads = Array.from({ length: 50 }, (_, n) =>
      ask({ guildId: `${n}`, kind: 'reading', takes: 20_000 }),
    );
    const same = [1, 2, 3].map(() => ask({ guildId: '0', kind: 'reading' }));
    const submissions = Array.from({ length: 4 }, (_, n) => ask({ guildId: `other ${n}` }));
    await vi.advanceTimersByTimeAsync(SERVICE_MS);
    expect(await Promise.all(submissions)).toEqual(Array(4).fill(SERVICE_MS));
    await vi.advanceTimersByTimeAsync(600_000);
    await Promise.all([...reads, ...same]);
    expect(most).toMatchObject({ reading: 4, submission: 4 });
  });

  it('sends nothing for an interaction of more than 13 minutes ago, and says so when they are over', async () => {
    const { ask, started } = setUp(1);
    expect(await ask({ guildId: '1', receivedAt: Date.now() - 13 * 60_000 })).toBe('too-late');
    void ask({ guildId: '1', takes: 3_600_000 });
    let said: number | string | undefined;
    void ask({ guildId: '2', receivedAt: Date.now() - 60_000 }).then((end) => {
      said = end;
    });
    await vi.advanceTimersByTimeAsync(12 * 60_000 - 1);
    expect(said).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toBe('too-late');
    expect(started).toEqual(['1']);
  });

  it('sends nothing with a key that is dropped while it waits, and others then come', async () => {
    const { ask, started } = setUp(1);
    const drop = new AbortController();
    const key = new Secret('key', drop.signal);
    void ask({ guildId: '1' });
    const waiting = [ask({ guildId: '2', key }), ask({ guildId: '2', key })];
    const other = ask({ guildId: '3' });
    drop.abort();
    expect(await Promise.all(waiting)).toEqual(['key-dropped', 'key-dropped']);
    expect(await ask({ guildId: '2', key })).toBe('key-dropped');
    await vi.advanceTimersByTimeAsync(2 * SERVICE_MS);
    expect(await other).toBe(2 * SERVICE_MS);
    expect(started).toEqual(['1', '3']);
  });

  it('hands a place on when a task fails', async () => {
    const scheduler = createScheduler({ atOnce: 1 });
    const request = { guildId: '1', kind: 'submission', key: new Secret('key') } as const;
    const failing = scheduler.run(request, async (): Promise<Failure> => {
      throw new Error('disk full');
    });
    const next = scheduler.run(request, async () => 'done');
    await expect(failing).rejects.toThrow('disk full');
    expect(await next).toBe('done');
  });
});
