import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createTakeover } from '../../src/interactions/takeover.ts';
import type { Outcome, ServerSubmission } from '../../src/listing/contract.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import type { Draft } from '../../src/submissions/draft.ts';
import type { Submitter } from '../../src/submissions/drafts.ts';
import type {
  EndedSubmission,
  Observer,
  SubmitRequest,
  SubmitResult,
} from '../../src/submissions/pipeline.ts';
import { Secret } from '../../src/text/secret.ts';
import {
  addDone,
  openPipeline,
  type PipelineOptions,
  partsOver,
  readyDraft,
  readyRow,
} from '../support/builders.ts';
import { rowsIn } from '../support/database.ts';
import { recordWrites } from '../support/writes.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 21, 12);
const ACCEPTED: Outcome = { kind: 'accepted', message: 'Yes.' };
const KEY_REJECTED: Outcome = { kind: 'rejected', message: 'Invalid API key.', known: 'invalidKey' };
const mia: Submitter = { guildId: '1', user: { id: '2', name: 'mia' } };

type Opened = Awaited<ReturnType<typeof open>>;
type Answer = (count: number, servers: readonly ServerSubmission[]) => Promise<Outcome> | Outcome;

/** Creates a pipeline with a stub of the service, in a guild that has a key. */
async function open(answer: Answer = () => ACCEPTED, options: Partial<PipelineOptions> = {}) {
  const clock = { now: NOW };
  /** The hosts and the key in each request to the service. */
  const requests: { readonly hosts: readonly string[]; readonly key: string }[] = [];
  const rejectedKeys: string[] = [];
  const opened = await openPipeline({
    now: () => clock.now,
    add(servers, key) {
      requests.push({ hosts: servers.map(({ server }) => server), key });
      return answer(requests.length, servers);
    },
    onKeyRejected: (guildId) => rejectedKeys.push(guildId),
    ...options,
  });
  await opened.keys.set('1', new Secret('key of this guild'), { by: { id: '9', name: 'Ada' } });
  return {
    ...opened,
    clock,
    requests,
    rejectedKeys,
    /** Submits one of the member's drafts. */
    submit: (id: string, more: Partial<SubmitRequest> = {}): Promise<SubmitResult> =>
      opened.pipeline.submit({
        ...mia,
        guildLocale: 'en-US',
        isAdmin: false,
        channelId: '3',
        id,
        interactionId: randomUUID(),
        receivedAt: clock.now,
        stopping: undefined,
        ...more,
      }),
  };
}

/** Submits a single server, as /addserver does. */
function one({ submit }: Opened, host: string, id: string = randomUUID()): Promise<SubmitResult> {
  const draft: Draft = { id, source: 'options', rows: [readyRow(1, host)] };
  return submit(id, { draft });
}

/** Saves a draft with this many servers, and submits it. */
async function list(
  opened: Opened,
  length: number,
  more: Partial<SubmitRequest> = {},
): Promise<SubmitResult> {
  await opened.drafts.save(mia, readyDraft('list', length));
  return opened.submit('list', more);
}

function ended(result: SubmitResult): EndedSubmission {
  if (result.kind !== 'ended') throw new Error(JSON.stringify(result));
  return result;
}
const outcomesOf = (result: SubmitResult) => ended(result).servers.map(({ outcome }) => outcome);
const kinds = (result: SubmitResult) => outcomesOf(result).map(({ kind }) => kind);
const reasonIn = (result: SubmitResult) => (result.kind === 'held' ? result.why : result);
const servers = ({ store }: Opened) => rowsIn(store, 'servers');
const submissions = ({ store }: Opened) => rowsIn(store, 'submissions');

/** Makes all changes to a column fail, as if the disk were broken. @returns a function that fixes it */
async function breakColumn({ store }: Opened, column: 'sent_at' | 'outcome'): Promise<() => Promise<void>> {
  const trigger = `CREATE TRIGGER broken BEFORE UPDATE OF ${column} ON servers
    WHEN NEW.${column} IS NOT NULL BEGIN SELECT RAISE(ABORT, 'broken'); END`;
  await sql.raw(trigger).execute(store.tables());
  return async () => void (await sql.raw('DROP TRIGGER broken').execute(store.tables()));
}

