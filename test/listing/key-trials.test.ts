import { describe, expect, it } from 'vitest';
import type { GamesOutcome } from '../../src/listing/contract.ts';
import { createKeyTrials } from '../../src/listing/key-trials.ts';
import { Secret } from '../../src/secret.ts';

const REFUSED: GamesOutcome = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
const START = 1_700_000_000_000;

function setUp() {
  const clock = { now: START };
  const tried: string[] = [];
  const trials = createKeyTrials({
    now: () => clock.now,
    async games({ guildId }, key) {
      tried.push(`${guildId}: ${key.reveal()}`);
      return REFUSED;
    },
  });
  const run = (guildId: string, key = 'guess') => trials.run({ guildId }, new Secret(key));
  return { clock, tried, run };
}

describe('key tests', () => {
  it('are limited to five per guild in 60 seconds', async () => {
    const { clock, tried, run } = setUp();
    for (let n = 0; n < 5; n += 1) {
      expect(await run('1')).toEqual(REFUSED);
      clock.now += 10_000;
    }
    clock.now = START + 59_999;
    expect(await run('1')).toEqual({ kind: 'too-soon', at: START + 60_000 });
    expect(await run('2', 'other')).toEqual(REFUSED);
    clock.now += 1;
    expect(await run('1')).toEqual(REFUSED);
    expect(await run('1')).toEqual({ kind: 'too-soon', at: START + 70_000 });
    expect(tried).toHaveLength(7);
    expect(tried).toContain('2: other');
  });

  it('are limited to five if 300 are attempted at the same time', async () => {
    const { tried, run } = setUp();
    const all = await Promise.all(Array.from({ length: 300 }, () => run('1')));
    expect(all.filter(({ kind }) => kind === 'too-soon')).toHaveLength(295);
    expect(tried).toHaveLength(5);
  });

  it('are allowed again after the clock is set back', async () => {
    const { clock, run } = setUp();
    for (let n = 0; n < 6; n += 1) await run('1');
    clock.now -= 86_400_000;
    expect(await run('1')).toEqual(REFUSED);
  });
});
