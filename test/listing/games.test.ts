import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Game, GamesOutcome } from '../../src/listing/contract.ts';
import { createGames, type Games, type GamesDeps } from '../../src/listing/games.ts';
import type { ClaimJob } from '../../src/storage/claim-job.ts';
import { claimJob } from '../support/builders.ts';
import { openStore } from '../support/database.ts';
import { recorder } from '../support/machine.ts';

const GAMES: readonly Game[] = [
  { name: 'Valheim', alias: 'valheim' },
  { name: 'Rust', alias: 'rust' },
];
const HOUR = 3_600_000;
const DOWN: GamesOutcome = { kind: 'not-sent', reason: 'unreachable' };
const INVALID: GamesOutcome = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
const listed = (games: readonly Game[] = GAMES): GamesOutcome => ({
  kind: 'games',
  games,
  unusable: [],
  leftOut: 0,
});
const stateOf = (games: Games) => ({
  all: games.all,
  fetchedAt: games.fetchedAt(),
  isFresh: games.isFresh(),
});
const aliases = (games: readonly Game[]) => games.map(({ alias }) => alias);

/** Creates the games list for a service that returns these outcomes in turn, and then keeps returning the last one. */
async function setUp(
  outcomes: readonly GamesOutcome[],
  { hasOperatorKey = false, ...deps }: Partial<GamesDeps> & { readonly hasOperatorKey?: boolean } = {},
) {
  /** The guilds whose keys were used, in order. */
  const asked: string[] = [];
  const clock = { now: 1_700_000_000_000 };
  const logger = recorder();
  const { values } = deps.values ? { values: deps.values } : await openStore();
  async function fetchWithKeyOf(whose: string): Promise<GamesOutcome> {
    asked.push(whose);
    await setImmediate();
    return outcomes[Math.min(asked.length, outcomes.length) - 1] ?? DOWN;
  }
  const games = createGames({
    ...(hasOperatorKey && { fetchAsOperator: () => fetchWithKeyOf('operator') }),
    fetchFor: async (guildId) => (guildId === 'keyless' ? undefined : fetchWithKeyOf(guildId)),
    claimJob,
    ttlMs: HOUR,
    logger,
    now: () => clock.now,
    ...deps,
    values,
  });
  /** Waits until background work has finished. */
  async function quiet(): Promise<void> {
    for (let n = 0; n < 10; n += 1) await setImmediate();
  }
  return { games, asked, clock, logger, values, quiet };
}