it('a reservation is synced to disk before it becomes visible', async () => {
  const writes = recordWrites();
  const latest: unknown[] = [];
  const note = () => void latest.push(writes.at(-1)?.kind);
  const answer = () => {
    note();
    return ACCEPTED;
  };
  const opened = await open(answer, { showApproval: async () => note() });
  expect(kinds(await one(opened, 'a'))).toEqual(['accepted']);
  expect(reasonIn(await one(opened, 'a'))).toMatchObject({ code: 'already-submitted' });
  note();
  await opened.settings.change('1', (now) => ({ ...now, approval: true }));
  expect(await one(opened, 'b', 'b')).toMatchObject({ kind: 'waiting' });
  expect(await list(opened, 2)).toMatchObject({ kind: 'waiting' });
  expect(latest).toEqual(['synced', 'synced', 'synced', 'synced']);
});

describe('a draft', () => {
  it('is sent only once if it is submitted twice at the same time', async () => {
    const opened = await open();
    const [first, second] = await Promise.all([one(opened, 'a'), one(opened, 'a')]);
    expect(kinds(first)).toEqual(['accepted']);
    expect(reasonIn(second)).toMatchObject({ code: 'in-flight', server: { server: 'a' } });
    await opened.drafts.save(mia, readyDraft('list', 3));
    const presses = [1, 2].map(() => opened.submit('list'));
    const [pressed, again] = await Promise.all(presses);
    expect(pressed?.kind).toBe('ended');
    expect(again).toEqual({ kind: 'no-draft', why: 'being-sent' });
    expect(opened.requests).toHaveLength(2);
  });

  it("uses the first form's input if two forms are submitted at the same time", async () => {
    const opened = await open();
    await opened.drafts.save(mia, readyDraft('d', 1, 'x'));
    const [first, second] = await Promise.all([one(opened, 'first', 'd'), one(opened, 'second', 'd')]);
    expect(first).toMatchObject({ kind: 'ended', servers: [{ server: { server: 'first' } }] });
    expect(second).toEqual({ kind: 'no-draft', why: 'being-sent' });
    expect(opened.requests).toMatchObject([{ hosts: ['first'] }]);
  });

  it("isn't sent if another process has taken over its interaction", async () => {
    const opened = await open(undefined, { isOwner: () => false });
    await expect(list(opened, 1)).rejects.toThrow('another process');
    expect(opened.requests).toEqual([]);
    expect(await opened.drafts.find(mia, 'list')).toMatchObject({ rows: [{ kind: 'ready' }] });
  });

  it("isn't sent if the guild doesn't have a working key", async () => {
    const opened = await open();
    await opened.keys.delete('1');
    expect(reasonIn(await one(opened, 'a'))).toEqual({ code: 'key-missing' });
    await opened.keys.set('1', new Secret('key of this guild'), { by: { id: '9', name: 'Ada' } });
    const { setAt = '' } = (await opened.keys.get('1')) ?? {};
    await opened.keys.noteOutcome('1', setAt, KEY_REJECTED);
    expect(reasonIn(await one(opened, 'a'))).toEqual({ code: 'key-invalid', setBy: '9', setByName: 'Ada' });
    expect(opened.requests).toEqual([]);
  });

  it('is sent without previously submitted servers unless the member includes them', async () => {
    const opened = await open();
    await addDone(opened.store, {
      id: 'x',
      guildId: '1',
      userId: '7',
      at: opened.clock.now,
      hosts: ['a', 'list-0.example.com'],
    });
    expect(reasonIn(await one(opened, 'a', 'single'))).toMatchObject({
      code: 'already-submitted',
      servers: [{ server: 'a' }],
    });
    const again = opened.submit('single', { includesAlreadySubmitted: true });
    expect(kinds(await again)).toEqual(['accepted']);
    const { servers: sent } = ended(await list(opened, 2));
    expect(sent.map(({ line }) => line)).toEqual([2]);
    await opened.drafts.save(mia, readyDraft('other', 2, 'list'));
    const both = await opened.submit('other');
    expect(reasonIn(both)).toMatchObject({ code: 'already-submitted', servers: [{}, {}] });
    expect(await opened.drafts.find(mia, 'other')).not.toHaveProperty('includesAlreadySubmitted');
  });

  it("isn't sent if the button shows the wrong number of servers", async () => {
    const opened = await open();
    await opened.drafts.save(mia, readyDraft('list', 3));
    const press = (promised: number) => opened.submit('list', { promised });
    for (const promised of [2, 4])
      expect(await press(promised)).toMatchObject({ kind: 'held', why: { code: 'changed' } });
    expect(opened.requests).toEqual([]);
    expect(kinds(await press(3))).toHaveLength(3);
  });

  it("is stored but not sent if the guild doesn't allow its game", async () => {
    const opened = await open();
    await opened.settings.change('1', (now) => ({ ...now, games: ['rust'] }));
    expect(reasonIn(await one(opened, 'a', 'single'))).toEqual({ code: 'game-not-allowed', game: 'cs2' });
    expect(await opened.drafts.find(mia, 'single')).toMatchObject({
      rows: [{ problem: { code: 'game-not-allowed' }, typed: { server: 'a:27015' } }],
    });
    expect(reasonIn(await list(opened, 2))).toMatchObject({ code: 'game-not-allowed' });
    expect(await opened.drafts.find(mia, 'list')).toMatchObject({ rows: [{}, {}] });
  });

  it('is partially sent if it exceeds the limit', async () => {
    const opened = await open(undefined, { member: { servers: 3, seconds: 60 } });
    const result = ended(await list(opened, 5));
    expect(result.limited).toEqual({
      code: 'member-limit',
      limit: 3,
      until: opened.clock.now + MINUTE,
      isSoon: true,
    });
    expect(result.limitedRows.map(({ line }) => line)).toEqual([4, 5]);
    expect(opened.requests.map(({ hosts }) => hosts.length)).toEqual([3]);
    const rest = await opened.drafts.find(mia, 'list');
    expect(rest).toMatchObject({ rows: [{ line: 4 }, { line: 5 }] });
    const until = opened.clock.now + MINUTE;
    expect(reasonIn(await one(opened, 'a'))).toEqual({ code: 'member-limit', limit: 3, until, isSoon: true });
    await opened.settings.change('1', (now) => ({ ...now, dailyQuota: 3 }));
    opened.clock.now += MINUTE;
    expect(reasonIn(await one(opened, 'a'))).toMatchObject({ code: 'daily-quota', limit: 3 });
  });

  it('can only be sent by the member who created it', async () => {
    const opened = await open();
    await opened.drafts.save(mia, { ...readyDraft('empty', 0) });
    await opened.drafts.save(mia, readyDraft('mine', 1, 'x'));
    expect(await opened.submit('gone')).toEqual({ kind: 'no-draft', why: 'gone' });
    expect(await opened.submit('empty')).toMatchObject({ kind: 'held', why: { code: 'changed' } });
    const other = { guildId: '1', user: { id: '7', name: 'ben' } };
    expect(await opened.submit('mine', other)).toEqual({ kind: 'no-draft', why: 'of-another-member' });
    opened.clock.now += DAY;
    expect(await opened.submit('mine')).toEqual({ kind: 'no-draft', why: 'gone' });
  });
});

