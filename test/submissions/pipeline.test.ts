import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGuildData } from '../../src/guilds/guild-data.ts';
import type { Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import { Secret } from '../../src/secret.ts';
import { createEncryption } from '../../src/storage/collection.ts';
import type { Commit } from '../../src/storage/statements.ts';
import { createChecks } from '../../src/submissions/checks.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import { createErasure } from '../../src/submissions/erasure.ts';
import { createLateOutcomes } from '../../src/submissions/late-outcomes.ts';
import type { Ended, Pipeline, Result } from '../../src/submissions/pipeline.ts';
import type { Submitter } from '../../src/submissions/record.ts';
import { folder, recorder } from '../storage/temporary.ts';
import { openPipeline } from '../support/open-pipeline.ts';

const MINUTE = 60_000;
const ACCEPTED: Outcome = { kind: 'accepted', message: 'Yes.' };
const REFUSED: Outcome = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
const encryption = createEncryption([randomBytes(32)]);
const mia: Submitter = { guildId: '1', user: { id: '2', name: 'mia' } };

/** A snowflake of this moment of the tests' clock. */
let snowflakes = 0n;
const interactionId = () => String(((BigInt(time) - 1_420_070_400_000n) << 22n) | (snowflakes++ & 0x3fffffn));

let path: string;
let time: number;
let requests: (readonly ServerSubmission[])[];
let commits: Commit[];
let told: string[];

/** Everything between the dispatcher and the service's HTTP client, over the file at `path`. */
async function open(answer: (count: number) => Promise<Outcome> | Outcome = () => ACCEPTED) {
  return openPipeline({
    ...{ path, encryption, now: () => time, onCommit: (commit) => commits.push(commit) },
    onRefused: () => told.push('key'),
    add(servers) {
      requests.push(servers);
      return answer(requests.length);
    },
  });
}

const server = (n: number): ServerSubmission => ({ server: `s${n}.example.com`, port: 27015, game: 'cs2' });
const draft = (...numbers: readonly number[]): Draft => ({
  source: 'text',
  rows: numbers.map((n, i) => ({
    line: i + 1,
    text: `s${n}.example.com:27015`,
    ok: true,
    submission: server(n),
  })),
  previous: [],
  includesPrevious: false,
});
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

function one(pipeline: Pipeline, n: number, by = mia, id = interactionId()): Promise<Result> {
  return pipeline.submit({ ...by, interactionId: id, id, draft: { ...draft(n), source: 'options' } });
}

const kinds = (result: Result) =>
  result.kind === 'ended' ? result.outcomes.map(({ kind }) => kind) : result;
function ended(result: Result): Ended {
  if (result.kind !== 'ended') throw new Error(JSON.stringify(result));
  return result;
}

beforeEach(async () => {
  path = join(folder(), 'bot.sqlite');
  time = Date.UTC(2026, 10, 21, 12);
  [requests, commits, told] = [[], [], []];
  const { keys, database } = await open();
  await keys.set('1', new Secret('the-key-of-this-guild'), { userId: '9' });
  await database.stop();
});

describe('one server', () => {
  it('takes at most three commits, two of them synced: that it was answered is written with the next one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { taken, pipeline } = await open();
    const carried = { channelId: '3', permissions: '0', locale: 'en-US', guildLocale: 'en-US' };
    for (const n of upTo(4)) {
      commits.length = 0;
      const id = interactionId();
      const shape = 'reply' as const;
      await taken.remember({
        ...{ ...carried, guildId: '1', interactionId: id, user: mia.user, shape, isPrivate: true },
        ...{ token: new Secret('token'), work: { command: 'addserver', options: {} } },
      });
      expect(kinds(await one(pipeline, n, mia, id))).toEqual(['accepted']);
      await taken.forget({ guildId: '1', interactionId: id, shape });
      await vi.advanceTimersByTimeAsync(200);
      expect(commits.map(({ synced }) => synced)).toEqual([false, true, true]);
    }
    await vi.advanceTimersByTimeAsync(100);
    await expect.poll(() => commits.map(({ synced }) => synced)).toEqual([false, true, true, false]);
  });

  it('is recorded before its bytes leave', async () => {
    let seen: unknown;
    const { database, pipeline } = await open(async () => {
      seen = await database.tables.selectFrom('servers').select(['sent_at', 'outcome']).execute();
      return ACCEPTED;
    });
    await one(pipeline, 1);
    expect(seen).toEqual([{ sent_at: time, outcome: null }]);
  });

  it('shares the commits of others that come at the same moment', async () => {
    const { pipeline } = await open();
    const guilds = upTo(8).map((n) => ({ guildId: '1', user: { id: String(10 + n), name: `m${n}` } }));
    commits.length = 0;
    await Promise.all(guilds.map((by, n) => one(pipeline, n, by)));
    expect(requests).toHaveLength(8);
    expect(commits.length).toBeLessThan(16);
  });

  it('is refused while it is on its way, and when it was submitted before, over a restart', async () => {
    const { pipeline, database } = await open(() => ACCEPTED);
    const [first, second] = await Promise.all([one(pipeline, 1), one(pipeline, 1)]);
    expect(kinds(first)).toEqual(['accepted']);
    expect(second).toMatchObject({ kind: 'refused' });
    await database.stop();
    const again = await open();
    const refused = await one(again.pipeline, 1);
    expect(refused).toMatchObject({ kind: 'refused', refusal: { code: 'submitted-before' } });
    expect(requests).toHaveLength(1);
  });

  it('that was not sent counts for nothing, and is kept to be submitted again', async () => {
    const failure = { kind: 'not-sent', reason: 'refused', detail: '' } as const;
    const { pipeline, database } = await open((count) => (count === 1 ? failure : ACCEPTED));
    const { restId = '' } = ended(await one(pipeline, 1));
    const reserved = database.tables
      .selectFrom('servers')
      .select('address')
      .where('reserved_at', 'is not', null);
    expect(await reserved.execute()).toEqual([]);
    const id = interactionId();
    expect(kinds(await pipeline.submit({ ...mia, interactionId: id, id: restId }))).toEqual(['accepted']);
    const late = await pipeline.submit({ ...mia, interactionId: interactionId(), id: restId });
    expect(late).toEqual({ kind: 'no-draft', why: 'taken' });
  });
});

