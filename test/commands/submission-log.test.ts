import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSubmissionLog } from '../../commands/submission-log.ts';
import type { AddOutcome } from '../../src/listing/contract.ts';
import { createScheduler } from '../../src/listing/scheduler.ts';
import { wordsFor } from '../../src/locales/words.ts';
import { Secret } from '../../src/secret.ts';
import { createDesk, type DeskStep, type Order } from '../../src/submissions/desk.ts';
import { recorder } from '../storage/temporary.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const order = (count: number): Order => ({
  interactionId: '5',
  guildId: '1',
  channelId: '2',
  user: { id: '7', name: 'mia_**x**' },
  key: new Secret('k'),
  servers: Array.from({ length: count }, (_, n) => ({ server: `s${n}.example.com`, port: 1, game: 'cs2' })),
});

function setUp(outcomes: readonly AddOutcome[], before: readonly DeskStep[] = []) {
  const told: string[] = [];
  const log = createSubmissionLog({
    guildLog: { tell: async (_guildId, makeText) => void told.push(makeText(wordsFor('en-US'))) },
    games: { find: (alias) => ({ alias, name: 'Counter-Strike 2' }) },
    idleMs: 1_000,
    quietMs: 200,
  });
  const left = [...outcomes];
  const add = async () => left.shift() ?? { kind: 'accepted' as const, message: 'Added.' };
  const desk = createDesk({
    listing: { add },
    scheduler: createScheduler({ atOnce: 8 }),
    steps: [...before, log],
    logger: recorder(),
  });
  const send = (whole: Order, from: number) =>
    desk.send({ ...whole, servers: whole.servers.slice(from, from + 100) });
  return { told, log, desk, send };
}

describe('the log of submissions', () => {
  it('has one entry for an order of a thousand servers in ten requests', async () => {
    const { told, desk, send } = setUp([
      { kind: 'rejected', message: 'No *way*.' },
      { kind: 'unknown', reason: 'timeout', detail: '' },
      { kind: 'not-sent', reason: 'refused', detail: '' },
    ]);
    const whole = order(1_000);
    await desk.admit(whole);
    for (let from = 0; from < 1_000; from += 100) await send(whole, from);
    // Of the request that was rejected a part might be sent again.
    await vi.advanceTimersByTimeAsync(200);
    expect(told).toHaveLength(1);
    const lines = told[0]?.split('\n') ?? [];
    expect(lines[0]).toContain(
      '<@7> (mia\\_\\*\\*x\\*\\*) submitted 1000 servers: **Counter-Strike 2** — `s0.example.com:1`',
    );
    expect(lines[0]).toContain('and 995 more');
    expect(lines.slice(1)).toEqual([
      expect.stringContaining('100 servers were refused by the listing service: No \\*way\\*.'),
      expect.stringContaining('100 servers were sent without a usable answer'),
      expect.stringContaining('100 servers were not sent'),
      expect.stringContaining('700 servers were sent for review; the listing service said: Added.'),
    ]);
  });

  it('counts each server once, by how it ended, when a rejected request was halved', async () => {
    const rejected = { kind: 'rejected', message: 'Bad.' } as const;
    const yes = { kind: 'accepted', message: 'Added.' } as const;
    const { told, desk } = setUp([rejected, yes, rejected, rejected, yes]);
    const whole = order(5);
    await desk.admit(whole);
    for (const [from, to] of [
      [0, 4],
      [0, 2],
      [2, 4],
      [2, 3],
      [3, 4],
    ] as const) {
      await desk.send({ ...whole, servers: whole.servers.slice(from, to) });
    }
    await desk.withdraw({ ...whole, servers: whole.servers.slice(4) });
    expect(told).toHaveLength(1);
    expect(told[0]?.split('\n').slice(1)).toEqual([
      expect.stringContaining('3 servers were sent for review'),
      expect.stringContaining('1 server was refused by the listing service: Bad.'),
      expect.stringContaining('1 server was not sent'),
    ]);
  });

  it('has an entry of what was sent of an order that stopped, and none of one that was not sent', async () => {
    const { told, log, desk, send } = setUp([]);
    const whole = order(200);
    await desk.admit(whole);
    await send(whole, 0);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual([expect.stringContaining('submitted 100 servers')]);
    await desk.admit(whole);
    await send(whole, 0);
    await log.flush();
    expect(told).toHaveLength(2);
    await desk.admit(whole);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toHaveLength(2);
  });

  it('has an entry of a submission that a former run of the bot had let in', async () => {
    const { told, desk } = setUp([]);
    await desk.send(order(1));
    expect(told).toEqual([
      expect.stringContaining('submitted **Counter-Strike 2** — `s0.example.com:1`. It was sent'),
    ]);
  });

  it('has an entry of every refusal', async () => {
    for (const [refusal, words] of [
      [{ code: 'key-invalid' }, 'no longer accepts the API key'],
      [{ code: 'in-flight', server: { server: 'a', port: 1, game: 'x' } }, 'on its way already'],
      [{ code: 'member-limit', waitSeconds: 5 }, 'this member has submitted too many'],
      [{ code: 'guild-limit', waitSeconds: 5 }, 'this server has submitted too many'],
      [{ code: 'service-down' }, 'service is down'],
      [{ code: 'game-not-allowed', game: '*x*' }, 'Counter-Strike 2 is not among the games'],
      [{ code: 'daily-quota', limit: 3, left: 1 }, 'the daily quota of 3 servers'],
    ] as const) {
      const { told, desk } = setUp([], [{ name: 'no', admit: async () => refusal }]);
      expect(await desk.admit(order(2))).toBe(refusal);
      expect(told).toEqual([expect.stringMatching(/mia.* could not submit .*s1\.example\.com/)]);
      expect(told[0]).toContain(words);
    }
  });
});