describe('requests to the service', () => {
  it("aren't sent after the key is removed", async () => {
    const opened: Opened = await open(async () => {
      await opened.keys.delete('1');
      return ACCEPTED;
    });
    const result = ended(await list(opened, 250));
    expect(opened.requests).toHaveLength(1);
    expect(kinds(result).indexOf('not-sent')).toBe(100);
    expect(result.servers[100]?.outcome).toEqual({ kind: 'not-sent', reason: 'key' });
    const rest = await opened.drafts.find(mia, 'list');
    expect(rest.kind === 'no-draft' ? rest.why : rest.rows).toHaveLength(150);
  });

  it('use the latest key', async () => {
    const opened: Opened = await open(async (n) => {
      if (n > 1) return ACCEPTED;
      opened.clock.now += 1;
      const previous = await opened.keys.status('1');
      await opened.keys.set('1', new Secret('the next key'), { by: { id: '9', name: 'Ada' }, previous });
      return { kind: 'rejected', message: 'Your account is suspended.' };
    });
    await list(opened, 2);
    expect(opened.requests.map(({ key }) => key)).toEqual([
      'key of this guild',
      'the next key',
      'the next key',
    ]);
    expect(await opened.keys.status('1')).toMatchObject({ answer: { message: 'Yes.' } });
  });

  it('stop if the service rejects the key', async () => {
    const opened = await open(() => KEY_REJECTED);
    const outcomes = outcomesOf(await list(opened, 250));
    expect(opened.requests).toHaveLength(1);
    expect(outcomes[99]).toEqual(KEY_REJECTED);
    expect(outcomes[249]).toEqual({ kind: 'not-sent', reason: 'key' });
    expect(opened.rejectedKeys).toEqual(['1']);
    expect(reasonIn(await one(opened, 'a'))).toMatchObject({ code: 'key-invalid' });
  });

  it.each([
    { what: 'the bot is stopping', reason: 'stopping' },
    { what: "the interaction's remaining time is needed for the reply", reason: 'deadline' },
  ])('stop if $what', async ({ reason }) => {
    const stop = new AbortController();
    const opened = await open((n) => {
      // The request can take a minute, and so can the reply.
      opened.clock.now = NOW + 13 * MINUTE;
      if (n < 2) return ACCEPTED;
      if (reason === 'stopping') stop.abort();
      else opened.clock.now += 1;
      return ACCEPTED;
    });
    const outcomes = outcomesOf(await list(opened, 250, { stopping: stop.signal }));
    expect(opened.requests).toHaveLength(2);
    expect(outcomes[199]).toEqual(ACCEPTED);
    expect(outcomes[200]).toEqual({ kind: 'not-sent', reason });
  });

  it('stop if other submissions delay them past the deadline', async () => {
    const hung = Promise.withResolvers<Outcome>();
    const others: Promise<SubmitResult>[] = [];
    const opened: Opened = await open(async (n) => {
      if (n > 1) return hung.promise;
      opened.clock.now += 14 * MINUTE;
      // A guild can have two requests in flight, so both of these start when the current request ends.
      others.push(one(opened, 'a'), one(opened, 'b'));
      await expect.poll(async () => (await submissions(opened)).length).toBe(3);
      return ACCEPTED;
    });
    const outcomes = outcomesOf(await list(opened, 250));
    expect(outcomes[100]).toEqual({ kind: 'not-sent', reason: 'deadline' });
    hung.resolve(ACCEPTED);
    expect((await Promise.all(others)).flatMap(kinds)).toEqual(['accepted', 'accepted']);
  });

  it('are each recorded before being sent', async () => {
    const bad = (hosts: readonly ServerSubmission[]) =>
      hosts.some(({ server }) => server === 'list-1.example.com');
    const sent: number[] = [];
    const opened: Opened = await open(async (_n, hosts) => {
      sent.push((await servers(opened)).filter((row) => row.sent_at !== null && row.outcome === null).length);
      return bad(hosts) ? { kind: 'rejected', message: 'No.' } : ACCEPTED;
    });
    expect(kinds(await list(opened, 4))).toEqual(['accepted', 'rejected', 'accepted', 'accepted']);
    expect(opened.requests.map(({ hosts }) => hosts.length)).toEqual([4, 2, 1, 1, 2]);
    expect(sent).toEqual([4, 2, 1, 1, 2]);
  });

  it('have an unknown outcome if sending throws an error', async () => {
    const opened = await open(() => {
      throw new Error('a fault');
    });
    const fix = await breakColumn(opened, 'sent_at');
    expect(outcomesOf(await one(opened, 'a'))).toEqual([{ kind: 'not-sent', reason: 'bot' }]);
    await fix();
    expect(opened.requests).toEqual([]);
    expect(kinds(await one(opened, 'a'))).toEqual(['unknown']);
    expect(reasonIn(await one(opened, 'a'))).toMatchObject({ code: 'already-submitted' });
  });
});