describe('the games list before the first fetch', () => {
  it('contains the twelve games from the specification', async () => {
    const { games, asked } = await setUp([]);
    await games.start();
    expect(aliases(games.all).join(' ')).toBe('cs2 css cs16 csgo minecraft ark samp rust gm l4d2 tf2 dayz');
    expect(games.isFresh()).toBe(false);
    expect(games.fetchedAt()).toBeUndefined();
    expect(games.find('counter-strike 2')?.alias).toBe('cs2');
    expect(aliases(games.search('source'))).toEqual(['css']);
    games.refreshSoon();
    games.refreshSoon('keyless');
    expect(await games.refresh()).toBeUndefined();
    expect(await games.refresh('keyless')).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('the games list', () => {
  it('is considered fresh for only a minute if more than half of the games disappear', async () => {
    const whole = Array.from({ length: 5 }, (_, n) => ({ name: `Game ${n}`, alias: `g${n}` }));
    const { games, asked, clock, values } = await setUp([listed(whole), listed(whole.slice(3))]);
    await games.refresh('1');
    clock.now += HOUR;
    await games.refresh('1');
    const restarted = await setUp([], { values });
    await restarted.games.start();
    restarted.clock.now = clock.now + 59_999;
    expect(restarted.games.isFresh()).toBe(true);
    restarted.clock.now += 1;
    expect(restarted.games.isFresh()).toBe(false);
    clock.now += 59_999;
    expect(games.isFresh()).toBe(true);
    clock.now += 1;
    games.refreshSoon('1');
    await expect.poll(() => asked).toHaveLength(3);
    // If the service returns the short list twice in a row, games have really been removed.
    await expect.poll(() => games.isFresh()).toBe(true);
    clock.now += HOUR - 1;
    expect(games.isFresh()).toBe(true);
  });

  it("is fetched with the operator's key when the bot starts", async () => {
    const { games, asked, clock, quiet } = await setUp([listed()], { hasOperatorKey: true });
    await games.start();
    await quiet();
    expect(asked).toEqual(['operator']);
    expect(stateOf(games)).toEqual({ all: GAMES, fetchedAt: clock.now, isFresh: true });
    expect(games.find('Valheim')?.alias).toBe('valheim');
  });

  it('is fetched only once for concurrent callers', async () => {
    const { games, asked } = await setUp([listed()]);
    for (let n = 0; n < 10; n += 1) games.refreshSoon(`${n}`);
    const outcomes = await Promise.all([games.refresh('0'), games.refresh('0')]);
    expect(outcomes).toEqual([listed(), listed()]);
    // Without an operator key, the bot uses the key of the guild whose member needs the list.
    expect(asked).toEqual(['0']);
  });

  it("can be fetched while another guild's fetch is still running", async () => {
    const fetchFor: GamesDeps['fetchFor'] = async (guildId) =>
      guildId === 'never' ? new Promise(() => undefined) : listed();
    const { games } = await setUp([], { fetchFor });
    void games.refresh('never');
    expect(await games.refresh('1')).toEqual(listed());
    expect(games.all).toEqual(GAMES);
  });

  it('stays in use while a newer list is being fetched', async () => {
    const newer = listed([{ name: 'New', alias: 'new' }]);
    const { games, asked, clock, quiet } = await setUp([listed(), newer], { hasOperatorKey: true });
    await games.refresh();
    clock.now += HOUR - 1;
    games.refreshSoon();
    await quiet();
    expect(asked).toHaveLength(1);
    clock.now += 1;
    expect(games.isFresh()).toBe(false);
    games.refreshSoon();
    expect(aliases(games.all)).toEqual(['valheim', 'rust']);
    await quiet();
    expect(games.all).toMatchObject([{ alias: 'new' }]);
    expect(games.isFresh()).toBe(true);
    // The service has rejected one of the list's aliases.
    games.invalidate();
    expect(games.isFresh()).toBe(false);
    games.refreshSoon();
    await quiet();
    expect(games.isFresh()).toBe(true);
    clock.now -= 1;
    // After the clock is set back, the list's age is unknown.
    expect(games.isFresh()).toBe(false);
  });

  it('is replaced by a list fetched while testing a key', async () => {
    const { games, asked, clock } = await setUp([listed()], { hasOperatorKey: true });
    await games.accept(GAMES);
    games.refreshSoon();
    expect(asked).toEqual([]);
    expect(stateOf(games)).toEqual({ all: GAMES, fetchedAt: clock.now, isFresh: true });
  });

  it("isn't replaced by an empty list", async () => {
    const { games, asked, quiet, logger } = await setUp([listed(), listed([])], { hasOperatorKey: true });
    await games.refresh();
    expect(games.all).toEqual(GAMES);
    await games.refresh();
    expect(games.all).toEqual(GAMES);
    expect(logger.lines.map(({ message }) => message).join()).toMatch(/empty games list/);
    games.invalidate();
    games.refreshSoon();
    await quiet();
    // An empty list counts as a failure, so the bot doesn't try again immediately.
    expect(asked).toHaveLength(2);
  });
});

describe('a failed fetch of the games list', () => {
  it('is retried after 30 seconds, or immediately on request', async () => {
    const { games, asked, clock, quiet } = await setUp([listed(), DOWN], { hasOperatorKey: true });
    await games.refresh();
    clock.now += HOUR;
    for (const count of [2, 3]) {
      games.refreshSoon();
      await quiet();
      expect(asked).toHaveLength(count);
      clock.now += 29_999;
      games.refreshSoon('1');
      await quiet();
      expect(asked).toHaveLength(count);
      clock.now += 1;
    }
    expect(await games.refresh()).toEqual(DOWN);
    expect(await games.refresh()).toEqual(DOWN);
    expect(asked).toHaveLength(5);
    expect(aliases(games.all)).toEqual(['valheim', 'rust']);
  });

  it("is retried with the guild's key if the service rejects the operator's key", async () => {
    const { games, asked, quiet } = await setUp([INVALID, listed()], { hasOperatorKey: true });
    games.refreshSoon('1');
    await quiet();
    expect(asked).toEqual(['operator', '1']);
    expect(games.all).toEqual(GAMES);
  });

  it("doesn't affect guilds that use a different key", async () => {
    const fetchFor: GamesDeps['fetchFor'] = async (guildId) => (guildId === 'old' ? INVALID : listed());
    const { games } = await setUp([], { fetchFor });
    const outcomes = await Promise.all([games.refresh('old'), games.refresh('1')]);
    expect(outcomes).toEqual([INVALID, listed()]);
  });

  it('is logged if the error is unexpected', async () => {
    const fetchAsOperator = () => Promise.reject(new Error('boom'));
    const { games, logger, quiet } = await setUp([], { fetchAsOperator });
    games.refreshSoon();
    await quiet();
    expect(logger.lines).toMatchObject([{ message: 'could not refresh the games list; will retry' }]);
    await expect(games.refresh()).rejects.toThrow('boom');
  });
});

describe('a fetched games list', () => {
  it('is reused after a restart if it is still fresh', async () => {
    const first = await setUp([listed()], { hasOperatorKey: true });
    await first.games.refresh();
    const { games, asked, clock, quiet } = await setUp([listed()], {
      hasOperatorKey: true,
      values: first.values,
    });
    clock.now = first.clock.now + HOUR - 1;
    await games.start();
    await quiet();
    expect(stateOf(games)).toEqual({ all: GAMES, fetchedAt: first.clock.now, isFresh: true });
    expect(asked).toEqual([]);
  });

  it('is used until a newer list is fetched, even if it is stale', async () => {
    const { games, asked, values, quiet } = await setUp([listed()], { hasOperatorKey: true });
    await values.set('games:list', { fetchedAt: 1, games: [{ name: 'Old', alias: 'old' }] });
    await games.start();
    expect(aliases(games.all)).toEqual(['old']);
    await quiet();
    expect(asked).toHaveLength(1);
  });

  it('is replaced once another process has fetched a newer one', async () => {
    const one = await setUp([listed()], { hasOperatorKey: true });
    const busy: ClaimJob = async () => false;
    const other = await setUp([listed()], { hasOperatorKey: true, values: one.values, claimJob: busy });
    other.games.refreshSoon();
    await other.quiet();
    expect(other.games.isFresh()).toBe(false);
    await one.games.refresh();
    other.games.refreshSoon();
    await other.quiet();
    expect(stateOf(other.games)).toEqual({ all: GAMES, fetchedAt: one.clock.now, isFresh: true });
    expect(other.asked).toEqual([]);
  });

  it.each([
    { fetchedAt: 1, games: [] },
    { games: GAMES },
    'text',
  ])('is ignored after a restart if the stored value is invalid: %j', async (value) => {
    const { games, values } = await setUp([]);
    await values.set('games:list', value);
    await games.start();
    expect(games.all).toHaveLength(12);
  });

  it("is kept in memory if it can't be saved", async () => {
    const { values } = await openStore();
    const broken = { ...values, set: () => Promise.reject(new Error('disk')) };
    const { games, logger } = await setUp([listed()], { hasOperatorKey: true, values: broken });
    await games.refresh();
    expect(games.all).toMatchObject(GAMES);
    expect(games.isFresh()).toBe(true);
    expect(logger.lines).toMatchObject([{ message: 'could not save the games list; keeping it in memory' }]);
  });
});
