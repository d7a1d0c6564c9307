import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/storage/store.ts';
import { rowsToSend, withGame } from '../../src/submissions/batch-rows.ts';
import { createBatchRuns } from '../../src/submissions/batch-runs.ts';
import { BATCH_LIVES_MS, type Batch, createBatches } from '../../src/submissions/batches.ts';
import { parseBulk } from '../../src/submissions/bulk-text.ts';
import type { ServerOutcome } from '../../src/submissions/submit-all.ts';
import { games } from './arbitraries.ts';

let values: Map<string, unknown>;
let store: Pick<Store, 'get' | 'set' | 'delete'>;
let time: number;
const now = () => time;

beforeEach(() => {
  values = new Map();
  time = 1_000_000;
  store = {
    get: async (key) => values.get(key),
    // What is read back is never the same object.
    set: async (key, value) => void values.set(key, JSON.parse(JSON.stringify(value))),
    delete: async (key) => values.delete(key),
  };
});

async function batchOf(text: string): Promise<Batch> {
  const bulk = await parseBulk(text, games);
  if (bulk.kind !== 'rows') throw new Error(`expected rows, got ${bulk.kind}`);
  return { source: 'text', rows: bulk.rows, former: [], includesFormer: false };
}
const EVERY_KIND =
  'a.example.com:1 cs2\na.example.com:1 cs2\nb.example.com:70000 cs2\n10.0.0.1:1 rust\nc.example.com:2';
const owner = { guildId: '1', userId: '2' };

describe('a batch', () => {
  it('is the same when it is read back, whatever its rows are', async () => {
    const batch = {
      ...(await batchOf(EVERY_KIND)),
      former: [{ row: 0, at: 5, userName: 'x', outcome: 'unknown' as const }],
    };
    await createBatches({ store, now }).keep(owner, '3', batch);
    expect(await createBatches({ store, now }).find(owner, '3')).toEqual({ kind: 'batch', batch });
  });

  it('is there for its own member in its own guild only', async () => {
    const batches = createBatches({ store, now });
    await batches.keep(owner, '3', await batchOf(EVERY_KIND));
    expect(await batches.find({ ...owner, userId: '9' }, '3')).toEqual({ kind: 'of-another-member' });
    for (const [guildId, id] of [
      ['9', '3'],
      ['1', '4'],
      ['1', ''],
      ['', '1:3'],
    ] as const)
      expect(await batches.find({ ...owner, guildId }, id)).toEqual({ kind: 'gone' });
  });

  it('lives 15 minutes, also when the store forgets to remove it', async () => {
    const batches = createBatches({ store, now });
    await batches.keep(owner, '3', await batchOf(EVERY_KIND));
    time += BATCH_LIVES_MS - 1;
    expect((await batches.find(owner, '3')).kind).toBe('batch');
    time += 1;
    expect((await batches.find(owner, '3')).kind).toBe('gone');
  });

  it('of another version of the bot is no batch', async () => {
    values.set('batches:1:3', { v: 0, rows: 'x' });
    expect(await createBatches({ store, now }).find(owner, '3')).toEqual({ kind: 'gone' });
  });

  it('gives a chosen game to the rows that lack one, and folds what becomes the same', async () => {
    const { rows } = await batchOf(
      'a.example.com:1\na.example.com:1 cs2\nb.example.com\nc.example.com:1 rust',
    );
    expect(withGame(rows, { ...games, defaultGame: 'cs2' })).toMatchObject([
      { ok: true, submission: { server: 'a.example.com', game: 'cs2' } },
      { ok: false, duplicateOf: 1 },
      { ok: false, problem: { code: 'port-missing' } },
      { ok: true, submission: { game: 'rust' } },
    ]);
  });

  it('leaves out what was submitted before by its place, since several rows may be on one line', async () => {
    const json = JSON.stringify([1, 2, 3].map((port) => ({ server: 'a.example.com', port, game: 'cs2' })));
    const batch = {
      ...(await batchOf(json)),
      former: [{ row: 1, at: 5, userName: 'x', outcome: 'accepted' as const }],
    };
    expect(rowsToSend(batch).map(({ submission }) => submission.port)).toEqual([1, 3]);
    expect(rowsToSend({ ...batch, includesFormer: true }).length).toBe(3);
  });
});

describe('the run of a batch', () => {
  const place = { guildId: '1', id: '3' };
  const accepted: ServerOutcome = { kind: 'accepted', message: 'Yes.' };
  const down: ServerOutcome = { kind: 'not-sent', why: { kind: 'not-sent', reason: 'refused', detail: '' } };

  it('belongs to the first interaction that asks, until that gives it back', async () => {
    const runs = createBatchRuns({ store, now });
    const [first, second] = await Promise.all([runs.begin(place, '10'), runs.begin(place, '11')]);
    expect(second).toBeUndefined();
    first?.abandon();
    const third = await runs.begin(place, '11');
    await third?.note([], new Map());
    third?.abandon();
    expect(await runs.begin(place, '12')).toBeUndefined();
    expect(await createBatchRuns({ store, now }).begin(place, '12')).toBeUndefined();
  });

  it('can be taken up after a crash: what was being sent is unknown, the rest is as noted', async () => {
    const noted = new Map<number, ServerOutcome>([
      [0, accepted],
      [1, accepted],
      [4, down],
    ]);
    const run = await createBatchRuns({ store, now }).begin(place, '10');
    expect(run).toMatchObject({ isResumed: false, startedAt: time });
    await run?.note([], noted);
    await run?.note([2, 3], noted);
    const startedAt = time;
    time += 60_000;
    const again = await createBatchRuns({ store, now }).begin(place, '10');
    expect(again).toMatchObject({ isResumed: true, startedAt });
    expect([...(again?.known ?? [])].map(([at, { kind }]) => [at, kind])).toEqual([
      [0, 'accepted'],
      [1, 'accepted'],
      [4, 'not-sent'],
      [2, 'unknown'],
      [3, 'unknown'],
    ]);
    expect(again?.known.get(4)).toEqual(down);
  });
});