describe('a retry', () => {
  const FAILED: Outcome = { kind: 'not-sent', reason: 'service' };

  it('overwrites the servers left unsent by the previous attempt', async () => {
    const opened = await open((n) => (n === 1 ? ACCEPTED : FAILED));
    await list(opened, 250);
    for (let press = 0; press < 30; press += 1) {
      opened.clock.now += 1;
      expect(kinds(await opened.submit('list'))).toHaveLength(150);
    }
    expect(await servers(opened)).toHaveLength(250);
    const counts = async () => {
      const entries = await opened.history.entries('1', (await opened.history.find('1', {})).flat());
      return entries.map(({ counts: { accepted, 'not-sent': unsent } }) => [accepted, unsent]);
    };
    expect(await counts()).toEqual([
      [0, 150],
      [100, 0],
    ]);
    expect(await submissions(opened)).toHaveLength(2);
  });

  it('overwrites only the servers that are resubmitted', async () => {
    const opened = await open(() => FAILED, { member: { servers: 5, seconds: 60 } });
    await list(opened, 5);
    await addDone(opened.store, { id: 'x', guildId: '1', userId: '2', at: NOW, hosts: ['a', 'b', 'c'] });
    expect(kinds(await opened.submit('list'))).toEqual(['not-sent', 'not-sent']);
    const unsent = (await servers(opened)).filter(({ outcome }) => outcome === 'not-sent');
    expect(unsent.map(({ line }) => line).toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(unsent.map(({ submission_id }) => submission_id)).size).toBe(2);
  });
});

