import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Game, GamesOutcome, ListingApi } from '../../src/listing/contract.ts';
import { createGameCatalog, type GameCatalogDeps } from '../../src/listing/game-catalog.ts';
import { Secret } from '../../src/secret.ts';
import { memoryStore } from '../storage/temporary.ts';

const GAMES: readonly Game[] = [
  { name: 'Valheim', alias: 'valheim' },
  { name: 'Rust', alias: 'rust' },
];
const HOUR = 3_600_000;
const operatorKey = new Secret('operator-key');
const guildKey = new Secret('guild-key');
const down: GamesOutcome = { kind: 'not-sent', reason: 'refused', detail: 'ECONNREFUSED' };
const invalid: GamesOutcome = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
const listed = (games: readonly Game[] = GAMES): GamesOutcome => ({ kind: 'games', games });

/** A catalog over a service that gives the next of the outcomes each time, and the last one again after that. */
function setUp(outcomes: readonly GamesOutcome[], deps: Partial<GameCatalogDeps> = {}) {
  const asked: string[] = [];
  let running = 0;
  const log: string[] = [];
  const clock = { now: 1_700_000_000_000 };
  const write = (fields: object, message: string) => void log.push(JSON.stringify({ ...fields, message }));
  const listing: Pick<ListingApi, 'games'> = {
    async games(key) {
      asked.push(key.reveal());
      running += 1;
      await sleep(5);
      running -= 1;
      return outcomes[Math.min(asked.length, outcomes.length) - 1] ?? down;
    },
  };
  const store = memoryStore();
  const logger = { debug: write, info: write, warn: write };
  const catalog = createGameCatalog({ listing, store, ttlMs: HOUR, logger, now: () => clock.now, ...deps });
  /** Until what runs in the background has ended: a request that follows another begins at once. */
  async function quiet(): Promise<void> {
    for (let idle = 0; idle < 3; idle = running > 0 ? 0 : idle + 1) await sleep(5);
  }
  return { catalog, asked, log, clock, store, quiet };
}

const aliases = ({ games }: { readonly games: readonly Game[] }) => games.map(({ alias }) => alias);

