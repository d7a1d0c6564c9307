import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Draft, rowsToSend } from '../../src/submissions/draft.ts';
import {
  beginSubmission,
  invalidRow,
  openParts,
  partsOver,
  readyDraft,
  readyRow,
} from '../support/builders.ts';
import { hasPostgres, newPlace, openStore, rowsIn } from '../support/database.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = 100 * DAY;
const mia = { guildId: '1', user: { id: '2', name: 'mia' } };
const ben = { guildId: '1', user: { id: '3', name: 'ben' } };
const none = (why: string) => ({ kind: 'no-draft', why });

describe('a stored draft', () => {
  it('expires a day after it was last saved', async () => {
    const { clock, drafts } = await openParts(NOW);
    const draft: Draft = { ...readyDraft('d', 2), rows: [readyRow(1, 'a'), invalidRow(2, 'typed')] };
    await drafts.save(mia, readyDraft('d', 1));
    clock.now += 10 * MINUTE;
    await drafts.save(mia, draft);
    clock.now += DAY - 1;
    expect(await drafts.find(mia, 'd')).toEqual(draft);
    clock.now += 1;
    expect(await drafts.find(mia, 'd')).toMatchObject({ kind: 'no-draft', why: 'gone' });
  });

  it('can only be used by its creator in its own guild', async () => {
    const { drafts } = await openParts(NOW);
    await drafts.save(mia, readyDraft('d', 1));
    for (const other of [ben, { ...mia, guildId: '2' }]) {
      expect(await drafts.find(other, 'd')).toMatchObject({ kind: 'no-draft', why: 'of-another-member' });
      expect(await drafts.save(other, readyDraft('d', 1, 'y'))).toEqual(none('of-another-member'));
      expect(await drafts.drop(other, 'd')).toEqual(none('of-another-member'));
    }
    expect(await drafts.find(mia, 'd')).toEqual(readyDraft('d', 1));
    expect(await drafts.drop(mia, 'd')).toBeUndefined();
    expect(await drafts.drop(mia, 'd')).toEqual(none('cancelled'));
    expect(await drafts.find(mia, 'd')).toMatchObject({ kind: 'no-draft', why: 'cancelled' });
  });

  it('still belongs to its creator if deleted before its submission', async () => {
    const { store, clock, drafts, submissions, waitingSubmissions, approvals } = await openParts(NOW);
    const draft = readyDraft('d', 1);
    await drafts.save(mia, draft);
    await beginSubmission({ drafts, submissions, waitingSubmissions }, mia, {
      interactionId: 'i',
      draft,
      expiresAt: clock.now,
    });
    expect(await approvals.withdraw(mia, 'd', 'm')).toBeUndefined();
    await drafts.delete('d');
    expect(await rowsIn(store, 'drafts')).toEqual([]);
    for (const other of [ben, { ...mia, guildId: '2' }]) {
      expect(await drafts.find(other, 'd')).toMatchObject({ kind: 'no-draft', why: 'of-another-member' });
      expect(await drafts.save(other, draft)).toEqual(none('of-another-member'));
    }
    expect(await drafts.find(mia, 'd')).toMatchObject({ kind: 'no-draft', why: 'gone' });
  });

  it.runIf(hasPostgres())('belongs to the guild that saved it first', async () => {
    const place = await newPlace('postgres');
    const store = await place.open();
    const { drafts } = partsOver(store);
    const elsewhere = { ...mia, guildId: '2' };
    const isWritten = Promise.withResolvers<void>();
    const commits = Promise.withResolvers<void>();
    const first = store.inGuild('2', async () => {
      await drafts.save(elsewhere, readyDraft('d', 1));
      isWritten.resolve();
      await commits.promise;
    });
    await isWritten.promise;
    const second = drafts.save(mia, readyDraft('d', 1, 'y'));
    const waiting = sql<object>`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting.execute(store.tables())).rows).toHaveLength(1);
    commits.resolve();
    await first;
    expect(await second).toEqual(none('of-another-member'));
    expect(await drafts.find(elsewhere, 'd')).toEqual(readyDraft('d', 1));
  });

  it("can't be changed or deleted while it is being sent", async () => {
    const { store, drafts, submissions, waitingSubmissions } = await openParts(NOW);
    const draft = readyDraft('d', 1);
    await drafts.save(mia, draft);
    await beginSubmission({ drafts, submissions, waitingSubmissions }, mia, { interactionId: 'i', draft });
    expect(await drafts.save(mia, readyDraft('d', 1, 'y'))).toEqual(none('being-sent'));
    expect(await drafts.drop(mia, 'd')).toEqual(none('being-sent'));
    expect(await drafts.find(mia, 'd')).toMatchObject({ kind: 'no-draft', why: 'being-sent' });
    expect(await drafts.find(ben, 'd')).toMatchObject({ kind: 'no-draft', why: 'of-another-member' });
    expect(await rowsIn(store, 'submissions')).toMatchObject([{ state: 'running' }]);
    expect(await drafts.read('d')).toEqual(draft);
  });

  it('discards unparseable input after 15 minutes', async () => {
    const { clock, drafts } = await openParts(NOW);
    const typed = { text: 'steve joined', game: '', modal: 'all' } as const;
    await drafts.save(mia, { ...readyDraft('edited', 1), typed });
    await drafts.save(mia, { ...readyDraft('refused', 0), typed: { ...typed, modal: 'paste' } });
    clock.now += 15 * MINUTE - 1;
    expect(await drafts.find(mia, 'edited')).toMatchObject({ typed });
    clock.now += 1;
    expect(await drafts.find(mia, 'edited')).toEqual(readyDraft('edited', 1));
    expect(await drafts.find(mia, 'refused')).toMatchObject({ why: 'gone' });
  });

  it('can be restored for 15 minutes after being cancelled', async () => {
    const { clock, drafts } = await openParts(NOW);
    await drafts.save(mia, readyDraft('d', 1));
    clock.now += 20 * MINUTE;
    await drafts.drop(mia, 'd');
    clock.now += 15 * MINUTE - 1;
    expect(await drafts.find(mia, 'd')).toMatchObject({ why: 'cancelled' });
    expect(await drafts.find(ben, 'd', true)).toMatchObject({ why: 'of-another-member' });
    expect(await drafts.find(mia, 'd', true)).toEqual(readyDraft('d', 1));
    clock.now += 1;
    expect(await drafts.find(mia, 'd', true)).toMatchObject({ why: 'cancelled' });
  });

  it('counts as unfinished if it has an invalid line or was never submitted', async () => {
    const { clock, ...parts } = await openParts(NOW);
    const { drafts } = parts;
    const list = (id: string): Draft => ({ ...readyDraft(id, 1), source: 'text' });
    expect(await drafts.unfinished(mia)).toBeUndefined();
    await drafts.save(mia, list('old'));
    clock.now += 1;
    await drafts.save(mia, list('new'));
    clock.now += 1;
    await drafts.save(mia, { ...list('one'), source: 'options' });
    await drafts.save(mia, { ...list('empty'), rows: [] });
    await drafts.save(ben, list('of ben'));
    await drafts.save({ ...mia, guildId: '2' }, list('elsewhere'));
    await beginSubmission(parts, mia, { interactionId: 'i', draft: list('sent') });
    await drafts.save(mia, { ...list('not sent'), isTried: true });
    expect(await drafts.unfinished(mia)).toEqual({ newest: list('new'), count: 2 });
    clock.now += 1;
    const toFix: Draft = { ...list('to fix'), rows: [invalidRow(2)], isTried: true };
    await drafts.save(mia, toFix);
    // What is left of a submitted list doesn't hide lists that were never submitted.
    expect(await drafts.unfinished(mia)).toEqual({ newest: list('new'), count: 3 });
    await drafts.drop(mia, 'new');
    expect(await drafts.unfinished(mia)).toEqual({ newest: list('old'), count: 2 });
    await drafts.drop(mia, 'old');
    expect(await drafts.unfinished(mia)).toEqual({ newest: toFix, count: 1 });
    await drafts.save(mia, list('latest'));
    clock.now += 1;
    await drafts.save(mia, { ...list('log'), rows: [], hasChoices: true });
    expect(await drafts.unfinished(mia)).toMatchObject({ newest: { id: 'log' }, count: 3 });
    clock.now += 15 * MINUTE;
    // Nothing is left to choose from.
    expect(await drafts.unfinished(mia)).toEqual({ newest: list('latest'), count: 2 });
    clock.now += DAY;
    expect(await drafts.unfinished(mia)).toBeUndefined();
  });

  it('counts as unfinished until the member resubmits the held-back server', async () => {
    const { clock, ...parts } = await openParts(NOW);
    const { drafts } = parts;
    const single = (id: string, host: string): Draft => ({
      id,
      source: 'options',
      rows: [readyRow(1, host)],
      isHeldBack: true,
    });
    await drafts.save(mia, single('a', 'a.example.com'));
    await drafts.save(mia, { ...single('refused', 'b.example.com'), isHeldBack: false });
    expect(await drafts.unfinished(mia)).toEqual({ newest: single('a', 'a.example.com'), count: 1 });
    clock.now += 1;
    const submit = (by: typeof mia, host: string) =>
      beginSubmission(parts, by, { interactionId: host, draft: single(`sent ${by.user.id} ${host}`, host) });
    await submit(mia, 'other.example.com');
    await submit(ben, 'a.example.com');
    expect(await drafts.unfinished(mia)).toMatchObject({ newest: { id: 'a' } });
    await submit(mia, 'a.example.com');
    expect(await drafts.unfinished(mia)).toBeUndefined();
  });

  it('is deleted once the member has ten newer drafts', async () => {
    const { clock, drafts } = await openParts(NOW);
    await drafts.save(ben, readyDraft('of ben', 1));
    const ids = Array.from({ length: 12 }, (_, n) => `d${n}`);
    await drafts.save(mia, { ...readyDraft('one', 1), source: 'options' });
    for (const id of ids) {
      clock.now += 1;
      await drafts.save(mia, readyDraft(id, 1));
    }
    expect(await drafts.find(mia, 'one')).not.toHaveProperty('why');
    const found = await Promise.all(ids.map((id) => drafts.find(mia, id)));
    expect(found.map(({ kind }) => kind === 'no-draft')).toEqual([true, true, ...Array(10).fill(false)]);
    expect(await drafts.find(ben, 'of ben')).not.toHaveProperty('why');
    // After the clock is set back, the newest draft seems to be the oldest.
    clock.now -= 5 * MINUTE;
    await drafts.save(mia, readyDraft('new', 1));
    expect(await drafts.find(mia, 'new')).not.toHaveProperty('why');
    expect(await drafts.find(mia, 'd2')).toMatchObject({ kind: 'no-draft', why: 'gone' });
  });
});

describe("the size limit for a guild's drafts", () => {
  it('removes the oldest drafts beyond 8 MiB in total', async () => {
    let time = 100 * MINUTE;
    const store = await openStore();
    const { drafts } = partsOver(store, { now: () => (time += 1) });
    const rows = [invalidRow(1, 'ä'.repeat(2 * 1024 * 1024 - 200))];
    const halfOf = (id: string): Draft => ({ ...readyDraft(id, 1), rows });
    const members = ['2', '3', '4'].map((id) => ({ guildId: '1', user: { id, name: id } }));
    const elsewhere = { guildId: '2', user: mia.user };
    await drafts.save(elsewhere, halfOf('elsewhere'));
    for (const by of members) await drafts.save(by, halfOf(`of ${by.user.id}`));
    const found = await Promise.all(members.map((by) => drafts.find(by, `of ${by.user.id}`)));
    expect(found.map(({ kind }) => kind === 'no-draft')).toEqual([true, false, false]);
    expect(await drafts.find(elsewhere, 'elsewhere')).toEqual(halfOf('elsewhere'));
  });

  it('first removes drafts of the member who uses the most space', async () => {
    const { clock, drafts } = await openParts(NOW);
    const save = async (id: string, userId: string, kib: number) => {
      clock.now += 1;
      const draft: Draft = { id, source: 'text', rows: [invalidRow(1, 'x'.repeat(kib * 1024))] };
      await drafts.save({ guildId: '1', user: { id: userId, name: userId } }, draft);
    };
    const left = async (userId: string, ids: readonly string[]) => {
      const by = { guildId: '1', user: { id: userId, name: userId } };
      const found = await Promise.all(ids.map((id) => drafts.find(by, id)));
      return ids.filter((_, index) => found[index]?.kind !== 'no-draft');
    };
    await save('small', '2', 1);
    const large = Array.from({ length: 9 }, (_, n) => `large-${n}`);
    for (const id of large) await save(id, '3', 850);
    await save('second', '4', 300);
    await save('third', '5', 400);
    expect(await left('2', ['small'])).toEqual(['small']);
    expect(await left('3', large)).toEqual(large.slice(1));
    // The draft that was just saved is kept, even if all of the others are smaller.
    await save('largest', '4', 7 * 1024);
    expect(await left('4', ['second', 'largest'])).toEqual(['largest']);
    expect(await left('2', ['small'])).toEqual(['small']);
  });
});

describe('rowsToSend', () => {
  it('includes previously submitted servers only on request', () => {
    const [a, b] = [readyRow(1, 'a'), readyRow(2, 'b')];
    const draft: Draft = { id: 'd', source: 'text', rows: [a, invalidRow(3), b] };
    const outcome = { kind: 'accepted', message: '' } as const;
    const alreadySubmitted = new Map([[a, { outcome }]]);
    expect(rowsToSend(draft, alreadySubmitted)).toEqual([b]);
    expect(rowsToSend({ ...draft, includesAlreadySubmitted: true }, alreadySubmitted)).toEqual([a, b]);
    const withUnconfirmed = { ...draft, includesUnconfirmed: true };
    expect(rowsToSend(withUnconfirmed, alreadySubmitted)).toEqual([b]);
    const unconfirmed = new Map([[a, { outcome: { kind: 'unknown', reason: 'unreadable' } as const }]]);
    expect([rowsToSend(draft, unconfirmed), rowsToSend(withUnconfirmed, unconfirmed)]).toEqual([[b], [a, b]]);
  });
});