describe("while requests can't be sent", () => {
  const PAUSED: Outcome = { kind: 'unknown', reason: 'rate-limited', retryAfterMs: 600_000 };
  const UNREACHABLE: Outcome = { kind: 'not-sent', reason: 'unreachable' };

  it.each([
    { reason: 'rate-limited', outcome: PAUSED, first: 1 },
    { reason: 'down', outcome: UNREACHABLE, first: 3 },
  ])("a draft is kept, but its servers aren't reserved: $reason", async ({ reason, outcome, first }) => {
    const opened = await open(() => outcome);
    for (let n = 0; n < first; n += 1) await one(opened, `first-${n}`);
    const before = await servers(opened);
    const requests = opened.requests.length;
    await opened.drafts.save(mia, readyDraft('list', 3));
    for (let press = 0; press < 30; press += 1) {
      expect(reasonIn(await opened.submit('list', { promised: 3 }))).toMatchObject({
        code: 'held-back',
        outcome: { kind: 'not-sent', reason },
      });
    }
    opened.clock.now += 1;
    expect(reasonIn(await one(opened, 'single', 'single'))).toMatchObject({ code: 'held-back' });
    expect(await servers(opened)).toEqual(before);
    expect(opened.requests).toHaveLength(requests);
    expect(await opened.drafts.find(mia, 'list')).toMatchObject({ rows: [{}, {}, {}] });
    expect(await opened.drafts.find(mia, 'single')).toMatchObject({ rows: [{}] });
    expect(await opened.drafts.unfinished(mia)).toMatchObject({ newest: { id: 'single' }, count: 2 });
  });

  it.each([
    { source: 'text', isUnfinished: true },
    { source: 'options', isUnfinished: false },
  ] as const)("the member's decision to resend unconfirmed servers is remembered ($source)", async ({
    source,
    isUnfinished,
  }) => {
    const opened = await open(() => PAUSED);
    await opened.drafts.save(mia, { ...readyDraft('d', 1), source });
    expect(kinds(await opened.submit('d'))).toEqual(['unknown']);
    expect(await opened.drafts.unfinished(mia)).toBeUndefined();
    const again = await opened.submit('d', { includesAlreadySubmitted: true });
    expect(again).toMatchObject({ why: { code: 'held-back' }, checked: { ready: [{}] } });
    // The history only shows the single server, as unconfirmed.
    expect((await opened.drafts.unfinished(mia))?.count).toBe(isUnfinished ? 1 : undefined);
    expect(reasonIn(await opened.submit('d'))).toMatchObject({ code: 'held-back' });
  });

  it('a submission can be queued for approval, but not approved', async () => {
    const opened = await open(() => PAUSED);
    await one(opened, 'first');
    await opened.settings.change('1', (now) => ({ ...now, approval: true }));
    expect(await list(opened, 2)).toMatchObject({ kind: 'waiting' });
    const submissionId = await opened.submissions.latestId('list');
    const approvedBy = { id: '9', name: 'mod' };
    for (let press = 0; press < 2; press += 1) {
      expect(reasonIn(await opened.submit('list', { approvedBy, submissionId }))).toMatchObject({
        code: 'held-back',
      });
    }
    expect(await submissions(opened)).toHaveLength(2);
    expect(await opened.submissions.find('1', submissionId)).toMatchObject({ state: 'waiting' });
  });
});

