import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createTakeover } from '../../src/interactions/takeover.ts';
import { createKeyTrials } from '../../src/listing/key-trials.ts';
import { isReady } from '../../src/server-lists/row.ts';
import { Secret } from '../../src/text/secret.ts';
import { addDone, beginSubmission, fill, partsOver, readyDraft } from '../support/builders.ts';
import { openStore } from '../support/database.ts';
import { folder, recorder } from '../support/machine.ts';

/** Returns every SQL statement that is compiled during `run`. */
async function statementsOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  const statements: string[] = [];
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function watched(sql, ...options) {
    statements.push(sql);
    return prepare.call(this, sql, ...options);
  };
  try {
    await run();
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return statements;
}

it('SQL statements for submissions never scan a whole table', async () => {
  const path = join(folder(), 'bot.sqlite');
  const store = await openStore(path);
  const limit = { servers: 1, seconds: 60 };
  const parts = partsOver(store, { member: limit, guild: limit });
  const mia = { guildId: '1', user: { id: '2', name: 'mia' } };
  const draft = readyDraft('d', 1, 'x');
  await addDone(store, { id: 'x', guildId: '1', userId: '2', at: Date.now(), hosts: ['a', 'b'] });

  const statements = await statementsOf(async () => {
    await parts.drafts.save(mia, draft);
    await parts.drafts.find(mia, 'd');
    await parts.choices.save(mia, 'd', { shape: 'people', candidates: [], game: '' });
    await parts.choices.find('d');
    await parts.drafts.unfinished(mia);
    await parts.drafts.drop(mia, 'd');
    await beginSubmission(parts, mia, {
      interactionId: 'v',
      draft: readyDraft('w', 1, 'x'),
      expiresAt: Date.now(),
    });
    await parts.waitingSubmissions.whyNotWaiting({ ...mia, id: 'd' }, []);
    const targets = [{ kind: 'member', id: '2' }] as const;
    const by = { id: '9', name: 'eve' };
    const [block] = await parts.approvals.block('1', { targets, by, reason: '' });
    await parts.blocks.ofDecision('1', 'u');
    await parts.blocks.removeOfDecision('1', 'u');
    await parts.blocks.deleteName('1', '9');
    await parts.approvals.unblock('1', block?.id ?? '');
    await parts.approvals.waiting('1', '2');
    await parts.approvals.countWaiting('1');
    await parts.approvals.countWaiting('1', '2');
    await parts.approvals.latestIds('1', '2');
    await parts.approvals.latestIds('1');
    await parts.approvals.namesOf('1', ['2']);
    await parts.submissions.by('1', 'v');
    await parts.submissions.settled('1', 'w');
    const queued = await parts.submissions.latest('1', 'w');
    if (queued) await parts.approvals.background(queued);
    await parts.approvals.draft(mia, 'w');
    await parts.approvals.due();
    await parts.waitingSubmissions.markRepeats('1', 'x');
    await parts.waitingSubmissions.isAnyWaiting('1');
    await parts.approvals.decline({
      guildId: '1',
      id: 'w',
      submissionId: await parts.submissions.latestId('w'),
      by: { id: '9', name: 'eve' },
      interactionId: 'u',
      reason: { key: undefined, words: '' },
    });
    const submissionId = await parts.submissions.latestId('w');
    await parts.approvals.undo({ guildId: '1', id: 'w', submissionId, interactionId: 'u2' });
    await parts.alreadySubmitted.inFlight(
      '1',
      draft.rows.flatMap((row) => (row.kind === 'ready' ? row.submission : [])),
    );
    await parts.alreadySubmitted.find({ guildId: '1', userId: '2' }, draft.rows);
    await parts.limits.allowance({ guildId: '1', userId: '2', count: 1, dailyQuota: 1 });
    const id = await beginSubmission(parts, mia, { interactionId: 'i', draft });
    await parts.submissions.markSending('1', id, [0]);
    await parts.submissions.endRequest(id, [0], []);
    await parts.submissions.endRunningOf('i');
    const retried = { ...mia, draftId: draft.id, interactionId: 'r', rows: draft.rows.filter(isReady) };
    await parts.submissions.begin(retried, true);
    await parts.submissions.endRunningOf('r');
    await beginSubmission(parts, mia, {
      interactionId: 'v2',
      draft: readyDraft('w2', 1, 'x'),
      expiresAt: Date.now(),
    });
    await parts.waitingSubmissions.withdraw(mia, 'w2', 'v3');
    await beginSubmission(parts, mia, { interactionId: 'v4', draft: readyDraft('w2', 1, 'x'), expiresAt: 0 });
    await parts.waitingSubmissions.expire('1');
    const takeOver = createTakeover({
      store,
      processId: 'o',
      submissions: parts.submissions,
      notifyUnreplied: async () => undefined,
      onTakenOver: () => undefined,
      logger: recorder(),
    });
    await takeOver(new AbortController().signal);
    await parts.submissions.endAbandoned('1');
    await parts.history.unsent('1', '2');
    await parts.history.unsent('1', '2', ['x']);
    const accepted = { outcome: 'accepted' } as const;
    for (const filter of [
      {},
      { userId: '2' },
      { game: 'rust' },
      accepted,
      { ...accepted, userId: '2' },
      { address: 'x' },
      { outcome: 'waiting' },
      { outcome: 'withdrawn', readerId: '2' },
      { userId: '2', readerId: '2' },
      { outcome: 'declined', userId: '2' },
      { readerId: '2', isDecided: true },
    ] as const) {
      await parts.history.find('1', filter);
      await Array.fromAsync(parts.history.all('1', filter));
    }
    await parts.submissions.find('1', 'x');
    await parts.history.gameAliases('1');
    await parts.history.latestGames('1');
    await parts.history.entries('1', ['x']);
    await parts.history.size('1');
    const keyTrials = createKeyTrials({ store, games: async () => ({ kind: 'not-sent', reason: 'bot' }) });
    await keyTrials.run({ guildId: '1', memberId: '2' }, new Secret('a key'));
    await keyTrials.prune();
    await fill(store, '3', { count: 20_001, at: Date.now() - 7 * 86_400_000 });
    await parts.erasure.prune();
    expect(await parts.history.size('3')).toBe(20_000);
    await parts.erasure.forgetMember('1', '2');
    await parts.erasure.deleteGuild('1');
  });

  const database = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => database.close());
  const steps = statements
    .filter((sql) => /^(?:select|update|delete)/i.test(sql))
    .flatMap((sql) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      return plan.map(({ detail }) => ({ detail: String(detail), sql }));
    });
  expect(steps.filter(isSlow)).toEqual([]);
  expect(steps.filter(({ detail }) => detail.includes('servers_by_address')).length).toBeGreaterThan(0);
  expect(statements.some((sql) => sql.includes('count(distinct port)'))).toBe(true);
  expect(statements.length).toBeGreaterThan(30);
});

/** Whether this step of the query plan scans all rows. */
function isSlow({ detail }: { readonly detail: string }): boolean {
  // These partial indexes contain only a small fraction of the rows.
  if (/INDEX (?:interactions_unanswered|submissions_message_due|servers_forgotten)\b/.test(detail))
    return false;
  // All servers of a list are reserved at the same time.
  if (detail.includes('servers_by_reservation (guild_id=? AND reserved_at=?)')) return true;
  return /^SCAN (?:servers|submissions|interactions|key_trials|blocks)\b/.test(detail);
}