describe('what came of a submission', () => {
  /** Answers while another process holds the database, which the function returned lets go of. */
  async function answeredWhileLocked(answer: Outcome = ACCEPTED) {
    const other = new DatabaseSync(path);
    onTestFinished(() => {
      if (other.isOpen) other.close();
    });
    const opened = await open(() => {
      if (requests.length === 1) other.exec('BEGIN IMMEDIATE');
      return answer;
    });
    expect(kinds(await one(opened.pipeline, 1))).toEqual([answer.kind]);
    const outcomes = async () =>
      (await opened.database.tables.selectFrom('servers').select('outcome').execute()).map(
        (row) => row.outcome,
      );
    expect(await outcomes()).toEqual([null]);
    return { ...opened, outcomes, release: () => other.close() };
  }

  it('is recorded as soon as the store takes it again, and never sent twice', async () => {
    const { pipeline, outcomes, release } = await answeredWhileLocked();
    release();
    await expect.poll(outcomes).toEqual(['accepted']);
    expect(await one(pipeline, 1)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'submitted-before' },
    });
    expect(requests).toHaveLength(1);
    await pipeline.stop();
  });

  it('is unknown where the bot itself fails once a request may have left, and it is not sent again', async () => {
    const { pipeline, records, history } = await open((count) => {
      if (count !== 2) throw new Error('a fault');
      return ACCEPTED;
    });
    expect(kinds(await one(pipeline, 1))).toEqual(['unknown']);
    expect(await one(pipeline, 1)).toMatchObject({ refusal: { code: 'submitted-before' } });
    await records.saveDraft(mia, '600', draft(...upTo(150).map((n) => n + 100)));
    const list = kinds(await pipeline.submit({ ...mia, interactionId: interactionId(), id: '600' }));
    expect(list).toEqual([...Array(100).fill('accepted'), ...Array(50).fill('unknown')]);
    expect(await history.count('1', {})).toBe(151);
    expect(requests).toHaveLength(3);
  });

  it('marks the key that the service refused as soon as the store takes it again, and tells the admins', async () => {
    const { pipeline, keys, release } = await answeredWhileLocked(REFUSED);
    expect(await keys.isRefused('1')).toBe(false);
    release();
    await pipeline.stop();
    expect(await keys.isRefused('1')).toBe(true);
    expect(told).toEqual(['key']);
    expect(await one(pipeline, 2)).toMatchObject({ refusal: { code: 'key-invalid' } });
  });

  it('is recorded at the latest when the bot stops, if the store takes it then', async () => {
    const { pipeline, outcomes, release } = await answeredWhileLocked();
    release();
    await pipeline.stop();
    expect(await outcomes()).toEqual(['accepted']);
  });

  it('waits for a thousand submissions at most, of which the oldest goes', async () => {
    const logger = recorder();
    const late = createLateOutcomes({ logger });
    const written: string[] = [];
    for (const n of upTo(1_002)) late.add(String(n), async () => void written.push(String(n)));
    await late.stop();
    expect(written).toEqual(upTo(1_002).slice(2).map(String));
    expect(logger.lines.filter(({ level }) => level === 'error')).toHaveLength(2);
  });

  it('is said in the log to be lost when the store takes nothing until the end', async () => {
    const logger = recorder();
    const late = createLateOutcomes({ logger });
    late.add('1', () => Promise.reject(new Error('database is locked')));
    await late.stop();
    expect(logger.lines).toMatchObject([{ level: 'error', details: { count: 1 } }]);
  });
});