describe('waiting for a submission to finish', () => {
  const NEVER = 2 ** 31 - 1;

  /** Submits a draft whose request the service doesn't answer until `outcome` is resolved. */
  async function openSending(pollMs: number) {
    const outcome = Promise.withResolvers<Outcome>();
    const requested = Promise.withResolvers<void>();
    const answer = () => {
      requested.resolve();
      return outcome.promise;
    };
    const opened = await open(answer, { pollMs });
    const ended = one(opened, 'a', 'draft');
    await requested.promise;
    return { ...opened, outcome, ended };
  }

  it("doesn't poll the store if this process is sending it", async () => {
    const { submissions, outcome, ended } = await openSending(NEVER);
    const settled = submissions.settled('1', 'draft');
    outcome.resolve(ACCEPTED);
    expect(await settled).toMatchObject({ state: 'done', servers: [{ outcome: ACCEPTED }] });
    await ended;
  });

  it('polls the store if another process is sending it', async () => {
    const { store, outcome, ended } = await openSending(NEVER);
    const { submissions } = partsOver(store, { processId: 'another process', pollMs: 1 });
    const settled = submissions.settled('1', 'draft');
    outcome.resolve(ACCEPTED);
    expect(await settled).toMatchObject({ state: 'done', servers: [{ outcome: ACCEPTED }] });
    await ended;
  });
});

