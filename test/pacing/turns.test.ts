import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTurns, createWorkTurns, type NotRun, type TurnRequest } from '../../src/pacing/turns.ts';

interface Place {
  readonly guildId: string;
  readonly end: () => void;
}

/** Creates turns whose requests run until the test ends them. */
function setUp(maxConcurrent: number) {
  const clock = { now: 0 };
  const turns = createTurns({ maxConcurrent, now: () => clock.now });
  const started: string[] = [];
  const running: Place[] = [];

  function ask(guildId: string, more: Partial<TurnRequest> = {}): Promise<string | NotRun> {
    return turns.run({ guildId, memberId: 'mia', kind: 'submission', ...more }, () => {
      started.push(guildId);
      const { promise, resolve } = Promise.withResolvers<string>();
      running.push({ guildId, end: () => resolve('done') });
      return promise;
    });
  }

  /** Ends the guild's oldest running request. */
  async function end(guildId: string): Promise<void> {
    await setImmediate();
    const index = running.findIndex((place) => place.guildId === guildId);
    running.splice(index, 1)[0]?.end();
    await setImmediate();
  }

  return { clock, turns, started, ask, end };
}

const times = (count: number, make: (n: number) => Promise<string | NotRun>) =>
  Array.from({ length: count }, (_, n) => make(n));

describe('the request scheduler', () => {
  it('gives the next slot to the least recently served guild', async () => {
    const { started, ask, end } = setUp(1);
    for (const guild of ['a', 'b', 'c']) {
      void ask(guild);
      await end(guild);
    }
    void ask('c');
    for (const guild of ['b', 'b', 'c', 'a', 'new']) void ask(guild);
    for (const guild of ['c', 'new', 'a', 'b', 'c']) await end(guild);
    expect(started.slice(3).join(' ')).toBe('c new a b c b');
  });

  it("runs a guild's requests in order, at most two at a time", async () => {
    const { started, ask, end } = setUp(8);
    const ended: number[] = [];
    for (const [n, asked] of times(3, () => ask('a')).entries()) void asked.then(() => ended.push(n));
    void ask('b');
    await setImmediate();
    expect(started).toEqual(['a', 'a', 'b']);
    await end('a');
    expect(started).toEqual(['a', 'a', 'b', 'a']);
    await end('a');
    await end('a');
    expect(ended).toEqual([0, 1, 2]);
  });

  it.each([
    { maxConcurrent: 3, reading: 1 },
    { maxConcurrent: 1, reading: 1 },
  ])('limits reads to $reading of $maxConcurrent slots', async ({ maxConcurrent, reading }) => {
    const { started, ask } = setUp(maxConcurrent);
    times(10, (n) => ask(`reads ${n}`, { kind: 'reading' }));
    await setImmediate();
    expect(started).toHaveLength(reading);
    times(10, (n) => ask(`submits ${n}`));
    await setImmediate();
    expect(started).toHaveLength(maxConcurrent);
    expect(started.filter((guild) => guild.startsWith('reads'))).toHaveLength(reading);
  });

  it('starts a submission ahead of a waiting read', async () => {
    const { started, ask } = setUp(2);
    void ask('a', { kind: 'reading' });
    void ask('b', { kind: 'reading' });
    void ask('b');
    await setImmediate();
    expect(started).toEqual(['a', 'b']);
  });

  it("rejects a member's 21st waiting request", async () => {
    const { ask, turns } = setUp(1);
    times(21, () => ask('a'));
    expect(await ask('a')).toEqual({ kind: 'not-run', why: 'queue-full' });
    const others = [
      turns.run({ guildId: 'a', memberId: 'ben', kind: 'submission' }, async () => 'ran'),
      turns.run({ guildId: 'b', memberId: 'mia', kind: 'submission' }, async () => 'ran'),
    ];
    expect(await Promise.race([...others, setImmediate('waits')])).toBe('waits');
  });

  it('skips a request past its deadline', async () => {
    const { clock, started, ask, end } = setUp(1);
    void ask('a');
    const late = ask('b', { deadline: 1_000 });
    const next = ask('c', { deadline: 1_001 });
    clock.now = 1_001;
    await end('a');
    expect(await late).toEqual({ kind: 'not-run', why: 'deadline' });
    await end('c');
    expect(await next).toBe('done');
    expect(started).toEqual(['a', 'c']);
  });

  it('frees the slot of a failed task', async () => {
    const { turns } = setUp(1);
    const failing = turns.run({ guildId: 'a', kind: 'submission' }, () => Promise.reject(new Error('disk')));
    const next = turns.run({ guildId: 'b', kind: 'submission' }, async () => 'ran');
    await expect(failing).rejects.toThrow('disk');
    expect(await next).toBe('ran');
  });

  it('reports that it is full if a new task would have to wait', async () => {
    const { turns, ask, end } = setUp(1);
    expect(turns.isFull()).toBe(false);
    void ask('a');
    expect(turns.isFull()).toBe(true);
    await end('a');
    expect(turns.isFull()).toBe(false);
  });
});

it("one guild's backlog doesn't delay another guild's work", async () => {
  const myTurn = createWorkTurns();
  const begun: string[] = [];
  const work = (guildId: string, name: string) => myTurn(guildId).then(() => begun.push(name));
  const flood = Array.from({ length: 50 }, (_, n) => work('1', `flood ${n}`));
  const other = work('2', 'other');
  expect(begun).toEqual([]);
  await other;
  expect(begun).toEqual(['flood 0', 'other']);
  await Promise.all(flood);
  expect(begun).toHaveLength(51);
  await work('1', 'later');
  expect(begun.at(-1)).toBe('later');
});