describe('the games list before anything was fetched', () => {
  it('is the twelve known aliases, marked as such', async () => {
    const { catalog } = setUp([]);
    await catalog.start();
    const list = catalog.list();
    expect(aliases(list).join(' ')).toBe('cs2 css cs16 csgo minecraft ark samp rust gm l4d2 tf2 dayz');
    expect(list).not.toHaveProperty('fetchedAt');
    expect(list.fresh).toBe(false);
    expect(catalog.find('counter-strike 2')?.alias).toBe('cs2');
    expect(aliases({ games: catalog.search('source') })).toEqual(['css']);
  });

  it('is not fetched without a key', async () => {
    const { catalog, asked } = setUp([listed()]);
    await catalog.start();
    catalog.refreshSoon();
    await expect(catalog.refresh()).resolves.toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('fetching', () => {
  it('begins at start with the key of the operator, and start does not wait for it', async () => {
    const { catalog, asked, quiet, clock } = setUp([listed()], { operatorKey });
    await catalog.start();
    expect(catalog.list().fresh).toBe(false);
    await quiet();
    expect(asked).toEqual(['operator-key']);
    expect(catalog.list()).toEqual({ games: GAMES, fetchedAt: clock.now, fresh: true });
  });

  it('uses the key of the guild that asks when the operator has none', async () => {
    const { catalog, asked, quiet } = setUp([listed()]);
    catalog.refreshSoon(guildKey);
    await quiet();
    expect(asked).toEqual(['guild-key']);
    expect(catalog.find('Valheim')?.alias).toBe('valheim');
  });

  it('runs once, however many ask', async () => {
    const { catalog, asked } = setUp([listed()], { operatorKey });
    for (let n = 0; n < 10; n++) catalog.refreshSoon(new Secret(`guild-${n}`));
    const outcomes = await Promise.all([catalog.refresh(), catalog.refresh(guildKey), catalog.refresh()]);
    expect(outcomes).toEqual([listed(), listed(), listed()]);
    expect(asked).toEqual(['operator-key']);
  });

  it('does not wait for the key of another guild, which may never be answered', async () => {
    const never = new Secret('never-answered');
    const games = async (key: Secret): Promise<GamesOutcome> =>
      key === never ? new Promise<GamesOutcome>(() => undefined) : listed();
    const { catalog } = setUp([], { listing: { games } });
    void catalog.refresh(never);
    await expect(catalog.refresh(guildKey)).resolves.toEqual(listed());
    expect(catalog.list().games).toEqual(GAMES);
  });

  it('does not begin while the list is fresh, and serves the old one while it is fetched again', async () => {
    const { catalog, asked, clock, quiet } = setUp([listed(), listed([{ name: 'New', alias: 'new' }])], {
      operatorKey,
    });
    await catalog.refresh();
    clock.now += HOUR - 1;
    catalog.refreshSoon();
    await quiet();
    expect(asked).toHaveLength(1);
    clock.now += 1;
    expect(catalog.list().fresh).toBe(false);
    catalog.refreshSoon();
    expect(aliases(catalog.list())).toEqual(['valheim', 'rust']);
    await quiet();
    expect(aliases(catalog.list())).toEqual(['new']);
    expect(catalog.list().fresh).toBe(true);
  });

  it('can be forced while the list is fresh', async () => {
    const { catalog, asked } = setUp([listed()], { operatorKey });
    await catalog.refresh();
    await catalog.refresh();
    expect(asked).toHaveLength(2);
  });

  it('begins again when the service did not know an alias of ours', async () => {
    const { catalog, asked, quiet } = setUp([listed()], { operatorKey });
    await catalog.refresh();
    catalog.invalidate();
    expect(catalog.list().fresh).toBe(false);
    catalog.refreshSoon();
    await quiet();
    expect(asked).toHaveLength(2);
    expect(catalog.list().fresh).toBe(true);
  });

  it('is not needed when somebody else brings a list', async () => {
    const { catalog, asked, clock, quiet, store } = setUp([listed()], { operatorKey });
    await catalog.accept(GAMES);
    catalog.refreshSoon();
    await quiet();
    expect(asked).toEqual([]);
    expect(catalog.list()).toEqual({ games: GAMES, fetchedAt: clock.now, fresh: true });
    expect(store.kept.size).toBe(1);
  });

  it('takes the list for stale when the clock was set back', async () => {
    const { catalog, clock } = setUp([listed()], { operatorKey });
    await catalog.refresh();
    clock.now -= 2 * HOUR;
    expect(catalog.list().fresh).toBe(false);
  });
});

describe('a fetch that fails', () => {
  it('keeps the old list and waits longer each time', async () => {
    const { catalog, asked, clock, quiet } = setUp([listed(), down], { operatorKey });
    await catalog.refresh();
    clock.now += HOUR;
    catalog.refreshSoon();
    await quiet();
    expect(aliases(catalog.list())).toEqual(['valheim', 'rust']);
    const pauses: number[] = [];
    for (let n = 0; n < 10; n++) {
      const before = clock.now;
      const count = asked.length;
      while (asked.length === count) {
        clock.now += 1_000;
        catalog.refreshSoon(guildKey);
        if (asked.length === count) continue;
        await quiet();
      }
      pauses.push((clock.now - before) / 1_000);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600, 600]);
  });

  it('waits as long as the service asks for', async () => {
    const busy: GamesOutcome = {
      kind: 'unknown',
      reason: 'rate-limited',
      detail: 'HTTP 429',
      retryAfterMs: 60_000,
    };
    const { catalog, asked, clock, quiet } = setUp([busy], { operatorKey });
    await catalog.refresh();
    clock.now += 59_000;
    catalog.refreshSoon();
    expect(asked).toHaveLength(1);
    clock.now += 1_000;
    catalog.refreshSoon();
    await quiet();
    expect(asked).toHaveLength(2);
  });

  it('does not keep a forced one from being made', async () => {
    const { catalog } = setUp([down, listed()], { operatorKey });
    await expect(catalog.refresh()).resolves.toEqual(down);
    await expect(catalog.refresh()).resolves.toEqual(listed());
    expect(catalog.list().fresh).toBe(true);
  });

  it('with a rejected key leaves that key alone and tries the next', async () => {
    const { catalog, asked, quiet, clock } = setUp([invalid, invalid, listed()], { operatorKey });
    catalog.refreshSoon(new Secret('old-guild-key'));
    await quiet();
    expect(asked).toEqual(['operator-key', 'old-guild-key']);
    catalog.refreshSoon(new Secret('old-guild-key'));
    await quiet();
    expect(asked).toHaveLength(2);
    catalog.refreshSoon(guildKey);
    await quiet();
    expect(asked).toEqual(['operator-key', 'old-guild-key', 'guild-key']);
    expect(catalog.list().fresh).toBe(true);
    clock.now += HOUR;
    catalog.refreshSoon();
    await quiet();
    expect(asked.at(-1)).toBe('operator-key');
  });

  it('of another key says nothing about the key of one who joined', async () => {
    const { catalog, asked } = setUp([invalid, listed()]);
    const first = catalog.refresh(new Secret('old-guild-key'));
    const second = catalog.refresh(guildKey);
    await expect(first).resolves.toEqual(invalid);
    await expect(second).resolves.toEqual(listed());
    expect(asked).toEqual(['old-guild-key', 'guild-key']);
  });

  it('by an exception is logged, and the next one can run', async () => {
    let calls = 0;
    const listing: Pick<ListingApi, 'games'> = {
      async games() {
        calls += 1;
        throw new Error('boom');
      },
    };
    const { catalog, log, quiet } = setUp([], { operatorKey, listing });
    catalog.refreshSoon();
    await quiet();
    expect(log.join()).toContain('could not be refreshed');
    await expect(catalog.refresh()).rejects.toThrow('boom');
    expect(calls).toBe(2);
  });
});

describe('what the service sends', () => {
  it('is kept without the repetition of an alias', async () => {
    const { catalog, log } = setUp([listed([...GAMES, { name: 'Rust again', alias: 'rust' }])], {
      operatorKey,
    });
    await catalog.refresh();
    expect(catalog.list().games).toEqual(GAMES);
    expect(log.join()).toContain('more than once');
  });

  it('is not taken when it is empty, and not asked for again at once', async () => {
    const { catalog, asked, quiet } = setUp([listed(), listed([])], { operatorKey });
    await catalog.refresh();
    await catalog.refresh();
    expect(catalog.list().games).toEqual(GAMES);
    catalog.invalidate();
    catalog.refreshSoon();
    await quiet();
    expect(asked).toHaveLength(2);
  });
});

describe('the store', () => {
  it('brings the list back after a restart, without any request while it is fresh', async () => {
    const first = setUp([listed()], { operatorKey });
    await first.catalog.refresh();
    await first.catalog.stop();
    const second = setUp([listed()], { operatorKey, store: memoryStore(first.store.kept) });
    second.clock.now = first.clock.now + HOUR - 1;
    await second.catalog.start();
    await second.quiet();
    expect(second.catalog.list()).toEqual({ games: GAMES, fetchedAt: first.clock.now, fresh: true });
    expect(second.asked).toEqual([]);
  });

  it('brings back an old list too, which is then fetched anew', async () => {
    const first = setUp([listed()], { operatorKey });
    await first.catalog.refresh();
    await first.catalog.stop();
    const second = setUp([listed([{ name: 'New', alias: 'new' }])], {
      operatorKey,
      store: memoryStore(first.store.kept),
    });
    second.clock.now = first.clock.now + HOUR;
    await second.catalog.start();
    expect(aliases(second.catalog.list())).toEqual(['valheim', 'rust']);
    await second.quiet();
    expect(aliases(second.catalog.list())).toEqual(['new']);
  });

  it.each([
    ['another shape', { version: 1, games: 'x' }],
    ['another version', { v: 99, fetchedAt: 1, games: GAMES }],
    ['an empty list', { version: 1, fetchedAt: 1, games: [] }],
    ['text', 'x'],
  ])('may hold %s: that is set aside and not used', async (_case, value) => {
    const store = memoryStore(new Map([['games:list', value]]));
    const { catalog } = setUp([], { store });
    await catalog.start();
    expect(catalog.list().games).toHaveLength(12);
    expect([...store.kept.keys()].join()).toContain('aside games:list');
  });

  it('may hold a list with the key of a guild, in any spelling: it is deleted, and fetched anew', async () => {
    const key = new Secret('canary-key-4711');
    async function* heldKeys() {
      yield new Secret('another-key');
      yield key;
    }
    for (const name of ['Canary Key 4711', Buffer.from(key.reveal()).toString('base64')]) {
      for (const record of [
        { version: 1, fetchedAt: 1, games: [...GAMES, { name, alias: 'x' }] },
        { v: 2, fetchedAt: 1, games: [{ name: 'X', alias: name }] },
      ]) {
        const store = memoryStore(new Map<string, unknown>([['games:list', record]]));
        const { catalog, quiet } = setUp([listed()], { store, heldKeys, operatorKey });
        await catalog.start();
        expect(catalog.list()).toMatchObject({ fresh: false });
        expect(JSON.stringify(catalog.list())).not.toContain(name);
        expect(JSON.stringify([...store.kept])).not.toContain(name);
        await quiet();
        expect(catalog.list().games).toEqual(GAMES);
      }
    }
  });

  it('may have to be searched for more keys than a start can wait for: it is used once that is done', async () => {
    const searched = Promise.withResolvers<void>();
    async function* heldKeys() {
      await searched.promise;
      yield new Secret('the-last-of-many-keys');
    }
    const stored = { version: 1, fetchedAt: 1, games: GAMES };
    const { catalog } = setUp([], { store: memoryStore(new Map([['games:list', stored]])), heldKeys });
    await catalog.start();
    expect(catalog.list()).not.toHaveProperty('fetchedAt');
    searched.resolve();
    await expect.poll(() => catalog.list()).toMatchObject({ games: GAMES, fetchedAt: 1 });
  });

  it('may hold the list of an earlier version of the bot', async () => {
    const previous = { version: 1, fetchedAt: 1, games: GAMES };
    const { catalog } = setUp([], { store: memoryStore(new Map([['games:list', previous]])) });
    await catalog.start();
    expect(catalog.list()).toMatchObject({ games: GAMES, fetchedAt: 1 });
  });

  it('may fail without harm to anything but the next start', async () => {
    const store = memoryStore();
    store.broken = true;
    const { catalog, log, quiet } = setUp([listed()], { operatorKey, store });
    await catalog.start();
    await quiet();
    expect(catalog.list()).toMatchObject({ games: GAMES, fresh: true });
    expect(log.join()).toContain('could not be loaded');
    expect(log.join()).toContain('could not be saved');
  });
});

describe('stopping', () => {
  it('aborts the fetch that runs and begins none after that', async () => {
    let signal: AbortSignal | undefined;
    const listing: Pick<ListingApi, 'games'> = {
      games(_key, options) {
        signal = options?.signal;
        return new Promise((resolve) => {
          signal?.addEventListener('abort', () =>
            resolve({ kind: 'unknown', reason: 'aborted', detail: 'stopped' }),
          );
        });
      },
    };
    const { catalog } = setUp([], { operatorKey, listing });
    await catalog.start();
    expect(signal?.aborted).toBe(false);
    await catalog.stop();
    expect(signal?.aborted).toBe(true);
    const before = signal;
    catalog.refreshSoon();
    await expect(catalog.refresh()).resolves.toBeUndefined();
    expect(signal).toBe(before);
  });
});

describe('keys', () => {
  it('never reach the log or the store', async () => {
    const { catalog, log, store } = setUp([invalid, down, listed(), listed([])], { operatorKey });
    for (let n = 0; n < 4; n++) await catalog.refresh(guildKey);
    await catalog.stop();
    const seen = JSON.stringify([log, [...store.kept]]);
    expect(log.length).toBeGreaterThan(0);
    expect(seen).not.toContain('operator-key');
    expect(seen).not.toContain('guild-key');
  });
});
