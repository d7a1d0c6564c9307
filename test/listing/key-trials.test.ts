import { describe, expect, it } from 'vitest';
import type { GamesOutcome } from '../../src/listing/contract.ts';
import { createKeyTrials } from '../../src/listing/key-trials.ts';
import type { Store } from '../../src/storage/store.ts';
import { Secret } from '../../src/text/secret.ts';
import { kinds, newPlace, rowsIn } from '../support/database.ts';

const REFUSED: GamesOutcome = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
const START = 1_700_000_000_000;
const MINUTE = 60_000;

describe.each(kinds())('attempts to set an API key (with %s)', (kind) => {
  /** Creates processes that share a database. */
  async function setUp(count = 2) {
    const clock = { now: START };
    const tried: string[] = [];
    const place = await newPlace(kind);
    const stores: Store[] = [];
    while (stores.length < count) stores.push(await place.open());
    const processes = stores.map((store) =>
      createKeyTrials({
        store,
        now: () => clock.now,
        async games({ guildId }, key) {
          tried.push(`${guildId}: ${key.reveal()}`);
          return REFUSED;
        },
      }),
    );
    let tests = 0;
    /** Tests a key in the next process. */
    async function run(guildId: string, memberId = 'mia', key = 'guess') {
      tests += 1;
      return processes[tests % count]?.run({ guildId, memberId }, new Secret(key));
    }
    const prune = () => processes[0]?.prune();
    const stored = () => Promise.all(stores.slice(0, 1).map((store) => rowsIn(store, 'key_trials')));
    return { clock, tried, run, prune, stored };
  }

  it('are limited to five per member per minute, across guilds and processes', async () => {
    const { clock, tried, run } = await setUp();
    for (let n = 0; n < 5; n += 1) {
      expect(await run(`${n}`)).toEqual(REFUSED);
      clock.now += 10_000;
    }
    clock.now = START + MINUTE - 1;
    for (const guild of ['0', 'new']) {
      expect(await run(guild)).toEqual({ kind: 'too-soon', at: START + MINUTE });
    }
    expect(await run('0', 'eve', 'other')).toEqual(REFUSED);
    clock.now += 1;
    expect(await run('0')).toEqual(REFUSED);
    expect(await run('0')).toEqual({ kind: 'too-soon', at: START + MINUTE + 10_000 });
    expect(tried).toHaveLength(7);
    expect(tried).toContain('0: other');
  });

  it('are limited to ten per guild per minute', async () => {
    const { clock, run } = await setUp();
    for (let n = 0; n < 10; n += 1) {
      expect(await run('1', `member ${n}`)).toEqual(REFUSED);
      clock.now += 1;
    }
    expect(await run('1', 'mia')).toEqual({ kind: 'too-soon', at: START + MINUTE });
    expect(await run('2', 'mia')).toEqual(REFUSED);
  });

  it('are limited to five even if many start at once', async () => {
    // Two SQLite connections in one thread can't wait for each other.
    const { tried, run } = await setUp(kind === 'sqlite' ? 1 : 2);
    const all = await Promise.all(Array.from({ length: 40 }, (_, n) => run(`${n}`)));
    expect(all.filter((outcome) => outcome?.kind === 'too-soon')).toHaveLength(35);
    expect(tried).toHaveLength(5);
  });

  it('are allowed again after the clock is set back', async () => {
    const { clock, run, prune, stored } = await setUp();
    for (let n = 0; n < 6; n += 1) await run('1');
    clock.now -= 86_400_000;
    expect(await run('1')).toEqual(REFUSED);
    await prune();
    expect((await stored()).flat()).toHaveLength(1);
  });

  it('are deleted once they no longer count towards a limit', async () => {
    const { clock, run, prune, stored } = await setUp();
    await run('1');
    clock.now += MINUTE - 1;
    await run('1');
    await prune();
    expect((await stored()).flat()).toHaveLength(2);
    clock.now += 1;
    await prune();
    expect((await stored()).flat()).toEqual([{ guild_id: '1', user_id: 'mia', at: START + MINUTE - 1 }]);
  });
});