describe('a list', () => {
  async function list(numbers: readonly number[], answer?: Parameters<typeof open>[0]) {
    const opened = await open(answer);
    await opened.records.saveDraft(mia, '500', draft(...numbers));
    const id = interactionId();
    const submit = () => opened.pipeline.submit({ ...mia, interactionId: id, id: '500' });
    return { ...opened, submit, id };
  }

  it('stops where its key was removed', async () => {
    const opened: Awaited<ReturnType<typeof list>> = await list(upTo(250), async () => {
      await opened.keys.delete('1');
      return ACCEPTED;
    });
    const { outcomes } = ended(await opened.submit());
    expect(requests).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(100);
    expect(outcomes.at(-1)).toEqual({ kind: 'not-sent', reason: 'key' });
  });

  it('stops where the data of its guild is deleted, and nothing of it comes back', async () => {
    let deleted: Promise<void> | undefined;
    const opened: Awaited<ReturnType<typeof list>> = await list(upTo(500), () => {
      const { database: store, keys, checks } = opened;
      const erasure = createErasure({ database: store, encryption, checks });
      deleted ??= createGuildData({ store, keys, submissions: erasure, logger: recorder() }).delete('1');
      return ACCEPTED;
    });
    const { outcomes } = ended(await opened.submit());
    await deleted;
    expect(requests).toHaveLength(1);
    expect(outcomes.at(-1)).toEqual({ kind: 'not-sent', reason: 'key' });
    for (const table of ['submissions', 'servers'] as const) {
      expect(await opened.database.tables.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });

  it('leaves no draft under a name that was deleted meanwhile', async () => {
    let forgotten: Promise<number> | undefined;
    const opened: Awaited<ReturnType<typeof list>> = await list(upTo(150), async (count) => {
      if (count === 1) return ACCEPTED;
      const { database: store, keys, checks } = opened;
      const erasure = createErasure({ database: store, encryption, checks });
      const data = createGuildData({ store, keys, submissions: erasure, logger: recorder() });
      forgotten = data.forgetMember('1', mia.user.id);
      await forgotten;
      return { kind: 'not-sent', reason: 'dns', detail: '' };
    });
    expect(kinds(await opened.submit())).toContain('not-sent');
    expect(await forgotten).toBe(150);
    const named = opened.database.tables
      .selectFrom('submissions')
      .select('id')
      .where('user_id', 'is not', null);
    expect(await named.execute()).toEqual([]);
  });

  it('sends no request whose record is not there any more', async () => {
    const opened: Awaited<ReturnType<typeof list>> = await list(upTo(250), async () => {
      await opened.database.tables.deleteFrom('servers').execute();
      return ACCEPTED;
    });
    await opened.submit();
    expect(requests).toHaveLength(1);
  });

  it('stops where the service refuses its key, which is told once', async () => {
    const { submit, pipeline } = await list(upTo(250), () => REFUSED);
    const { outcomes } = ended(await submit());
    expect(requests).toHaveLength(1);
    expect(outcomes.at(-1)).toEqual({ kind: 'not-sent', reason: 'key' });
    expect(await one(pipeline, 900)).toMatchObject({ refusal: { code: 'key-invalid' } });
    expect(told).toEqual(['key']);
  });

  it('goes on after a crash where it stopped, and sends nothing twice', async () => {
    const { database, id, submit } = await list(upTo(250), (count) =>
      count === 1 ? ACCEPTED : new Promise<Outcome>(() => undefined),
    );
    void submit();
    await expect.poll(() => requests.length).toBe(2);
    await database.stop();

    const again = await open();
    await again.tidying.start?.();
    const result = ended(await again.pipeline.submit({ ...mia, interactionId: id, id: '500' }));
    await again.tidying.stop?.();
    expect(result.isResumed).toBe(true);
    expect(requests.map((servers) => servers.length)).toEqual([100, 100, 50]);
    expect(new Set(requests.flat().map((each) => each.server)).size).toBe(250);
    const count = (kind: string) => result.outcomes.filter((each) => each.kind === kind).length;
    expect([count('accepted'), count('unknown')]).toEqual([150, 100]);
    // Asked once more, for instance after another crash, it tells the same.
    const told = ended(await again.pipeline.submit({ ...mia, interactionId: id, id: '500' }));
    expect(told.outcomes.map(({ kind }) => kind)).toEqual(result.outcomes.map(({ kind }) => kind));
    expect(requests).toHaveLength(3);
  });

  it('that had left in part when the bot was stopped is told so, also when it is too late to go on', async () => {
    const receivedAt = time;
    const opened = await open(() => new Promise<Outcome>(() => undefined));
    await opened.records.saveDraft(mia, '500', draft(...upTo(150)));
    const list = { ...mia, interactionId: interactionId(), id: '500', receivedAt };
    const id = interactionId();
    const single = {
      ...mia,
      interactionId: id,
      id,
      receivedAt,
      draft: { ...draft(900), source: 'options' },
    } as const;
    for (const order of [list, single]) void opened.pipeline.submit(order);
    await expect.poll(() => requests.length).toBe(2);
    await opened.database.stop();

    time += 13.5 * MINUTE;
    const { pipeline, records } = await open();
    const both = ended(await pipeline.submit(list));
    expect(both.outcomes.map(({ kind }) => kind).lastIndexOf('unknown')).toBe(99);
    expect(both.outcomes[100]).toMatchObject({ kind: 'not-sent' });
    expect(kinds(await pipeline.submit(single))).toEqual(['unknown']);
    expect(requests).toHaveLength(2);
    // What has not left can be sent by a button.
    const rest = await records.findDraft(mia, both.restId ?? '');
    expect(typeof rest === 'string' ? rest : rest.servers).toHaveLength(50);
  });

  it('is told to be submitted already, also to a press that has waited too long', async () => {
    const done = Promise.withResolvers<Outcome>();
    const { pipeline, submit } = await list(upTo(3), () => done.promise);
    const first = submit();
    await expect.poll(() => requests.length).toBe(1);
    const press = (receivedAt: number) =>
      pipeline.submit({ ...mia, interactionId: interactionId(), id: '500', receivedAt });
    expect(await press(time - 13 * MINUTE)).toEqual({ kind: 'no-draft', why: 'taken' });
    done.resolve(ACCEPTED);
    await first;
  });

  it('is carried out by one of two presses', async () => {
    const { pipeline, submit } = await list(upTo(3));
    const [first, second] = await Promise.all([
      submit(),
      pipeline.submit({ ...mia, interactionId: interactionId(), id: '500' }),
    ]);
    expect([first.kind, second.kind].toSorted()).toEqual(['ended', 'no-draft']);
    expect(requests).toHaveLength(1);
  });

  it('is neither changed nor cancelled any more while it is carried out, by presses that had come before', async () => {
    const done = Promise.withResolvers<Outcome>();
    const { records, submit } = await list(upTo(3), () => done.promise);
    const result = submit();
    await expect.poll(() => requests.length).toBe(1);
    expect(await records.changeDraft(mia, '500', draft(1))).toBe(false);
    expect(await records.dropDraft('1', '500')).toBe(false);
    await records.saveDraft(mia, '500', draft(1));
    done.resolve(ACCEPTED);
    expect(kinds(await result)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(await records.isSubmitted(mia, '500')).toBe(true);
  });

  it('that was cancelled does not come back by a press that had come before', async () => {
    const { records } = await list(upTo(3));
    expect(await records.dropDraft('1', '500')).toBe(true);
    expect(await records.changeDraft(mia, '500', draft(1))).toBe(false);
    expect(await records.findDraft(mia, '500')).toBe('gone');
  });

  it('is of its member alone, and gone after fifteen minutes', async () => {
    const { pipeline, records } = await list(upTo(3));
    const other = { guildId: '1', user: { id: '7', name: 'other' } };
    const asOther = await pipeline.submit({ ...other, interactionId: interactionId(), id: '500' });
    expect(asOther).toEqual({ kind: 'no-draft', why: 'of-another-member' });
    time += 15 * MINUTE;
    expect(await records.findDraft(mia, '500')).toBe('gone');
  });

  it('of 1,000 leaves the history of others and the guard against duplicates as they were', async () => {
    const other = { guildId: '1', user: { id: '7', name: 'other' } };
    const { pipeline, history, submit } = await list(upTo(1_000).map((n) => n + 100));
    await one(pipeline, 1, other);
    expect(kinds(await submit())).toHaveLength(1_000);
    expect(await history.count('1', {})).toBe(1_001);
    const others = await history.page('1', { userId: '7' }, { offset: 0, limit: 10 });
    expect(others).toMatchObject([{ server: 's1.example.com' }]);
    expect(await one(pipeline, 1)).toMatchObject({ refusal: { code: 'submitted-before' } });
  });

  it('keeps of what was typed refused lines only, and 4,000 characters of them', async () => {
    const { database, records } = await open();
    const refused = upTo(900).map((n) => ({
      line: n + 2,
      text: `line ${n} ${'x'.repeat(100)}`,
      ok: false as const,
      problem: { code: 'no-address' } as const,
      typed: { server: 'y'.repeat(100), port: '', queryPort: '', game: '' },
    }));
    const whole = draft(1);
    await records.saveDraft(mia, '600', { ...whole, rows: [...whole.rows, ...refused] });
    const { refused_lines: kept } = await database.tables
      .selectFrom('submissions')
      .select('refused_lines')
      .executeTakeFirstOrThrow();
    expect(String(kept).replaceAll(/\[\d+\]/g, '').length).toBeLessThan(5_000);
    expect(String(kept).length).toBeLessThan(12_000);
    const found = await records.findDraft(mia, '600');
    expect(typeof found === 'string' ? found : found.draft.rows).toHaveLength(901);
  });

  it('is one of ten at most that a member may have: the oldest goes first', async () => {
    const { records, pipeline } = await open();
    for (const n of upTo(12)) {
      time += 1_000;
      await records.saveDraft(mia, `d${n}`, draft(n));
    }
    // What is carried out at once is no draft.
    await one(pipeline, 99);
    const found = await Promise.all(upTo(12).map((n) => records.findDraft(mia, `d${n}`)));
    expect(found.map((each) => each === 'gone')).toEqual([true, true, ...Array(10).fill(false)]);
  });

  it('is kept also where a clock that was set back makes it the oldest of ten others', async () => {
    const { records } = await open();
    for (const n of upTo(10)) await records.saveDraft(mia, `d${n}`, draft(n));
    time -= 60 * MINUTE;
    await records.saveDraft(mia, 'new', draft(10));
    expect(await records.findDraft(mia, 'new')).toMatchObject({ state: 'draft' });
    const others = await Promise.all(upTo(10).map((n) => records.findDraft(mia, `d${n}`)));
    expect(others.filter((each) => each === 'gone')).toHaveLength(1);
  });
});

describe('limits', () => {
  const limit = { servers: 2, seconds: 60 };
  const order = { guildId: '1', userId: '2', count: 1 };

  it('count over a restart, and until the oldest is out of their time', async () => {
    const first = await open();
    await one(first.pipeline, 1);
    time += 20_000;
    await one(first.pipeline, 2);
    await first.database.stop();
    const { database } = await open();
    const listing = { isDown: () => false };
    const checks = createChecks({
      database,
      encryption,
      listing,
      member: limit,
      guild: limit,
      now: () => time,
    });
    const until = time + 40_000;
    const held = { by: 'member-limit', limit: 2, until };
    expect(await checks.room(order)).toEqual({ count: 0, held });
    expect(await checks.room({ ...order, userId: '7' })).toEqual({
      count: 0,
      held: { ...held, by: 'guild-limit' },
    });
    time += 40_001;
    expect(await checks.room(order)).toEqual({ count: 1 });
    // One may go now; the others, or as many as the limit is, when the one before and that one count no more.
    expect(await checks.room({ ...order, count: 2 })).toEqual({
      count: 1,
      held: { ...held, until: until + 20_000 },
    });
    expect(await checks.room({ ...order, count: 5 })).toEqual({
      count: 1,
      held: { ...held, until: time + 60_000 },
    });
  });

  it('hold nobody up for long where the clock was ahead by a month when they submitted', async () => {
    const { pipeline, database } = await open();
    const late = time;
    time += 30 * 24 * 60 * MINUTE;
    await one(pipeline, 1);
    await one(pipeline, 2);
    time = late;
    const checks = createChecks({
      ...{ database, encryption, listing: { isDown: () => false }, member: limit, guild: limit },
      now: () => time,
    });
    expect(await checks.room({ ...order, dailyQuota: 2 })).toEqual({ count: 1 });
    // A moment's step back lets nobody have more.
    await one(pipeline, 3);
    await one(pipeline, 4);
    time -= 1_000;
    expect(await checks.room(order)).toMatchObject({ count: 0, held: { by: 'member-limit' } });
    expect(await checks.room({ ...order, dailyQuota: 2 })).toMatchObject({ count: 0 });
  });

  it('of a day count what was accepted or may have been, and not what was refused', async () => {
    const rejected = { kind: 'rejected', message: 'No.' } as const;
    const { pipeline, checks } = await open((count) => (count === 1 ? rejected : ACCEPTED));
    await one(pipeline, 1);
    await one(pipeline, 2);
    expect(await checks.room({ ...order, count: 2, dailyQuota: 2 })).toEqual({
      ...{ count: 1, held: { by: 'daily-quota', limit: 2, until: Date.UTC(2026, 10, 22) } },
    });
    time += 24 * 60 * MINUTE;
    expect(await checks.room({ ...order, count: 2, dailyQuota: 2 })).toEqual({ count: 2 });
  });
});

describe('an interaction', () => {
  const remembered = (id: string) => ({
    ...{ guildId: '1', interactionId: id, channelId: '3', user: mia.user, permissions: '0' },
    ...{ locale: 'en-US', guildLocale: 'en-US', shape: 'update' as const, isPrivate: true },
    token: new Secret('the-token-of-it'),
  });

  it('is taken once, also when it comes again after its answer and after a restart', async () => {
    const { taken, database } = await open();
    const id = interactionId();
    expect(await taken.remember(remembered(id))).toBe(true);
    expect(await taken.remember(remembered(id))).toBe(false);
    await taken.forget(remembered(id));
    expect(await taken.remember(remembered(id))).toBe(false);
    await database.stop();
    time += 14 * MINUTE;
    const again = await open();
    await again.left.start();
    expect(await again.taken.remember(remembered(id))).toBe(false);
    await again.left.stop();
  });

  it('is not taken when it is older than fifteen minutes by its own id', async () => {
    const { taken } = await open();
    const id = interactionId();
    time += 15 * MINUTE + 1;
    expect(await taken.remember(remembered(id))).toBe(false);
  });

  it('is left for the next run as long as it is not answered, and then holds nothing but its id', async () => {
    const { taken, database } = await open();
    const [answered, left] = [interactionId(), interactionId()];
    await taken.remember(remembered(answered));
    await taken.remember(remembered(left));
    await taken.forget(remembered(answered));
    await database.stop();
    const again = await open();
    await again.left.start();
    const found = await again.left.left(() => true);
    expect(found.map(({ interaction }) => interaction.interactionId)).toEqual([left]);
    expect(found[0]?.interaction.token.reveal()).toBe('the-token-of-it');
    const rows: readonly unknown[] = await again.database.tables
      .selectFrom('interactions')
      .select('sealed')
      .where('id', '=', answered)
      .execute();
    expect(rows).toEqual([{ sealed: null }]);
    await again.left.stop();
  });

  it('stays for an hour once it was answered, and for 30 days where nobody answers it', async () => {
    const { taken, left, database } = await open();
    const [answered, unanswered] = [interactionId(), interactionId()];
    for (const id of [answered, unanswered]) await taken.remember(remembered(id));
    await taken.forget(remembered(answered));
    const [start, HOUR] = [time, 60 * MINUTE];
    const idsAt = async (ms: number) => {
      time = start + ms;
      await left.start();
      await left.stop();
      const rows = await database.tables.selectFrom('interactions').select('id').orderBy('id').execute();
      return rows.map(({ id }) => id);
    };
    expect(await idsAt(HOUR - 1)).toEqual([answered, unanswered]);
    expect(await idsAt(HOUR)).toEqual([unanswered]);
    expect(await idsAt(30 * 24 * HOUR - 1)).toEqual([unanswered]);
    expect(await idsAt(30 * 24 * HOUR)).toEqual([]);
  });
});