describe('a submission', () => {
  it('reports its progress', async () => {
    const progress: string[] = [];
    const opened = await open();
    expect(ended(await one(opened, 'a')).announcedIn).toBeUndefined();
    await opened.settings.change('1', (now) => ({ ...now, announce: true }));
    const onProgress = (done: number, all: number) => void progress.push(`${done}/${all}`);
    expect(ended(await list(opened, 250, { onProgress })).announcedIn).toBe('3');
    expect(progress).toEqual(['0/250', '100/250', '200/250']);
  });

  it('ends early if saving an outcome fails three times', async () => {
    let fix: (() => Promise<void>) | undefined;
    const opened: Opened = await open(async () => {
      fix = await breakColumn(opened, 'outcome');
      return ACCEPTED;
    });
    const result = ended(await list(opened, 250));
    expect(opened.requests).toHaveLength(1);
    expect(result).toMatchObject({ isRecorded: false, isLeft: false });
    expect(result.servers[99]?.outcome).toEqual(ACCEPTED);
    expect(result.servers[100]?.outcome).toEqual({ kind: 'not-sent', reason: 'bot' });
    expect(opened.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(3);
    await fix?.();
    opened.clock.now += 15 * MINUTE;
    const takeOver = createTakeover({
      ...opened,
      processId: 'this process',
      notifyUnreplied: async () => undefined,
      onTakenOver: () => undefined,
    });
    await takeOver(new AbortController().signal);
    const [[found = ''] = []] = await opened.history.find('1', { userId: '2' });
    expect(await opened.history.entries('1', [found])).toMatchObject([
      { counts: { unknown: 100, 'not-sent': 150 } },
    ]);
    const [exported] = await Array.fromAsync(opened.history.all('1', { outcome: 'unknown' }));
    expect(exported).toHaveLength(100);
    expect(await opened.drafts.find(mia, 'list')).toMatchObject({ rows: { length: 250 } });
  });

  describe('with an unsaved outcome', () => {
    const ben: Submitter = { guildId: '1', user: { id: '7', name: 'ben' } };

    /** Submits server `a`, sends it, and doesn't save its outcome. */
    async function unsaved(): Promise<Opened> {
      const opened = await open();
      const fix = await breakColumn(opened, 'outcome');
      expect(await one(opened, 'a')).toMatchObject({ isRecorded: false });
      await fix();
      return opened;
    }

    /** Submits server `a` as another member. */
    const again = ({ submit }: Opened, includesAlreadySubmitted: boolean) => {
      const id = randomUUID();
      const draft: Draft = { id, source: 'options', rows: [readyRow(1, 'a')] };
      return submit(id, { ...ben, draft, includesAlreadySubmitted });
    };

    it.each([
      { after: 'a second', ms: 1_000 },
      { after: 'almost 15 minutes', ms: 15 * MINUTE - 1 },
    ])("can't be resubmitted $after later", async ({ ms }) => {
      const opened = await unsaved();
      opened.clock.now += ms;
      for (const isAnyway of [false, true]) {
        expect(reasonIn(await again(opened, isAnyway))).toMatchObject({
          code: 'in-flight',
          server: { server: 'a' },
        });
      }
      // The member doesn't know the other submission, so they have to decide again.
      const drafts = await rowsIn(opened.store, 'drafts');
      expect(drafts.filter(({ lines }) => String(lines).includes('"includesAlreadySubmitted":true'))).toEqual(
        [],
      );
      expect(opened.requests).toHaveLength(1);
    });

    it('counts as unconfirmed after 16 minutes', async () => {
      const opened = await unsaved();
      opened.clock.now += 16 * MINUTE;
      expect(reasonIn(await again(opened, false))).toMatchObject({
        code: 'already-submitted',
        servers: [{ server: 'a', at: NOW, userId: '2', outcome: { kind: 'unknown', reason: 'stopping' } }],
      });
      expect(opened.requests).toHaveLength(1);
      expect(kinds(await again(opened, true))).toEqual(['accepted']);
    });
  });

  it('has an unknown outcome if the clock jumps 15 minutes ahead during a request', async () => {
    const seen: unknown[] = [];
    const opened: Opened = await open(async (n) => {
      if (n > 1) return ACCEPTED;
      opened.clock.now += 15 * MINUTE;
      seen.push(reasonIn(await one(opened, 'list-0.example.com')));
      return ACCEPTED;
    });
    const outcomes = outcomesOf(await list(opened, 101));
    expect(seen).toMatchObject([{ code: 'already-submitted', servers: [{ outcome: { kind: 'unknown' } }] }]);
    expect(outcomes[100]).toEqual({ kind: 'not-sent', reason: 'deadline' });
    expect(opened.requests).toHaveLength(1);
  });

  it("is reported as saved even if the database's confirmation is lost", async () => {
    const opened = await open(() => KEY_REJECTED);
    const { inGuild } = opened.store;
    opened.store.inGuild = async (guildId, change, how) => {
      const result = await inGuild(guildId, change, how);
      const [answered] = await servers(opened);
      if (!answered?.outcome) return result;
      opened.store.inGuild = inGuild;
      throw new StoreError('the connection was lost');
    };
    const { isRecorded, isLeft } = ended(await list(opened, 2));
    expect(opened.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect([isRecorded, isLeft]).toEqual([true, true]);
    expect(await opened.drafts.find(mia, 'list')).toMatchObject({
      rows: [{ line: 1 }, { line: 2 }],
    });
    expect(opened.rejectedKeys).toEqual(['1']);
  });

  it("isn't affected by a failing observer", async () => {
    const seen: string[] = [];
    const observers: readonly Observer[] = [
      { ended: () => Promise.reject(new Error('broken')) },
      {
        notSubmitted: async (_by, [server], { code }) => void seen.push(`${server?.server} ${code}`),
        ended: async (_by, [first]) => void seen.push(`${first?.outcome.kind}`),
      },
      {},
    ];
    const opened = await open(undefined, { observers });
    expect(kinds(await one(opened, 'a'))).toEqual(['accepted']);
    await one(opened, 'a');
    expect(seen).toEqual(['accepted', 'a already-submitted']);
    expect(opened.logger.lines).toMatchObject([{ level: 'error' }]);
  });

  it("leaves no draft behind if the member's name is deleted mid-request", async () => {
    const opened: Opened = await open(async () => {
      await opened.erasure.forgetMember('1', mia.user.id);
      return { kind: 'not-sent', reason: 'tls' };
    });
    expect(ended(await list(opened, 150)).isLeft).toBe(false);
    expect(await submissions(opened)).toMatchObject([{ state: 'done', user_id: null }]);
    expect(await rowsIn(opened.store, 'drafts')).toEqual([]);
  });

  it("leaves no data behind if the guild's data is deleted mid-request", async () => {
    const opened: Opened = await open(async () => {
      await opened.erasure.deleteGuild('1');
      return ACCEPTED;
    });
    const result = await list(opened, 250);
    // Since the submission is no longer stored, no more requests are sent.
    expect(opened.requests).toHaveLength(1);
    expect(outcomesOf(result)[249]).toEqual({ kind: 'not-sent', reason: 'stopping' });
    expect(ended(result).isLeft).toBe(false);
    expect([...(await servers(opened)), ...(await submissions(opened))]).toEqual([]);
  });
});

it("the guild's Discord language is stored even if no servers are sent", async () => {
  const opened = await open();
  await opened.settings.change('1', (now) => ({ ...now, language: 'de', dailyQuota: 1 }));
  await one(opened, 'a');
  const notSubmitted = await opened.submit('other', { guildLocale: 'fr', draft: readyDraft('other', 2) });
  expect(notSubmitted.kind).toBe('held');
  expect(await opened.settings.getOrThrow('1')).toMatchObject({
    locale: 'fr',
    language: 'de',
    dailyQuota: 1,
  });
});
