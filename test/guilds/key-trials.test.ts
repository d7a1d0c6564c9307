import { describe, expect, it } from 'vitest';
import { createKeyTrials } from '../../src/guilds/key-watch.ts';
import { createBreaker } from '../../src/listing/breaker.ts';
import type { GamesOutcome } from '../../src/listing/contract.ts';
import { createScheduler } from '../../src/listing/scheduler.ts';
import { Secret } from '../../src/secret.ts';
import { recorder } from '../storage/temporary.ts';

const REFUSED: GamesOutcome = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
const START = 1_700_000_000_000;
const by = (guildId: string, receivedAt = START) => ({ guildId, user: { id: '9' }, receivedAt });

function setUp() {
  const clock = { now: START };
  const tried: string[] = [];
  /** Ends the trials that run. */
  const ends: (() => void)[] = [];
  const slow = { on: false };
  const listing = {
    async tryKey(key: Secret): Promise<GamesOutcome> {
      tried.push(key.reveal());
      if (slow.on) await new Promise<void>((resolve) => ends.push(resolve));
      return REFUSED;
    },
  };
  const trials = createKeyTrials({ listing, longestMs: 20_000, now: () => clock.now });
  const run = (guildId: string, key = 'guess') => trials.run(by(guildId), new Secret(key));
  return { clock, tried, ends, slow, run };
}

describe('trying keys', () => {
  it('is done five times in any 60 seconds for a guild, and told when the next is possible', async () => {
    const { clock, tried, run } = setUp();
    for (let n = 0; n < 5; n += 1) {
      expect(await run('1')).toEqual(REFUSED);
      clock.now += 10_000;
    }
    expect(await run('1')).toEqual({ kind: 'too-soon', at: START + 60_000 });
    clock.now = START + 59_999;
    expect(await run('1')).toEqual({ kind: 'too-soon', at: START + 60_000 });
    expect(await run('2')).toEqual(REFUSED);
    clock.now += 1;
    expect(await run('1')).toEqual(REFUSED);
    expect(await run('1')).toEqual({ kind: 'too-soon', at: START + 70_000 });
    expect(tried).toHaveLength(7);
  });

  it('is done once at a time for a guild, also when 300 come at the same moment', async () => {
    const { tried, ends, slow, run, clock } = setUp();
    slow.on = true;
    const first = run('1');
    const others = await Promise.all(Array.from({ length: 299 }, (_, n) => run('1', `guess ${n}`)));
    expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['too-soon']));
    expect(others[0]).toEqual({ kind: 'too-soon', at: START + 20_000 });
    const elsewhere = run('2');
    for (const end of ends) end();
    expect([await first, await elsewhere]).toEqual([REFUSED, REFUSED]);
    slow.on = false;
    expect(await run('1')).toEqual(REFUSED);
    // One that takes longer than it should counts as running all the same.
    clock.now += 60_000;
    slow.on = true;
    void run('1');
    clock.now += 60_000;
    expect(await run('1')).toMatchObject({ kind: 'too-soon' });
    expect(tried).toHaveLength(4);
  });

  it('is possible again after one that failed, and after the clock was set back', async () => {
    const clock = { now: START };
    const listing = {
      tryKey: async (): Promise<GamesOutcome> => {
        throw new Error('unforeseen');
      },
    };
    const trials = createKeyTrials({ listing, longestMs: 1, now: () => clock.now });
    for (let n = 0; n < 5; n += 1) await expect(trials.run(by('1'), new Secret('x'))).rejects.toThrow();
    expect(await trials.run(by('1'), new Secret('x'))).toMatchObject({ kind: 'too-soon' });
    clock.now -= 86_400_000;
    await expect(trials.run(by('1'), new Secret('x'))).rejects.toThrow('unforeseen');
  });

  it('is not done for an interaction that can no longer be answered, and that is told', async () => {
    const asked: string[] = [];
    const games = async (key: Secret): Promise<GamesOutcome> => {
      asked.push(key.reveal());
      return REFUSED;
    };
    const listing = createBreaker({
      listing: {
        games,
        add: () => Promise.reject(new Error('nothing is added')),
        close: async () => undefined,
      },
      scheduler: createScheduler({ atOnce: 8, now: () => START }),
      guildOf: () => undefined,
      logger: recorder(),
    });
    const trials = createKeyTrials({ listing, longestMs: 1, now: () => START });
    const ago = (minutes: number) => by('1', START - minutes * 60_000);
    expect(await trials.run(ago(13), new Secret('late'))).toMatchObject({
      kind: 'not-sent',
      reason: 'too-late',
    });
    expect(await trials.run(ago(12), new Secret('early'))).toEqual(REFUSED);
    expect(asked).toEqual(['early']);
  });
});
